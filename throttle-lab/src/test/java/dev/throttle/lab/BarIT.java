package dev.throttle.lab;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

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
}
