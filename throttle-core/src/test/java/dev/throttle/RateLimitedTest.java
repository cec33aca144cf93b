package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Listeners hear when a rate begins to be limited and when that is over, and nothing in between. */
class RateLimitedTest {

    private final Timeline line = new Timeline();
    private final List<Boolean> told = new ArrayList<>();
    private final ThrottleListener listener = new ThrottleListener() {
        @Override
        public void onRateLimited(Source throttle, boolean limited) {
            told.add(limited);
        }
    };

    @Test
    void aLimitThatIsLearnedIsToldWhenItComesAndWhenItGoes() {
        Throttle throttle = line.throttle(Strategies.busyRps().initialLimit(8).build())
                .listener(listener)
                .build();
        throttle.acquireAsync().join().complete(Signal.SUCCESS);
        assertThat(told).isEmpty();
        Calls.of(throttle).newCall().acquireForced().complete(Signal.BUSY);
        Calls.of(throttle).newCall().acquireForced().complete(Signal.BUSY);
        assertThat(throttle.snapshot().rateLimit()).isEqualTo(2);
        assertThat(told).containsExactly(true);
        for (int i = 0; i < 10; i++) {
            line.time.advance(Duration.ofSeconds(1));
            Calls.of(throttle).newCall().acquireForced().complete(Signal.SUCCESS);
        }
        assertThat(throttle.snapshot().rateLimit()).isInfinite();
        assertThat(told).containsExactly(true, false);
    }

    @Test
    void aFixedLimitIsToldWhenItComesAndWhenItGoes() {
        Throttle throttle = line.throttle(Strategies.none()).listener(listener).build();
        throttle.reconfigure(key -> key.limit(Strategies.tokenBucket().build()));
        assertThat(told).containsExactly(true);
        throttle.reconfigure(key -> key.limit(Strategies.fixedWindow().build()));
        assertThat(told).containsExactly(true);
        throttle.reconfigure(KeySettings::clearLimits);
        assertThat(told).containsExactly(true, false);
    }
}
