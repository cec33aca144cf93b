package dev.throttle.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.lab.sim.Comparison;
import dev.throttle.lab.sim.Figures;
import dev.throttle.lab.sim.JobFigures;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/** The tables of the cookbook are what the command below each of them gives. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Tag("slow")
class CookbookFiguresTest {

    private static final String REGENERATE = """
            The figures have drifted from those of the cookbook. If the new ones are meant to be, regenerate the tables,
            look at the difference and at the words around them, and commit them:
              mvn -Dquick -Dgolden.update -pl throttle-lab -am test -Dtest=CookbookFiguresTest -Dsurefire.failIfNoSpecifiedTests=false
            """;
    private static final Path PAGES = Path.of("..", "docs", "cookbook");

    /** A table, and the command that made it. */
    private static final Pattern TABLE =
            Pattern.compile("((?:^\\|.*\n)+)\n```\njava -jar throttle-lab\\.jar (compare .*)\n```$", Pattern.MULTILINE);

    private static final Pattern ROW =
            Pattern.compile("^\\| (?:Throttle|Backoff) \\| [0-9,]+ \\| ([0-9.]+) % \\|", Pattern.MULTILINE);

    /** A second process that has little to do and comes later. */
    private static final Pattern LATECOMER = Pattern.compile("--calls \\d+,\\d+:\\+");

    private static final Path PICTURE = Path.of("..", "docs", "charts", "cookbook.svg");

    static Stream<Path> pages() throws IOException {
        try (Stream<Path> pages = Files.list(PAGES)) {
            return pages.filter(page -> page.toString().endsWith(".md")).sorted().toList().stream();
        }
    }

    private static String table(String arguments) {
        CommandLine.ParseResult parsed = Main.commandLine().parseArgs(arguments.split(" +"));
        CompareCommand command =
                (CompareCommand) parsed.subcommand().commandSpec().userObject();
        boolean isLate = LATECOMER.matcher(arguments).find();
        StringBuilder table = new StringBuilder("| | requests | refused | time | ")
                .append(isLate ? "time of the latecomer" : "against the ideal")
                .append(" |\n|---|--:|--:|--:|--:|\n");
        for (Comparison.Result result : command.results()) {
            Figures figures = result.figures();
            JobFigures job = Objects.requireNonNull(figures.jobs(), arguments);
            table.append(String.format(
                    Locale.ROOT,
                    "| %s | %s | %.1f %% | %s | %s |\n",
                    name(result.strategy()),
                    count(figures.requests()),
                    100 * figures.refused() / figures.requests(),
                    time(job.jobSeconds()),
                    isLate
                            ? time(job.byProcess().get(1))
                            : String.format(Locale.ROOT, "%.2f", Objects.requireNonNull(job.slowdown()))));
        }
        return table.toString();
    }

    private static String name(String strategy) {
        return switch (strategy) {
            case "quota-pacing" -> "Throttle";
            case "backoff-retry-after" -> "Backoff";
            default -> "`" + strategy + "`";
        };
    }

    /** With as many digits as a reader needs, so that a small change of a strategy does not change each table. */
    private static String time(@Nullable Double seconds) {
        double known = Objects.requireNonNull(seconds, "a job did not end");
        if (known >= 120) {
            return String.format(Locale.ROOT, "%.1f min", known / 60);
        }
        return String.format(Locale.ROOT, known < 10 ? "%.1f s" : "%.0f s", known);
    }

    private static String count(double value) {
        BigDecimal rounded = new BigDecimal(value).round(new MathContext(3));
        return String.format(Locale.ROOT, "%,.0f", rounded);
    }

    @Order(1)
    @ParameterizedTest
    @MethodSource("pages")
    void theTablesAreThoseOfTheirCommands(Path page) throws IOException {
        String text = Files.readString(page);
        Matcher tables = TABLE.matcher(text);
        String measured = tables.replaceAll(found -> Matcher.quoteReplacement(withNewTable(found)));
        if (System.getProperty("golden.update") != null) {
            Files.writeString(page, measured);
        }
        assertThat(measured).as(REGENERATE).isEqualTo(Files.readString(page));
    }

    /** The picture shows the first table of each page. */
    @Order(2)
    @Test
    void thePictureShowsTheTables() throws IOException {
        CookbookChart chart = new CookbookChart();
        for (Path page : pages().toList()) {
            String text = Files.readString(page);
            Matcher rows = ROW.matcher(text);
            if (rows.find()) {
                double throttled = sentForEachServed(rows);
                assertThat(rows.find()).isTrue();
                String title = text.lines().findFirst().orElseThrow().replaceAll("^# (An API that only sends )?", "");
                chart.add(title.matches("\\d+") ? "only " + title : title, sentForEachServed(rows), throttled);
            }
        }
        String picture = chart.svg();
        if (System.getProperty("golden.update") != null) {
            Files.writeString(PICTURE, picture);
        }
        assertThat(picture).as(REGENERATE).isEqualTo(Files.readString(PICTURE));
    }

    private static double sentForEachServed(Matcher row) {
        return 1 / (1 - Double.parseDouble(row.group(1)) / 100);
    }

    private static String withNewTable(MatchResult found) {
        return found.group().replace(found.group(1), table(found.group(2)));
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyPageHasAFigureAndIsInTheList(Path page) throws IOException {
        String text = Files.readString(page);
        int commands = text.split("java -jar throttle-lab\\.jar compare", -1).length - 1;
        assertThat(commands).isEqualTo((int) TABLE.matcher(text).results().count());
        if (!page.endsWith("README.md")) {
            assertThat(text).contains("java -jar throttle-lab.jar ");
            assertThat(Files.readString(PAGES.resolve("README.md"))).contains("(" + page.getFileName() + ")");
        }
    }
}
