package dev.throttle.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class BarIT {

    @Test
    void aGroupIsATableWithItsBars() {
        Jar.Result result = Jar.run(
                "", "bar --group published,clear --runs 1 --strategies none,quota-pacing --details 1".split(" "));

        assertThat(result.err()).isEmpty();
        assertThat(result.status()).isZero();
        assertThat(result.lines())
                .contains(
                        "## published: The published scenario (1 scenarios)", "| figure | bar | none | quota-pacing |")
                .anyMatch(line -> line.startsWith("| refused% | ≤ 0.09 | ") && line.contains("✗"))
                .anyMatch(line -> line.startsWith("none refused% ") && line.endsWith(": --processes 2 --threads 5"));
    }

    @Test
    void theNumberOfThreadsChangesNothing() {
        String args = "bar --group two-jobs,greedy --filter github --runs 2 --strategies aws-adaptive --parallel ";

        assertThat(Jar.run("", (args + 1).split(" ")).out())
                .isNotEmpty()
                .isEqualTo(Jar.run("", (args + 4).split(" ")).out());
    }

    @Test
    void aReportShowsTheDefaultTheBestPublishedOneAndThePeers(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("report.md");

        Jar.Result result = Jar.run("", "bar", "--group", "clear", "--runs", "1", "--report", file.toString());

        assertThat(result.err()).isEmpty();
        assertThat(result.out()).isEmpty();
        assertThat(Files.readString(file))
                .startsWith("# quota-pacing: figures\n")
                .contains("--runs 1 --seed 1`")
                .contains("| figure | bar | quota-pacing | exponential-increase-proportional-remaining-decrease |"
                        + " aws-adaptive | backoff-retry-after | gradient2 | greedy-until-reset |");
    }

    @Test
    void ablationShowsWhatAConstantIsGoodFor() {
        Jar.Result result =
                Jar.run("", "ablation --quick --group published,clear --constants tolerance,join".split(" "));

        assertThat(result.err()).isEmpty();
        assertThat(result.status()).isZero();
        assertThat(result.lines().get(0)).isEqualTo("| constant | usual | set to | what moves |");
        assertThat(result.lines()).hasSize(2 + 3 + 3);
        assertThat(result.lines().get(2)).startsWith("| `tolerance` | 1.6 | 1 | ");
        assertThat(result.lines().get(7)).startsWith("| `join` | 2.4 | 4.8 | ").contains("published");
    }
}
