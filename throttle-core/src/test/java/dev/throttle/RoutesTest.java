package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.logging.CapturedLog;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Demand;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

/** What a throttle learns about the quotas of routes, and what waits for what. */
class RoutesTest {

    private static final Strategy NONE = Strategies.none();

    private final Timeline line = new Timeline();
    private final Throttle throttle = line.throttle(NONE).build();

    private static Signal counted(Outcome outcome, String... quotas) {
        List<Quota> all = List.of(quotas).stream()
                .map(name -> new Quota(name, 100L, 50L, Duration.ofHours(1), null))
                .toList();
        return Signal.of(outcome, new RateHints(null, all));
    }

    private static Signal refused(Duration wait, Quota... quotas) {
        return Signal.of(Outcome.RATE_LIMITED, new RateHints(wait, List.of(quotas)));
    }

    private static ThrottledCall call(Throttle of, String route) {
        return Calls.of(of).newCall(CallOptions.DEFAULT.route(route));
    }

    private CompletableFuture<Permit> ask(String route, String name) {
        return line.ask(call(throttle, route), name);
    }

    /** The route has as many answers as it takes to free it, which name the quotas that count it. */
    private static void learn(Throttle of, String route, String... quotas) {
        for (int i = 0; i < 3; i++) {
            learnOnce(of, route, quotas);
        }
    }

    private static void learnOnce(Throttle of, String route, String... quotas) {
        call(of, route).acquireAsync().join().complete(counted(Outcome.SUCCESS, quotas));
    }

    private void refuse(String route, String quota, Duration wait) {
        call(throttle, route).acquireAsync().join().complete(refused(wait, new Quota(quota, 30L, 0L, null, null)));
    }

    /** Two routes, with a quota each. */
    private void learnTwo() {
        learn(throttle, "first", "core"); // before a quota has a name, routes do not matter
        learn(throttle, "GET /core", "core");
        learn(throttle, "GET /search", "search");
    }

    @Test
    void aRefusalThatNamesItsQuotaClosesThatQuotaOnly() {
        learnTwo();
        ThrottledCall search = call(throttle, "GET /search");
        search.acquireAsync()
                .join()
                .complete(refused(Duration.ofSeconds(30), new Quota("search", 30L, 0L, null, null)));
        ask("GET /search", "search");
        ask("GET /core", "core");
        line.advanceMillis(60_000);
        assertThat(line.events).containsExactly("core@0", "search@30000");
    }

    @Test
    void aRefusalThatNamesNoneClosesTheKeyAndOneThatNamesSeveralThoseThatAreUsedUp() {
        learnTwo();
        call(throttle, "GET /core").acquireAsync().join().complete(refused(Duration.ofSeconds(1)));
        ask("GET /search", "all");
        line.advanceMillis(2_000);
        learn(throttle, "GET /both", "core", "search");
        Quota core = new Quota("core", 100L, 5L, Duration.ofHours(1), null);
        Quota usedUp = new Quota("search", 30L, 0L, Duration.ofSeconds(5), null);
        call(throttle, "GET /both").acquireAsync().join().complete(refused(Duration.ofSeconds(5), core, usedUp));
        ask("GET /core", "core");
        ask("GET /search", "search");
        ask("GET /both", "both");
        line.advanceMillis(10_000);
        assertThat(line.events).containsExactly("all@1000", "core@2000", "search@7000", "both@7000");
    }

    @Test
    void aRouteThatIsNewWaitsForAllUntilItHasSeveralAnswers() {
        learnTwo();
        learnOnce(throttle, "GET /new", "core");
        learnOnce(throttle, "GET /new", "core");
        CompletableFuture<Permit> early = call(throttle, "GET /new").acquireAsync();
        call(throttle, "GET /search")
                .acquireAsync()
                .join()
                .complete(refused(Duration.ofSeconds(30), new Quota("search", 30L, 0L, null, null)));
        ask("GET /new", "new");
        line.advanceMillis(1_000);
        assertThat(line.events).isEmpty();
        early.join().complete(counted(Outcome.SUCCESS, "core"));
        assertThat(line.events).containsExactly("new@1000");
    }

    @Test
    void aRouteThatIsNewDoesNotWaitForAQuotaThatIsUsedUpForDays() {
        learnTwo();
        Signal month = Signal.of(Outcome.DENIED, new RateHints(Duration.ofDays(20), List.of(Quota.named("search"))));
        call(throttle, "GET /search").acquireAsync().join().complete(month);
        ask("GET /new", "new");
        ask("GET /core", "core");
        ask("GET /search", "search");
        assertThat(line.events).containsExactly("new@0", "core@0", "search rejected@0");
        line.advanceMillis(Duration.ofDays(20).toMillis());
        ask("GET /search", "again");
        assertThat(line.events.get(3)).isEqualTo("again@" + Duration.ofDays(20).toMillis());
    }

    /** A month that is nearly over is used up as it was. */
    @Test
    void aRouteThatIsNewDoesNotWaitForTheLastMinutesOfALongTimeEither() {
        learnTwo();
        Signal month = Signal.of(Outcome.DENIED, new RateHints(Duration.ofDays(20), List.of(Quota.named("search"))));
        call(throttle, "GET /search").acquireAsync().join().complete(month);
        line.advanceMillis(Duration.ofDays(20).minusMinutes(10).toMillis());
        ask("GET /new", "new");
        assertThat(line.events)
                .containsExactly("new@" + Duration.ofDays(20).minusMinutes(10).toMillis());
        assertThat(throttle.snapshot().waiting()).isZero();
    }

    @Test
    void theRejectionOfACallNamesItsQuota() {
        learnTwo();
        Signal day = Signal.of(Outcome.DENIED, new RateHints(Duration.ofHours(12), List.of(Quota.named("per-day"))));
        assertThat(call(throttle, "GET /search")
                        .acquireAsync()
                        .join()
                        .complete(day)
                        .isRetry())
                .isFalse();
        CompletableFuture<Permit> next = call(throttle, "GET /search").acquireAsync();
        ThrottleRejectedException rejection = Timeline.rejection(next);
        assertThat(rejection).hasMessageContaining("12 h (quota-reset, quota per-day), but maxWait is 10 min");
        assertThat(rejection.neededWait()).isEqualTo(Duration.ofHours(12));
        WaitEstimate estimate = throttle.estimateWait(CallOptions.DEFAULT.route("GET /search"));
        assertThat(estimate.quota()).isEqualTo("per-day");
        assertThat(throttle.estimateWait(CallOptions.DEFAULT.route("GET /core")).isAtOnce())
                .isTrue();
    }

    @Test
    void aQuotaThatSixteenAnswersHaveNotNamedTwiceNoLongerCounts() {
        learnTwo();
        for (int i = 0; i < 33; i++) {
            learnOnce(throttle, "GET /search", "core");
        }
        call(throttle, "GET /other")
                .acquireAsync()
                .join()
                .complete(refused(Duration.ofSeconds(30), new Quota("search", 30L, 0L, null, null)));
        ask("GET /search", "search");
        assertThat(line.events).containsExactly("search@0");
    }

    @Test
    void orderInALaneAndPrioritiesStay() {
        Throttle limited = line.throttle(
                        Strategies.tokenBucket().rate(1, Duration.ofSeconds(1)).build())
                .build();
        for (int i = 0; i < 3; i++) {
            learnOnce(limited, "first", "core");
            line.advanceMillis(1_000);
            learnOnce(limited, "GET /core", "core");
            line.advanceMillis(1_000);
            learnOnce(limited, "GET /search", "search");
            line.advanceMillis(1_000);
        }
        call(limited, "GET /search")
                .acquireAsync()
                .join()
                .complete(refused(Duration.ofMillis(2_500), new Quota("search", 30L, 0L, null, null)));
        line.ask(call(limited, "GET /search"), "search1");
        line.ask(call(limited, "GET /core"), "core1");
        line.ask(call(limited, "GET /search"), "search2");
        line.ask(call(limited, "GET /core"), "core2");
        line.ask(call(limited, "GET /core"), "core3");
        line.advanceMillis(10_000);
        assertThat(line.events)
                .containsExactly("core1@10000", "core2@11000", "search1@12000", "search2@13000", "core3@14000");
    }

    @Test
    void withoutLearningAllCallsWait() {
        Throttle all = line.throttle(NONE).learnRoutes(false).build();
        learn(all, "first", "core");
        learn(all, "GET /core", "core");
        learn(all, "GET /search", "search");
        call(all, "GET /search")
                .acquireAsync()
                .join()
                .complete(refused(Duration.ofSeconds(30), new Quota("search", 30L, 0L, null, null)));
        line.ask(call(all, "GET /core"), "core");
        line.advanceMillis(30_000);
        assertThat(line.events).containsExactly("core@30000");
    }

    @Test
    void learningCanBeSwitchedOffAndOnWhileCallsWait() {
        learnTwo();
        call(throttle, "GET /search")
                .acquireAsync()
                .join()
                .complete(refused(Duration.ofSeconds(30), new Quota("search", 30L, 0L, null, null)));
        throttle.reconfigure(settings -> settings.learnRoutes(false));
        ask("GET /core", "core");
        line.advanceMillis(30_000);
        assertThat(line.events).containsExactly("core@30000");
    }

    @Test
    void ofThousandsOfRoutesTheLastOnesAreRemembered() {
        learnTwo();
        for (int i = 0; i < 10_000; i++) {
            learn(throttle, "GET /things/" + i, "core");
        }
        call(throttle, "GET /other")
                .acquireAsync()
                .join()
                .complete(refused(Duration.ofSeconds(30), new Quota("search", 30L, 0L, null, null)));
        ask("GET /things/9999", "remembered");
        ask("GET /things/5000", "forgotten");
        line.advanceMillis(30_000);
        assertThat(line.events).containsExactly("remembered@0", "forgotten@30000");
    }

    @Test
    void aRequestThatIsTooLargeIsAnAnswerAndItsLikeAreNotSent() {
        Signal tooLarge = Signal.of(Outcome.DENIED, RateHints.NONE.withDemand(new Demand("tokens", 250_011, 30_000)));
        Permit permit = call(throttle, "POST /chat small").acquireAsync().join();
        assertThat(permit.complete(tooLarge).isRetry()).isFalse();
        assertThat(call(throttle, "POST /chat small").acquireAsync()).isDone();
        CallOptions larger =
                CallOptions.DEFAULT.cost(Cost.of("tokens", 250_011)).route("POST /chat small");
        assertThat(Calls.of(throttle).newCall(larger.route("POST /chat large")).acquireAsync())
                .isCompleted();
        assertThat(Calls.of(throttle)
                        .newCall(CallOptions.DEFAULT.cost(larger.cost()))
                        .acquireAsync())
                .isCompleted();
        ThrottleRejectedException rejection =
                Timeline.rejection(Calls.of(throttle).newCall(larger).acquireAsync());
        assertThat(rejection)
                .hasMessageContaining("this request can never be accepted: 250,011 tokens, the limit is 30,000");
        assertThat(rejection.reason()).isEqualTo("too-large");
        assertThat(throttle.estimateWait(CallOptions.DEFAULT).isAtOnce()).isTrue();
        CallOptions smaller = larger.cost(Cost.of("tokens", 30_000));
        assertThat(Calls.of(throttle).newCall(smaller).acquireAsync()).isCompleted();
        line.advanceMillis(600_000);
        assertThat(Calls.of(throttle).newCall(larger).acquireAsync()).isCompleted();
    }

    @Test
    void aRequestOfAnUnknownRouteTeachesNothingAboutSizes() {
        Signal tooLarge = Signal.of(Outcome.DENIED, RateHints.NONE.withDemand(new Demand("tokens", 250_011, 30_000)));
        Calls.of(throttle).newCall().acquireAsync().join().complete(tooLarge);
        CallOptions larger = CallOptions.DEFAULT.cost(Cost.of("tokens", 250_011));
        assertThat(Calls.of(throttle).newCall(larger).acquireAsync()).isCompleted();
    }

    @Test
    void aSharedLimitHoldsTheCallsOfAllQuotas() {
        SharedLimit one = SharedLimit.of("one", Strategies.inFlight().limit(1).build());
        Throttle shared = line.throttle(NONE).limit(one).build();
        learn(shared, "first", "core");
        learn(shared, "GET /core", "core");
        learn(shared, "GET /search", "search");
        Permit busy = call(shared, "GET /core").acquireAsync().join();
        CompletableFuture<Permit> core = line.ask(call(shared, "GET /core"), "core");
        line.ask(call(shared, "GET /search"), "search");
        assertThat(line.events).isEmpty();
        busy.complete(counted(Outcome.SUCCESS, "core"));
        assertThat(line.events).containsExactly("core@0");
        core.join().complete(counted(Outcome.SUCCESS, "core"));
        assertThat(line.events).containsExactly("core@0", "search@0");
    }

    @Test
    void answersThatNameNothingFreeNoRoute() {
        learnTwo();
        Signal unnamed = Signal.of(
                Outcome.SUCCESS, new RateHints(null, List.of(new Quota(null, 100L, 50L, Duration.ofHours(1), null))));
        for (int i = 0; i < 40; i++) {
            call(throttle, "GET /silent").acquireAsync().join().complete(unnamed);
            call(throttle, "GET /search").acquireAsync().join().complete(unnamed);
        }
        refuse("GET /search", "search", Duration.ofSeconds(30));
        ask("GET /search", "search");
        ask("GET /silent", "silent");
        ask("GET /core", "core");
        line.advanceMillis(30_000);
        assertThat(line.events).containsExactly("core@0", "search@30000", "silent@30000");
    }

    @Test
    void aRefusalThatNamesOneQuotaDoesNotFreeItsRouteFromOthers() {
        learnTwo();
        for (int i = 0; i < 5; i++) {
            refuse("GET /both", "core", Duration.ofMillis(1));
            line.advanceMillis(1);
        }
        refuse("GET /search", "search", Duration.ofSeconds(30));
        ask("GET /both", "both");
        line.advanceMillis(40_000);
        assertThat(line.events).containsExactly("both@30005");
    }

    @Test
    void whatALowerClassLeavesToOthersDoesNotDelayThemWhateverTheirQuotas() {
        PriorityPolicy leaves = PriorityPolicy.standard().reserve(Priority.BATCH, 0.9);
        throttle.reconfigure(settings -> settings.priorities(leaves));
        learnTwo();
        learn(throttle, "GET /both", "core", "search");
        line.ask(
                Calls.of(throttle)
                        .newCall(CallOptions.DEFAULT.priority(Priority.BATCH).route("GET /core")),
                "batch");
        refuse("GET /search", "search", Duration.ofSeconds(1));
        for (int i = 0; i < 20; i++) {
            ask("GET /search", "search");
        }
        line.advanceMillis(1_000);
        assertThat(line.events).hasSize(20).containsOnly("search@1000");
        line.events.clear();
        ask("GET /both", "both");
        assertThat(line.events).containsExactly("both@1000");
    }

    @Test
    void aCallThatTwoBusyQuotasCountIsNotPassedForEver() {
        learnTwo();
        learn(throttle, "GET /both", "core", "search");
        refuse("GET /search", "search", Duration.ofSeconds(2));
        ask("GET /both", "both");
        for (int second = 1; second < 20; second++) {
            line.advanceMillis(1_000);
            String quota = second % 2 == 0 ? "search" : "core";
            CompletableFuture<Permit> other = call(throttle, "GET /" + quota).acquireAsync();
            if (other.isDone()) {
                other.join().complete(refused(Duration.ofSeconds(2), new Quota(quota, 30L, 0L, null, null)));
            }
        }
        assertThat(line.events).containsExactly("both@4000");
    }

    @Test
    void aCallThatIsNotPastItsTimeIsPassedByThoseThatWaitForLess() {
        learnTwo();
        learn(throttle, "GET /both", "core", "search");
        refuse("GET /search", "search", Duration.ofSeconds(20));
        ask("GET /both", "both");
        line.advanceMillis(19_000);
        ask("GET /core", "core");
        line.advanceMillis(1_000);
        assertThat(line.events).containsExactly("core@19000", "both@20000");
    }

    @Test
    void callsThatCameBeforeAQuotaHadANameChangeLanesWithTheirRoute() {
        CompletableFuture<Permit> first = call(throttle, "GET /core").acquireAsync();
        Permit search = call(throttle, "GET /search").acquireAsync().join();
        Permit held = call(throttle, "GET /core").acquireAsync().join();
        Permit last = call(throttle, "GET /core").acquireAsync().join();
        call(throttle, "GET /other").acquireAsync().join().complete(refused(Duration.ofSeconds(1)));
        ask("GET /search", "search");
        ask("GET /core", "core"); // no quota has a name yet
        first.join().complete(counted(Outcome.SUCCESS, "core"));
        search.complete(refused(Duration.ofSeconds(30), new Quota("search", 30L, 0L, null, null)));
        held.complete(counted(Outcome.SUCCESS, "core"));
        last.complete(counted(Outcome.SUCCESS, "core"));
        line.advanceMillis(30_000);
        assertThat(line.events).containsExactly("core@1000", "search@30000");
    }

    @Test
    void aRouteThatIsNewDoesNotStandBehindCallsThatWaitForDays() {
        Throttle patient = line.throttle(NONE).maxWait(Duration.ofDays(40)).build();
        learn(patient, "first", "core");
        learn(patient, "GET /all", "core", "search");
        Signal month = Signal.of(Outcome.DENIED, new RateHints(Duration.ofDays(20), List.of(Quota.named("search"))));
        call(patient, "GET /all").acquireAsync().join().complete(month);
        line.ask(call(patient, "GET /all"), "all");
        line.ask(call(patient, "GET /new"), "new");
        assertThat(line.events).containsExactly("new@0");
    }

    /** What is left of one quota says nothing about the calls that another one counts. */
    @Test
    void onlyThoseAreTooFarBehindThatTheQuotaCounts() {
        Throttle one = line.throttle(NONE)
                .limit(Strategies.inFlight().limit(1).build())
                .build();
        learn(one, "first", "core");
        learn(one, "GET /core", "core");
        learn(one, "GET /search", "search");
        line.advanceMillis(Duration.ofHours(3).toMillis());
        for (long left = 9; left > 0; left--) {
            Quota core = new Quota("core", 10L, left, Duration.ofHours(1), null);
            call(one, "GET /core")
                    .acquireAsync()
                    .join()
                    .complete(Signal.of(Outcome.SUCCESS, new RateHints(null, List.of(core))));
        }
        Permit busy = call(one, "GET /core").acquireAsync().join();
        for (int i = 0; i < 3; i++) {
            line.ask(call(one, "GET /search"), "search");
            line.ask(call(one, "GET /core"), "core");
        }
        assertThat(line.events).containsExactly("core rejected@10800000", "core rejected@10800000");
        busy.complete(Signal.SUCCESS);
        assertThat(line.events).hasSize(3).last().isEqualTo("search@10800000");
    }

    @Test
    void theSnapshotTellsHowManyWaitForWhichQuota() {
        learnTwo();
        learn(throttle, "GET /both", "core", "search");
        refuse("GET /core", "core", Duration.ofSeconds(50));
        refuse("GET /search", "search", Duration.ofSeconds(20));
        ask("GET /core", "core");
        ask("GET /core", "core");
        ask("GET /search", "search");
        ask("GET /both", "both");
        assertThat(throttle.snapshot().waitingByQuota()).isEqualTo(Map.of("core", 3, "search", 1));
        line.advanceMillis(20_000);
        assertThat(throttle.snapshot().waitingByQuota()).isEqualTo(Map.of("core", 3));
        line.advanceMillis(30_000);
        assertThat(throttle.snapshot().waitingByQuota()).isEmpty();
    }

    @Test
    void callsThatWaitForAllThatTheServerHasAreOfNoQuota() {
        learnTwo();
        call(throttle, "GET /core").acquireAsync().join().complete(refused(Duration.ofSeconds(20)));
        ask("GET /core", "core");
        assertThat(throttle.snapshot().waiting()).isEqualTo(1);
        assertThat(throttle.snapshot().waitingByQuota()).isEmpty();
    }

    @Test
    void theLogNamesTheQuotaForWhichCallsAreHeldBack() {
        learnTwo();
        try (CapturedLog log = CapturedLog.from(Level.INFO, "default")) {
            refuse("GET /search", "search", Duration.ofSeconds(20));
            ask("GET /search", "search");
            line.advanceMillis(80_000);
            ask("GET /core", "core").join().complete(refused(Duration.ofSeconds(30)));
            assertThat(log.lines)
                    .anyMatch(said -> said.endsWith("held back for 20 s (retry-after, quota search)"))
                    .anyMatch(said -> said.endsWith("held back for 30 s (retry-after)"));
        }
    }

    @Test
    void theEstimateTellsTheWaitOfOneHead() {
        learnTwo();
        refuse("GET /core", "core", Duration.ofSeconds(50));
        ask("GET /core", "core");
        line.advanceMillis(1_000);
        refuse("GET /search", "search", Duration.ofSeconds(5));
        ask("GET /search", "search");
        WaitEstimate estimate = throttle.estimateWait(CallOptions.DEFAULT.route("GET /core"));
        assertThat(estimate.headWaited()).isEqualTo(Duration.ofSeconds(1));
        assertThat(estimate.headQuota()).isEqualTo("core");
        assertThat(estimate.headAtLeast()).isEqualTo(Duration.ofSeconds(49));
    }

    @Test
    void theRejectionOfACallThatHasWaitedNamesItsQuota() {
        learnTwo();
        CompletableFuture<Permit> busy = call(throttle, "GET /search").acquireAsync();
        refuse("GET /search", "search", Duration.ofMinutes(5));
        CompletableFuture<Permit> waiting = ask("GET /search", "search");
        busy.join().complete(refused(Duration.ofHours(2), new Quota("search", 30L, 0L, null, null)));
        assertThat(line.events).containsExactly("search rejected@0");
        assertThat(Timeline.rejection(waiting)).hasMessageContaining("quota search");
    }

    @Test
    void aQuotaIsClosedForAsManyDaysAsItsRefusalSays() {
        Throttle patient = line.throttle(NONE).maxWait(Duration.ofDays(40)).build();
        learn(patient, "first", "core");
        Signal days = refused(Duration.ofSeconds(331_775), Quota.named("figma-low"));
        call(patient, "GET /files").acquireAsync().join().complete(days);
        line.ask(call(patient, "GET /files"), "files");
        line.advanceMillis(400_000_000);
        assertThat(line.events).containsExactly("files@331775000");
    }

    @Test
    void aServerThatMakesUpNamesIsLearnedAnew() {
        for (int i = 0; i < 61; i++) {
            learnOnce(throttle, "GET /made-up", "name" + i);
        }
        for (int i = 0; i < 3; i++) {
            learnOnce(throttle, "GET /both", "core", "search"); // the second of these names is one too many
        }
        learn(throttle, "GET /core", "core");
        refuse("GET /both", "search", Duration.ofSeconds(30));
        ask("GET /both", "both");
        ask("GET /core", "core");
        line.advanceMillis(30_000);
        assertThat(line.events).containsExactly("core@0", "both@30000");
    }
}
