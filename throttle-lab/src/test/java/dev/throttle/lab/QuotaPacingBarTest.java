package dev.throttle.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.lab.bar.BarGroup;
import dev.throttle.lab.bar.BarReport;
import dev.throttle.lab.bar.Criterion;
import dev.throttle.lab.sim.Figures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The committed report of the default strategy is that of the present scenarios and of the present strategy. The whole
 * takes minutes, so this test repeats only some groups, and there only the strategy itself.
 */
@Tag("slow")
class QuotaPacingBarTest {

    private static final String REGENERATE = """
            The figures have drifted from the committed report. If the new ones are meant to be, regenerate it, look at
            the difference, and commit it:
              java -jar throttle-lab/target/throttle-lab.jar bar --report docs/design/quota-pacing-report.md --runs 2
            """;
    private static final List<String> REPEATED =
            List.of("jobs-window", "joins", "published", "clear", "windows-2", "llm", "announced");
    private static final Pattern COMMAND = Pattern.compile("--runs (\\d+) --seed (\\d+)`");

    private final Path report = Path.of("..", "docs", "design", "quota-pacing-report.md");

    @Test
    void theReportIsThatOfThePresentScenarios() throws IOException {
        String committed = Files.readString(report);

        assertThat(committed)
                .as(REGENERATE)
                .contains(BarGroup.all().stream()
                        .map(group -> "## " + group.name() + ": " + group.title() + " ("
                                + group.scenarios().size() + " scenarios)")
                        .toList());
        assertThat(committed).contains("| figure | bar | " + String.join(" | ", BarReport.ALL) + " |");
    }

    @Test
    void theFiguresAreThoseOfTheCommittedReport() throws IOException, InterruptedException {
        List<String> committed = Files.readAllLines(report);
        Matcher command = COMMAND.matcher(String.join("\n", committed));
        assertThat(command.find()).as(REGENERATE).isTrue();
        int runs = Integer.parseInt(command.group(1));
        long seed = Long.parseLong(command.group(2));
        List<BarGroup> groups = BarRun.chosen(REPEATED, "");

        List<String> repeated = new ArrayList<>();
        BarRun run = new BarRun(
                List.of(BarReport.OURS), runs, seed, Runtime.getRuntime().availableProcessors());
        run.run(groups, new Progress(0), (group, results) -> {
            List<String> cells = new BarReport(group, List.of(BarReport.OURS), results, 0).cells(0);
            for (int i = 0; i < cells.size(); i++) {
                repeated.add(row(group.name(), group.criteria().get(i), cells.get(i)));
            }
        });

        assertThat(own(committed)).as(REGENERATE).containsAll(repeated);
        assertThat(repeated).hasSizeGreaterThan(REPEATED.size());
    }

    private static String row(String group, Criterion criterion, String cell) {
        return group + " " + criterion.figure().text() + ": " + cell;
    }

    /** The cells of the default strategy. */
    private static List<String> own(List<String> lines) {
        List<String> own = new ArrayList<>();
        String group = "";
        for (String line : lines) {
            if (line.startsWith("## ")) {
                group = line.substring("## ".length(), line.indexOf(':'));
            } else if (line.startsWith("| ") && !line.startsWith("| figure |")) {
                String[] cells = line.split(" *\\| *");
                own.add(group + " " + cells[1] + ": " + cells[3]);
            }
        }
        return own;
    }

    private static Figures means(String arguments) {
        CompareCommand command = (CompareCommand) Main.commandLine()
                .parseArgs(("compare --strategies quota-pacing --runs 10 " + arguments).split(" +"))
                .subcommand()
                .commandSpec()
                .userObject();
        return command.results().get(0).figures();
    }

    @Test
    void thePublishedExperimentIsBeatenAsPromised() {
        Figures heroku = means("--seed 7");
        assertThat(heroku.retryRate()).isLessThanOrEqualTo(0.0012);
        assertThat(heroku.maxSleepSeconds()).isLessThanOrEqualTo(11);
        assertThat(heroku.requestCountStdev()).isLessThanOrEqualTo(2.5);
        assertThat(heroku.utilisation()).isGreaterThanOrEqualTo(0.995);
        Double clear = means("--server decrease-only --stop-under 10").elapsedSeconds();
        assertThat(clear).isNotNull().isLessThanOrEqualTo(1.02 * 74.3);
    }
}
