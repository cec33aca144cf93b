package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.Strategies;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The limit that is shown is that of the moment when it is read. */
class LimitOverTimeTest {

    private final Timeline line = new Timeline();

    @Test
    void aLimitThatRecoversWithTimeIsShownAsItIsNow() throws Exception {
        Throttle throttle =
                line.throttle(Strategies.busyRps().recoverValue(10).build()).build();
        for (int i = 0; i < 20; i++) {
            throttle.acquire().end(Signal.SUCCESS);
            line.advanceMillis(50);
        }
        throttle.acquire().end(Signal.BUSY);
        assertThat(throttle.snapshot().rateLimit()).isEqualTo(10);
        line.advanceMillis(3_000);
        double shown = throttle.snapshot().rateLimit();
        throttle.tryAcquire();
        assertThat(shown).isGreaterThan(20).isEqualTo(throttle.snapshot().rateLimit());
    }

    @Test
    void aLimitThatHasRecoveredToItsCapIsNone() throws Exception {
        Throttle throttle = line.throttle(Strategies.busyRps().build()).build();
        throttle.acquire().end(Signal.BUSY);
        line.time.advance(Duration.ofHours(1));
        assertThat(throttle.snapshot().rateLimit()).isInfinite();
        for (int i = 0; i < 100; i++) {
            Objects.requireNonNull(throttle.tryAcquire());
        }
        assertThat(throttle.snapshot().rateLimit()).isInfinite();
    }
}
