package dev.throttle.lab.chart;

import dev.throttle.lab.sim.LongList;
import dev.throttle.lab.sim.RunRecord;
import dev.throttle.lab.sim.ThreadRecord;
import java.util.Arrays;

/** Turns what was seen in a run into series that fit the width of a panel. */
final class Trace {

    private static final int FINE = 240;
    private static final int COARSE = 60;
    private static final double SECOND = 1e9;

    private Trace() {}

    /**
     * {@return the sleeps of a thread over time in seconds: the longest in each slice of time, and one that spans
     * slices at its beginning and at its end}
     */
    static Curve waits(ThreadRecord thread, long end, double timeUnit) {
        Slices slices = new Slices(end, timeUnit, true);
        LongList ends = thread.waitEnds();
        for (int i = 0; i < ends.size(); i++) {
            long wait = thread.waits().get(i);
            if (wait > end / FINE) {
                slices.add(ends.get(i) - wait, wait / SECOND);
            }
            slices.add(ends.get(i), wait / SECOND);
        }
        return slices.curve();
    }

    /** {@return the last known remaining quota in each slice of time} */
    static Curve remaining(RunRecord run, double timeUnit) {
        Slices slices = new Slices(run.endedAt(), timeUnit, false);
        for (int i = 0; i < run.answeredAt().size(); i++) {
            slices.add(run.answeredAt().get(i), (double) run.remaining().get(i));
        }
        return slices.curve();
    }

    /** Keeps one point of each slice of time: the highest or the last. */
    private static final class Slices {

        private final double[] x = new double[2 * FINE + 2];
        private final double[] y = new double[2 * FINE + 2];
        private final double sliceNanos;
        private final double timeUnit;
        private final boolean highest;
        private int filled;
        private int slice = -1;

        Slices(long end, double timeUnit, boolean highest) {
            this.sliceNanos = Math.max(1.0, (double) end / FINE);
            this.timeUnit = timeUnit;
            this.highest = highest;
        }

        void add(long time, double value) {
            int current = (int) (time / sliceNanos);
            if (current > slice) {
                slice = current;
                filled++;
                set(time, value);
            } else if (!highest || value >= y[filled - 1]) {
                set(time, value);
            }
        }

        private void set(long time, double value) {
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
