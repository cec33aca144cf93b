package dev.throttle.lab.sim;

import dev.throttle.internal.DurationText;
import dev.throttle.internal.Preconditions;
import java.time.Duration;
import java.util.List;

/** What processes want of the server. */
public sealed interface Demand {

    /** Each thread sends one request after the other, for ever. */
    record Endless() implements Demand {}

    /**
     * Each process has so many calls to make, shared by its threads.
     *
     * @param jobs the job of each process, the last one also that of all processes after it
     */
    record Jobs(List<Job> jobs) implements Demand {

        public Jobs {
            jobs = List.copyOf(jobs);
            Preconditions.check(!jobs.isEmpty(), "--calls", jobs, "how many calls each process has to make");
        }

        Job of(int process) {
            return jobs.get(Math.min(process, jobs.size() - 1));
        }
    }

    /**
     * A job.
     *
     * @param calls how many calls, at least one
     * @param start when it begins, from the start of the run
     */
    record Job(long calls, Duration start) {

        private static final long MOST = 100_000_000;

        public Job {
            Preconditions.between("--calls", calls, 1, MOST);
        }
    }

    /**
     * The calls of each process arrive at random, whether or not earlier ones have ended, each on a thread of its own.
     *
     * @param perSecond how many arrivals a second, on average
     * @param burst how many calls come with each arrival
     */
    record Arrivals(double perSecond, int burst) implements Demand {

        private static final double FASTEST = 100_000;
        private static final int LARGEST = 100_000;

        public Arrivals {
            Preconditions.check(
                    perSecond > 0 && perSecond <= FASTEST, "--arrivals", perSecond, "a rate above 0, 100000/s at most");
            Preconditions.between("--burst", burst, 1, LARGEST);
        }
    }

    /** Checks that what is wanted begins before the end. */
    default void check(Duration duration) {
        if (this instanceof Jobs jobs) {
            for (Job job : jobs.jobs()) {
                Preconditions.check(
                        job.start().compareTo(duration) < 0,
                        "--calls",
                        "+" + DurationText.format(job.start()),
                        "a time before the end, " + DurationText.format(duration));
            }
        }
    }
}
