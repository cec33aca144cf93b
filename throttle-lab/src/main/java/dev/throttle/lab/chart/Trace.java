package dev.throttle.lab.chart;

import dev.throttle.lab.sim.LongList;
import dev.throttle.lab.sim.RunRecord;
import dev.throttle.lab.sim.ThreadRecord;
import java.util.Arrays;
import java.util.List;

/** Turns what was seen in a run into series that fit the width of a panel. */
final class Trace {

    private static final int FINE = 240;
    private static final int COARSE = 60;
    private static final double SECOND = 1e9;
    private static final double NOT_THERE = -1;

    private Trace() {}

    /**
     * What threads slept over time, in seconds: in each slice of time the shortest, the median and the longest of what
     * single threads slept at most. A slice in which none of them slept is left out.
     */
    record Sleeps(Curve shortest, Curve median, Curve longest) {}

    static Sleeps sleeps(List<ThreadRecord> threads, long end, double timeUnit) {
        double width = Math.max(1.0, (double) end / COARSE);
        double[][] longest = new double[threads.size()][COARSE];
        for (int i = 0; i < longest.length; i++) {
            Arrays.fill(longest[i], NOT_THERE);
            LongList ends = threads.get(i).waitEnds();
            for (int j = 0; j < ends.size(); j++) {
                long wait = threads.get(i).waits().get(j);
                int last = Math.min(COARSE - 1, (int) (ends.get(j) / width));
                for (int slice = (int) ((ends.get(j) - wait) / width); slice <= last; slice++) {
                    longest[i][slice] = Math.max(longest[i][slice], wait / SECOND);
                }
            }
        }
        double[][] columns = new double[4][COARSE];
        int filled = 0;
        for (int i = 0; i < COARSE; i++) {
            int slice = i;
            double[] sorted = Arrays.stream(longest)
                    .mapToDouble(each -> each[slice])
                    .filter(value -> value != NOT_THERE)
                    .sorted()
                    .toArray();
            if (sorted.length > 0) {
                columns[0][filled] = (slice + 0.5) * width / timeUnit;
                columns[1][filled] = sorted[0];
                columns[2][filled] = sorted[sorted.length / 2];
                columns[3][filled++] = sorted[sorted.length - 1];
            }
        }
        double[] x = Arrays.copyOf(columns[0], filled);
        return new Sleeps(
                new Curve(x, Arrays.copyOf(columns[1], filled)),
                new Curve(x, Arrays.copyOf(columns[2], filled)),
                new Curve(x, Arrays.copyOf(columns[3], filled)));
    }

    /** {@return the last known remaining quota in each slice of time} */
    static Curve remaining(RunRecord run, double timeUnit) {
        Slices slices = new Slices(run.endedAt(), timeUnit);
        for (int i = 0; i < run.answeredAt().size(); i++) {
            slices.add(run.answeredAt().get(i), (double) run.remaining().get(i));
        }
        return slices.curve();
    }

    /** Keeps the last point of each slice of time. */
    private static final class Slices {

        private final double[] x = new double[FINE + 2];
        private final double[] y = new double[FINE + 2];
        private final double sliceNanos;
        private final double timeUnit;
        private int filled;
        private int slice = -1;

        Slices(long end, double timeUnit) {
            this.sliceNanos = Math.max(1.0, (double) end / FINE);
            this.timeUnit = timeUnit;
        }

        void add(long time, double value) {
            int current = (int) (time / sliceNanos);
            if (current > slice) {
                slice = current;
                filled++;
            }
            x[filled - 1] = time / timeUnit;
            y[filled - 1] = value;
        }

        Curve curve() {
            return new Curve(Arrays.copyOf(x, filled), Arrays.copyOf(y, filled));
        }
    }

    /** {@return refusals a minute, or a second if the run was short, over time} */
    static Curve refusals(RunRecord run, double timeUnit) {
        double[] x = new double[COARSE];
        double[] y = new double[COARSE];
        double width = (double) run.endedAt() / COARSE;
        for (int i = 0; i < COARSE; i++) {
            x[i] = (i + 0.5) * width / timeUnit;
        }
        LongList refusedAt = run.refusedAt();
        for (int i = 0; i < refusedAt.size(); i++) {
            y[Math.min(COARSE - 1, (int) (refusedAt.get(i) / width))] += timeUnit / width;
        }
        return new Curve(x, y);
    }
}
