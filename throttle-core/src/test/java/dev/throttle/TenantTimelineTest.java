package dev.throttle;

import static dev.throttle.Timeline.rejection;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Calls of several tenants wait for one throttle, which lets one go every ten milliseconds. */
class TenantTimelineTest extends PriorityStory {

    private static CallOptions of(String tenant) {
        return CallOptions.DEFAULT.tenant(tenant);
    }

    private Throttle taken(Throttle.Builder builder) {
        Throttle throttle = builder.build();
        ask(throttle, NORMAL_CALL, "x");
        line.events.clear();
        return throttle;
    }

    /** {@return which tenants were let go, in their order} */
    private String order() {
        return line.events.stream().map(event -> event.substring(0, 1)).collect(Collectors.joining());
    }

    private static int count(String order, char tenant) {
        return (int) order.chars().filter(one -> one == tenant).count();
    }

    @Test
    void theFewCallsOfATenantGoBeforeTheManyOfAnother() {
        Throttle throttle = taken(paced());
        askAll(throttle, of("a"), "a", 20);
        askAll(throttle, of("b"), "b", 2);
        askAll(throttle, of("c"), "c", 1);
        line.advanceMillis(60);
        assertThat(line.events).containsExactly("b1@10", "b2@20", "c1@30", "a1@40", "a2@50", "a3@60");
    }

    @Test
    void tenantsWithManyCallsTakeTurns() {
        Throttle throttle = taken(paced());
        askAll(throttle, of("a"), "a", 20);
        askAll(throttle, of("b"), "b", 20);
        askAll(throttle, of("c"), "c", 20);
        line.advanceMillis(120);
        assertThat(order()).isEqualTo("abcabcabcabc");
    }

    @Test
    void whereAllHaveFewCallsTheyGoAsTheyCame() {
        Throttle throttle = taken(paced());
        askAll(throttle, of("a"), "a", 3);
        askAll(throttle, of("b"), "b", 2);
        ask(throttle, of("a"), "a4");
        ask(throttle, NORMAL_CALL, "n");
        line.advanceMillis(70);
        assertThat(line.events).containsExactly("a1@10", "a2@20", "a3@30", "b1@40", "b2@50", "a4@60", "n@70");
    }

    @Test
    void whoComesLateGetsAFewCallsAheadAndNothingForTheTimeBefore() {
        Throttle throttle = taken(paced());
        askAll(throttle, of("a"), "a", 100);
        line.advanceMillis(500);
        line.events.clear();
        askAll(throttle, of("b"), "b", 100);
        line.advanceMillis(150);
        assertThat(order()).isEqualTo("bbbbb" + "ababababab");
    }

    /** A tenant with one call at a time comes anew each time, but is remembered. */
    @Test
    void whoAlwaysComesBackAtOnceDoesNotKeepTheOthersWaiting() {
        Throttle throttle = taken(paced());
        askAll(throttle, of("a"), "a", 20);
        comeBack(throttle);
        line.advanceMillis(150);
        assertThat(order()).isEqualTo("bbbbb" + "aaaaa" + "ababa"); // each had a few ahead
    }

    private void comeBack(Throttle throttle) {
        ask(throttle, of("b"), "b").thenAccept(permit -> {
            permit.complete(Signal.SUCCESS);
            line.time.schedule(0, () -> comeBack(throttle));
        });
    }

    @Test
    void callsWithoutATenantAreThoseOfOneMore() {
        Throttle throttle = taken(paced());
        askAll(throttle, NORMAL_CALL, "n", 20);
        askAll(throttle, of("a"), "a", 20);
        line.advanceMillis(60);
        assertThat(order()).isEqualTo("nanana");
    }

    @Test
    void aWeightOfTwoIsTwiceAsMuch() {
        Throttle throttle = taken(paced().tenantWeights(Map.of("a", 2)));
        askAll(throttle, of("b"), "b", 100);
        askAll(throttle, of("a"), "a", 100);
        line.advanceMillis(900);
        assertThat(count(order(), 'a')).isBetween(56, 64);
        assertThat(count(order(), 'b')).isBetween(26, 34);
    }

    @Test
    void weightsCanChangeWhileCallsWait() {
        Throttle throttle = taken(paced());
        askAll(throttle, of("a"), "a", 100);
        askAll(throttle, of("b"), "b", 100);
        line.advanceMillis(200);
        assertThat(count(order(), 'a')).isEqualTo(10);
        line.events.clear();
        throttle.reconfigure(settings -> settings.tenantWeights(Map.of("a", 3)));
        line.advanceMillis(400);
        assertThat(count(order(), 'a')).isBetween(29, 31);
        line.events.clear();
        throttle.reconfigure(settings -> settings.tenantWeights(Map.of()));
        line.advanceMillis(200);
        assertThat(count(order(), 'a')).isBetween(9, 11);
    }

    @Test
    void aTenantWhoseCallsTakeMoreHasFewer() {
        Throttle throttle = taken(paced());
        askAll(throttle, of("a").permits(3), "a", 40);
        askAll(throttle, of("b"), "b", 100);
        line.advanceMillis(1_200);
        assertThat(count(order(), 'a')).isBetween(18, 22);
        assertThat(count(order(), 'b')).isBetween(55, 65);
    }

    @Test
    void tokensCountWhereCallsNameThem() {
        Throttle throttle = taken(paced());
        askAll(throttle, of("a").cost(Cost.of("tokens", 3_000)), "a", 100);
        askAll(throttle, of("b").cost(Cost.of("tokens", 1_000)), "b", 100);
        line.advanceMillis(800);
        assertThat(count(order(), 'a')).isBetween(18, 24);
    }

    @Test
    void prioritiesComeBeforeTenants() {
        Throttle throttle = taken(paced().priorities(PriorityPolicy.standard().weights(1000, 1, 1)));
        askAll(throttle, of("a").priority(Priority.BATCH), "a", 10);
        askAll(throttle, of("b").priority(Priority.BATCH), "b", 10);
        askAll(throttle, of("a").priority(Priority.INTERACTIVE), "A", 2);
        line.advanceMillis(60);
        assertThat(line.events).containsExactly("A1@10", "A2@20", "a1@30", "b1@40", "a2@50", "b2@60");
    }

    @Test
    void whoGivesUpLeavesItsTurnToTheNextOfItsTenant() {
        Throttle throttle = taken(paced());
        CompletableFuture<Permit> first = ask(throttle, of("a"), "a1");
        askAll(throttle, of("b"), "b", 1);
        ask(throttle, of("a"), "a2");
        first.cancel(false);
        line.advanceMillis(20);
        assertThat(line.events).containsExactly("a1 cancelled@0", "b1@10", "a2@20");
        assertThat(throttle.snapshot().waitingTenants()).isZero();
    }

    /** What was never sent is not paid for. */
    @Test
    void aTenantThatGivesUpManyCallsHasNotLessForThat() {
        Throttle throttle = taken(paced());
        List<CompletableFuture<Permit>> given = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            given.add(ask(throttle, of("a"), "a"));
        }
        askAll(throttle, of("b"), "b", 20);
        given.subList(0, 80).forEach(call -> call.cancel(false));
        line.events.clear();
        line.advanceMillis(80);
        assertThat(order()).isEqualTo("abababab");
    }

    /** It goes first, as before, and its tenant does not pay for it a second time. */
    @Test
    void aRefusedCallKeepsItsPlaceAndIsNotCountedAgain() {
        Throttle throttle =
                line.throttle(TestStrategies.pace(Duration.ofMillis(10))).build();
        ThrottledCall refused = Calls.of(throttle).newCall(of("a"));
        Permit permit = line.ask(refused, "a1").join();
        askAll(throttle, of("a"), "a", 20);
        askAll(throttle, of("b"), "b", 20);
        assertThat(permit.complete(Timeline.retryAfter(Duration.ofMillis(15))).isRetry())
                .isTrue();
        line.ask(refused, "a1 again");
        line.advanceMillis(60);
        assertThat(line.events).containsExactly("a1@0", "a1 again@15", "a1@25", "b1@35", "a2@45", "b2@55");
    }

    @Test
    void theSnapshotTellsHowManyTenantsWait() {
        Throttle throttle = taken(paced());
        askAll(throttle, of("a"), "a", 3);
        askAll(throttle, of("b").priority(Priority.BATCH), "b", 3);
        askAll(throttle, NORMAL_CALL, "n", 3);
        assertThat(throttle.snapshot().waitingTenants()).isEqualTo(2);
        line.advanceMillis(1_000);
        assertThat(throttle.snapshot().waitingTenants()).isZero();
    }

    @Test
    void aFullQueueDropsTheLastCallOfTheTenantThatHasMost() {
        Throttle throttle = taken(paced().maxWaiting(4));
        askAll(throttle, of("a"), "a", 4);
        assertThat(rejection(ask(throttle, of("a"), "a5")).reason()).isEqualTo("queue-full");
        line.events.clear();
        CompletableFuture<Permit> b = ask(throttle, of("b"), "b1");
        ask(throttle, NORMAL_CALL, "n1");
        ask(throttle, of("b"), "b2"); // would have as many as a, which is no better
        assertThat(line.events).containsExactly("a4 rejected@0", "a3 rejected@0", "b2 rejected@0");
        assertThat(throttle.estimateWait(of("a")).reason()).isEqualTo("queue-full");
        assertThat(throttle.estimateWait(of("c")).reason()).isEqualTo("pace");
        line.advanceMillis(40);
        assertThat(b).isCompleted();
        assertThat(line.events)
                .containsExactly("a4 rejected@0", "a3 rejected@0", "b2 rejected@0", "a1@10", "a2@20", "b1@30", "n1@40");
    }

    @Test
    void noCallIsDroppedForOneOfALowerPriority() {
        Throttle throttle = taken(paced().maxWaiting(3));
        askAll(throttle, of("a"), "a", 3);
        assertThat(rejection(ask(throttle, of("b").priority(Priority.BATCH), "b"))
                        .reason())
                .isEqualTo("queue-full");
        ask(throttle, of("b").priority(Priority.INTERACTIVE), "B");
        assertThat(line.events).containsExactly("b rejected@0", "a3 rejected@0");
    }

    /** One that floods the queue drops its own calls only. */
    @Test
    void theOldestIsDroppedOfTheTenantThatHasMostWhereTheOldestGoes() {
        Throttle throttle = taken(paced().maxWaiting(3).whenFull(WhenFull.DROP_OLDEST_OF_LOWEST));
        ask(throttle, of("b"), "b1");
        askAll(throttle, of("a"), "a", 4);
        assertThat(line.events).containsExactly("a1 rejected@0", "a2 rejected@0");
    }

    @Test
    void anEstimateCountsThoseWhoGoBefore() {
        Throttle throttle = line.throttle(Strategies.none())
                .limit(Strategies.leakyBucket().rate(1, Duration.ofSeconds(1)).build())
                .build();
        ask(throttle, NORMAL_CALL, "x");
        askAll(throttle, of("a"), "a", 100);
        askAll(throttle, of("b"), "b", 3);
        askAll(throttle, of("c"), "c", 1);
        assertThat(seconds(throttle, "d")).isEqualTo(5); // behind the three of b, and c
        assertThat(seconds(throttle, "b")).isEqualTo(5);
        assertThat(seconds(throttle, "a")).isEqualTo(105);
        line.events.clear();
        ask(throttle, of("d"), "d");
        line.advanceMillis(6_000);
        assertThat(line.events).containsExactly("b1@1000", "b2@2000", "b3@3000", "c1@4000", "d@5000", "a1@6000");
        askAll(throttle, of("b"), "B", 9);
        assertThat(seconds(throttle, "a")).isEqualTo(99 + 9 + 1);
        long estimate = seconds(throttle, "b");
        assertThat(estimate).isLessThan(30);
        line.events.clear();
        ask(throttle, of("b"), "last");
        line.advanceMillis(30_000);
        assertThat(line.events).contains("last@" + (6 + estimate) * 1_000);
    }

    private static long seconds(Throttle throttle, String tenant) {
        return throttle.estimateWait(of(tenant)).atLeast().toSeconds();
    }

    /** The call of the tenant that has few could make it, and does. */
    @Test
    void aCallIsTurnedAwayByWhatGoesBeforeItAndNotByWhatWaits() {
        Throttle throttle = line.throttle(Strategies.none())
                .limit(Strategies.leakyBucket().rate(1, Duration.ofSeconds(1)).build())
                .maxWait(Duration.ofSeconds(10))
                .build();
        ask(throttle, NORMAL_CALL, "x");
        askAll(throttle, of("a"), "a", 10);
        assertThat(rejection(ask(throttle, of("a"), "a11")).neededWait()).isEqualTo(Duration.ofSeconds(11));
        line.events.clear();
        ask(throttle, of("b"), "b");
        line.advanceMillis(1_000);
        assertThat(line.events).containsExactly("b@1000");
    }

    @Test
    void namesAndWeightsAreChecked() {
        assertThatThrownBy(() -> CallOptions.DEFAULT.tenant(" ")).hasMessageContaining("tenant");
        assertThatThrownBy(() -> paced().tenantWeights(Map.of("a", 0)))
                .hasMessageContaining("weight of tenant a")
                .hasMessageContaining("1")
                .hasMessageContaining("1000");
        assertThatThrownBy(() -> paced().tenantWeights(Map.of("", 2))).hasMessageContaining("tenant");
    }
}
