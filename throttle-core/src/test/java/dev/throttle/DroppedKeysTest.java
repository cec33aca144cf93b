package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A key is dropped only if keeping it would admit no less. */
class DroppedKeysTest {

    private final Timeline line = new Timeline();

    /** Three a day each. */
    enum Limit {
        FIXED_WINDOW(() ->
                Strategies.fixedWindow().limit(3).window(Duration.ofDays(1)).build()),
        SLIDING_LOG(() -> Strategies.slidingWindowLog()
                .limit(3)
                .window(Duration.ofDays(1))
                .build()),
        SLIDING_COUNTER(() -> Strategies.slidingWindowCounter()
                .limit(3)
                .window(Duration.ofDays(1))
                .build()),
        TOKEN_BUCKET(() -> Strategies.tokenBucket().rate(3, Duration.ofDays(1)).build());

        private final Supplier<Strategy> strategy;

        Limit(Supplier<Strategy> strategy) {
            this.strategy = strategy;
        }
    }

    private void visitOthers(ThrottleRegistry throttles) {
        for (int i = 0; i < 50; i++) {
            throttles.get("other" + i).tryAcquire();
        }
    }

    @ParameterizedTest
    @EnumSource
    void notWhileAFixedLimitIsPartlyUsed(Limit limit) {
        ThrottleRegistry throttles = line.registry(Strategies.none())
                .limit(limit.strategy.get())
                .maxKeys(1)
                .idleExpiry(Duration.ofHours(1))
                .build();
        Permit first = throttles.get("k").tryAcquire();
        assertThat(first).isNotNull();
        first.complete(Signal.SUCCESS);
        line.time.advance(Duration.ofMinutes(61));
        visitOthers(throttles);
        int more = 0;
        for (Permit next = throttles.get("k").tryAcquire();
                next != null;
                next = throttles.get("k").tryAcquire()) {
            next.complete(Signal.SUCCESS);
            more++;
        }
        assertThat(more).isEqualTo(2);
    }

    @Test
    void onceAFixedLimitIsAsNewItIsDropped() {
        ThrottleRegistry throttles = line.registry(Strategies.none())
                .limit(Limit.FIXED_WINDOW.strategy.get())
                .maxKeys(1)
                .build();
        Throttle throttle = throttles.get("k");
        Permit permit = throttle.tryAcquire();
        assertThat(permit).isNotNull();
        permit.complete(Signal.SUCCESS);
        line.time.advance(Duration.ofDays(2));
        visitOthers(throttles);
        assertThat(throttle.isEvicted()).isTrue();
    }

    @Test
    void notWhileALearnedSleepIsNotOver() {
        ThrottleRegistry throttles =
                line.registry(Strategies.responsiveBackoff().build()).maxKeys(1).build();
        Throttle throttle = throttles.get("k");
        for (int i = 0; i < 12; i++) {
            Calls.of(throttle).newCall().acquireForced().end(Signal.RATE_LIMITED);
        }
        Duration sleep = throttle.snapshot().sleep();
        assertThat(sleep).isGreaterThan(Duration.ofMillis(10));
        line.time.advance(sleep.dividedBy(2));
        visitOthers(throttles);
        assertThat(throttle.isEvicted()).isFalse();
        line.time.advance(sleep.multipliedBy(2));
        visitOthers(throttles);
        assertThat(throttle.isEvicted()).isTrue();
    }

    @Test
    void notWhileTheStrategyItselfHoldsItBackUntilAReset() {
        ThrottleRegistry throttles =
                line.registry(Strategies.quotaPacing().build()).maxKeys(1).build();
        RateHints usedUp = new RateHints(null, List.of(new Quota(null, 100L, 0L, Duration.ofMinutes(5), null)));
        Throttle throttle = throttles.get("k");
        Permit permit = throttle.tryAcquire();
        assertThat(permit).isNotNull();
        permit.complete(new Signal(Outcome.RATE_LIMITED, usedUp));
        assertThat(throttle.tryAcquire()).isNull();
        visitOthers(throttles);
        assertThat(throttle.isEvicted()).isFalse();
        assertThat(throttles.get("k").tryAcquire()).isNull();
    }
}
