package dev.throttle;

import dev.throttle.retry.RetryDecision.StopReason;
import dev.throttle.signal.Outcome;
import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;

/** Counts what does not happen on every request; the throttle derives the successes from its count of admissions. */
final class Counters {

    private final LongAdder[] ended = adders(Outcome.values().length);
    private final LongAdder[] stopped = adders(StopReason.values().length);
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

    /** {@return how many attempts ended otherwise than in success} */
    long endedWithoutSuccess() {
        long sum = 0;
        for (LongAdder adder : ended) {
            sum += adder.sum();
        }
        return sum;
    }
}
