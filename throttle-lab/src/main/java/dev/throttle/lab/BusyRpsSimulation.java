package dev.throttle.lab;

import dev.throttle.internal.Preconditions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The published simulation of the law behind {@code busy-rps}: some seconds of traffic with busy responses, then
 * recovery without them until nothing is held back any more.
 *
 * @param law the law
 * @param pattern how the traffic and the busy responses change over time
 * @param startRps the requests per second at time 0
 * @param startBusy the busy responses per second at time 0
 * @param duration the second in which the busy responses end
 */
record BusyRpsSimulation(BusyLaw law, Pattern pattern, double startRps, double startBusy, int duration) {

    /** After this second the traffic counts as not converging. */
    private static final int PATIENCE = 30;

    private static final double STEP = 100;

    BusyRpsSimulation {
        Preconditions.required("law", law);
        Preconditions.required("pattern", pattern);
        Preconditions.between("--start-rps", startRps, 0, 1e15);
        Preconditions.between("--start-busy", startBusy, 0, 1e15);
        Preconditions.between("--duration", duration, 1, 1_000_000);
    }

    /**
     * {@return a simulation of the published length with the start of its pattern}
     *
     * @param law the law
     * @param pattern how the traffic and the busy responses change over time
     */
    static BusyRpsSimulation of(BusyLaw law, Pattern pattern) {
        return new BusyRpsSimulation(law, pattern, pattern.startRps, pattern.startBusy, 10);
    }

    /** How a number per second changes over time. */
    private enum Course {
        STEADY,
        FLAPPY,
        LINEAR_GROW,
        LINEAR_DECREASE;

        double at(int time, double start) {
            return switch (this) {
                case STEADY -> start;
                case FLAPPY -> time % 3 == 0 ? start : 0;
                case LINEAR_GROW -> start + STEP * time;
                case LINEAR_DECREASE -> start - STEP * time;
            };
        }

        String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The four patterns of traffic that were published. */
    enum Pattern {
        /** 5000 requests and up to 3000 busy responses in each second. */
        STEADY(5000, Course.STEADY, 3000, Course.STEADY),
        /** 5000 requests in each second, and up to 3000 busy responses in every third. */
        FLAPPY(5000, Course.STEADY, 3000, Course.FLAPPY),
        /** 100 requests and no busy response at first, both growing by 100 a second. */
        LINEAR_GROW(100, Course.LINEAR_GROW, 0, Course.LINEAR_GROW),
        /** 5000 requests at first, shrinking by 100 a second, and up to 3000 busy responses in each. */
        LINEAR_DECREASE(5000, Course.LINEAR_DECREASE, 3000, Course.STEADY);

        private final double startRps;
        private final Course rps;
        private final double startBusy;
        private final Course busy;

        Pattern(double startRps, Course rps, double startBusy, Course busy) {
            this.startRps = startRps;
            this.rps = rps;
            this.startBusy = startBusy;
            this.busy = busy;
        }

        /** {@return the published requests per second at time 0} */
        double startRps() {
            return startRps;
        }

        /** {@return the published busy responses per second at time 0} */
        double startBusy() {
            return startBusy;
        }
    }

    /**
     * One second.
     *
     * @param time which one
     * @param rps the requests let through
     * @param throttled the requests held back
     * @param busy the busy responses
     * @param limit the limit that was in force
     */
    record Second(int time, double rps, double throttled, double busy, double limit) {

        private String line(String mark) {
            return "    %s time=%d rps=%d throttled=%d busy=%d limit=%d"
                    .formatted(mark, time, (long) rps, (long) throttled, (long) busy, (long) limit);
        }
    }

    /**
     * How a simulation went.
     *
     * @param loaded the seconds with busy responses
     * @param recovering the seconds without
     * @param converged whether nothing was held back any more in good time
     */
    record Run(List<Second> loaded, List<Second> recovering, boolean converged) {

        Run {
            loaded = List.copyOf(loaded);
            recovering = List.copyOf(recovering);
        }
    }

    /** {@return how the simulation goes} */
    Run run() {
        List<Second> loaded = new ArrayList<>();
        double limit = BusyLaw.CAP;
        double throttled = 0;
        for (int time = 1; time < duration; time++) {
            double asked = pattern.rps.at(time, startRps);
            double rps = Math.floor(Math.min(asked, limit));
            double busy = Math.min(pattern.busy.at(time, startBusy), rps);
            throttled = asked - rps;
            loaded.add(new Second(time, rps, throttled, busy, limit));
            limit = law.next(limit, busy);
        }
        List<Second> recovering = new ArrayList<>();
        int time = duration;
        while (throttled != 0 && time <= PATIENCE) {
            time++;
            double asked = pattern.rps.at(time, startRps);
            double rps = Math.min(asked, limit);
            throttled = asked - rps;
            recovering.add(new Second(time, rps, throttled, 0, limit));
            limit = law.next(limit, 0);
        }
        return new Run(loaded, recovering, time <= PATIENCE);
    }

    /** {@return the table as published, line by line} */
    List<String> table() {
        Run run = run();
        List<String> lines = new ArrayList<>();
        lines.add("started with " + law.recovery());
        lines.add("start rps=%d (%s) throttled=0 busy=%d (%s) limit=%d"
                .formatted((long) startRps, pattern.rps.text(), (long) startBusy, pattern.busy.text(), (long)
                        BusyLaw.CAP));
        run.loaded.forEach(second -> lines.add(second.line("---")));
        lines.add("    ++++ recovering");
        run.recovering.forEach(second -> lines.add(second.line("+++")));
        int end = duration + run.recovering.size();
        lines.add(
                run.converged
                        ? "    converged at time=%d, speed=%d".formatted(end, end - duration)
                        : "    failed to converge");
        return lines;
    }
}
