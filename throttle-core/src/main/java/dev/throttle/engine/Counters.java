package dev.throttle.engine;

import dev.throttle.retry.RetryDecision;
import dev.throttle.retry.RetryDecision.StopReason;
import dev.throttle.signal.Outcome;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Counts what does not happen on every request; the throttle derives the successes from its count of admissions. */
public final class Counters {

    private final Map<Outcome, LongAdder> ended = adders(Outcome.class);
    private final Map<StopReason, LongAdder> stopped = adders(StopReason.class);
    private final AtomicLong successes = new AtomicLong();
    private volatile boolean answered;
    final LongAdder rejected = new LongAdder();
    final LongAdder cancelledWaiting = new LongAdder();
    final LongAdder retried = new LongAdder();

    /** {@return callers that were not let go} */
    public long rejected() {
        return rejected.sum();
    }

    /** {@return callers that left the queue unserved} */
    public long cancelledWaiting() {
        return cancelledWaiting.sum();
    }

    /** {@return attempts that were repeated} */
    public long retried() {
        return retried.sum();
    }

    /** {@return attempts that were not repeated, by the reason} */
    public Map<StopReason, Long> notRetried() {
        Map<StopReason, Long> counts = new EnumMap<>(StopReason.class);
        stopped.forEach((reason, count) -> counts.put(reason, count.sum()));
        return counts;
    }

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

    /** Counts an end. The engine calls it before it counts the request out, see {@link #successes}. */
    void count(Outcome outcome) {
        if (outcome != Outcome.SUCCESS) {
            ended(outcome).increment();
        }
        if (!answered && (outcome == Outcome.SUCCESS || outcome == Outcome.RATE_LIMITED || outcome == Outcome.DENIED)) {
            answered = true;
        }
    }

    /** {@return whether the server has ever accepted a request, or told of a quota} */
    boolean hasAnswered() {
        return answered;
    }

    void count(RetryDecision decision) {
        if (decision instanceof RetryDecision.Stop stop) {
            of(stop.reason(), stopped).increment();
        } else {
            retried.increment();
        }
    }

    /** The counter of one outcome; that of success stays 0. */
    LongAdder ended(Outcome outcome) {
        return of(outcome, ended);
    }

    /**
     * What is left of all that was sent and ended. Every other outcome is counted before its request is counted out, so
     * that a reader in between sees too few successes and never too many; the most seen so far is then the better
     * number, as a count must not run backwards.
     *
     * @param allEnded all that was sent and has ended, read before this is called
     * @return how many attempts ended in success
     */
    long successes(long allEnded) {
        long others = 0;
        for (Map.Entry<Outcome, LongAdder> adder : ended.entrySet()) {
            others += adder.getKey() == Outcome.IGNORED ? 0 : adder.getValue().sum();
        }
        return successes.accumulateAndGet(allEnded - others, Math::max);
    }
}
