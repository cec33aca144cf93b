package dev.throttle.benchmarks;

/**
 * How requests went beside the limit that let them go.
 *
 * @param used the share of the limit that was used
 * @param mostInASecond the most that went within a second, wherever it begins
 * @param lateP50Micros the median delay
 * @param lateP99Micros the delay that one in a hundred exceeds
 */
record Punctuality(double used, int mostInASecond, double lateP50Micros, double lateP99Micros) {

    private static final double NANOS_PER_SECOND = 1e9;
    private static final double NANOS_PER_MICRO = 1e3;

    /**
     * Judges times against a rate. A request is due when even spacing has it go, on a schedule laid through the most
     * punctual request of the same second; so a limit that falls behind its rate shows it in what was used, and not as
     * delays that grow without end.
     *
     * @param times when requests went, in order, at least two
     * @param rate the limit per second
     */
    static Punctuality of(long[] times, int rate) {
        double interval = NANOS_PER_SECOND / rate;
        double[] late = new double[times.length];
        for (int from = 0; from < times.length; from += rate) {
            int to = Math.min(times.length, from + rate);
            double earliest = Double.POSITIVE_INFINITY;
            for (int i = from; i < to; i++) {
                late[i] = times[i] - times[from] - (i - from) * interval;
                earliest = Math.min(earliest, late[i]);
            }
            for (int i = from; i < to; i++) {
                late[i] = (late[i] - earliest) / NANOS_PER_MICRO;
            }
        }
        Stats delays = new Stats(late);
        return new Punctuality(used(times, rate), mostInASecond(times), delays.median(), delays.quantile(0.99));
    }

    /** Whole seconds alone, since of a part of a second a burst at its beginning would use too much. */
    private static double used(long[] times, int rate) {
        long seconds = (long) ((times[times.length - 1] - times[0]) / NANOS_PER_SECOND + 0.5 / rate);
        double end = times[0] + Math.max(1, seconds) * NANOS_PER_SECOND;
        int count = 0;
        while (count < times.length && times[count] < end) {
            count++;
        }
        return count / (double) (Math.max(1, seconds) * rate);
    }

    /** {@return the most that went in any second, wherever it begins} */
    static int mostInASecond(long[] times) {
        int most = 0;
        int from = 0;
        for (int i = 0; i < times.length; i++) {
            while (times[i] - times[from] >= NANOS_PER_SECOND) {
                from++;
            }
            most = Math.max(most, i - from + 1);
        }
        return most;
    }
}
