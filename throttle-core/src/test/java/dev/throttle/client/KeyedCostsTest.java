package dev.throttle.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.CallOptions;
import dev.throttle.ThrottleRegistry;
import dev.throttle.control.Strategies;
import dev.throttle.internal.Faults;
import dev.throttle.signal.BodyClassifier;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import dev.throttle.signal.usage.BodyReport;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When it matters what a call costs, and what becomes of what its body tells. */
class KeyedCostsTest {

    private static final Quota POINTS =
            new Quota("points", 1000L, 20L, Duration.ofSeconds(10), null, Quota.POINTS, null);

    private static final ResponseHead OK = new ResponseHead() {
        @Override
        public int status() {
            return 200;
        }

        @Override
        public void forEachHeader(HeaderVisitor visitor) {}
    };

    private final VirtualTime time = VirtualTime.autoAdvancing();
    private final ThrottleRegistry throttles = settings().build();

    private ThrottleRegistry.Builder settings() {
        return ThrottleRegistry.builder()
                .time(time)
                .strategy(Strategies.none())
                .retryAfterJitter(0, Duration.ZERO)
                .seed(1);
    }

    private static KeyedCall call(ThrottleRegistry registry, String key) {
        return new KeyedCall(registry::get, key, CallStarter.complete(CallOptions.DEFAULT, "POST", true));
    }

    /** Sends a request, whose answer says something; {@return the attempt} */
    private static Attempt send(KeyedCall call, Signal answer) throws Exception {
        call.acquire();
        Attempt attempt = new Attempt(new SafeBodyClassifier(new Saying(answer), new Faults("a test")), call);
        attempt.begin();
        attempt.answered(OK);
        attempt.looked(new byte[0]);
        return attempt;
    }

    /** Whatever the answer, its body says the same. */
    private record Saying(Signal signal) implements BodyClassifier {

        @Override
        public boolean needsBody(ResponseHead response, Signal head) {
            return true;
        }

        @Override
        public Signal classify(ResponseHead response, Signal head, String start) {
            return signal;
        }
    }

    private static Signal told(Quota quota) {
        return new Signal(Outcome.SUCCESS, new RateHints(null, List.of(quota)));
    }

    @Test
    void costsMatterOnceTheServerCountsThem() throws Exception {
        KeyedCall call = call(throttles, "a");
        assertThat(call.countsCosts()).isFalse();
        send(call, told(new Quota("r", 10L, 9L, null, null)));
        send(call, told(new Quota("c", 10L, 9L, null, null, Quota.CONCURRENT_REQUESTS, null)));
        assertThat(call.countsCosts()).isFalse();
        send(call, told(POINTS));
        assertThat(call.countsCosts()).isTrue();
        assertThat(call(throttles, "a").countsCosts()).isTrue();
        assertThat(call(throttles, "b").countsCosts()).isFalse();
    }

    @Test
    void costsMatterOnceACallWasSettledAndWhereALimitCountsThem() throws Exception {
        KeyedCall call = call(throttles, "a");
        Attempt attempt = send(call, Signal.SUCCESS);
        attempt.report(new BodyReport(Cost.of(Quota.TOKENS, 7), List.of(), false, null));
        assertThat(call(throttles, "a").countsCosts()).isTrue();
        ThrottleRegistry limited = settings()
                .limit(Strategies.tokenBucket()
                        .unit(Quota.TOKENS)
                        .rate(1, Duration.ofSeconds(1))
                        .burst(10)
                        .build())
                .build();
        assertThat(call(limited, "a").countsCosts()).isTrue();
    }

    @Test
    void whatIsLeftIsShownAndATimeToStayAwayIsKept() throws Exception {
        KeyedCall call = call(throttles, "a");
        Attempt attempt = send(call, Signal.SUCCESS);
        attempt.report(new BodyReport(null, List.of(POINTS), true, Duration.ofMillis(1600)));
        assertThat(throttles.get("a").snapshot().quotas()).hasSize(1);
        assertThat(throttles.get("a").snapshot().blocked()).isEqualTo(Duration.ofMillis(1600));
        assertThat(throttles.get("a").count(Outcome.RATE_LIMITED)).isZero();
        attempt.report(BodyReport.NONE);
        assertThat(throttles.get("a").snapshot().blocked()).isEqualTo(Duration.ofMillis(1600));
    }

    @Test
    void whatTheUserSaysGoesBeforeWhatTheRequestShows() {
        CallOptions own = CallOptions.DEFAULT.estimate(Cost.of(Quota.TOKENS, 5)).profile("own");
        KeyedCall call = new KeyedCall(throttles::get, "a", CallStarter.complete(own, "POST", true));
        call.derive(Cost.of(Quota.TOKENS, 9).and(Quota.POINTS, 3), null);
        call.derive(Cost.of(Quota.POINTS, 4).and(Quota.INPUT_TOKENS, 1), "/chat");
        assertThat(call.options().estimate())
                .isEqualTo(Cost.of(Quota.TOKENS, 5).and(Quota.POINTS, 3).and(Quota.INPUT_TOKENS, 1));
        assertThat(call.options().profile()).isEqualTo("own");
        call.derive(null, null);
        assertThat(call.options().estimate()).isNotNull();
    }

    /** The estimate is there before the first wait. */
    @Test
    void whatIsDerivedIsWaitedFor() throws Exception {
        ThrottleRegistry limited = settings()
                .limit(Strategies.tokenBucket()
                        .unit(Quota.TOKENS)
                        .rate(1, Duration.ofSeconds(1))
                        .burst(10)
                        .build())
                .build();
        long begin = time.nanoTime();
        for (int i = 0; i < 3; i++) {
            KeyedCall call = call(limited, "a");
            call.derive(Cost.of(Quota.TOKENS, 10), null);
            send(call, Signal.SUCCESS);
        }
        assertThat(Duration.ofNanos(time.nanoTime() - begin)).isEqualTo(Duration.ofSeconds(20));
    }
}
