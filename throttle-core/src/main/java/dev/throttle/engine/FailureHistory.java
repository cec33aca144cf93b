package dev.throttle.engine;

import dev.throttle.CallOptions;
import dev.throttle.retry.decision.RetryFacts;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;
import org.jspecify.annotations.Nullable;

/** How often one call was refused or failed, and what its next attempt waits for because of it. */
final class FailureHistory {

    /** That of the calls that nothing has happened to. Never changed. */
    static final FailureHistory NONE = new FailureHistory();

    private static final int NO_STATUS = 0;

    private int refusals;
    private int failures;
    private int faults;
    private int lastStatus;
    private long sleepNanos;
    private long backoffNanos;

    /** {@return how often the server has refused the call in a row} */
    int refusals() {
        return refusals;
    }

    /** {@return the sleep that was decided when the last attempt was refused} */
    long sleepNanos() {
        return sleepNanos;
    }

    /** {@return the least wait that the retry policy demands before the next attempt} */
    long backoffNanos() {
        return backoffNanos;
    }

    /** {@return the status of the last attempt that was refused or failed; null if it had none} */
    @Nullable Integer lastStatus() {
        return lastStatus == NO_STATUS ? null : lastStatus;
    }

    /** An attempt was refused or failed. */
    void failed(Outcome outcome, int status) {
        failures++;
        refusals = outcome.isRefusal() ? refusals + 1 : 0;
        faults += isFault(outcome) ? 1 : 0;
        lastStatus = status;
    }

    private static boolean isFault(Outcome outcome) {
        return outcome != Outcome.RATE_LIMITED;
    }

    /** What the next attempt has to wait for. */
    void waitsFor(long sleep, long backoff) {
        sleepNanos = sleep;
        backoffNanos = backoff;
    }

    /** An attempt ended and is not to be repeated: the next one begins anew. */
    void answered() {
        refusals = 0;
        backoffNanos = 0;
    }

    /** The facts about the attempt that ended last. */
    RetryFacts facts(CallOptions options, Signal signal, boolean spaced, long needed, long left, double random) {
        return facts(options, signal, failures, faults, spaced, needed, left, random);
    }

    /** The facts there would be, had the attempt under way ended so. */
    RetryFacts foretold(CallOptions options, Signal signal, long needed, long left) {
        int foretold = faults + (isFault(signal.outcome()) ? 1 : 0);
        return facts(options, signal, failures + 1, foretold, true, needed, left, 0);
    }

    private static RetryFacts facts(
            CallOptions options,
            Signal signal,
            int failures,
            int faults,
            boolean spaced,
            long needed,
            long left,
            double random) {
        return new RetryFacts(
                signal.outcome(),
                failures,
                faults,
                options.maxAttempts(),
                !Boolean.FALSE.equals(options.idempotent()),
                !Boolean.FALSE.equals(options.replayable()),
                signal.hints().shouldRetry(),
                signal.hints().retryAfter() != null,
                spaced,
                needed,
                left,
                random);
    }
}
