package dev.throttle.lease.file;

import java.time.Duration;
import java.util.List;

/** How much several processes were granted together. */
final class Bounds {

    private Bounds() {}

    /** {@return the most in any time beyond what a rate allows in it} */
    static double mostBeyond(double perSecond, List<Long> sorted) {
        double least = Double.POSITIVE_INFINITY;
        double most = 0;
        for (int i = 0; i < sorted.size(); i++) {
            double level = i - (sorted.get(i) - sorted.get(0)) * perSecond / 1e9;
            least = Math.min(least, level);
            most = Math.max(most, level - least + 1);
        }
        return most;
    }

    /** {@return the most in any time of this length} */
    static long mostIn(Duration window, List<Long> sorted) {
        long most = 0;
        for (int from = 0, to = 0; to < sorted.size(); to++) {
            while (sorted.get(to) - sorted.get(from) >= window.toNanos()) {
                from++;
            }
            most = Math.max(most, to - from + 1);
        }
        return most;
    }

    /** {@return Jain's index of fairness} */
    static double fairness(double[] counts) {
        double sum = 0;
        double squares = 0;
        for (double count : counts) {
            sum += count;
            squares += count * count;
        }
        return sum * sum / (counts.length * squares);
    }
}
