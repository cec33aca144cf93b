package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.control.Strategies;
import dev.throttle.engine.PoolCall;
import dev.throttle.engine.PoolLine;
import dev.throttle.engine.PoolMember;
import dev.throttle.retry.RetryPolicy;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Demand;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which member a call of a pool goes to, and when, on virtual time. */
class PoolTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final Timeline line = new Timeline();
    /** What the server of each member answers next; a success if it says nothing. */
    private final Map<String, List<Signal>> answers = new HashMap<>();
    /** Requests that are not answered before the test does so, by their names. */
    private final Map<String, CompletableFuture<Signal>> open = new HashMap<>();

    private boolean answersAtOnce = true;

    private static Consumer<KeySettings> perSecond(int requests) {
        return key -> key.limit(
                Strategies.fixedWindow().limit(requests).window(SECOND).build());
    }

    private ThrottleRegistry.Builder registry() {
        return line.registry(TestStrategies.free());
    }

    private CompletableFuture<Signal> call(Pool pool, String name) {
        return call(pool, name, CallOptions.DEFAULT);
    }

    private CompletableFuture<Signal> call(Pool pool, String name, CallOptions options) {
        CompletableFuture<Signal> call = pool.executeAsync(options, member -> send(name, member), signal -> signal);
        call.whenComplete((signal, failure) -> {
            if (failure != null) {
                line.add(name + " failed");
            }
        });
        return call;
    }

    private CompletableFuture<Signal> send(String name, String member) {
        line.add(name + ">" + member);
        if (!answersAtOnce) {
            CompletableFuture<Signal> answer = new CompletableFuture<>();
            open.put(name, answer);
            return answer;
        }
        List<Signal> next = answers.getOrDefault(member, List.of());
        if (next.isEmpty()) {
            return CompletableFuture.completedFuture(Signal.SUCCESS);
        }
        answers.put(member, next.subList(1, next.size()));
        return CompletableFuture.completedFuture(next.get(0));
    }

    private static Signal quota(long limit, long remaining) {
        return quota(Quota.REQUESTS, limit, remaining);
    }

    private static Signal quota(String unit, long limit, long remaining) {
        Quota quota = new Quota(null, limit, remaining, Duration.ofMinutes(1), null, unit, null);
        return new Signal(Outcome.SUCCESS, new RateHints(null, List.of(quota)));
    }

    @Test
    void aCallTakesTheBestTierThatCanLetItGoNow() {
        ThrottleRegistry throttles = registry()
                .forKeys("ptu", perSecond(2))
                .forKeys("payg", perSecond(1))
                .build();
        Pool pool = Pool.of(throttles, Pool.member("payg").tier(2), Pool.member("ptu"));
        for (String name : List.of("a", "b", "c", "d", "e")) {
            call(pool, name);
        }
        assertThat(pool.snapshot().waiting()).isEqualTo(2);
        line.advanceMillis(1000);
        assertThat(line.events).containsExactly("a>ptu@0", "b>ptu@0", "c>payg@0", "d>ptu@1000", "e>ptu@1000");
        assertThat(pool.snapshot().waiting()).isZero();
        assertThat(pool.snapshot().members())
                .containsExactly(new PoolSnapshot.Member("payg", 2, 1), new PoolSnapshot.Member("ptu", 1, 4));
    }

    @Test
    void withinATierTheMemberWithTheLargestShareLeftIsTaken() {
        Pool pool = Pool.of(registry().build(), Pool.member("east"), Pool.member("west"));
        answers.put("east", List.of(quota(100, 50), quota(100, 49)));
        answers.put("west", List.of(quota(10, 8), quota(10, 7), quota(10, 6), quota(10, 5), quota(10, 4)));
        for (String name : List.of("a", "b", "c", "d", "e", "f", "g")) {
            call(pool, name);
        }
        assertThat(line.events)
                .containsExactly("a>east@0", "b>west@0", "c>west@0", "d>west@0", "e>west@0", "f>east@0", "g>west@0");
    }

    @Test
    void tokensCountWhereTheyAreScarcer() {
        Pool pool = Pool.of(registry().build(), Pool.member("east"), Pool.member("west"));
        answers.put("east", List.of(quota(Quota.TOKENS, 1000, 100)));
        answers.put("west", List.of(quota(Quota.TOKENS, 1000, 900)));
        CallOptions tokens = CallOptions.DEFAULT.cost(Cost.of(Quota.TOKENS, 50));
        call(pool, "a", tokens);
        call(pool, "b", tokens);
        call(pool, "c", tokens);
        call(pool, "d"); // takes no tokens, and nothing is known of requests: least used first
        assertThat(line.events).startsWith("a>east@0", "b>west@0", "c>west@0", "d>east@0");
    }

    @Test
    void allWaitInOneLineForWhicheverIsFreeFirst() {
        ThrottleRegistry throttles = registry()
                .forKeys(
                        "slow",
                        key -> key.limit(Strategies.fixedWindow()
                                .limit(1)
                                .window(Duration.ofSeconds(10))
                                .build()))
                .forKeys(
                        "fast",
                        key -> key.limit(Strategies.fixedWindow()
                                .limit(1)
                                .window(Duration.ofSeconds(3))
                                .build()))
                .build();
        Pool pool = Pool.of(throttles, Pool.member("slow"), Pool.member("fast"));
        for (String name : List.of("a", "b", "c", "d", "e", "f", "g")) {
            call(pool, name);
        }
        line.advanceMillis(12_000);
        assertThat(line.events)
                .containsExactly(
                        "a>slow@0",
                        "b>fast@0",
                        "c>fast@3000",
                        "d>fast@6000",
                        "e>fast@9000",
                        "f>slow@10000",
                        "g>fast@12000");
    }

    @Test
    void aRefusedRequestGoesToAnotherMemberAtOnce() {
        Pool pool = Pool.of(registry().build(), Pool.member("east"), Pool.member("west"));
        answers.put("east", List.of(Timeline.retryAfter(Duration.ofHours(1))));
        CompletableFuture<Signal> a = call(pool, "a", CallOptions.DEFAULT.idempotent(false));
        CompletableFuture<Signal> b = call(pool, "b");
        assertThat(a).isCompletedWithValue(Signal.SUCCESS);
        assertThat(b).isCompletedWithValue(Signal.SUCCESS);
        assertThat(line.events).containsExactly("a>east@0", "a>west@0", "b>west@0");
    }

    @Test
    void whatWasNotSentOrIsIdempotentGoesElsewhereAndWhatMayHaveBeenProcessedDoesNot() {
        Pool pool = Pool.of(
                registry().build(), Pool.member("east"), Pool.member("west").tier(2));
        answers.put("east", List.of(Signal.UNREACHABLE));
        call(pool, "a", CallOptions.DEFAULT.idempotent(true));
        assertThat(line.events).containsExactly("a>east@0", "a>west@0");
        line.advanceMillis(1000);
        answers.put("east", List.of(Signal.UNREACHABLE));
        CompletableFuture<Signal> b = call(pool, "b", CallOptions.DEFAULT.idempotent(false));
        assertThat(b).isCompletedWithValue(Signal.UNREACHABLE);
        line.advanceMillis(10_000);
        answers.put("east", List.of(Signal.BUSY));
        CompletableFuture<Signal> c = call(pool, "c", CallOptions.DEFAULT.idempotent(false));
        assertThat(c).isCompletedWithValue(Signal.BUSY);
        line.advanceMillis(10_000);
        answers.put("east", List.of(Signal.BUSY));
        call(pool, "d", CallOptions.DEFAULT.idempotent(true));
        assertThat(line.events)
                .containsExactly("a>east@0", "a>west@0", "b>east@1000", "c>east@11000", "d>east@21000", "d>west@21000");
    }

    @Test
    void aPolicyWithoutRetriesRepeatsNothing() {
        ThrottleRegistry throttles = registry().retryPolicy(RetryPolicy.none()).build();
        Pool pool = Pool.of(throttles, Pool.member("east"), Pool.member("west"));
        answers.put("east", List.of(Signal.RATE_LIMITED));
        assertThat(call(pool, "a")).isCompletedWithValue(Signal.RATE_LIMITED);
        ThrottleRegistry once = registry()
                .retryPolicy(RetryPolicy.builder().maxAttempts(1).build())
                .build();
        Pool single = Pool.of(once, Pool.member("north"), Pool.member("south"));
        answers.put("north", List.of(Signal.BUSY));
        assertThat(call(single, "b")).isCompletedWithValue(Signal.BUSY);
        answers.put("south", List.of(Signal.RATE_LIMITED));
        answers.put("north", List.of(Signal.RATE_LIMITED));
        CompletableFuture<Signal> c = call(single, "c", CallOptions.DEFAULT.maxAttempts(1));
        assertThat(c).isCompletedWithValue(Signal.RATE_LIMITED);
    }

    @Test
    void theBoundOfAttemptsHoldsForAllMembersTogether() {
        Pool pool = Pool.of(registry().build(), Pool.member("a"), Pool.member("b"), Pool.member("c"));
        for (String member : List.of("a", "b", "c")) {
            answers.put(member, List.of(Signal.BUSY, Signal.BUSY, Signal.BUSY));
        }
        CompletableFuture<Signal> call = call(pool, "x", CallOptions.DEFAULT.maxAttempts(2));
        line.advanceMillis(60_000);
        assertThat(call).isCompletedWithValue(Signal.BUSY);
        assertThat(line.events).containsExactly("x>a@0", "x>b@0");
    }

    @Test
    void callsWaitWhileAllMembersCoolDown() {
        Pool pool = Pool.of(registry().build(), Pool.member("east"), Pool.member("west"));
        answers.put("east", List.of(Timeline.retryAfter(Duration.ofSeconds(20))));
        answers.put("west", List.of(Timeline.retryAfter(Duration.ofSeconds(5))));
        CompletableFuture<Signal> a = call(pool, "a");
        CompletableFuture<Signal> b = call(pool, "b");
        assertThat(pool.explainWait())
                .isEqualTo("pool pool: 2 calls are waiting, the first for 0 s; east is free in 20 s (retry-after); "
                        + "west is free in 5 s (retry-after)");
        line.advanceMillis(5000);
        assertThat(a).isCompletedWithValue(Signal.SUCCESS);
        assertThat(b).isCompletedWithValue(Signal.SUCCESS);
        assertThat(line.events).containsExactly("a>east@0", "a>west@0", "a>west@5000", "b>west@5000");
    }

    @Test
    void callsWaitWhileNoServerIsThere() {
        Pool pool = Pool.of(registry().build(), Pool.member("east"), Pool.member("west"));
        List<Signal> away = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            away.add(Signal.UNREACHABLE);
        }
        call(pool, "known1");
        call(pool, "known2");
        answers.put("east", away.subList(0, 6));
        answers.put("west", away);
        CompletableFuture<Signal> call = call(pool, "a");
        line.advanceMillis(120_000);
        assertThat(call).isCompletedWithValue(Signal.SUCCESS);
    }

    @Test
    void aCallThatCannotGoInTimeIsTurnedAwayWithTheStateOfEachMember() {
        Pool pool = Pool.builder(registry().build())
                .name("gpt-4o")
                .members(Pool.member("east"), Pool.member("west"))
                .build();
        answers.put("east", List.of(Timeline.retryAfter(Duration.ofSeconds(20))));
        answers.put("west", List.of(Timeline.retryAfter(Duration.ofSeconds(5))));
        CompletableFuture<Signal> a = call(pool, "a");
        CompletableFuture<Signal> b = call(pool, "b", CallOptions.DEFAULT.maxWait(Duration.ofSeconds(3)));
        ThrottleRejectedException rejection = Timeline.rejection(b);
        assertThat(rejection)
                .hasMessage("Pool \"gpt-4o\": no member can let the call go within the 3 s that it may wait (maxWait): "
                        + "east in 20 s (retry-after), west in 5 s (retry-after)");
        assertThat(rejection.label()).isEqualTo("gpt-4o");
        assertThat(rejection.reason()).isEqualTo("retry-after");
        assertThat(rejection.neededWait()).isEqualTo(Duration.ofSeconds(5));
        assertThat(rejection.allowedWait()).isEqualTo(Duration.ofSeconds(3));
        assertThat(pool.snapshot().rejected()).isOne();
        assertThat(a).isNotDone();
    }

    @Test
    void aCallIsTurnedAwayWhenItsTimeIsOver() {
        ThrottleRegistry throttles =
                registry().limit(Strategies.inFlight().limit(1).build()).build();
        Pool pool = Pool.of(throttles, Pool.member("east"));
        answersAtOnce = false;
        call(pool, "a");
        CompletableFuture<Signal> b = call(pool, "b", CallOptions.DEFAULT.maxWait(Duration.ofSeconds(3)));
        CompletableFuture<Signal> c = call(pool, "c");
        CompletableFuture<Signal> behind = call(pool, "d", CallOptions.DEFAULT.maxWait(Duration.ofSeconds(2)));
        line.advanceMillis(2_999);
        assertThat(Timeline.rejection(behind).reason()).isEqualTo("in-flight");
        assertThat(b).isNotDone();
        line.advanceMillis(1);
        assertThat(Timeline.rejection(b).reason()).isEqualTo("in-flight");
        open.get("a").complete(Signal.SUCCESS);
        assertThat(line.events).containsExactly("a>east@0", "d failed@2000", "b failed@3000", "c>east@3000");
        assertThat(c).isNotDone();
    }

    @Test
    void theEndOfARequestWakesTheLine() {
        ThrottleRegistry throttles =
                registry().limit(Strategies.inFlight().limit(1).build()).build();
        Pool pool = Pool.of(throttles, Pool.member("east"), Pool.member("west"));
        answersAtOnce = false;
        for (String name : List.of("a", "b", "c", "d")) {
            call(pool, name);
        }
        line.advanceMillis(100);
        open.get("b").complete(Signal.SUCCESS);
        line.advanceMillis(100);
        open.get("a").complete(Signal.SUCCESS);
        assertThat(line.events).containsExactly("a>east@0", "b>west@0", "c>west@100", "d>east@200");
    }

    @Test
    void higherPrioritiesGoFirst() {
        ThrottleRegistry throttles = registry().forKeys("*", perSecond(1)).build();
        Pool pool = Pool.of(throttles, Pool.member("east"), Pool.member("west"));
        call(pool, "a");
        call(pool, "b");
        call(pool, "batch", CallOptions.DEFAULT.priority(Priority.BATCH));
        call(pool, "normal");
        call(pool, "urgent", CallOptions.DEFAULT.priority(Priority.INTERACTIVE));
        assertThat(pool.snapshot().waitingByPriority()).containsEntry(Priority.BATCH, 1);
        line.advanceMillis(2_000);
        assertThat(line.events)
                .containsExactly("a>east@0", "b>west@0", "urgent>east@1000", "normal>west@1000", "batch>east@2000");
    }

    @Test
    void lowerPrioritiesAreNotStarved() {
        ThrottleRegistry throttles = registry().forKeys("*", perSecond(1)).build();
        Pool pool = Pool.of(throttles, Pool.member("east"));
        call(pool, "batch", CallOptions.DEFAULT.priority(Priority.BATCH));
        call(pool, "batch", CallOptions.DEFAULT.priority(Priority.BATCH));
        for (int i = 0; i < 40; i++) {
            call(pool, "urgent" + i, CallOptions.DEFAULT.priority(Priority.INTERACTIVE));
        }
        line.advanceMillis(30_000);
        assertThat(line.events.stream().filter(event -> event.startsWith("batch")))
                .hasSize(2);
    }

    @Test
    void aConversationStaysOnItsMemberForAShortWait() {
        ThrottleRegistry throttles = registry().forKeys("*", perSecond(1)).build();
        Pool pool = Pool.of(throttles, Pool.member("east"), Pool.member("west"));
        CallOptions talk = CallOptions.DEFAULT.affinity("talk");
        call(pool, "1", talk);
        call(pool, "2", talk);
        call(pool, "other"); // is not kept from a member that the conversation does not want
        line.advanceMillis(1_000);
        assertThat(line.events).containsExactly("1>east@0", "other>west@0", "2>east@1000");
    }

    @Test
    void aConversationMovesOnceTheWaitForItsMemberIsLong() {
        Pool pool = Pool.builder(registry().build())
                .members(Pool.member("east"), Pool.member("west"))
                .affinityWait(Duration.ofSeconds(3))
                .build();
        CallOptions talk = CallOptions.DEFAULT.affinity("talk");
        answers.put("east", List.of(Signal.SUCCESS, Timeline.retryAfter(Duration.ofSeconds(2))));
        call(pool, "1", talk);
        call(pool, "2", talk);
        line.advanceMillis(2_000);
        assertThat(line.events).containsExactly("1>east@0", "2>east@0", "2>east@2000");
        answers.put("east", List.of(Timeline.retryAfter(Duration.ofSeconds(30))));
        call(pool, "3", talk);
        line.advanceMillis(60_000);
        call(pool, "4", talk);
        assertThat(line.events)
                .containsExactly("1>east@0", "2>east@0", "2>east@2000", "3>east@2000", "3>west@2000", "4>west@62000");
    }

    @Test
    void aConversationDoesNotWaitLongerThanTheAffinityEvenIfTheWaitIsNotKnown() {
        ThrottleRegistry throttles =
                registry().limit(Strategies.inFlight().limit(1).build()).build();
        Pool pool = Pool.builder(throttles)
                .members(Pool.member("east"), Pool.member("west"))
                .affinityWait(Duration.ofSeconds(3))
                .build();
        answersAtOnce = false;
        CallOptions talk = CallOptions.DEFAULT.affinity("talk");
        call(pool, "1", talk);
        call(pool, "2", talk);
        line.advanceMillis(10_000);
        assertThat(line.events).containsExactly("1>east@0", "2>west@3000");
    }

    @Test
    void aBetterTierIsWaitedForIfItIsFreeSoon() {
        ThrottleRegistry throttles = registry().forKeys("ptu", perSecond(1)).build();
        Pool pool = Pool.builder(throttles)
                .members(Pool.member("ptu"), Pool.member("payg").tier(2))
                .spillAfter(Duration.ofMillis(1_500))
                .build();
        for (String name : List.of("a", "b")) {
            call(pool, name);
        }
        assertThat(line.events).containsExactly("a>ptu@0");
        line.advanceMillis(1_000);
        answers.put("ptu", List.of(Timeline.retryAfter(Duration.ofSeconds(20))));
        line.advanceMillis(1_000);
        call(pool, "c");
        assertThat(line.events).containsExactly("a>ptu@0", "b>ptu@1000", "c>ptu@2000", "c>payg@2000");
    }

    @Test
    void aLargeCallGoesWhereItFits() {
        ThrottleRegistry throttles = registry()
                .forKeys(
                        "small",
                        key -> key.limit(Strategies.tokenBucket()
                                .unit("tokens")
                                .burst(100)
                                .rate(100, SECOND)
                                .build()))
                .build();
        Pool pool =
                Pool.of(throttles, Pool.member("small"), Pool.member("large").tier(2));
        CallOptions large = CallOptions.DEFAULT.cost(Cost.of(Quota.TOKENS, 500));
        call(pool, "a", large);
        Signal tooLarge = new Signal(
                Outcome.DENIED,
                new RateHints(null, List.of(), null, null, null, new Demand("tokens", 100_000, 30_000)));
        answers.put("small", List.of(tooLarge));
        call(pool, "b", CallOptions.DEFAULT.cost(Cost.of(Quota.TOKENS, 50)));
        assertThat(line.events).containsExactly("a>large@0", "b>small@0", "b>large@0");
    }

    @Test
    void aMemberThatDeniesRestsForAMinute() {
        Pool pool = Pool.of(
                registry().build(), Pool.member("broke"), Pool.member("rich").tier(2));
        answers.put("broke", List.of(Signal.DENIED));
        assertThat(call(pool, "a")).isCompletedWithValue(Signal.SUCCESS);
        call(pool, "b");
        line.advanceMillis(60_000);
        call(pool, "c");
        assertThat(line.events).containsExactly("a>broke@0", "a>rich@0", "b>rich@0", "c>broke@60000");
    }

    @Test
    void deniedByAllEndsWithTheLastAnswer() {
        Pool pool = Pool.of(registry().build(), Pool.member("east"), Pool.member("west"));
        answers.put("east", List.of(Signal.DENIED));
        answers.put("west", List.of(Signal.DENIED));
        assertThat(call(pool, "a")).isCompletedWithValue(Signal.DENIED);
    }

    @Test
    void aClosedMemberIsLeftOutAndAllClosedTurnCallsAway() {
        ThrottleRegistry throttles = registry().build();
        Pool pool = Pool.of(throttles, Pool.member("east"), Pool.member("west"));
        throttles.get("east").close();
        call(pool, "a");
        throttles.get("west").pause();
        CompletableFuture<Signal> b = call(pool, "b");
        assertThat(b).isNotDone();
        throttles.get("west").resume();
        assertThat(b).isCompletedWithValue(Signal.SUCCESS);
        throttles.close();
        CompletableFuture<Signal> c = call(pool, "c");
        assertThat(Timeline.rejection(c))
                .hasMessage("Pool \"pool\": no member takes the call: east (closed), west (closed)");
        assertThat(line.events).containsExactly("a>west@0", "b>west@0", "c failed@0");
    }

    @Test
    void closingTurnsAwayThoseThatWait() {
        ThrottleRegistry throttles = registry().build();
        Pool pool = Pool.of(throttles, Pool.member("east"));
        throttles.pause();
        CompletableFuture<Signal> a = call(pool, "a");
        throttles.close();
        line.advanceMillis(1_000);
        assertThat(Timeline.rejection(a).reason()).isEqualTo("closed");
    }

    @Test
    void aCancelledCallLeavesTheLineAndItsPermitIsNotLost() {
        ThrottleRegistry throttles = registry().forKeys("*", perSecond(1)).build();
        Pool pool = Pool.of(throttles, Pool.member("east"));
        call(pool, "a");
        CompletableFuture<Signal> b = call(pool, "b");
        CompletableFuture<Signal> c = call(pool, "c");
        b.cancel(false);
        assertThat(pool.snapshot().waiting()).isOne();
        line.advanceMillis(1_000);
        assertThat(c).isCompletedWithValue(Signal.SUCCESS);
        assertThat(throttles.get("east").snapshot().inFlight()).isZero();
        assertThat(pool.snapshot().members().get(0).chosen()).isEqualTo(2);
    }

    @Test
    void permitsOfThePoolAreThoseOfTheMembers() {
        ThrottleRegistry throttles = registry().build();
        Pool pool = Pool.of(throttles, Pool.member("east"), Pool.member("west"));
        answersAtOnce = false;
        call(pool, "a");
        assertThat(throttles.get("east").snapshot().inFlight()).isOne();
        open.get("a").complete(Signal.SUCCESS);
        assertThat(throttles.get("east").snapshot().inFlight()).isZero();
        assertThat(throttles.get("east").count(Outcome.SUCCESS)).isOne();
        assertThat(throttles.get("west").count(Outcome.SUCCESS)).isZero();
    }

    @Test
    void membersThatDoNotWorkAreRefused() {
        ThrottleRegistry throttles = registry().build();
        assertThatThrownBy(() -> Pool.of(throttles))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the number of members must be a whole number from 1 to 100, but was 0");
        assertThatThrownBy(() ->
                        Pool.of(throttles, Pool.member("a"), Pool.member("a").tier(2)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("members must be members with different keys, but was 'a' twice");
        assertThatThrownBy(() -> Pool.member(" ")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Pool.member("a").tier(0)).isInstanceOf(IllegalArgumentException.class);
        Pool pool = Pool.of(throttles, Pool.member("a"));
        assertThatThrownBy(() -> pool.execute(CallOptions.exempt(), member -> member))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("exempt");
    }

    @Test
    void aThreadWaitsToo() throws Exception {
        ThrottleRegistry throttles = ThrottleRegistry.builder()
                .strategy(Strategies.none())
                .limit(Strategies.fixedWindow()
                        .limit(1)
                        .window(Duration.ofMillis(100))
                        .build())
                .build();
        Pool pool = Pool.of(throttles, Pool.member("east"), Pool.member("west"));
        List<String> members = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            members.add(pool.execute(member -> member));
        }
        assertThat(members).hasSize(4).contains("east", "west");
        assertThat(pool.snapshot().waiting()).isZero();
    }

    @Test
    void anInterruptedThreadLeavesTheLine() throws InterruptedException {
        ThrottleRegistry throttles = ThrottleRegistry.create();
        Pool pool = Pool.of(throttles, Pool.member("east"));
        throttles.pause();
        CompletableFuture<@Nullable Throwable> end = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                pool.execute(member -> member);
                end.complete(null);
            } catch (Throwable e) {
                end.complete(e);
            }
        });
        thread.start();
        while (pool.snapshot().waiting() == 0) {
            Thread.onSpinWait();
        }
        thread.interrupt();
        assertThat(end.join()).isInstanceOf(InterruptedException.class);
        assertThat(pool.snapshot().waiting()).isZero();
        thread.join();
    }

    @Test
    void whatTheActionThrowsIsThrown() {
        Pool pool = Pool.of(registry().build(), Pool.member("east"));
        assertThatThrownBy(() -> pool.execute(member -> {
                    throw new IllegalStateException("mine");
                }))
                .hasMessage("mine");
        CompletableFuture<String> future = pool.executeAsync(
                CallOptions.DEFAULT, member -> CompletableFuture.failedFuture(new IllegalStateException("mine")));
        assertThatThrownBy(future::join).isInstanceOf(CompletionException.class).hasRootCauseMessage("mine");
    }

    @Test
    void aCallThatMayNotWaitGoesIfAMemberIsFree() {
        ThrottleRegistry throttles = registry().forKeys("*", perSecond(1)).build();
        Pool pool = Pool.of(throttles, Pool.member("east"), Pool.member("west"));
        CallOptions impatient = CallOptions.DEFAULT.maxWait(Duration.ZERO);
        call(pool, "a", impatient);
        call(pool, "b", impatient);
        CompletableFuture<Signal> c = call(pool, "c", impatient);
        assertThat(Timeline.rejection(c).neededWait()).isEqualTo(SECOND);
        CompletableFuture<Signal> d = call(pool, "d", CallOptions.DEFAULT.maxWait(SECOND));
        line.advanceMillis(1_000);
        assertThat(d).isCompletedWithValue(Signal.SUCCESS);
        assertThat(line.events).containsExactly("a>east@0", "b>west@0", "c failed@0", "d>east@1000");
        assertThat(pool.snapshot().rejected()).isOne();
    }

    @Test
    void aCallThatMayNotWaitGoesWhereItWouldRatherNot() {
        ThrottleRegistry throttles = registry().forKeys("*", perSecond(2)).build();
        Pool pool = Pool.builder(throttles)
                .members(Pool.member("east"), Pool.member("west").tier(2))
                .spillAfter(SECOND)
                .build();
        CallOptions impatient = CallOptions.DEFAULT.maxWait(Duration.ZERO);
        call(pool, "1", impatient.affinity("talk"));
        call(pool, "2", impatient);
        call(pool, "3", impatient.affinity("talk"));
        call(pool, "4", impatient);
        assertThat(line.events).containsExactly("1>east@0", "2>east@0", "3>west@0", "4>west@0");
    }

    @Test
    void aRetryWhoseWaitIsUsedUpGoesToAFreeMember() {
        ThrottleRegistry throttles = registry().forKeys("*", perSecond(1)).build();
        Pool pool = Pool.of(throttles, Pool.member("east"), Pool.member("west"));
        call(pool, "a");
        call(pool, "b");
        CompletableFuture<Signal> c = call(pool, "c", CallOptions.DEFAULT.maxWait(SECOND));
        answers.put("east", List.of(Timeline.retryAfter(Duration.ofSeconds(20))));
        line.advanceMillis(1_000);
        assertThat(c).isCompletedWithValue(Signal.SUCCESS);
        assertThat(line.events).containsExactly("a>east@0", "b>west@0", "c>east@1000", "c>west@1000");
    }

    @Test
    void membersThatObserveLetEveryCallGo() {
        ThrottleRegistry throttles = registry()
                .mode(ThrottleMode.OBSERVE)
                .maxWaiting(0)
                .forKeys("*", perSecond(1))
                .build();
        Pool pool = Pool.of(throttles, Pool.member("east"), Pool.member("west"));
        answers.put("east", List.of(Signal.DENIED));
        for (int i = 0; i < 6; i++) {
            call(pool, "a", CallOptions.DEFAULT.maxWait(Duration.ZERO));
        }
        assertThat(line.events).containsExactly("a>east@0", "a>west@0", "a>east@0", "a>west@0", "a>east@0", "a>west@0");
        assertThat(pool.snapshot().rejected()).isZero();
    }

    @Test
    void guardsAreNotAskedByMembersThatObserve() {
        Guard guard = new Guard();
        guard.refuses = true;
        ThrottleRegistry throttles =
                registry().mode(ThrottleMode.OBSERVE).guard(guard).build();
        Pool pool = Pool.of(throttles, Pool.member("east"));
        assertThat(call(pool, "a")).isCompletedWithValue(Signal.SUCCESS);
    }

    @Test
    void aCallIsNotJudgedByWhatHoldsForTheFirstInLineAlone() {
        ThrottleRegistry throttles = registry()
                .forKeys("large", perSecond(1))
                .forKeys(
                        "small",
                        key -> key.limit(Strategies.tokenBucket()
                                        .unit("tokens")
                                        .burst(100)
                                        .rate(100, SECOND)
                                        .build())
                                .limit(Strategies.inFlight().limit(1).build()))
                .build();
        Pool pool =
                Pool.of(throttles, Pool.member("small"), Pool.member("large").tier(2));
        answersAtOnce = false;
        CallOptions large = CallOptions.DEFAULT.cost(Cost.of(Quota.TOKENS, 500));
        call(pool, "a");
        call(pool, "b");
        call(pool, "c", large); // free in a second at the large one; never at the small one
        CompletableFuture<Signal> d = call(pool, "d", CallOptions.DEFAULT.maxWait(Duration.ofMillis(500)));
        assertThat(d).isNotDone();
        line.advanceMillis(300);
        open.get("a").complete(Signal.SUCCESS);
        assertThat(line.events).containsExactly("a>small@0", "b>large@0", "d>small@300");
    }

    @Test
    void oneFailureDoesNotStopTheLine() {
        ThrottleRegistry throttles = registry().forKeys("*", perSecond(1)).build();
        boolean[] isBroken = {false};
        PoolMember east = new PoolMember("east", 1, () -> throttles.get("east").engine());
        PoolMember west = new PoolMember("west", 1, () -> {
            if (isBroken[0]) {
                throw new IllegalArgumentException("mine");
            }
            return throttles.get("west").engine();
        });
        PoolLine members = new PoolLine("pool", throttles, List.of(east, west), SECOND, Duration.ZERO);
        List<CompletableFuture<Permit>> permits = new ArrayList<>();
        for (String name : List.of("a", "b", "c", "d")) {
            permits.add(line.record(new PoolCall(members, CallOptions.DEFAULT).acquireAsync(false), name));
        }
        isBroken[0] = true;
        permits.get(2).whenComplete((permit, failure) -> isBroken[0] = false);
        line.advanceMillis(1_000);
        assertThatThrownBy(permits.get(2)::join).hasRootCauseMessage("mine");
        assertThat(line.events).containsExactly("a@0", "b@0", "c cancelled@1000", "d@1000");
        assertThat(members.waiting()).isZero();
    }

    @Test
    void aFailureThatConcernsTheWholeLineLeavesNobodyInIt() {
        ThrottleRegistry throttles = registry().forKeys("*", perSecond(1)).build();
        boolean[] isBroken = {false};
        PoolMember east = new PoolMember("east", 1, () -> {
            if (isBroken[0]) {
                throw new IllegalArgumentException("mine");
            }
            return throttles.get("east").engine();
        });
        PoolLine members = new PoolLine("pool", throttles, List.of(east), SECOND, Duration.ZERO);
        for (String name : List.of("a", "b", "c")) {
            line.record(new PoolCall(members, CallOptions.DEFAULT).acquireAsync(false), name);
        }
        isBroken[0] = true;
        line.advanceMillis(1_000);
        assertThat(line.events).containsExactlyInAnyOrder("a@0", "b cancelled@1000", "c cancelled@1000");
        assertThat(members.waiting()).isZero();
    }

    @Test
    void askingWhetherACallIsObservedMakesNoCallOfAMember() {
        ThrottleRegistry throttles = registry()
                .forKeys(
                        "small",
                        key -> key.limit(Strategies.tokenBucket()
                                .unit("tokens")
                                .burst(100)
                                .rate(100, SECOND)
                                .build()))
                .build();
        PoolLine members = new PoolLine(
                "pool",
                throttles,
                List.of(new PoolMember("small", 1, () -> throttles.get("small").engine())),
                SECOND,
                SECOND);
        PoolCall call = new PoolCall(members, CallOptions.DEFAULT.cost(Cost.of(Quota.TOKENS, 500)));
        assertThat(call.isObserved()).isFalse();
        assertThat(call.read(Heads.status(429)).outcome()).isEqualTo(Outcome.RATE_LIMITED);
    }

    @Test
    void theEndOfACallWakesThoseThatAGuardRefuses() {
        Guard guard = new Guard();
        guard.most = 1;
        ThrottleRegistry throttles = registry().guard(guard).build();
        Pool pool = Pool.of(throttles, Pool.member("east"));
        answersAtOnce = false;
        call(pool, "a");
        call(pool, "b");
        line.advanceMillis(100);
        open.get("a").complete(Signal.SUCCESS);
        assertThat(line.events).containsExactly("a>east@0", "b>east@100");
    }

    @Test
    void thoseBehindACallThatLeavesGoAtOnce() {
        ThrottleRegistry throttles = registry()
                .limit(Strategies.tokenBucket()
                        .unit("tokens")
                        .burst(100)
                        .rate(10, SECOND)
                        .build())
                .build();
        Pool pool = Pool.of(throttles, Pool.member("east"));
        call(pool, "a", CallOptions.DEFAULT.cost(Cost.of(Quota.TOKENS, 50)));
        CompletableFuture<Signal> b = call(pool, "b", CallOptions.DEFAULT.cost(Cost.of(Quota.TOKENS, 100)));
        call(pool, "c", CallOptions.DEFAULT.cost(Cost.of(Quota.TOKENS, 10)));
        line.advanceMillis(100);
        b.cancel(false);
        assertThat(line.events).containsExactly("a>east@0", "b failed@100", "c>east@100");
    }

    @Test
    void oneTimeoutDoesNotRestAMemberAndThreeInARowDo() {
        Pool pool = Pool.of(
                registry().build(), Pool.member("east"), Pool.member("west").tier(2));
        CallOptions once = CallOptions.DEFAULT.idempotent(false);
        answers.put(
                "east",
                List.of(Signal.FAILED, Signal.FAILED, Signal.SUCCESS, Signal.FAILED, Signal.FAILED, Signal.FAILED));
        for (String name : List.of("a", "b", "c", "d", "e", "f", "g")) {
            call(pool, name, once);
        }
        assertThat(line.events)
                .containsExactly("a>east@0", "b>east@0", "c>east@0", "d>east@0", "e>east@0", "f>east@0", "g>west@0");
    }

    /** Lets so many through at once. */
    private static class Guard implements AdmissionGuard, AdmissionGuard.Pass {

        boolean refuses;
        int most = Integer.MAX_VALUE;
        private int inside;

        @Override
        public String name() {
            return "guard";
        }

        @Override
        public AdmissionGuard.@Nullable Pass tryEnter() {
            if (refuses || inside >= most) {
                return null;
            }
            inside++;
            return this;
        }

        @Override
        public void onEnd(Signal signal, Duration duration) {
            inside--;
        }

        @Override
        public void onLeft() {
            inside--;
        }
    }
}
