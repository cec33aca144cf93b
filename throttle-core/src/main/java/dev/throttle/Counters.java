package dev.throttle;

import dev.throttle.retry.RetryDecision.StopReason;
import dev.throttle.signal.Outcome;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Counts what does not happen on every request; the throttle derives the successes from its count of admissions. */
final class Counters {

    private final LongAdder[] ended = adders(Outcome.values().length);
    private final LongAdder[] stopped = adders(StopReason.values().length);
    private final AtomicLong successes = new AtomicLong();
    final LongAdder rejected = new LongAdder();
    final LongAdder cancelledWaiting = new LongAdder();
    final LongAdder retried = new LongAdder();

    private static LongAdder[] adders(int count) {
        LongAdder[] adders = new LongAdder[count];
        Arrays.setAll(adders, i -> new LongAdder());
        return adders;
    }

    /** The counter of one outcome; that of success stays 0. */
    LongAdder ended(Outcome outcome) {
        return ended[outcome.ordinal()];
    }

    LongAdder stopped(StopReason reason) {
        return stopped[reason.ordinal()];
    }

    /**
     * What is left of all that ended. Every other outcome is counted before its request is counted out, so that a
     * reader in between sees too few successes and never too many; the most seen so far is then the better number, as a
     * count must not run backwards.
     *
     * @param allEnded all that ended, read before this is called
     * @return how many attempts ended in success
     */
    long successes(long allEnded) {
        long others = 0;
        for (LongAdder adder : ended) {
            others += adder.sum();
        }
        return successes.accumulateAndGet(allEnded - others, Math::max);
    }
}
