package dev.throttle.lab;

import dev.throttle.Permit;
import dev.throttle.Throttle;
import dev.throttle.control.Strategy;
import dev.throttle.retry.RetryPolicy;
import dev.throttle.signal.Classifier;
import dev.throttle.signal.HintReader;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One sequential caller of a production throttle on virtual time, to whom responses come from a record.
 *
 * <p>With times in the record a new call begins when its response was received, as the caller may have been idle
 * before; a retry begins where its refusal ended, and its response comes when the record says, but not before the sleep
 * is over.
 */
final class Replay {

    /** The policy's own least wait; too short to be seen, for only the strategy is on show. */
    private static final Duration FLOOR = Duration.ofNanos(1);

    private static final RetryPolicy RETRY_ALL = RetryPolicy.builder()
            .maxAttempts(Integer.MAX_VALUE)
            .budget(10, Integer.MAX_VALUE)
            .backoff((attempt, random) -> 0)
            .rateLimitedFloor(FLOOR)
            .build();

    private static final double RETRY_AFTER_JITTER = 0.05;
    private static final Duration MOST_RETRY_AFTER_JITTER = Duration.ofSeconds(5);
    private static final double NANOS_PER_SECOND = 1e9;
    private static final Duration MAX_WAIT = Duration.ofDays(36500);

    private final VirtualTime time = new VirtualTime();
    private final long startedAt = time.nanoTime();
    private final Throttle throttle;
    private final @Nullable ExactSleep exact;
    /** Of the last request if it is to be sent again; null if not. */
    private @Nullable Permit retried;

    Replay(Strategy strategy, boolean jitter, long seed) {
        exact = ExactSleep.of(strategy, seed);
        throttle = Throttle.builder()
                .name("replay")
                .strategy(strategy)
                .retryPolicy(RETRY_ALL)
                .maxWait(MAX_WAIT)
                .retryAfterJitter(jitter ? RETRY_AFTER_JITTER : 0, MOST_RETRY_AFTER_JITTER)
                .seed(seed)
                .time(time)
                .executor(Runnable::run)
                .build();
    }

    /**
     * What a strategy did with one response.
     *
     * @param beforeSeconds what was slept right before the request
     * @param sleepSeconds the strategy's sleep in force after the response
     * @param refused whether the server refused
     */
    record Step(double beforeSeconds, double sleepSeconds, boolean refused) {}

    /**
     * Sends the next request and receives a response.
     *
     * @param response the response
     * @param at when it was received, from the start on; null if the record does not say
     * @throws IllegalStateException if the strategy never lets the request go
     */
    Step next(ResponseHead response, @Nullable Duration at) {
        Signal signal = signal(response);
        if (exact != null && exact.isBeyondTheClock()) {
            double slept = exact.next();
            exact.onEnd(signal, time.nanoTime());
            return new Step(slept, exact.shown(), signal.outcome().isRefusal());
        }
        Step measured = throughTheThrottle(response, at);
        if (exact == null) {
            return measured;
        }
        double planned = exact.next();
        exact.onEnd(signal, time.nanoTime());
        return new Step(
                ExactSleep.sharpen(measured.beforeSeconds, planned),
                ExactSleep.sharpen(measured.sleepSeconds, exact.shown()),
                measured.refused);
    }

    private Signal signal(ResponseHead response) {
        RateHints hints = HintReader.standard().read(response, time.currentTimeMillis());
        return Signal.of(Classifier.standard().classify(response, hints), hints);
    }

    private Step throughTheThrottle(ResponseHead response, @Nullable Duration at) {
        Permit before = retried;
        if (before == null) {
            moveTo(at);
        }
        long askedAt = time.nanoTime();
        Permit permit = await(before == null ? throttle.acquireAsync() : before.acquireAgainAsync());
        long slept = time.nanoTime() - askedAt;
        moveTo(at);
        boolean retry = permit.complete(response).isRetry();
        retried = retry ? permit : null;
        return new Step(
                slept <= FLOOR.toNanos() ? 0 : slept / NANOS_PER_SECOND,
                throttle.snapshot().sleep().toNanos() / NANOS_PER_SECOND,
                retry);
    }

    private void moveTo(@Nullable Duration at) {
        long behind = at == null ? 0 : at.toNanos() - (time.nanoTime() - startedAt);
        if (behind > 0) {
            time.advanceNanos(behind);
        }
    }

    private Permit await(CompletableFuture<Permit> permit) {
        while (!permit.isDone() && time.advanceToNextTask()) {
            // until the throttle lets it go
        }
        if (!permit.isDone() || permit.isCompletedExceptionally()) {
            throw new IllegalStateException("the strategy never lets the next request go");
        }
        return permit.join();
    }
}
