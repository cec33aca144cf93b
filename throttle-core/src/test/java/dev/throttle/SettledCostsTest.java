package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.signal.Cost;
import dev.throttle.signal.HintReader;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What is learned from settled calls, and many threads that settle. */
class SettledCostsTest {

    private final Timeline line = new Timeline();

    private Throttle throttle(long burst) {
        return builder(burst).build();
    }

    private Throttle.Builder builder(long burst) {
        return line.throttle(Strategies.none())
                .limit(Strategies.tokenBucket()
                        .unit("tokens")
                        .rate(10, Duration.ofSeconds(1))
                        .burst(burst)
                        .build());
    }

    private static Cost tokens(long amount) {
        return Cost.of("tokens", amount);
    }

    private static void settled(Throttle throttle, CallOptions options, long tokens) {
        Permit permit = Calls.of(throttle).newCall(options).acquireForced();
        permit.complete(Signal.SUCCESS);
        permit.settle(tokens(tokens));
    }

    /** What is left of a full bucket after one call. */
    private static long taken(Throttle throttle, long burst, CallOptions options) {
        Permit permit = Calls.of(throttle).newCall(options).acquireForced();
        long taken = 0;
        while (Calls.of(throttle)
                        .newCall(CallOptions.DEFAULT.cost(tokens(burst - taken)))
                        .tryAcquire()
                == null) {
            taken++;
        }
        permit.release();
        return taken;
    }

    private static ResponseHead head(String name, String value) {
        return new ResponseHead() {
            @Override
            public int status() {
                return 200;
            }

            @Override
            public void forEachHeader(HeaderVisitor visitor) {
                visitor.visit(name, value);
            }
        };
    }

    @Test
    void aCostInAHeaderSettlesTheCall() {
        assertThat(left(throttle(1000), head("ratelimitbysize-query-cost", "52")))
                .isEqualTo(948);
        assertThat(left(throttle(1000), head("X-Other", "52"))).isEqualTo(100);
    }

    @Test
    void requestsThatAHeaderCountsSettleTheCall() {
        Throttle throttle = line.throttle(Strategies.none())
                .limit(Strategies.tokenBucket()
                        .rate(10, Duration.ofSeconds(1))
                        .burst(100)
                        .build())
                .build();
        Permit permit = Calls.of(throttle).newCall().acquireForced();
        permit.complete(head("X-RateLimit-Used-CurrentRequest", "3"));
        permit.settle(Cost.requests(50)); // the number of requests was known beforehand
        assertThat(Calls.of(throttle)
                        .newCall(CallOptions.DEFAULT.cost(Cost.requests(98)))
                        .tryAcquire())
                .isNull();
        assertThat(Calls.of(throttle)
                        .newCall(CallOptions.DEFAULT.cost(Cost.requests(97)))
                        .tryAcquire())
                .isNotNull();
    }

    @Test
    void aHeaderThatCountsOneUnitLeavesTheOthersToTheBody() {
        Throttle throttle = throttle(1000);
        Permit permit = Calls.of(throttle).newCall().acquireForced();
        permit.complete(head("x-ratelimit-points-query-cost", "7"));
        permit.settle(tokens(40));
        permit.settle(tokens(900));
        assertThat(Calls.of(throttle)
                        .newCall(CallOptions.DEFAULT.cost(tokens(961)))
                        .tryAcquire())
                .isNull();
        assertThat(Calls.of(throttle)
                        .newCall(CallOptions.DEFAULT.cost(tokens(960)))
                        .tryAcquire())
                .isNotNull();
    }

    @Test
    void aCostReaderSettlesTheCall() {
        HintReader reader = HintReader.builder()
                .costReader(response -> {
                    List<String> cost = response.headers("X-Mine");
                    return cost.isEmpty() ? null : tokens(Long.parseLong(cost.get(0)));
                })
                .build();
        assertThat(left(builder(1000).hintReader(reader).build(), head("X-Mine", "40")))
                .isEqualTo(960);
        assertThat(left(builder(1000).hintReader(reader).build(), head("X-Mine", "odd")))
                .as("a reader that throws is passed over")
                .isEqualTo(100);
    }

    @Test
    void outputCountsFiveTimes() {
        Map<String, Double> weights = Map.of("input-tokens", 1.0, "output-tokens", 5.0);
        Throttle throttle = builder(1000).unitWeights("tokens", weights).build();
        Permit permit = Calls.of(throttle)
                .newCall(CallOptions.DEFAULT.estimate(tokens(900)))
                .acquireForced();
        permit.settle(Cost.of("input-tokens", 100).and("output-tokens", 20).and("tokens", 120));
        permit.complete(Signal.SUCCESS);
        assertThat(left(throttle)).isEqualTo(800);
        assertThatThrownBy(() -> builder(1000).unitWeights("tokens", Map.of("output-tokens", -1.0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("weight of output-tokens");
    }

    private static long left(Throttle throttle, ResponseHead answer) {
        Calls.of(throttle)
                .newCall(CallOptions.DEFAULT.estimate(tokens(900)))
                .acquireForced()
                .complete(answer);
        return left(throttle);
    }

    /** What is left in the bucket. */
    private static long left(Throttle throttle) {
        long left = 0;
        while (throttle.estimateWait(CallOptions.DEFAULT.cost(tokens(left + 1)))
                .atLeast()
                .isZero()) {
            left++;
        }
        return left;
    }

    @Test
    void callsOfAProfileTakeWhatFewOfThemExceeded() {
        long burst = 1000;
        Throttle throttle = throttle(burst);
        CallOptions chat = CallOptions.DEFAULT.profile("chat");
        for (int i = 1; i <= 10; i++) {
            settled(throttle, chat, 10 * i);
            settled(throttle, CallOptions.DEFAULT.profile("embed"), 3);
        }
        line.advanceMillis(100_000);
        assertThat(taken(throttle, burst, chat)).isEqualTo(90);
        line.advanceMillis(100_000);
        assertThat(taken(throttle, burst, CallOptions.DEFAULT.profile("embed"))).isEqualTo(3);
        line.advanceMillis(100_000);
        assertThat(taken(throttle, burst, CallOptions.DEFAULT.profile("unknown")))
                .isEqualTo(80);
        line.advanceMillis(100_000);
        assertThat(taken(throttle, burst, chat.cost(tokens(7)))).isEqualTo(7);
    }

    @Test
    void estimatesThatAreWrongOnTheWholeArePutRight() {
        long burst = 10_000;
        Throttle throttle = throttle(burst);
        CallOptions low = CallOptions.DEFAULT.profile("low").estimate(tokens(100));
        CallOptions high = CallOptions.DEFAULT.profile("high").estimate(tokens(100));
        for (int i = 0; i < 200; i++) {
            settled(throttle, low, i % 2 == 0 ? 800 : 200);
            settled(throttle, high, 20);
        }
        line.advanceMillis(100_000_000);
        assertThat(taken(throttle, burst, low)).isBetween(480L, 520L);
        line.advanceMillis(100_000_000);
        assertThat(taken(throttle, burst, high)).isBetween(19L, 24L);
        line.advanceMillis(100_000_000);
        assertThat(taken(throttle, burst, low.estimate(tokens(10)))).isBetween(48L, 52L);
    }

    /** The sleep that is shown is that of a call of which nobody knows more. */
    @Test
    void theNextCallIsShownToTakeWhatWasLearned() {
        Throttle throttle = throttle(100);
        settled(throttle, CallOptions.DEFAULT, 100);
        assertThat(throttle.snapshot().sleep()).isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void nothingIsLeftWhenAllHasComeBack() throws Exception {
        int burst = 1000;
        Throttle throttle = throttle(burst);
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            SplittableRandom random = new SplittableRandom(t);
            Thread thread = new Thread(() -> callRandomly(throttle, random));
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(throttle.snapshot().inFlight()).isZero();
        assertThat(throttle.snapshot().waiting()).isZero();
        CallOptions all = CallOptions.DEFAULT.cost(tokens(burst));
        assertThat(Calls.of(throttle).newCall(all).tryAcquire()).isNotNull();
        assertThat(Calls.of(throttle)
                        .newCall(CallOptions.DEFAULT.cost(tokens(1)))
                        .tryAcquire())
                .isNull();
    }

    /** No time passes: whoever waits goes because others settle or give back. */
    private static void callRandomly(Throttle throttle, SplittableRandom random) {
        for (int i = 0; i < 2_000; i++) {
            Cost cost = tokens(random.nextInt(1, 700));
            CallOptions options = random.nextBoolean()
                    ? CallOptions.DEFAULT.cost(cost)
                    : CallOptions.DEFAULT.estimate(cost).profile("p" + random.nextInt(100));
            CompletableFuture<Permit> future =
                    Calls.of(throttle).newCall(options).acquireAsync();
            if (random.nextInt(4) == 0) {
                if (!future.cancel(false)) {
                    future.join().release();
                }
                continue;
            }
            Permit permit = future.orTimeout(1, TimeUnit.MINUTES).join();
            switch (random.nextInt(4)) {
                case 0 -> permit.release();
                case 1 -> permit.complete(Signal.IGNORED);
                case 2 -> {
                    permit.settle(tokens(0));
                    permit.complete(Signal.SUCCESS);
                }
                default -> {
                    permit.complete(Signal.SUCCESS);
                    permit.settle(tokens(0));
                    permit.settle(tokens(500));
                }
            }
        }
    }

    /** What a body says after the answer was counted. */
    @Test
    void whatIsHeardIsNoAnswer() {
        Throttle throttle =
                line.throttle(Strategies.exponentialBackoff().build()).build();
        Permit permit = throttle.tryAcquire();
        assertThat(permit).isNotNull();
        permit.complete(Signal.SUCCESS);
        permit.observe(
                Timeline.exhausted(Outcome.SUCCESS, Duration.ofSeconds(7)).hints());
        assertThat(throttle.count(Outcome.SUCCESS)).isEqualTo(1);
        assertThat(throttle.snapshot().blocked()).isEqualTo(Duration.ofSeconds(7));
        assertThat(throttle.snapshot().quotas()).hasSize(1);
        line.ask(throttle, "next");
        line.advanceMillis(10_000);
        assertThat(line.events).containsExactly("next@7000");
    }
}
