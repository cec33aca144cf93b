package dev.throttle.reality;

import java.time.Duration;

/**
 * What a product grants: {@code calls} in each {@code per}.
 *
 * @param shape how they are granted
 * @param calls how many in each {@code per}, at least one
 * @param per the length of a window, the time in which as many tokens come, or how long a request takes
 * @param burst how many can go at once after a long pause, at least one
 * @param onGrid whether windows begin, or tokens come, at multiples of {@code per} on some clock, not with a request
 */
public record Limit(Shape shape, int calls, Duration per, int burst, boolean onGrid) {

    /** How calls are granted. */
    public enum Shape {
        /** All of a window at once. */
        WINDOW,
        /** Steadily. */
        BUCKET,
        /** A number at a time. */
        CONCURRENCY
    }

    /** {@return so many calls in each window, the first of which begins with the first request} */
    public static Limit window(int calls, Duration per) {
        return new Limit(Shape.WINDOW, calls, per, calls, false);
    }

    /** {@return so many calls in each window, whenever the first request comes} */
    public static Limit gridWindow(int calls, Duration per) {
        return new Limit(Shape.WINDOW, calls, per, calls, true);
    }

    /** {@return a bucket of a capacity that gets so many tokens in a time} */
    public static Limit bucket(int capacity, int calls, Duration per) {
        return new Limit(Shape.BUCKET, calls, per, capacity, false);
    }

    /** {@return a bucket that gets its tokens all at once, whenever {@code per} begins} */
    public static Limit gridBucket(int capacity, int calls, Duration per) {
        return new Limit(Shape.BUCKET, calls, per, capacity, true);
    }

    /** {@return so many calls at a time, which take {@code each}} */
    public static Limit concurrency(int calls, Duration each) {
        return new Limit(Shape.CONCURRENCY, calls, each, calls, false);
    }

    /** {@return how many calls a second go in the long run} */
    public double callsPerSecond() {
        return calls * 1e9 / per.toNanos();
    }

    /**
     * {@return the least time of a job of so many calls on an unused limit, but for the time of the calls themselves}
     */
    public Duration ideal(int jobCalls) {
        return switch (shape) {
            case WINDOW -> per.multipliedBy((jobCalls - 1) / calls);
            case BUCKET -> Duration.ofNanos((long) (Math.max(0, jobCalls - burst) * 1e9 / callsPerSecond()));
            case CONCURRENCY -> per.multipliedBy((jobCalls + calls - 1) / calls);
        };
    }

    /** {@return how many calls can be served in a time that begins with an unused limit} */
    public double granted(Duration time) {
        double pers = (double) time.toNanos() / per.toNanos();
        return switch (shape) {
            case WINDOW -> calls * Math.ceil(pers);
            case BUCKET -> burst + calls * pers;
            case CONCURRENCY -> calls * pers;
        };
    }

    /** {@return how many calls make a job whose ideal time is about the one given: at least a window} */
    public int jobCalls(Duration ideal) {
        double pers = (double) ideal.toNanos() / per.toNanos();
        return switch (shape) {
            // Half of the last window, so that no rounding of times decides which window a job ends in.
            case WINDOW -> (int) (calls * (Math.max(1, Math.floor(pers)) + 0.5));
            case BUCKET -> (int) (burst + calls * pers);
            case CONCURRENCY -> (int) (calls * pers);
        };
    }
}
