package dev.throttle.lab.page;

import dev.throttle.lab.sim.LongList;
import dev.throttle.lab.sim.ProcessRecord;
import dev.throttle.lab.sim.RunRecord;
import dev.throttle.lab.sim.ThreadRecord;
import java.util.Arrays;

/**
 * What was seen in a run, in slices of time that all strategies of a comparison have in common. A slice after the end
 * of the run, or without anything to show, is {@code NaN}.
 */
final class Timeline {

    static final int SLICES = 180;

    private static final double SECOND = 1e9;

    private final RunRecord run;
    private final double sliceNanos;

    Timeline(RunRecord run, double sliceNanos) {
        this.run = run;
        this.sliceNanos = sliceNanos;
    }

    /** {@return the longest sleep of any thread that was under way in each slice, in seconds} */
    double[] sleeps() {
        double[] longest = emptyUntilEnd();
        for (ProcessRecord process : run.processes()) {
            double[] sleeps = sleeps(process);
            for (int i = 0; i < SLICES; i++) {
                longest[i] = Math.max(longest[i], Double.isNaN(sleeps[i]) ? 0 : sleeps[i]);
            }
        }
        return longest;
    }

    /** {@return the same of one process; empty before its first wait and after its last} */
    double[] sleeps(ProcessRecord process) {
        double[] longest = new double[SLICES];
        int first = SLICES;
        int last = -1;
        for (ThreadRecord thread : process.threads()) {
            LongList ends = thread.waitEnds();
            for (int i = 0; i < ends.size(); i++) {
                long wait = thread.waits().get(i);
                int from = slice(ends.get(i) - wait);
                int to = slice(ends.get(i));
                first = Math.min(first, from);
                last = Math.max(last, to);
                for (int slice = from; slice <= to; slice++) {
                    longest[slice] = Math.max(longest[slice], wait / SECOND);
                }
            }
        }
        Arrays.fill(longest, 0, Math.min(first, SLICES), Double.NaN);
        Arrays.fill(longest, last + 1, SLICES, Double.NaN);
        return longest;
    }

    /** {@return what the server last said to be left, in each slice in which it said so} */
    double[] remaining() {
        double[] remaining = new double[SLICES];
        Arrays.fill(remaining, Double.NaN);
        for (int i = 0; i < run.answeredAt().size(); i++) {
            remaining[slice(run.answeredAt().get(i))] = run.remaining().get(i);
        }
        return remaining;
    }

    /** {@return refused requests in each slice, as a rate} */
    double[] refused(double unitNanos) {
        double[] rate = emptyUntilEnd();
        count(run.refusedAt(), rate, unitNanos);
        return rate;
    }

    /** {@return accepted requests in each slice, as a rate} */
    double[] accepted(double unitNanos) {
        double[] rate = emptyUntilEnd();
        run.processes().forEach(process -> count(process.acceptedAt(), rate, unitNanos));
        return rate;
    }

    private void count(LongList times, double[] rate, double unitNanos) {
        for (int i = 0; i < times.size(); i++) {
            rate[slice(times.get(i))] += unitNanos / sliceNanos;
        }
    }

    private double[] emptyUntilEnd() {
        double[] values = new double[SLICES];
        Arrays.fill(values, slice(run.endedAt()) + 1, SLICES, Double.NaN);
        return values;
    }

    private int slice(long time) {
        return (int) Math.max(0, Math.min(SLICES - 1, time / sliceNanos));
    }
}
