package dev.throttle.control.limit;

import java.util.List;
import java.util.function.LongPredicate;

/**
 * What a fixed limit promises, by its definition and with all of the history: whether one more request may go. If it
 * may at one time and nobody else goes, it may at any later time.
 */
interface Promise {

    /** Permits that were let go at a time. */
    record Admission(long at, int permits) {}

    boolean allows(List<Admission> history, long at, int permits);

    /** In any time t no more than burst + rate * t. */
    static Promise tokenBucket(Rate rate, long burst) {
        long period = rate.period().toNanos();
        return (history, at, permits) -> {
            long taken = permits;
            for (int i = history.size() - 1; i >= 0; i--) {
                taken += history.get(i).permits();
                long time = at - history.get(i).at();
                if (taken * period > burst * period + time * rate.permits()) {
                    return false;
                }
            }
            return permits <= burst;
        };
    }

    /** No permit sooner than 1 / rate after the one before. */
    static Promise leakyBucket(Rate rate) {
        long period = rate.period().toNanos();
        return (history, at, permits) -> {
            long taken = 0;
            for (int i = history.size() - 1; i >= 0; i--) {
                taken += history.get(i).permits();
                long time = at - history.get(i).at();
                if (taken * period > time * rate.permits()) {
                    return false;
                }
            }
            return true;
        };
    }

    /** No more than the limit in the windows that begin with the first request. */
    static Promise fixedWindow(long limit, long window, long origin) {
        return (history, at, permits) -> {
            long index = Math.floorDiv(at - origin, window);
            return sum(history, then -> Math.floorDiv(then - origin, window) == index) + permits <= limit;
        };
    }

    /** No more than the limit in any window. */
    static Promise slidingWindowLog(long limit, long window) {
        return (history, at, permits) -> sum(history, then -> then > at - window) + permits <= limit;
    }

    /** No more than the limit by the weighted count of the running window and the one before. */
    static Promise slidingWindowCounter(long limit, long window, long origin) {
        return (history, at, permits) -> {
            long index = Math.floorDiv(at - origin, window);
            long current = sum(history, then -> Math.floorDiv(then - origin, window) == index);
            long previous = sum(history, then -> Math.floorDiv(then - origin, window) == index - 1);
            long covered = window - Math.floorMod(at - origin, window);
            return previous * covered + (current + permits) * window <= limit * window;
        };
    }

    private static long sum(List<Admission> history, LongPredicate counts) {
        long sum = 0;
        for (Admission admission : history) {
            sum += counts.test(admission.at()) ? admission.permits() : 0;
        }
        return sum;
    }
}
