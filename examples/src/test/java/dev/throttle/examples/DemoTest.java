package dev.throttle.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The two phases of the demo, shortened. The server grants less than in the demo where the clients must be faster than
 * the quota, and its time runs faster where the first refusals must not weigh too much: a slow machine is no reason to
 * fail.
 */
class DemoTest {

    /** In three and a half seconds, of a server that is 250 times as fast as 4500 an hour. */
    private static final double GRANTED = 4500 / 3600.0 * 250 * 3.5;

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final DemoScreen screen = new PlainScreen(new PrintStream(printed, true, StandardCharsets.UTF_8));

    @Test
    void withoutThrottlingMoreThanHalfOfTheRequestsAreRefused() throws Exception {
        try (GcraServer server = new GcraServer(1, Duration.ofMinutes(1));
                DemoMetrics metrics = new DemoMetrics()) {
            List<DemoPhase.Row> rows = Demo.unthrottled(server, Duration.ofSeconds(1), screen, metrics);
            assertThat(retryRate(rows)).isGreaterThan(0.5);
            assertThat(rows).allSatisfy(row -> {
                assertThat(row.refusalsSeen()).isEqualTo(row.refused());
                assertThat(row.longestWait()).isZero();
            });
        }
    }

    @Test
    void withThrottlingLessThanOneInTwentyIsRefusedAndTheProgramSeesNone() throws Exception {
        try (GcraServer server = new GcraServer(250);
                DemoMetrics metrics = new DemoMetrics()) {
            List<DemoPhase.Row> rows = Demo.throttled(server, Duration.ofMillis(3500), screen, metrics);
            assertThat(retryRate(rows)).as(rows.toString()).isLessThan(0.05);
            boolean isFast = requests(rows) > GRANTED / 2; // who cannot ask for more than is granted need not wait
            assertThat(rows).allSatisfy(row -> {
                assertThat(row.served()).isPositive();
                assertThat(row.refusalsSeen()).isZero();
                if (isFast) {
                    assertThat(row.longestWait()).isPositive();
                }
            });
        }
        assertThat(printed.toString(StandardCharsets.UTF_8).lines()).hasSize(2 + 4);
    }

    private static double retryRate(List<DemoPhase.Row> rows) {
        return (double) rows.stream().mapToLong(DemoPhase.Row::refused).sum() / requests(rows);
    }

    private static long requests(List<DemoPhase.Row> rows) {
        return rows.stream().mapToLong(DemoPhase.Row::requests).sum();
    }
}
