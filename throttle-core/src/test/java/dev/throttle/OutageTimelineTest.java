package dev.throttle;

import static dev.throttle.Timeline.rejection;
import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.retry.RetryDecision;
import dev.throttle.retry.RetryDecision.StopReason;
import dev.throttle.retry.RetryPolicy;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Calls to a server that is away for a time: what is sent meanwhile, and what becomes of the calls. */
class OutageTimelineTest {

    private static final CallOptions POST = CallOptions.DEFAULT.idempotent(false);

    private final Timeline line = new Timeline();
    private final List<String> sent = new ArrayList<>();
    private final List<String> ended = new ArrayList<>();
    private Throttle throttle = line.throttle(Strategies.none()).build();
    /** What the server says to everything. */
    private Signal answer = Signal.UNREACHABLE;

    private final long start = line.time.nanoTime();

    private long millis() {
        return (line.time.nanoTime() - start) / 1_000_000;
    }

    private void succeed() {
        Calls.of(throttle).newCall().acquireAsync().join().complete(Signal.SUCCESS);
    }

    private void fail(int attempts) {
        for (int i = 0; i < attempts; i++) {
            Calls.of(throttle).newCall().acquireForced().end(Signal.UNREACHABLE);
        }
    }

    /** Makes a call that is repeated as the throttle says, each attempt taking 10 ms. */
    private void call(String name, CallOptions options) {
        attempt(Calls.of(throttle).newCall(options), name);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // both ways it may end are recorded
    private void attempt(ThrottledCall call, String name) {
        call.acquireAsync().whenComplete((permit, failure) -> {
            if (permit == null) {
                ended.add(name + " rejected@" + millis());
                return;
            }
            sent.add(name + "@" + millis());
            line.time.schedule(10_000_000, () -> {
                Signal said = answer;
                RetryDecision decision = permit.complete(said);
                if (decision.isRetry()) {
                    attempt(call, name);
                } else {
                    ended.add(name + " " + said.outcome() + "@" + millis());
                }
            });
        });
    }

    private void calls(int count) {
        for (int i = 0; i < count; i++) {
            call("c" + i, CallOptions.DEFAULT);
        }
    }

    private static long at(String event) {
        return Long.parseLong(event.substring(event.indexOf('@') + 1));
    }

    @Test
    void aJobSurvivesAnOutageOfTenSeconds() {
        succeed();
        calls(8);
        line.advanceMillis(10_000);
        assertThat(ended).isEmpty();
        assertThat(sent).as("eight in flight, and then probes").hasSizeLessThanOrEqualTo(8 + 8);
        answer = Signal.SUCCESS;
        int before = sent.size();
        line.advanceMillis(2_000);
        assertThat(ended).hasSize(8).allMatch(end -> end.contains("SUCCESS"));
        assertThat(at(sent.get(before))).isLessThanOrEqualTo(12_000);
        assertThat(line.time.scheduledTasks()).isZero();
    }

    @Test
    void aLoneCallSurvivesToo() {
        succeed();
        call("only", CallOptions.DEFAULT);
        line.advanceMillis(10_000);
        assertThat(sent).as("the first, and probes").hasSizeLessThanOrEqualTo(1 + 8);
        answer = Signal.SUCCESS;
        line.advanceMillis(2_000);
        assertThat(ended).singleElement().asString().contains("SUCCESS");
    }

    @Test
    void callsThatComeDuringAnOutageWaitUnsent() {
        succeed();
        calls(3);
        line.advanceMillis(100);
        int before = sent.size();
        call("late", CallOptions.DEFAULT);
        line.advanceMillis(100);
        assertThat(sent).hasSize(before);
        assertThat(throttle.estimateWait(CallOptions.DEFAULT).reason()).isEqualTo("overload");
        assertThat(throttle.estimateWait(CallOptions.DEFAULT).headReason()).isEqualTo("overload");
        answer = Signal.SUCCESS;
        line.advanceMillis(1_000);
        assertThat(ended).hasSize(4).allMatch(end -> end.contains("SUCCESS"));
    }

    @Test
    void probesGoOneAtATimeAndThenLessOften() {
        throttle = line.throttle(Strategies.none())
                .overloadWait(Duration.ofHours(1))
                .maxWait(Duration.ofHours(1))
                .build();
        succeed();
        calls(3);
        line.advanceMillis(Duration.ofMinutes(30).toMillis());
        for (int i = 4; i < sent.size(); i++) {
            long pause = at(sent.get(i)) - at(sent.get(i - 1));
            assertThat(pause).as(sent.get(i)).isBetween(400L, 10_011L);
        }
        assertThat(sent.size()).isBetween(180, 260);
        assertThat(ended).isEmpty();
    }

    @Test
    void eachWaitingCallIsAProbeInItsTurn() {
        succeed();
        calls(4);
        line.advanceMillis(9_000);
        List<String> probes = sent.subList(4, sent.size());
        assertThat(probes.stream().map(probe -> probe.substring(0, 2)).limit(4))
                .containsExactlyInAnyOrder("c0", "c1", "c2", "c3");
    }

    @Test
    void aProbeThatHangsIsFollowedByAnother() {
        succeed();
        fail(3);
        CompletableFuture<Permit> probe = throttle.acquireAsync();
        CompletableFuture<Permit> next = throttle.acquireAsync();
        line.advanceMillis(1_000);
        assertThat(probe).isDone();
        line.advanceMillis(8_000);
        assertThat(next).isNotDone();
        line.advanceMillis(2_000);
        assertThat(next).isDone();
    }

    @Test
    void afterTheBoundTheCallerGetsTheLastAnswer() {
        succeed();
        calls(3);
        line.advanceMillis(100);
        call("late", CallOptions.DEFAULT);
        line.advanceMillis(60_000);
        assertThat(ended).hasSize(4);
        assertThat(ended).filteredOn(end -> end.startsWith("c")).allMatch(end -> end.contains("UNREACHABLE"));
        assertThat(ended).allMatch(end -> at(end) <= 30_200);
    }

    @Test
    void aCallThatWasNeverSentIsRejectedAndToldWhy() {
        succeed();
        calls(3);
        line.advanceMillis(100);
        for (int i = 0; i < 30; i++) {
            call("late" + i, CallOptions.DEFAULT);
        }
        CompletableFuture<Permit> last = throttle.acquireAsync();
        line.advanceMillis(31_000);
        ThrottleRejectedException rejection = rejection(last);
        assertThat(rejection.reason()).isEqualTo("overload");
        assertThat(rejection)
                .hasMessageContaining("the server is away (overload)")
                .hasMessageContaining("overloadWait");
        assertThat(throttle.snapshot().waiting()).isZero();
    }

    @Test
    void theBoundOfACallGoesBeforeThatOfItsThrottle() {
        throttle = line.throttle(Strategies.none())
                .overloadWait(Duration.ofSeconds(20))
                .build();
        succeed();
        call("short", CallOptions.DEFAULT.overloadWait(Duration.ofSeconds(3)));
        call("usual", CallOptions.DEFAULT);
        call("patient", CallOptions.DEFAULT.overloadWait(Duration.ofMinutes(1)));
        line.advanceMillis(70_000);
        assertThat(ended).hasSize(3);
        assertThat(at(ended.get(0))).isBetween(3_000L, 3_100L);
        assertThat(at(ended.get(1))).isBetween(20_000L, 20_100L);
        assertThat(at(ended.get(2))).isBetween(60_000L, 60_100L);
    }

    @Test
    void whoDoesNotWaitForAnOutageHasTheAttemptsOfThePolicy() {
        throttle = line.throttle(Strategies.none()).overloadWait(Duration.ZERO).build();
        succeed();
        call("a", CallOptions.DEFAULT);
        line.advanceMillis(2_000);
        assertThat(sent).hasSize(3);
        assertThat(ended).singleElement().asString().startsWith("a UNREACHABLE");
    }

    @Test
    void aServerThatHasNeverAnsweredIsNotWaitedFor() {
        call("a", CallOptions.DEFAULT);
        line.advanceMillis(2_000);
        assertThat(sent).hasSize(3);
        assertThat(ended).singleElement().asString().startsWith("a UNREACHABLE");
    }

    @Test
    void aPolicyOfOneAttemptSendsNothingTwice() {
        throttle = line.throttle(Strategies.none())
                .retryPolicy(RetryPolicy.builder().maxAttempts(1).build())
                .build();
        succeed();
        calls(5);
        line.advanceMillis(100);
        assertThat(sent).hasSize(5);
        assertThat(ended).hasSize(5);
    }

    @Test
    void requestsThatMayHaveDoneHarmAreNotRepeated() {
        succeed();
        calls(3);
        line.advanceMillis(20);
        call("post", POST);
        line.advanceMillis(10_000);
        assertThat(sent).filteredOn(event -> event.startsWith("post")).hasSize(1);
    }

    @Test
    void oneCallThatAlwaysFailsHoldsUpNobody() {
        succeed();
        ThrottledCall poisonous = Calls.of(throttle).newCall();
        for (int i = 0; i < 3; i++) {
            RetryDecision decision = poisonous.acquireAsync().join().complete(Signal.UNREACHABLE);
            succeed();
            assertThat(throttle.snapshot().waiting()).isZero();
            if (i == 2) {
                assertThat(decision).isEqualTo(StopReason.ATTEMPTS.decision());
            } else {
                assertThat(decision.isRetry()).isTrue();
                line.advanceMillis(1_000);
            }
        }
    }

    @Test
    void afterAnOutageACallHasAllItsAttemptsAgain() {
        succeed();
        ThrottledCall call = Calls.of(throttle).newCall();
        for (int i = 0; i < 5; i++) {
            CompletableFuture<Permit> permit = call.acquireAsync();
            line.advanceMillis(3_000);
            assertThat(permit.join().complete(Signal.UNREACHABLE).isRetry()).isTrue();
        }
        CompletableFuture<Permit> other = throttle.acquireAsync();
        line.advanceMillis(3_000);
        other.join().complete(Signal.SUCCESS);
        for (int i = 0; i < 3; i++) {
            CompletableFuture<Permit> permit = call.acquireAsync();
            line.advanceMillis(3_000);
            assertThat(permit.join().complete(Signal.UNREACHABLE).isRetry()).isEqualTo(i < 2);
            succeed();
        }
    }

    @Test
    void theBudgetDoesNotEndCallsToAServerThatIsAway() {
        throttle = line.throttle(Strategies.none())
                .retryPolicy(RetryPolicy.builder().budget(0, 2).build())
                .build();
        succeed();
        calls(64);
        line.advanceMillis(5_000);
        answer = Signal.SUCCESS;
        line.advanceMillis(5_000);
        assertThat(ended).hasSize(64).allMatch(end -> end.contains("SUCCESS"));
    }

    @Test
    void aServerThatSaysItIsOverloadedIsWaitedForAsLongAsACallMayWait() {
        throttle = line.throttle(Strategies.standard()).build();
        succeed();
        answer = Signal.BUSY;
        calls(8);
        line.advanceMillis(120_000);
        assertThat(ended).isEmpty();
        answer = Signal.SUCCESS;
        line.advanceMillis(120_000);
        assertThat(ended).hasSize(8).allMatch(end -> end.contains("SUCCESS"));
    }

    @Test
    void aSettingBoundsTheWaitForAnOverloadToo() {
        throttle = line.throttle(Strategies.standard())
                .overloadWait(Duration.ofSeconds(3))
                .build();
        succeed();
        answer = Signal.BUSY;
        calls(8);
        line.advanceMillis(10_000);
        assertThat(ended).hasSize(8).allMatch(end -> at(end) <= 3_500);
    }

    @Test
    void theBoundIsNoBoundOfOtherWaits() {
        throttle = line.throttle(TestStrategies.pace(Duration.ofMinutes(1)))
                .maxWait(Duration.ofHours(1))
                .build();
        succeed();
        fail(3);
        calls(5);
        line.advanceMillis(10_000);
        assertThat(ended)
                .as("none is rejected because of the minutes before its turn")
                .isEmpty();
    }

    @Test
    void aServerThatCannotBeReachedLateInAnOverloadIsWaitedForFromThen() {
        throttle = line.throttle(Strategies.standard()).build();
        succeed();
        answer = Signal.BUSY;
        calls(8);
        line.advanceMillis(120_000);
        answer = Signal.UNREACHABLE;
        line.advanceMillis(120_000);
        assertThat(ended).isNotEmpty().allMatch(end -> at(end) >= 150_000);
    }

    @Test
    void aCallThatStartsOneOutageAfterTheOtherIsExcusedOnce() {
        succeed();
        call("poisonous", CallOptions.DEFAULT);
        for (int i = 0; i < 20 && ended.isEmpty(); i++) {
            line.advanceMillis(5_000);
            CompletableFuture<Permit> good = throttle.acquireAsync();
            line.advanceMillis(3_000);
            good.join().complete(Signal.SUCCESS);
        }
        assertThat(ended).singleElement().asString().startsWith("poisonous UNREACHABLE");
        assertThat(sent).hasSizeLessThan(15);
    }

    @Test
    void aBoundThatIsLongerThanAnyWaitEndsNoCall() {
        throttle = line.throttle(Strategies.none())
                .overloadWait(Duration.ofHours(1))
                .build();
        succeed();
        calls(8);
        line.advanceMillis(60_000);
        assertThat(ended).isEmpty();
        answer = Signal.SUCCESS;
        line.advanceMillis(10_000);
        assertThat(ended).hasSize(8).allMatch(end -> end.contains("SUCCESS"));
    }

    @Test
    void theBoundChangesWhileCallsWait() {
        succeed();
        calls(3);
        line.advanceMillis(1_000);
        throttle.reconfigure(settings -> settings.overloadWait(Duration.ofSeconds(5)));
        line.advanceMillis(5_000);
        assertThat(ended).hasSize(3).allMatch(end -> at(end) <= 5_100);
    }

    @Test
    void aPauseThatStandsStillDoesNotCount() {
        succeed();
        calls(3);
        line.advanceMillis(1_000);
        throttle.pauseUncounted();
        line.advanceMillis(60_000);
        assertThat(ended).isEmpty();
        throttle.resume();
        answer = Signal.SUCCESS;
        line.advanceMillis(3_000);
        assertThat(ended).hasSize(3).allMatch(end -> end.contains("SUCCESS"));
    }

    @Test
    void aCancelledProbeMakesWayForTheNext() {
        succeed();
        fail(3);
        CompletableFuture<Permit> probe = throttle.acquireAsync();
        CompletableFuture<Permit> next = throttle.acquireAsync();
        line.advanceMillis(1_000);
        assertThat(probe).isDone();
        assertThat(next).isNotDone();
        probe.join().complete(Signal.CANCELLED);
        assertThat(next).isDone();
    }

    @Test
    void aBadGatewayIsAServerThatIsAway() {
        assertThat(throttle.read(Heads.status(502)).outcome()).isEqualTo(Outcome.UNREACHABLE);
        assertThat(throttle.read(Heads.status(504)).outcome()).isEqualTo(Outcome.UNREACHABLE);
        assertThat(throttle.read(Heads.status(502, "Retry-After", "3")).outcome())
                .isEqualTo(Outcome.BUSY);
    }
}
