package dev.throttle.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.lab.sim.Figures;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Holds quota-pacing to what it promises in the published experiment. */
class QuotaPacingBarTest {

    private static final String OURS = "quota-pacing";
    private static final int RUNS = 10;

    @Test
    void thePublishedExperimentIsBeatenAsPromised() {
        Figures heroku = figures("--seed 7");
        assertThat(heroku.retryRate()).isLessThanOrEqualTo(0.0012);
        assertThat(heroku.maxSleepSeconds()).isLessThanOrEqualTo(11);
        assertThat(heroku.requestCountStdev()).isLessThanOrEqualTo(2.5);
        assertThat(heroku.utilisation()).isGreaterThanOrEqualTo(0.995);
        Double clear = figures("--server decrease-only --stop-under 10").elapsedSeconds();
        assertThat(clear).isNotNull().isLessThanOrEqualTo(1.02 * 74.3);
    }

    private static Figures figures(String arguments) {
        CommandLine.ParseResult parsed = Main.commandLine()
                .parseArgs(("compare --strategies " + OURS + " --runs " + RUNS + " " + arguments).split(" +"));
        CompareCommand command =
                (CompareCommand) parsed.subcommand().commandSpec().userObject();
        return command.results().get(0).figures();
    }
}
