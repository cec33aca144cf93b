package dev.throttle.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.CallOptions;
import dev.throttle.Permit;
import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.ThrottleRejectedException;
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
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One call over several keys: who is booked with what, what is repeated, and how long it waits. */
class KeyedCallTest {

    private static final String A = "http://a:80";
    private static final String B = "http://b:80";

    private final VirtualTime time = new VirtualTime();
    private ThrottleRegistry throttles = settings().build();
    private BodyClassifier bodies = new Bodies(403);

    /** Looks at the bodies of one status, of which each says how the request has ended. */
    private record Bodies(int status) implements BodyClassifier {

        @Override
        public boolean needsBody(ResponseHead response, Signal signal) {
            return response.status() == status;
        }

        @Override
        public Signal classify(ResponseHead response, Signal signal, String start) {
            return Signal.of(Outcome.valueOf(start));
        }
    }

    private static byte[] body(Outcome outcome) {
        return outcome.name().getBytes(StandardCharsets.UTF_8);
    }

    private ThrottleRegistry.Builder settings() {
        return ThrottleRegistry.builder()
                .strategy(Strategies.named("exponential-increase-proportional-remaining-decrease"))
                .time(time)
                .seed(1)
                .executor(Runnable::run)
                .maxWait(Duration.ofMinutes(1))
                .retryAfterJitter(0, Duration.ZERO);
    }

    private KeyedCall call(CallOptions options) {
        return new KeyedCall(throttles::get, A, CallStarter.complete(options, "GET", true));
    }

    private KeyedCall call() {
        return call(CallOptions.DEFAULT);
    }

    /** Waits as long as it takes, and begins an attempt. */
    private Attempt attempt(KeyedCall call) {
        CompletableFuture<@Nullable Void> held = call.acquireAsync();
        for (int i = 0; i < 100 && !held.isDone(); i++) {
            assertThat(time.advanceToNextTask()).isTrue();
        }
        held.join();
        return begin(call);
    }

    /** Begins an attempt whose permits are held. */
    private Attempt begin(KeyedCall call) {
        return new Attempt(new SafeBodyClassifier(bodies, new Faults("a test")), call);
    }

    /** A request of an attempt goes out. */
    private static void send(Attempt attempt, @Nullable String key) {
        assertThat(attempt.begin(key)).isTrue();
    }

    /** A request of an attempt goes out and is answered. */
    private static void answer(Attempt attempt, @Nullable String key, ResponseHead head) {
        send(attempt, key);
        attempt.answered(head);
    }

    /** A request of an attempt goes out and fails, and so does the attempt; {@return whether it is repeated} */
    private static boolean fails(Attempt attempt, FailureKind kind, IOException failure) {
        send(attempt, A);
        attempt.failed(kind, failure);
        return end(attempt, failure);
    }

    private static boolean end(Attempt attempt, Throwable failure) {
        return attempt.end(failure, false, thrown -> FailureKind.FATAL);
    }

    private static ResponseHead head(int status, @Nullable Duration retryAfter) {
        return new ResponseHead() {
            @Override
            public int status() {
                return status;
            }

            @Override
            public void forEachHeader(HeaderVisitor visitor) {
                if (retryAfter != null) {
                    visitor.visit("Retry-After", String.valueOf(retryAfter.toSeconds()));
                }
            }
        };
    }

    private static ResponseHead head(int status) {
        return head(status, null);
    }

    private long count(String key, Outcome outcome) {
        return throttles.get(key).count(outcome);
    }

    private Duration blocked(String key) {
        return throttles.get(key).snapshot().blocked();
    }

    @AfterEach
    void nothingIsLeft() {
        for (Throttle throttle : throttles.all()) {
            assertThat(throttle.snapshot().inFlight())
                    .as("in flight at %s", throttle)
                    .isZero();
            assertThat(throttle.snapshot().waiting())
                    .as("waiting at %s", throttle)
                    .isZero();
        }
    }

    @Test
    void anAnsweredRequestIsNotRepeated() {
        KeyedCall call = call();
        Attempt attempt = attempt(call);
        answer(attempt, A, head(200));
        assertThat(attempt.end(200, false)).isFalse();
        assertThat(count(A, Outcome.SUCCESS)).isEqualTo(1);
    }

    @Test
    void aRefusedRequestIsRepeatedAfterTheWaitThatTheServerNamed() {
        KeyedCall call = call();
        Attempt attempt = attempt(call);
        long before = time.nanoTime();
        answer(attempt, A, head(429, Duration.ofSeconds(7)));
        assertThat(attempt.end(429, false)).isTrue();
        Attempt second = attempt(call);
        assertThat(Duration.ofNanos(time.nanoTime() - before)).isGreaterThanOrEqualTo(Duration.ofSeconds(7));
        answer(second, A, head(200));
        assertThat(second.end(200, false)).isFalse();
        assertThat(count(A, Outcome.RATE_LIMITED)).isEqualTo(1);
        assertThat(call.waited()).isGreaterThanOrEqualTo(Duration.ofSeconds(7));
    }

    @Test
    void inALaterAttemptARefusalByTheTargetOfARedirectIsTheTargets() {
        KeyedCall call = call();
        Attempt first = attempt(call);
        answer(first, A, head(429, Duration.ofSeconds(1)));
        assertThat(first.end(429, false)).isTrue();

        Attempt second = attempt(call);
        answer(second, A, head(302));
        answer(second, B, head(503, Duration.ofHours(1)));
        assertThat(second.end(503, false)).isTrue();
        assertTurnedAway(call); // longer than a call may wait

        assertThat(blocked(A)).isZero();
        assertThat(blocked(B)).isGreaterThan(Duration.ofMinutes(59));
        assertThat(count(A, Outcome.BUSY)).isZero();
        assertThat(count(B, Outcome.BUSY)).isEqualTo(1);
    }

    @Test
    void onceARedirectLedAwayARefusalByTheOriginIsTheOrigins() {
        KeyedCall call = call();
        Attempt first = attempt(call);
        answer(first, A, head(302));
        answer(first, B, head(429, Duration.ofSeconds(1)));
        assertThat(first.end(429, false)).isTrue();

        Attempt second = attempt(call); // holds permits of both
        assertThat(throttles.get(A).snapshot().inFlight()).isEqualTo(1);
        assertThat(throttles.get(B).snapshot().inFlight()).isEqualTo(1);
        answer(second, A, head(429, Duration.ofHours(1)));
        assertThat(second.end(429, false)).isTrue();
        assertTurnedAway(call);

        assertThat(blocked(A)).isGreaterThan(Duration.ofMinutes(59));
        assertThat(blocked(B)).isZero();
        assertThat(count(B, Outcome.RATE_LIMITED)).isEqualTo(1);
        assertThat(count(B, Outcome.IGNORED)).isEqualTo(1); // its permit was not used
        assertThat(count(A, Outcome.SUCCESS)).isEqualTo(1);
    }

    @Test
    void afterARefusalElsewhereTheNextAttemptWaitsForThatKeyFirst() {
        KeyedCall call = call();
        Attempt first = attempt(call);
        answer(first, A, head(302));
        answer(first, B, head(429, Duration.ofSeconds(20)));
        assertThat(first.end(429, false)).isTrue();
        CompletableFuture<@Nullable Void> held = call.acquireAsync();
        assertThat(throttles.get(B).snapshot().waiting()).isEqualTo(1);
        assertThat(throttles.get(A).snapshot().inFlight())
                .as("A's permit is not kept idle")
                .isZero();
        time.advance(Duration.ofSeconds(30));
        held.join();
        Attempt second = begin(call);
        answer(second, A, head(302));
        answer(second, B, head(200));
        assertThat(second.end(200, false)).isFalse();
        assertThat(count(B, Outcome.SUCCESS)).isEqualTo(1);
        assertThat(count(A, Outcome.SUCCESS)).isEqualTo(2);
    }

    @Test
    void theFirstRequestUsesThePermitThatWasWaitedForWhereverAnInterceptorSendsIt() {
        throttles = settings()
                .strategy(Strategies.tokenBucket()
                        .rate(1, Duration.ofHours(1))
                        .burst(1)
                        .build())
                .build();
        KeyedCall call = call();
        Attempt attempt = attempt(call);
        answer(attempt, B, head(401));
        answer(attempt, B, head(429, Duration.ofSeconds(1))); // the client's own repetition
        attempt.end(429, false);
        assertThat(throttles.getIfPresent(B))
                .as("the rewritten URL has no throttle")
                .isNull();
        assertThat(count(A, Outcome.IGNORED)).isZero();
        assertThat(count(A, Outcome.RATE_LIMITED)).isEqualTo(1);
        assertThatThrownBy(
                        () -> call(CallOptions.DEFAULT.maxWait(Duration.ZERO)).acquire())
                .isInstanceOf(ThrottleRejectedException.class);
    }

    @Test
    void aRedirectToAUrlThatIsNotThrottledIsBookedOnNobody() {
        KeyedCall call = call();
        Attempt attempt = attempt(call);
        answer(attempt, A, head(302));
        assertThat(attempt.begin(null)).isFalse();
        assertThat(attempt.end(503, false)).isFalse();
        assertThat(count(A, Outcome.SUCCESS)).isEqualTo(1);
    }

    @Test
    void aRequestInsideOfARequestIsOne() {
        Attempt attempt = attempt(call());
        send(attempt, A);
        assertThat(attempt.begin(A)).isFalse();
        attempt.answered(head(200));
        attempt.answered(head(500));
        attempt.failed(FailureKind.FATAL, new IOException());
        attempt.failed(null, new IOException());
        attempt.end(200, false);
        assertThat(count(A, Outcome.SUCCESS)).isEqualTo(1);
    }

    @Test
    void whatAnInterceptorHasDealtWithIsNotRepeated() {
        Attempt replaced = attempt(call());
        answer(replaced, A, head(503, Duration.ofSeconds(1)));
        assertThat(replaced.end(200, false)).isFalse();
        Attempt thrown = attempt(call());
        send(thrown, A);
        thrown.failed(FailureKind.PASSING, new IOException("reset"));
        assertThat(end(thrown, new IOException("reset"))).isFalse();
    }

    @Test
    void aFailureIsRepeatedIfItMayPassAndTheRequestMayBeSentTwice() {
        IOException failure = new IOException("reset");
        Attempt passing = attempt(call());
        assertThat(fails(passing, FailureKind.PASSING, failure)).isTrue();

        Attempt fatal = attempt(call());
        assertThat(fails(fatal, FailureKind.FATAL, failure)).isFalse();

        CallOptions post = CallOptions.DEFAULT.idempotent(false);
        Attempt notIdempotent = attempt(call(post));
        assertThat(fails(notIdempotent, FailureKind.PASSING, failure)).isFalse();

        Attempt untouched = attempt(call(post));
        assertThat(fails(untouched, FailureKind.REFUSED, failure)).isTrue();

        Attempt once = attempt(call(post.replayable(false)));
        assertThat(fails(once, FailureKind.REFUSED, failure)).isFalse();
    }

    @Test
    void attemptsAreCountedOverAllKeys() {
        KeyedCall call = call(CallOptions.DEFAULT.maxAttempts(2));
        Attempt first = attempt(call);
        answer(first, A, head(302));
        answer(first, B, head(503, Duration.ofSeconds(1)));
        assertThat(first.end(503, false)).isTrue();
        Attempt second = attempt(call);
        answer(second, A, head(429, Duration.ofSeconds(1)));
        assertThat(second.end(429, false)).as("two attempts, one at each key").isFalse();
    }

    @Test
    void aRefusalHoldsItsKeyBackWhileItsBodyIsLookedAt() {
        bodies = new Bodies(429);
        Attempt attempt = attempt(call());
        answer(attempt, A, head(429, Duration.ofHours(1)));
        assertThat(attempt.wantsBody()).isTrue();
        assertThat(blocked(A)).isEqualTo(Duration.ofHours(1));
        assertThat(throttles.get(A).tryAcquire()).isNull();
        attempt.looked(body(Outcome.DENIED));
        assertThat(blocked(A)).as("no wait can mend it").isZero();
        assertThat(attempt.end(429, false)).isFalse();
        Attempt given = attempt(call());
        send(given, A);
        given.abandon();
        given.answered(head(429, Duration.ofHours(1)));
        given.abandon();
        assertThat(blocked(A)).as("given up").isZero();
    }

    @Test
    void theWaitsForAllKeysTogetherAreNoLongerThanMaxWait() {
        KeyedCall call = call();
        Attempt first = attempt(call);
        answer(first, A, head(302));
        answer(first, B, head(429, Duration.ofSeconds(40)));
        assertThat(first.end(429, false)).isTrue();
        block(A, Duration.ofSeconds(70));
        CompletableFuture<@Nullable Void> held = call.acquireAsync();
        time.advance(Duration.ofSeconds(41)); // B lets it go; A would take 29 s more, of which 19 are left
        assertThat(held)
                .isCompletedExceptionally()
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(ThrottleRejectedException.class);
        assertThat(count(B, Outcome.IGNORED)).as("B's permit went back").isEqualTo(1);
    }

    @Test
    void aWaitThatFitsIsMade() {
        KeyedCall call = call();
        Attempt first = attempt(call);
        answer(first, A, head(302));
        answer(first, B, head(429, Duration.ofSeconds(40)));
        assertThat(first.end(429, false)).isTrue();
        block(A, Duration.ofSeconds(55));
        CompletableFuture<@Nullable Void> held = call.acquireAsync();
        time.advance(Duration.ofSeconds(56));
        held.join();
        assertThat(call.waited()).isEqualTo(Duration.ofSeconds(56));
        assertThat(call.waitLeft()).isEqualTo(Duration.ofSeconds(4));
        call.release();
    }

    @Test
    void timeThatACallStoodElsewhereWithoutAPermitCounts() {
        KeyedCall call = call();
        call.acquireAsync().join();
        call.release(); // no connection for it
        time.advance(Duration.ofSeconds(50));
        assertThat(call.waitLeft()).isEqualTo(Duration.ofSeconds(10));
        block(A, Duration.ofSeconds(11));
        assertThat(call.acquireAsync())
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(ThrottleRejectedException.class);
        time.advance(Duration.ofSeconds(10));
        ThrottleRejectedException rejection = call.reject("dispatcher");
        assertThat(rejection.reason()).isEqualTo("dispatcher");
        assertThat(rejection.allowedWait()).isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void timeInTheClientsQueueBeforeTheThrottleIsAskedCounts() {
        KeyedCall call = call();
        call.beginWait();
        time.advance(Duration.ofSeconds(50));
        block(A, Duration.ofSeconds(11));
        assertThat(call.acquireAsync())
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(ThrottleRejectedException.class);
        block(A, Duration.ofSeconds(10));
    }

    @Test
    void theDeadlineCoversAttemptsToo() {
        KeyedCall call = call();
        call.deadline(Duration.ofSeconds(10));
        Attempt first = attempt(call);
        send(first, A);
        time.advance(Duration.ofSeconds(8));
        first.answered(head(429, Duration.ofSeconds(5)));
        assertThat(first.end(429, false)).isTrue();
        assertTurnedAway(call); // a wait of 5 s, of which 2 are left
        assertThat(call.isTimedOut()).isFalse();
        time.advance(Duration.ofSeconds(2));
        assertThat(call.isTimedOut()).isTrue();
    }

    private static void assertTurnedAway(KeyedCall call) {
        assertThat(call.acquireAsync())
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(ThrottleRejectedException.class);
    }

    private void block(String key, Duration duration) {
        Calls.of(throttles.get(key))
                .newCall()
                .acquireForced()
                .complete(new Signal(Outcome.RATE_LIMITED, new RateHints(duration, List.of())));
    }

    @Test
    void cancelEndsAWaitAtOnceAndAllWaitsToCome() {
        block(A, Duration.ofSeconds(30));
        KeyedCall call = call();
        CompletableFuture<@Nullable Void> held = call.acquireAsync();
        assertThat(held).isNotDone();
        call.cancel();
        assertThat(held).isCancelled();
        assertThatThrownBy(call::acquire).isInstanceOf(CancellationException.class);
        assertThat(call.acquireAsync()).isCancelled();
    }

    @Test
    void cancelBetweenTwoKeysGivesTheFirstPermitBack() {
        KeyedCall call = call();
        Attempt first = attempt(call);
        answer(first, A, head(302));
        answer(first, B, head(429, Duration.ofSeconds(5)));
        assertThat(first.end(429, false)).isTrue();
        block(A, Duration.ofSeconds(30));
        CompletableFuture<@Nullable Void> held = call.acquireAsync();
        time.advance(Duration.ofSeconds(10));
        assertThat(throttles.get(B).snapshot().inFlight()).isEqualTo(1);
        call.cancel();
        assertThat(held).isCancelled();
        assertThat(throttles.get(B).snapshot().inFlight()).isZero();
    }

    @Test
    void cancelDuringARequestForbidsARepetition() {
        KeyedCall call = call();
        Attempt attempt = attempt(call);
        send(attempt, A);
        call.cancel();
        attempt.answered(head(429));
        assertThat(attempt.end(429, false)).isFalse();
        assertThat(call.isCancelled()).isTrue();
    }

    @Test
    void cancelReachesAKeyThatIsMetAfterwards() {
        KeyedCall call = call();
        Attempt attempt = attempt(call);
        answer(attempt, A, head(302));
        call.cancel();
        answer(attempt, B, head(429));
        assertThat(attempt.end(429, false)).isFalse();
        assertThat(call.acquireAsync()).isCancelled();
    }

    @Test
    void aResultThatWasGivenUpKeepsNoPermit() {
        block(A, Duration.ofSeconds(5));
        KeyedCall call = call();
        CompletableFuture<@Nullable Void> held = call.acquireAsync();
        held.cancel(false);
        time.advance(Duration.ofSeconds(10));
        assertThat(throttles.get(A).snapshot().inFlight()).isZero();
    }

    @Test
    void anAttemptThatIsAbandonedKeepsNoPermit() {
        Attempt unsent = attempt(call());
        assertThat(unsent.isUnsent()).isTrue();
        unsent.abandon();
        assertThat(count(A, Outcome.IGNORED)).isEqualTo(1);
        Attempt underWay = attempt(call());
        send(underWay, A);
        underWay.abandon();
        assertThat(count(A, Outcome.CANCELLED)).isEqualTo(1);
        Attempt takenBack = attempt(call());
        send(takenBack, A);
        assertThat(takenBack.end(new IllegalArgumentException(), false, thrown -> null))
                .isFalse();
        assertThat(count(A, Outcome.IGNORED)).isEqualTo(2);
    }

    @Test
    void aBodyHasTheLastWordIfItIsLookedAtInTime() {
        KeyedCall call = call();
        Attempt attempt = attempt(call);
        answer(attempt, A, head(403));
        assertThat(attempt.wantsBody()).isTrue();
        assertThat(count(A, Outcome.SUCCESS)).isZero();
        attempt.looked(body(Outcome.RATE_LIMITED));
        assertThat(attempt.wantsBody()).isFalse();
        assertThat(attempt.end(403, false)).isTrue();
        assertThat(count(A, Outcome.RATE_LIMITED)).isEqualTo(1);

        Attempt second = attempt(call);
        answer(second, A, head(403)); // its body is not looked at
        answer(second, A, head(200));
        assertThat(second.end(200, false)).isFalse();
        assertThat(count(A, Outcome.SUCCESS)).isEqualTo(2);
    }

    @Test
    void aCostThatNoLimitCanGrantIsTheCallersMistake() {
        throttles = settings()
                .strategy(Strategies.tokenBucket()
                        .rate(1, Duration.ofHours(1))
                        .burst(10)
                        .build())
                .build();
        assertThatThrownBy(() -> call(CallOptions.DEFAULT.permits(11))).isInstanceOf(IllegalArgumentException.class);
        KeyedCall call = call(CallOptions.DEFAULT.permits(10));
        Attempt attempt = attempt(call);
        answer(attempt, A, head(200));
        attempt.end(200, false);
    }

    @Test
    void aThrottleThatCannotBeMadeStopsTheRequestAndKeepsNothing() {
        KeyedCall call = new KeyedCall(
                key -> {
                    if (key.equals(B)) {
                        throw new IllegalStateException("no throttle for B");
                    }
                    return throttles.get(key);
                },
                A,
                CallStarter.complete(CallOptions.DEFAULT, "GET", true));
        Attempt attempt = attempt(call);
        answer(attempt, A, head(302));
        assertThatThrownBy(() -> attempt.begin(B)).hasMessage("no throttle for B");
        assertThat(end(attempt, new IOException())).isFalse();
    }

    @Test
    void anErrorOfUserCodeKeepsNoPermitAndDoesNotEscape() {
        throttles = settings()
                .classifier((head, hints) -> {
                    throw new StackOverflowError("classifier");
                })
                .hintReader((head, at) -> {
                    throw new StackOverflowError("reader");
                })
                .build();
        Attempt attempt = attempt(call());
        answer(attempt, A, head(200));
        assertThat(attempt.end(200, false)).isFalse();

        Attempt second = attempt(call());
        answer(second, A, new ResponseHead() {
            @Override
            public int status() {
                throw new NoClassDefFoundError("status");
            }

            @Override
            public void forEachHeader(HeaderVisitor visitor) {
                throw new NoClassDefFoundError("headers");
            }
        });
        assertThat(second.end(200, false)).isFalse();
    }

    @Test
    void theThreadsInterruptionKeepsNoPermit() {
        Thread.currentThread().interrupt();
        KeyedCall call = call();
        assertThatThrownBy(call::acquire).isInstanceOf(InterruptedException.class);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    /** Who passed a request on took nothing of what its answer says. */
    @Test
    void aCallIsSettledWithWhoeverAnswered() {
        throttles = settings()
                .strategy(Strategies.none())
                .limit(Strategies.tokenBucket()
                        .unit("tokens")
                        .rate(1, Duration.ofDays(1))
                        .burst(100)
                        .build())
                .build();
        CallOptions options =
                CallOptions.DEFAULT.estimate(Cost.of("tokens", 50)).profile("chat");
        KeyedCall call = new KeyedCall(throttles::get, A, CallStarter.complete(options, "POST", true));
        Attempt attempt = attempt(call);
        attempt.report(new BodyReport(Cost.of("tokens", 1), List.of(), false, null)); // nothing was sent yet
        answer(attempt, A, head(307, null));
        answer(attempt, B, head(200, null));
        assertThat(attempt.end(200, false)).isFalse();
        assertThat(left(A)).isEqualTo(50);
        Quota points = new Quota("points", 1000L, 10L, null, null, "points", null);
        attempt.report(new BodyReport(Cost.of("tokens", 80), List.of(points), false, null));
        assertThat(left(A)).isEqualTo(100);
        assertThat(left(B)).isEqualTo(20);
        assertThat(throttles.get(B).snapshot().quotas()).hasSize(1);
        assertThat(throttles.get(B).count(Outcome.SUCCESS)).isEqualTo(1);
    }

    /** How many tokens may be taken at once. */
    private long left(String key) {
        for (long left = 100; left > 0; left--) {
            Permit permit = Calls.of(throttles.get(key))
                    .newCall(CallOptions.DEFAULT.cost(Cost.of("tokens", left)))
                    .tryAcquire();
            if (permit != null) {
                permit.release();
                return left;
            }
        }
        return 0;
    }

    @Test
    void aBlockingWaitHoldsAllKeys() throws Exception {
        KeyedCall call = call();
        Attempt first = attempt(call);
        answer(first, A, head(302));
        answer(first, B, head(429, Duration.ofSeconds(1)));
        assertThat(first.end(429, false)).isTrue();
        time.advance(Duration.ofSeconds(5));
        call.acquire();
        assertThat(throttles.get(A).snapshot().inFlight()).isEqualTo(1);
        assertThat(throttles.get(B).snapshot().inFlight()).isEqualTo(1);
        call.release();
    }

    @Test
    void aCallThatIsCancelledBetweenItsPermitAndItsRefusalIsNotRepeated() {
        KeyedCall call = call();
        assertThat(call.tryAcquire()).isTrue();
        assertThat(call.tryAcquire()).as("one permit is held").isFalse();
        Attempt attempt = begin(call);
        send(attempt, A);
        call.cancel();
        attempt.answered(head(429, Duration.ZERO));
        assertThat(attempt.isRepeated()).isFalse();
        assertThat(attempt.end(429, false)).isFalse();
        assertThat(count(A, Outcome.RATE_LIMITED)).isEqualTo(1);
    }

    @Test
    void aPermitTakenAtOnceAndGivenBackIsNotAnAttempt() throws Exception {
        KeyedCall call = call(CallOptions.DEFAULT);
        assertThat(call.tryAcquire()).isTrue();
        call.release();
        time.advance(Duration.ofSeconds(20));
        assertThat(call.tryAcquire()).as("it waits since it asked first").isFalse();
        call.acquire();
        assertThat(call.waited()).isEqualTo(Duration.ofSeconds(20));
        Attempt attempt = begin(call);
        answer(attempt, A, head(503));
        assertThat(attempt.end(503, false)).isTrue();
        assertThat(count(A, Outcome.IGNORED)).isEqualTo(1);
    }

    @Test
    void anotherRequestOfAnAttemptThatBeganAtOnceIsOfTheSameCall() {
        KeyedCall call = call();
        assertThat(call.tryAcquire()).isTrue();
        Attempt attempt = begin(call);
        answer(attempt, A, head(200)); // such as one that asks who the caller is
        answer(attempt, A, head(429, Duration.ofSeconds(1)));
        assertThat(attempt.end(429, false)).isTrue();
        Attempt third = attempt(call);
        answer(third, A, head(200));
        assertThat(third.end(200, false)).isFalse();
        assertThat(call.waited()).isGreaterThanOrEqualTo(Duration.ofSeconds(1));
        assertThat(count(A, Outcome.SUCCESS)).isEqualTo(2);
    }
}
