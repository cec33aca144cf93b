package dev.throttle.benchmarks;

import java.util.Arrays;
import java.util.Collection;

/** The few statistics that are needed, from samples of any order. */
final class Stats {

    private final double[] sorted;

    Stats(Collection<Double> samples) {
        this(samples.stream().mapToDouble(Double::doubleValue).toArray());
    }

    Stats(double[] samples) {
        sorted = samples.clone();
        Arrays.sort(sorted);
    }

    double min() {
        return sorted[0];
    }

    double max() {
        return sorted[sorted.length - 1];
    }

    double median() {
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /** {@return the smallest sample that so large a share of all samples does not exceed} */
    double quantile(double share) {
        int rank = (int) Math.ceil(share * sorted.length);
        return sorted[Math.max(0, Math.min(rank, sorted.length) - 1)];
    }

    /** {@return the ends of an interval that holds the true median with 95 % confidence, whatever the distribution} */
    double[] medianInterval() {
        int n = sorted.length;
        int rank = (int) Math.floor((n - 1.96 * Math.sqrt(n)) / 2);
        int low = Math.max(0, Math.min(rank, n) - 1);
        return new double[] {sorted[low], sorted[n - 1 - low]};
    }
}
