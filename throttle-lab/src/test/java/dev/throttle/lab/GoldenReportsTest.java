package dev.throttle.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/**
 * Runs a fixed set of scenarios and compares the figures with the committed report. A difference is not always a
 * mistake, but somebody has to look at it: see {@link #REGENERATE}.
 *
 * <p>To add a scenario, add a line to {@code golden/scenarios.txt} and regenerate.
 */
class GoldenReportsTest {

    private static final String REGENERATE = """
            The figures have drifted from the committed report. If the new ones are meant to be, regenerate it and its
            charts, look at the difference, and commit them:
              mvn -Dquick -Dgolden.update -pl throttle-lab -am test -Dtest=GoldenReportsTest -Dsurefire.failIfNoSpecifiedTests=false
            """;
    private static final int FEWEST = 12;

    private final Path folder = Path.of("src", "test", "resources", "golden");

    private record Scenario(String name, String purpose, String arguments) {

        static Scenario of(String line) {
            String[] parts = line.split(" *\\| *", 3);
            return new Scenario(parts[0], parts[1], parts[2]);
        }
    }

    private List<Scenario> scenarios() throws IOException {
        return Files.readAllLines(folder.resolve("scenarios.txt")).stream()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .map(Scenario::of)
                .toList();
    }

    private static String table(String arguments) throws IOException {
        CommandLine.ParseResult parsed = Main.commandLine().parseArgs(arguments.split(" +"));
        CompareCommand command =
                (CompareCommand) parsed.subcommand().commandSpec().userObject();
        Writer table = new StringWriter();
        command.compare(table);
        return table.toString();
    }

    private String report(boolean withCharts) throws IOException {
        StringBuilder report = new StringBuilder("""
                # Golden reports

                A fixed set of scenarios; the build fails when a figure drifts. `docs/lab.md` defines the figures. Each table
                was made by the command above it, each chart by the same command with `--chart`.
                """);
        for (Scenario scenario : scenarios()) {
            String command = "compare " + scenario.arguments() + " --format markdown";
            String chart = scenario.name() + ".png";
            String table = table(command + (withCharts ? " --chart " + folder.resolve(chart) : ""));
            report.append("\n## ")
                    .append(scenario.name())
                    .append("\n\n")
                    .append(scenario.purpose())
                    .append("\n\n```\njava -jar throttle-lab.jar ")
                    .append(command)
                    .append("\n```\n\n")
                    .append(table)
                    .append("\n![")
                    .append(scenario.name())
                    .append("](")
                    .append(chart)
                    .append(")\n");
        }
        return report.toString();
    }

    @Tag("slow")
    @Test
    void theFiguresAreThoseOfTheCommittedReport() throws IOException {
        Path file = folder.resolve("report.md");
        boolean update = System.getProperty("golden.update") != null;
        String report = report(update);
        if (update) {
            Files.writeString(file, report);
        }

        assertThat(report).as(REGENERATE).isEqualTo(Files.readString(file));
    }

    @Test
    void everyServerTakesPartAndEveryScenarioHasAChart() throws IOException {
        List<Scenario> scenarios = scenarios();
        List<String> missing = new ArrayList<>();
        for (Scenario scenario : scenarios) {
            if (!Files.exists(folder.resolve(scenario.name() + ".png"))) {
                missing.add(scenario.name());
            }
        }

        assertThat(scenarios).hasSizeGreaterThanOrEqualTo(FEWEST);
        assertThat(missing).as(REGENERATE).isEmpty();
        for (String server : "token-bucket,fixed-window,sliding-window,decrease-only,busy".split(",")) {
            assertThat(scenarios).anyMatch(scenario -> scenario.arguments().contains("--server " + server));
        }
        assertThat(scenarios).anyMatch(scenario -> !scenario.arguments().contains("--server "));
    }
}
