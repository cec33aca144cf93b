package dev.throttle;

import dev.throttle.retry.RetryDecision.StopReason;
import dev.throttle.signal.Outcome;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Counts what does not happen on every request; the throttle derives the successes from its count of admissions. */
final class Counters {

    private final Map<Outcome, LongAdder> ended = adders(Outcome.class);
    private final Map<StopReason, LongAdder> stopped = adders(StopReason.class);
    private final AtomicLong successes = new AtomicLong();
    final LongAdder rejected = new LongAdder();
    final LongAdder cancelledWaiting = new LongAdder();
    final LongAdder retried = new LongAdder();

    private static <E extends Enum<E>> Map<E, LongAdder> adders(Class<E> type) {
        Map<E, LongAdder> adders = new EnumMap<>(type);
        for (E value : type.getEnumConstants()) {
            adders.put(value, new LongAdder());
        }
        return adders;
    }

    private static <E> LongAdder of(E value, Map<E, LongAdder> adders) {
        return Objects.requireNonNull(adders.get(value));
    }

    /** The counter of one outcome; that of success stays 0. */
    LongAdder ended(Outcome outcome) {
        return of(outcome, ended);
    }

    LongAdder stopped(StopReason reason) {
        return of(reason, stopped);
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
        for (LongAdder adder : ended.values()) {
            others += adder.sum();
        }
        return successes.accumulateAndGet(allEnded - others, Math::max);
    }
}
