package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The first answer tells that nothing is left. */
class QuotaPacingEmptyStartTest {

    private final VirtualTime time = new VirtualTime();
    private final Throttle throttle = Throttle.builder().time(time).build();
    private final long start = time.nanoTime();

    private long seconds() {
        return (time.nanoTime() - start) / 1_000_000_000;
    }

    /** Whoever begins with a window that is used up asks once, and not every second until it ends. */
    @Test
    void nothingLeftAtTheBeginningIsWaitedForUntilTheReset() {
        int sent = 0;
        while (seconds() < 60) {
            Permit permit = throttle.tryAcquire();
            if (permit != null) {
                sent++;
                permit.complete(Heads.status(
                        429,
                        "x-ratelimit-limit-tokens",
                        "10000",
                        "x-ratelimit-remaining-tokens",
                        "0",
                        "x-ratelimit-reset-tokens",
                        60 - seconds() + "s"));
            }
            time.advance(Duration.ofMillis(500));
        }
        assertThat(sent).isEqualTo(1);
        assertThat(throttle.tryAcquire()).isNotNull();
    }
}
