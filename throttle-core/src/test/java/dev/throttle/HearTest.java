package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What others were told counts as of when it was said, and is no answer. */
class HearTest {

    private final Timeline line = new Timeline();
    private final Throttle throttle = line.throttle(TestStrategies.free()).build();

    private static Signal quota(Outcome outcome, long remaining, Duration reset) {
        return new Signal(outcome, new RateHints(null, List.of(new Quota("minute", 100L, remaining, reset, null))));
    }

    @Test
    void aRetryAfterHoldsForWhatIsLeftOfIt() {
        throttle.observe(Timeline.retryAfter(Duration.ofSeconds(30)), Duration.ofSeconds(10));
        line.ask(throttle, "a");
        assertThat(throttle.snapshot().blocked()).isEqualTo(Duration.ofSeconds(20));
        line.advanceMillis(60_000);
        assertThat(line.events).containsExactly("a@20000");
        assertThat(line.time.scheduledTasks()).isZero();
    }

    @Test
    void callersWhoWaitAreLookedAtAgain() {
        Throttle paced = line.throttle(TestStrategies.pace(Duration.ofSeconds(1)))
                .maxWait(Duration.ofSeconds(10))
                .build();
        line.ask(paced, "a");
        line.ask(paced, "b");
        line.advanceMillis(500);
        paced.observe(Timeline.retryAfter(Duration.ofSeconds(3)));
        line.ask(paced, "c");
        line.advanceMillis(500);
        paced.observe(
                Timeline.retryAfter(Duration.ofSeconds(4)), Duration.ofSeconds(2)); // no later than the one before
        line.advanceMillis(10_000);
        assertThat(line.events).containsExactly("a@0", "b@3500", "c@4500");
        paced.observe(Timeline.retryAfter(Duration.ofSeconds(5)));
        line.ask(paced, "d");
        paced.observe(Timeline.retryAfter(Duration.ofSeconds(11)));
        assertThat(line.events).endsWith("d rejected@11000");
    }

    @Test
    void whatIsOverIsNoNews() {
        throttle.observe(Timeline.retryAfter(Duration.ofSeconds(30)), Duration.ofSeconds(30));
        throttle.observe(quota(Outcome.SUCCESS, 0, Duration.ofSeconds(5)), Duration.ofSeconds(5));
        assertThat(throttle.tryAcquire()).isNotNull();
        assertThat(throttle.snapshot().quotas()).isEmpty();
        assertThatThrownBy(() -> throttle.observe(Signal.SUCCESS, Duration.ofNanos(-1)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void itIsNoAnswer() {
        List<Signal> told = new ArrayList<>();
        throttle.addListener(new ThrottleListener() {
            @Override
            public void onSignal(Source source, Signal signal) {
                told.add(signal);
            }
        });
        Permit permit = throttle.tryAcquire();
        assertThat(permit).isNotNull();
        throttle.observe(Timeline.retryAfter(Duration.ofSeconds(1)));
        assertThat(told).isEmpty();
        assertThat(throttle.snapshot().inFlight()).isOne();
        assertThat(throttle.count(Outcome.RATE_LIMITED)).isZero();
        permit.complete(Signal.SUCCESS);
        assertThat(throttle.snapshot().inFlight()).isZero();
    }

    @Test
    void aQuotaThatIsUsedUpHoldsUntilItsReset() {
        throttle.observe(quota(Outcome.SUCCESS, 0, Duration.ofSeconds(60)), Duration.ofSeconds(20));
        assertThat(throttle.snapshot().quotas())
                .singleElement()
                .satisfies(quota -> assertThat(quota.reset()).isEqualTo(Duration.ofSeconds(40)));
        line.ask(throttle, "a");
        line.advanceMillis(60_000);
        assertThat(line.events).containsExactly("a@40000");
    }

    @Test
    void ofAQuotaTheNewestWordHolds() {
        line.advanceMillis(100_000);
        throttle.observe(quota(Outcome.SUCCESS, 50, Duration.ofSeconds(60)), Duration.ofSeconds(10));
        throttle.observe(quota(Outcome.SUCCESS, 70, Duration.ofSeconds(60)), Duration.ofSeconds(11)); // older
        assertThat(remaining()).isEqualTo(50);
        throttle.observe(quota(Outcome.SUCCESS, 40, Duration.ofSeconds(60)), Duration.ofSeconds(9)); // newer
        assertThat(remaining()).isEqualTo(40);
        Permit permit = throttle.tryAcquire();
        assertThat(permit).isNotNull();
        permit.complete(quota(Outcome.SUCCESS, 39, Duration.ofSeconds(50)));
        throttle.observe(quota(Outcome.SUCCESS, 0, Duration.ofSeconds(60)), Duration.ofNanos(1));
        assertThat(remaining()).isEqualTo(39);
        assertThat(throttle.tryAcquire()).isNotNull();
    }

    private Long remaining() {
        return throttle.snapshot().quotas().get(0).remaining();
    }

    @Test
    void quotaPacingReadsAWindowThatOthersWereToldOf() {
        Throttle pacing = line.throttle(Strategies.standard()).build();
        Permit first = line.ask(pacing, "first").join();
        pacing.observe(quota(Outcome.SUCCESS, 0, Duration.ofSeconds(60)), Duration.ofSeconds(10));
        line.ask(pacing, "a");
        assertThat(pacing.snapshot().inFlight()).isOne();
        line.advanceMillis(49_000);
        assertThat(line.events).containsExactly("first@0");
        first.complete(quota(Outcome.SUCCESS, 0, Duration.ofSeconds(1)));
        line.advanceMillis(3_000);
        assertThat(line.events).hasSize(2);
    }

    @Test
    void quotaPacingGoesOnAtFullSpeedIfOthersWereToldThatThereIsPlenty() {
        Throttle pacing = line.throttle(Strategies.standard()).build();
        pacing.observe(new Signal(
                Outcome.SUCCESS,
                new RateHints(null, List.of(new Quota("hour", 5000L, 4900L, Duration.ofMinutes(50), null)))));
        for (int i = 0; i < 50; i++) { // none of them goes alone
            line.ask(pacing, "a");
        }
        assertThat(line.events).hasSize(50).containsOnly("a@0");
    }

    @Test
    void aKeyComesIntoBeingOnlyForNews() {
        ThrottleRegistry throttles = line.registry(TestStrategies.free()).build();
        throttles.observe("k", Timeline.retryAfter(Duration.ofSeconds(5)), Duration.ofSeconds(9));
        throttles.observe("k", Signal.RATE_LIMITED, Duration.ZERO);
        assertThat(throttles.all()).isEmpty();
        throttles.observe("k", Timeline.retryAfter(Duration.ofSeconds(5)), Duration.ofSeconds(2));
        line.ask(throttles.get("k"), "a");
        line.advanceMillis(10_000);
        assertThat(line.events).containsExactly("a@3000");
    }

    @Test
    void aKeyThatWasDroppedPassesItOn() {
        ThrottleRegistry throttles =
                line.registry(TestStrategies.free()).maxKeys(1).build();
        Throttle dropped = throttles.get("k");
        Calls.of(dropped).newCall().acquireForced().complete(Signal.SUCCESS);
        for (int i = 0; i < 50; i++) {
            throttles.get("other" + i).tryAcquire();
        }
        assertThat(dropped.isEvicted()).isTrue();
        dropped.observe(Timeline.retryAfter(Duration.ofSeconds(5)));
        assertThat(throttles.get("k").tryAcquire()).isNull();
    }
}
