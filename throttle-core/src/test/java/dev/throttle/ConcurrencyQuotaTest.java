package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.Strategies;
import dev.throttle.retry.RetryDecision;
import dev.throttle.retry.RetryPolicy;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a server says about requests at the same time is kept to, whatever the strategy. */
class ConcurrencyQuotaTest {

    private final Timeline line = new Timeline();

    private static Signal told(Outcome outcome, @Nullable Long limit, @Nullable Long remaining) {
        Quota quota = new Quota("parallel", limit, remaining, null, null, Quota.CONCURRENT_REQUESTS, null);
        return new Signal(outcome, new RateHints(null, List.of(quota)));
    }

    private static List<CompletableFuture<Permit>> ask(Timeline line, Throttle throttle, int count) {
        List<CompletableFuture<Permit>> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(line.ask(throttle, "w" + i));
        }
        return all;
    }

    private static long granted(List<CompletableFuture<Permit>> all) {
        return all.stream().filter(CompletableFuture::isDone).count();
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "quota-pacing", "exponential-backoff", "busy-rps", "greedy-until-reset"})
    void theLimitIsKeptFromTheFirstWordOn(String strategy) {
        Throttle throttle = line.throttle(Strategies.named(strategy)).build();
        line.ask(throttle, "first").join().complete(Signal.SUCCESS); // some strategies begin with one request
        List<CompletableFuture<Permit>> all = ask(line, throttle, 5);
        assertThat(granted(all)).isEqualTo(5);
        all.get(0).join().complete(told(Outcome.SUCCESS, 2L, null));
        assertThat(throttle.snapshot().inFlightLimit()).isEqualTo(2);
        CompletableFuture<Permit> next = line.ask(throttle, "next");
        all.get(1).join().complete(Signal.SUCCESS);
        all.get(2).join().release();
        assertThat(next).isNotDone();
        all.get(3).join().complete(Signal.SUCCESS);
        assertThat(next).isDone();
        assertThat(throttle.tryAcquire()).isNull();
    }

    @Test
    void aRequestCountedWithoutLockBeforeTheFirstWordIsOneOfThem() {
        Throttle throttle = line.throttle(TestStrategies.free()).build();
        List<CompletableFuture<Permit>> all = ask(line, throttle, 3);
        all.get(2).join().complete(told(Outcome.SUCCESS, 2L, null));
        assertThat(throttle.tryAcquire()).isNull();
        all.get(1).join().complete(Signal.SUCCESS);
        assertThat(throttle.tryAcquire()).isNotNull();
        assertThat(throttle.tryAcquire()).isNull();
    }

    @Test
    void whatRemainsBesideThoseOnTheWireBoundsItWhereOthersTakeTheirShare() {
        Throttle throttle = line.throttle(TestStrategies.free()).build();
        List<CompletableFuture<Permit>> all = ask(line, throttle, 4);
        all.get(0).join().complete(told(Outcome.SUCCESS, 10L, 0L));
        assertThat(throttle.snapshot().inFlightLimit()).isEqualTo(4);
        all.get(1).join().complete(told(Outcome.SUCCESS, 10L, 3L));
        assertThat(throttle.snapshot().inFlightLimit()).isEqualTo(6);
        all.get(2).join().end(told(Outcome.RATE_LIMITED, 10L, 0L));
        assertThat(throttle.snapshot().inFlightLimit()).isEqualTo(1);
    }

    @Test
    void aSoleClientIsNeverBelowTheLimitWhetherTheServerCountsTheAnsweredRequestOrNot() {
        for (int counted = 0; counted <= 1; counted++) {
            Throttle throttle = line.throttle(TestStrategies.free()).build();
            Permit first = line.ask(throttle, "first").join();
            first.complete(told(Outcome.SUCCESS, 3L, 3L - counted));
            assertThat(throttle.snapshot().inFlightLimit()).isEqualTo(3);
            List<CompletableFuture<Permit>> all = ask(line, throttle, 30);
            for (CompletableFuture<Permit> each : all.subList(0, 20)) {
                assertThat(throttle.snapshot().inFlight()).isEqualTo(3);
                each.join().complete(told(Outcome.SUCCESS, 3L, 0L + (1 - counted)));
                assertThat(throttle.snapshot().inFlightLimit()).isEqualTo(3);
            }
        }
    }

    @Test
    void oneRequestMayAlwaysGo() {
        Throttle throttle = line.throttle(TestStrategies.free()).build();
        line.ask(throttle, "a").join().complete(told(Outcome.SUCCESS, 0L, 0L));
        assertThat(throttle.tryAcquire()).isNotNull();
        assertThat(throttle.tryAcquire()).isNull();
    }

    @Test
    void theWaitIsNamedAndAQuotaOfAnotherUnitIsNoLimit() {
        List<String> waits = new ArrayList<>();
        Throttle throttle = line.throttle(TestStrategies.free())
                .listener(new ThrottleListener() {
                    @Override
                    public void onWaited(Source source, Priority priority, String reason, Duration wait) {
                        waits.add(reason + " " + wait.toMillis());
                    }
                })
                .build();
        line.ask(throttle, "other").join().complete(Timeline.remaining(5));
        assertThat(throttle.snapshot().inFlightLimit()).isEqualTo(Integer.MAX_VALUE);
        line.ask(throttle, "a").join().complete(told(Outcome.SUCCESS, 1L, null));
        Permit b = line.ask(throttle, "b").join();
        line.ask(throttle, "c");
        line.advanceMillis(7);
        b.complete(Signal.SUCCESS);
        assertThat(waits).containsExactly("concurrency-quota 7");
    }

    @Test
    void aWordThatIsNoAnswerHoldsTooAndFreesNoPlace() {
        Throttle throttle = line.throttle(TestStrategies.free()).build();
        List<CompletableFuture<Permit>> all = ask(line, throttle, 3);
        Permit answered = all.get(0).join();
        answered.complete(Signal.SUCCESS);
        answered.observe(told(Outcome.SUCCESS, 10L, 1L).hints());
        assertThat(throttle.snapshot().inFlightLimit()).isEqualTo(3);
        assertThat(throttle.tryAcquire()).isNotNull();
        assertThat(throttle.tryAcquire()).isNull();
    }

    /** Otherwise a call that is refused over and over would ask again as soon as another ends. */
    @Test
    void itDoesNotSpaceTheAttemptsOfARefusedCall() {
        Throttle throttle = line.throttle(Strategies.none())
                .retryPolicy(RetryPolicy.builder()
                        .rateLimitedFloor(Duration.ofSeconds(3))
                        .backoff((attempt, random) -> 0)
                        .build())
                .limit(Strategies.tokenBucket().rate(1, Duration.ofSeconds(1)).build())
                .build();
        Permit refused = line.ask(throttle, "a").join(); // the bucket is empty now
        assertThat(refused.complete(told(Outcome.RATE_LIMITED, 5L, null)))
                .isEqualTo(new RetryDecision.Retry(Duration.ofSeconds(3)));
    }
}
