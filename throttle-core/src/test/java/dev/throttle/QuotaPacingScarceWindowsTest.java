package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Processes that need all of each window share it evenly, although the one that begins a window knows of it before the
 * others. Resets are whole seconds.
 */
class QuotaPacingScarceWindowsTest {

    private final Timeline line = new Timeline();

    private Window server(long limit, long seconds) {
        return new Window(line.time, limit, seconds).tellsTheLength().beginsWithARequest();
    }

    @ParameterizedTest
    @CsvSource({
        "20, 1, 2, 2, 0.02",
        "20, 1, 2, 20, 0.02",
        "20, 1, 2, 50, 0.05",
        "20, 1, 5, 2, 0.08",
        "20, 1, 5, 50, 0.08",
        "100, 10, 2, 2, 0.02",
        "100, 10, 2, 165, 0.02",
        "100, 10, 5, 20, 0.04"
    })
    void eachGetsTheSame(long limit, long seconds, int processes, long latencyMillis, double mostRefused) {
        Window server = server(limit, seconds);
        List<Callers> all = new ArrayList<>();
        for (int i = 0; i < processes; i++) {
            all.add(Callers.paced(line, i, Duration.ofMillis(latencyMillis), server)
                    .untiring(4));
        }
        double end = 40.0 * seconds;
        line.time.advance(Duration.ofSeconds((long) end));
        double from = 10.0 * seconds; // they have found their shares by then
        double fair = limit * 30.0 / processes;
        long requests = 0;
        for (Callers each : all) {
            assertThat((double) each.accepted(from, end)).isBetween(0.6 * fair, 1.4 * fair);
            assertThat(each.between(from, end).mapToDouble(Callers.Sent::waited))
                    .allMatch(it -> it < 2.5 * seconds);
            requests += each.between(from, end).count();
        }
        double accepted = all.stream().mapToLong(it -> it.accepted(from, end)).sum();
        assertThat(accepted).isGreaterThan(0.93 * 30 * limit);
        assertThat(1 - accepted / requests).isLessThan(mostRefused);
    }

    /** Both together need less than a window has. */
    @Test
    void twoJobsThatFitWaitForNothing() {
        Window server = server(100, 60);
        Callers one = Callers.paced(line, 1, Duration.ofMillis(20), server);
        Callers other = Callers.paced(line, 2, Duration.ofMillis(20), server);
        for (int i = 0; i < 35; i++) {
            one.one();
            other.one();
        }
        line.time.advance(Duration.ofSeconds(2));
        assertThat(one.accepted(0, 2)).isEqualTo(35);
        assertThat(other.accepted(0, 2)).isEqualTo(35);
    }

    @Test
    void aCallNowAndThenDoesNotWaitForTheOthers() {
        Window server = server(600, 60);
        Callers.paced(line, 1, Duration.ofMillis(20), server).untiring(4);
        Callers single = Callers.paced(line, 2, Duration.ofMillis(20), server).arriving(0.5, new SplittableRandom(3));
        line.time.advance(Duration.ofMinutes(20));
        assertThat(single.between(60, 1200).mapToDouble(Callers.Sent::waited)).allMatch(waited -> waited < 5);
    }

    /** Another client takes all that is left at full speed, and looks twice a second whether there is more. */
    @Test
    void besideOneThatKeepsToNoLineTheUsualReserveIsKept() {
        Window server = server(100, 10);
        Callers ours = Callers.paced(line, 1, Duration.ofMillis(50), server).untiring(5);
        line.time.schedule(1, () -> greedy(server));
        line.time.advance(Duration.ofSeconds(300));
        assertThat((double) ours.accepted(20, 300)).isGreaterThan(0.15 * 28 * 100);
    }

    private void greedy(Window server) {
        boolean accepted = server.answer().status() == 200;
        line.time.schedule(Duration.ofMillis(accepted ? 10 : 500).toNanos(), () -> greedy(server));
    }
}
