package dev.throttle.concurrencylimits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import com.netflix.concurrency.limits.Limit;
import com.netflix.concurrency.limits.limit.AIMDLimit;
import com.netflix.concurrency.limits.limit.Gradient2Limit;
import com.netflix.concurrency.limits.limit.VegasLimit;
import dev.throttle.Permit;
import dev.throttle.Throttle;
import dev.throttle.control.Strategies;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class AdaptiveInFlightLimitTest {

    private final VirtualTime time = new VirtualTime();
    private final Recorder recorder = new Recorder();

    /** Keeps what it is fed with. */
    private static final class Recorder implements Limit {

        final List<String> samples = new ArrayList<>();
        int limit = 2;

        @Override
        public int getLimit() {
            return limit;
        }

        @Override
        public void notifyOnChange(Consumer<Integer> consumer) {}

        @Override
        public void onSample(long startTime, long rtt, int inflight, boolean didDrop) {
            samples.add(rtt + " ns, " + inflight + " in flight" + (didDrop ? ", drop" : ""));
        }
    }

    private Throttle throttle(Supplier<? extends Limit> algorithm) {
        return Throttle.builder()
                .strategy(Strategies.none())
                .limit(AdaptiveInFlightLimit.of(algorithm))
                .time(time)
                .executor(Runnable::run)
                .build();
    }

    @Test
    void theAlgorithmHearsTheRoundTripWithoutTheWaitAndHowManyWereInFlightAtItsStart() {
        Throttle throttle = throttle(() -> recorder);
        CompletableFuture<Permit> a = throttle.acquireAsync();
        time.advanceNanos(10);
        CompletableFuture<Permit> b = throttle.acquireAsync();
        CompletableFuture<Permit> c = throttle.acquireAsync();
        assertThat(c).isNotDone();
        time.advanceNanos(90);
        a.join().complete(Signal.SUCCESS);
        assertThat(c).isDone();
        time.advanceNanos(50);
        c.join().complete(Signal.SUCCESS);
        b.join().complete(Signal.SUCCESS);
        assertThat(recorder.samples)
                .containsExactly("100 ns, 1 in flight", "50 ns, 2 in flight", "140 ns, 2 in flight");
    }

    @Test
    void overloadsAndFaultsAreDropsAndARateLimitIsOneUnlessAQuotaOfRequestsExplainsIt() {
        Throttle throttle = throttle(() -> recorder);
        Quota requests = new Quota("minute", 100L, 0L, Duration.ofSeconds(1), null);
        Quota parallel = new Quota("parallel", 5L, 0L, null, null, Quota.CONCURRENT_REQUESTS, null);
        end(throttle, Signal.of(Outcome.BUSY, RateHints.NONE));
        end(throttle, Signal.FAILED);
        end(throttle, Signal.of(Outcome.RATE_LIMITED, RateHints.NONE));
        end(throttle, new Signal(Outcome.RATE_LIMITED, new RateHints(null, List.of(parallel))));
        assertThat(recorder.samples).hasSize(4).allMatch(sample -> sample.equals("7 ns, 1 in flight, drop"));
        end(throttle, new Signal(Outcome.RATE_LIMITED, new RateHints(null, List.of(requests))));
        time.advance(Duration.ofSeconds(2));
        assertThat(recorder.samples).hasSize(4);
    }

    @Test
    void whatTheServerNeverCountedOrTheCallerGaveUpSaysNothing() {
        Throttle throttle = throttle(() -> recorder);
        end(throttle, Signal.IGNORED);
        end(throttle, Signal.of(Outcome.CANCELLED, RateHints.NONE));
        throttle.acquireAsync().join().release();
        assertThat(recorder.samples).isEmpty();
        end(throttle, Signal.SUCCESS);
        assertThat(recorder.samples).containsExactly("7 ns, 1 in flight");
    }

    private void end(Throttle throttle, Signal signal) {
        Permit permit = throttle.acquireAsync().join();
        time.advanceNanos(7);
        permit.end(signal);
    }

    @Test
    void aLimitThatGrowsLetsAllGoWhoFitAndOneMayAlwaysGo() {
        Throttle throttle = throttle(() -> recorder);
        List<CompletableFuture<Permit>> all = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            all.add(throttle.acquireAsync());
        }
        assertThat(throttle.snapshot().inFlightLimit()).isEqualTo(2);
        assertThat(throttle.snapshot().inFlight()).isEqualTo(2);
        recorder.limit = 4;
        all.get(0).join().complete(Signal.SUCCESS);
        assertThat(throttle.snapshot().inFlight()).isEqualTo(4);
        assertThat(throttle.snapshot().inFlightLimit()).isEqualTo(4);
        recorder.limit = 0;
        for (CompletableFuture<Permit> each : all.subList(1, 6)) {
            each.join().complete(Signal.SUCCESS);
        }
        assertThat(throttle.snapshot().inFlightLimit()).isEqualTo(1);
        assertThat(throttle.tryAcquire()).isNotNull();
        assertThat(throttle.tryAcquire()).isNull();
    }

    @Test
    void theAlgorithmsOfTheLibraryWorkAsTheyAre() {
        Throttle aimd = throttle(() -> AIMDLimit.newBuilder()
                .initialLimit(40)
                .backoffRatio(0.5)
                .timeout(1, TimeUnit.SECONDS)
                .build());
        aimd.acquireAsync().join().end(Signal.of(Outcome.BUSY, RateHints.NONE));
        assertThat(aimd.snapshot().inFlightLimit()).isEqualTo(20);
        for (Supplier<? extends Limit> algorithm :
                List.<Supplier<? extends Limit>>of(VegasLimit::newDefault, Gradient2Limit::newDefault)) {
            Throttle throttle = throttle(algorithm);
            List<CompletableFuture<Permit>> all = new ArrayList<>();
            for (int i = 0; i < 2_000; i++) {
                all.add(throttle.acquireAsync());
            }
            for (CompletableFuture<Permit> each : all) {
                time.advance(Duration.ofMillis(1));
                int before = throttle.snapshot().inFlight();
                each.join().complete(Signal.SUCCESS);
                // A limit that fell is kept again as soon as enough have ended.
                assertThat(throttle.snapshot().inFlight())
                        .isLessThanOrEqualTo(
                                Math.max(before - 1, throttle.snapshot().inFlightLimit()));
            }
            assertThat(throttle.snapshot().inFlight()).isZero();
        }
    }

    @Test
    void eachThrottleHasAnAlgorithmOfItsOwnAndNullIsRefusedByName() {
        List<Recorder> made = new ArrayList<>();
        Supplier<Limit> algorithm = () -> {
            Recorder fresh = new Recorder();
            made.add(fresh);
            return fresh;
        };
        throttle(algorithm).acquireAsync().join().complete(Signal.SUCCESS);
        throttle(algorithm).acquireAsync().join().complete(Signal.SUCCESS);
        assertThat(made.stream().filter(each -> each.samples.size() == 1)).hasSize(2);
        assertThatNullPointerException()
                .isThrownBy(() -> AdaptiveInFlightLimit.of(null))
                .withMessage("algorithm must not be null");
        assertThatNullPointerException().isThrownBy(() -> throttle(() -> null)).withMessageContaining("algorithm");
        assertThat(AdaptiveInFlightLimit.of(algorithm)).hasToString("adaptive-in-flight");
    }
}
