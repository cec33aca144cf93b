package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls that take several units, on virtual time. */
class CostTimelineTest {

    private final Timeline line = new Timeline();

    /** Ten tokens a second, a hundred at once. */
    private static Strategy tokens() {
        return Strategies.tokenBucket()
                .unit("tokens")
                .rate(10, Duration.ofSeconds(1))
                .burst(100)
                .build();
    }

    private Throttle throttle(Strategy... limits) {
        Throttle.Builder builder = line.throttle(Strategies.none());
        for (Strategy limit : limits) {
            builder.limit(limit);
        }
        return builder.build();
    }

    private static CallOptions tokens(long amount) {
        return CallOptions.DEFAULT.cost(Cost.of("tokens", amount));
    }

    private static CallOptions estimate(long amount) {
        return CallOptions.DEFAULT.estimate(Cost.of("tokens", amount));
    }

    private CompletableFuture<Permit> ask(Throttle throttle, CallOptions options, String name) {
        return line.ask(Calls.of(throttle).newCall(options), name);
    }

    @Test
    void theSlowestUnitDecides() {
        Throttle throttle = throttle(
                tokens(),
                Strategies.tokenBucket().rate(1, Duration.ofSeconds(1)).burst(2).build());
        ask(throttle, tokens(100), "a");
        ask(throttle, tokens(20), "b");
        ask(throttle, tokens(0), "c");
        ask(throttle, tokens(5), "d");
        ask(throttle, CallOptions.DEFAULT, "e");
        line.advanceMillis(60_000);
        assertThat(line.events).containsExactly("a@0", "b@2000", "c@2000", "d@3000", "e@4000");
    }

    @Test
    void whoIsAheadCountsInEveryUnit() {
        Throttle throttle = throttle(tokens());
        ask(throttle, tokens(100), "a");
        ask(throttle, tokens(50), "b");
        ask(throttle, tokens(30).maxWait(Duration.ofMillis(8000)), "c");
        ask(throttle, tokens(30).maxWait(Duration.ofMillis(10_999)), "d");
        ask(throttle, tokens(30).maxWait(Duration.ofMillis(11_000)), "e");
        assertThat(throttle.snapshot().sleep()).isEqualTo(Duration.ofSeconds(5)); // what b waits
        line.advanceMillis(60_000);
        assertThat(line.events).containsExactly("a@0", "d rejected@0", "b@5000", "c@8000", "e@11000");
    }

    @Test
    void whatIsKnownToExceedALimitIsTheCallersMistake() {
        Throttle throttle = throttle(tokens());
        assertThatThrownBy(() -> Calls.of(throttle).newCall(tokens(101)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("tokens of a call must be at most 100, as more than that the limits of the throttle never "
                        + "grant, but was 101");
        assertThatCode(() -> Calls.of(throttle).newCall(tokens(100).permits(50)))
                .doesNotThrowAnyException();
    }

    @Test
    void anEstimateIsCutToEachLimit() {
        Throttle throttle = throttle(
                tokens(),
                Strategies.tokenBucket()
                        .unit("tokens")
                        .rate(100, Duration.ofSeconds(1))
                        .burst(1000)
                        .build());
        ask(throttle, estimate(1_000_000), "a");
        ask(throttle, estimate(1_000_000), "b");
        // What waits ahead counts no more than what the limit lets go of it.
        ask(throttle, estimate(1_000_000).maxWait(Duration.ofSeconds(20)), "c");
        line.advanceMillis(60_000);
        assertThat(line.events).containsExactly("a@0", "b@10000", "c@20000");
    }

    @Test
    void whatIsCertainGoesBeforeWhatIsEstimated() {
        Throttle throttle = throttle(tokens());
        ask(throttle, tokens(10).estimate(Cost.of("tokens", 90).and("points", 5)), "a");
        ask(throttle, tokens(90), "b");
        assertThat(line.events).containsExactly("a@0", "b@0");
    }

    @Test
    void whatWasTooMuchLetsTheNextOneGoAtOnce() {
        Throttle throttle = throttle(tokens());
        Permit permit = ask(throttle, tokens(100), "a").join();
        ask(throttle, tokens(60), "b");
        ask(throttle, tokens(10), "c");
        line.time.advance(Duration.ofNanos(1_234_567));
        permit.settle(Cost.of("tokens", 30));
        assertThat(line.events).containsExactly("a@0", "b@1.234567", "c@1.234567");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aDebtIsWaitedForToTheNanosecond(boolean ended) {
        Throttle throttle = throttle(tokens());
        Permit permit = ask(throttle, tokens(50), "a").join();
        if (ended) {
            permit.complete(Signal.SUCCESS);
        }
        line.advanceMillis(5_000); // full again
        permit.settle(Cost.of("tokens", 350));
        ask(throttle, tokens(0), "b"); // 200 more than the bucket holds
        ask(throttle, tokens(1), "c");
        line.advanceMillis(20_000);
        assertThat(line.events).containsExactly("a@0", "b@25000");
        line.advanceMillis(100);
        assertThat(line.events).endsWith("c@25100");
    }

    @Test
    void aPermitIsSettledOnce() {
        Throttle throttle = throttle(tokens());
        Permit permit = ask(throttle, tokens(100), "a").join();
        permit.settle(Cost.of("tokens", 50));
        permit.settle(Cost.of("tokens", 0));
        ask(throttle, tokens(51), "b");
        line.advanceMillis(1_000);
        assertThat(line.events).containsExactly("a@0", "b@100");
    }

    @Test
    void unitsThatAreNotNamedAndRequestsStayAsTheyAre() {
        Throttle throttle = throttle(
                tokens(),
                Strategies.tokenBucket().rate(1, Duration.ofSeconds(1)).burst(5).build());
        Permit permit = ask(throttle, tokens(100).permits(5), "a").join();
        permit.settle(Cost.of("points", 7));
        ask(throttle, CallOptions.DEFAULT, "b");
        line.advanceMillis(10_000);
        assertThat(line.events).containsExactly("a@0", "b@1000");
        ask(throttle, tokens(100), "c");
        line.advanceMillis(10_000);
        assertThat(line.events).endsWith("c@10000");
    }

    @Test
    void whatIsGivenBackComesBackInAllUnits() {
        Throttle throttle = throttle(
                tokens(),
                Strategies.fixedWindow().limit(3).window(Duration.ofHours(1)).build());
        ask(throttle, tokens(100).permits(3), "a").join().release();
        ask(throttle, estimate(100).permits(3), "b").join().complete(Signal.IGNORED);
        CompletableFuture<Permit> waiting = ask(throttle, tokens(100).permits(3), "c");
        ask(throttle, tokens(1).maxWait(Duration.ofDays(1)), "d").cancel(false);
        waiting.join().release();
        ask(throttle, tokens(100).permits(3), "e");
        assertThat(line.events).containsExactly("a@0", "b@0", "c@0", "d cancelled@0", "e@0");
    }

    @Test
    void aSettledRequestCannotBeGivenBack() {
        Throttle throttle = throttle(tokens());
        Permit permit = ask(throttle, tokens(100), "a").join();
        permit.settle(Cost.of("tokens", 90));
        permit.release();
        ask(throttle, tokens(11), "b");
        line.advanceMillis(1_000);
        assertThat(line.events).containsExactly("a@0", "b@100");
        assertThat(throttle.count(Outcome.CANCELLED)).isEqualTo(1);
        assertThat(throttle.count(Outcome.IGNORED)).isZero();
    }

    @Test
    void whatWasGivenBackDoesNotComeBackTwice() {
        Throttle throttle = throttle(tokens());
        Permit released = ask(throttle, tokens(40), "a").join();
        Permit ignored = ask(throttle, tokens(40), "b").join();
        ask(throttle, tokens(20), "c");
        released.release();
        released.settle(Cost.of("tokens", 0));
        ignored.complete(Signal.IGNORED);
        ignored.settle(Cost.of("tokens", 90));
        ask(throttle, tokens(80), "d");
        ask(throttle, tokens(1), "e");
        line.advanceMillis(1_000);
        assertThat(line.events).containsExactly("a@0", "b@0", "c@0", "d@0", "e@100");
    }

    /** What a call takes is not known, nor was it ever: it goes if nothing is owed, and is booked afterwards. */
    @ParameterizedTest
    @CsvSource({
        "token-bucket, 30000",
        "leaky-bucket, 40000",
        "fixed-window, 10000",
        "sliding-window-log, 10000",
        "sliding-window-counter, 17500"
    })
    void anUnknownCostIsOwedOnceItIsKnown(String name, long nextMillis) {
        var builder = Strategies.builder(name).set("unit", "tokens");
        if (name.endsWith("bucket")) {
            builder.set("rate", "10/s")
                    .set(name.startsWith("token") ? "burst" : "queue", name.startsWith("token") ? "100" : "500");
        } else {
            builder.set("limit", "100").set("window", "10s");
        }
        Throttle throttle = throttle(builder.build());
        Permit permit = throttle.tryAcquire();
        assertThat(permit).isNotNull();
        line.advanceMillis(1_000);
        permit.settle(Cost.of("tokens", 400));
        permit.complete(Signal.SUCCESS);
        line.record(Calls.of(throttle).newCall(tokens(0)).acquireAsync(), "next");
        line.advanceMillis(100_000);
        assertThat(line.events).containsExactly("next@" + (1_000 + nextMillis));
    }

    @Test
    void aThrottleThatWasDroppedIsNotSettledAnyMore() {
        ThrottleRegistry throttles =
                line.registry(Strategies.none()).limit(tokens()).maxKeys(1).build();
        Throttle dropped = throttles.get("a");
        Permit permit = dropped.tryAcquire();
        assertThat(permit).isNotNull();
        permit.complete(Signal.SUCCESS);
        for (int i = 0; i < 50; i++) {
            throttles.get("other" + i).tryAcquire();
        }
        assertThat(dropped.isEvicted()).isTrue();
        permit.settle(Cost.of("tokens", 1_000_000));
        assertThat(Calls.of(throttles.get("a")).newCall(tokens(100)).tryAcquire())
                .isNotNull();
    }

    @Test
    void limitsOfOtherUnitsAreNoLimitOfRequests() {
        Throttle throttle = throttle(tokens());
        assertThat(throttle.snapshot().rateLimit()).isInfinite();
    }
}
