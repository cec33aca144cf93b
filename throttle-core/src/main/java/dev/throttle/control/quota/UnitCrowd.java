package dev.throttle.control.quota;

import dev.throttle.internal.Nanos;

/**
 * The pace of a client that is not the only one at a bucket.
 *
 * <pre>
 *   slot      s   =  n m / R                       m: what a request takes, R: what comes back per second
 *   next at   t'  +  s + 0.8 (u - s)               u: when the level is 0.62 limit, if others take (n - 1) times as much
 *   each answer:     ln n  <-  ln n + 0.1 (0.62 - L / limit) - 0.03 ln (n / 4)
 * </pre>
 *
 * <p>{@code n} is how many times as much all take as this client. It is first seen in how far the count falls, against
 * what own requests were settled with. From then on it follows the level {@code L} that all clients read alike; the
 * lean towards 4 makes them come to the same one, so that all get the same.
 *
 * <p>A request that was refused stands aside while the others of the program go on: one that needs a bucket nearly full
 * may have to wait for long.
 */
final class UnitCrowd {

    /**
     * Others are seen where the count falls by so many times what own requests take, and not any more at the second.
     */
    private static final double SEEN = 1.3;

    private static final double GONE = 1.15;
    /** Requests after which what was seen counts for little. */
    private static final double MEMORY = 32;
    /** Before the first request the law assumes that so many went without another client. */
    private static final double BELIEVED = 3;
    /** More often than this in as many requests a count may not rise by what was given back. */
    private static final double RETURNS = 2;

    private static final double RETURNED = 0.1;
    /** The share of the limit that should be left. */
    private static final double TARGET = 0.62;
    /** How much one reading counts, how much a high one more, and the lean. */
    private static final double NEWS = 0.1;

    private static final double PLENTY = 0.8;
    private static final double MORE_NEWS = 2;
    private static final double LEAN = 0.03;
    private static final double REFERENCE = 4;
    /** So many counts in a row above a share of the limit halve the slot: the others have gone. */
    private static final int FULL_READINGS = 3;

    private static final double FULL = 0.85;
    /** The share of a deviation that the next request puts right, and the bounds of its distance in slots. */
    private static final double GAIN = 0.8;

    private static final double SHORTEST = 0.3;
    private static final double LONGEST = 4;
    /** No request needs more than this share of the limit. */
    private static final double MOST = 0.95;
    /** While nothing is known no request is taken for more than this share of the limit. */
    private static final double LARGE = 0.25;
    /** How many times as long each refusal of a request makes its wait, how often, and how much of it is random. */
    private static final double AGAIN = 1.5;

    private static final int MOST_AGAIN = 4;
    private static final double RANDOM = 0.8;
    /** With fewer callers in the queue a refused request does not step aside. */
    private static final int FEW = 3;

    private double fallen;
    /** What the next fall contains of requests that are not counted here. */
    private double expected;

    private double told;
    private double settled;
    private double settledOf;
    private double returns;

    private boolean there;
    private double times;
    private double limit;
    private double slot;
    private double rate;
    private double each;
    private double missing;
    private int full;
    private long lastAt;
    private long lastId;
    private long beforeLastAt;

    void admitted(long id, long now) {
        beforeLastAt = lastAt;
        lastAt = now;
        lastId = id;
    }

    /** Called when the server has not counted a request. */
    void release(long id) {
        lastAt = id == lastId ? beforeLastAt : lastAt;
    }

    /**
     * Called when the server counts own requests for the first time.
     *
     * @param known what others took in addition, of which that is known exactly
     */
    void told(int requests, double known) {
        expected += known;
        double keep = Math.pow(1 - 1 / MEMORY, requests);
        fallen *= keep;
        told = told * keep + requests;
        returns *= keep;
    }

    /**
     * Called with each new count.
     *
     * @param units by how much the count is below what the refill alone would have made of it; negative if the server
     *     has given something back
     * @param of the limit
     */
    void fell(double units, double of) {
        fallen += units - expected;
        expected = 0;
        returns += units < -RETURNED * of ? 1 : 0;
    }

    void settled(double units) {
        settled += units - settled / MEMORY;
        settledOf += 1 - settledOf / MEMORY;
    }

    /** Called when a response told what is left. */
    void read(double level, boolean refused) {
        full = !refused && level > FULL * limit ? full + 1 : 0;
        if (!there || (refused && level > TARGET * limit)) {
            return; // one that needs more than that says nothing about the others
        }
        if (full >= FULL_READINGS) {
            times *= 0.5;
        }
        double above = Math.max(0, level / limit - PLENTY);
        double news = NEWS * (TARGET - level / limit - MORE_NEWS * above);
        double next = Math.log(times) + news - LEAN * Math.log(times / REFERENCE);
        times = Math.max(1, Math.min(1000, Math.exp(next)));
    }

    /** Called when a request was refused for which some units were missing. */
    void refused(double units) {
        missing = units;
    }

    /**
     * {@return whether others use the bucket too}
     *
     * @param mean what the next request takes
     * @param refill units per second; 0 where that is not sure, or for a window
     */
    boolean isThere(double mean, double refill, double most) {
        double own = settledOf > 0 ? settled / settledOf : 0;
        double seen = own > 0 ? (fallen + BELIEVED * own) / (told * own + BELIEVED * own) : 1;
        boolean before = there;
        there = refill > 0 && returns <= RETURNS && seen > (there ? GONE : SEEN);
        if (there) {
            full = before ? full : 0;
            times = before ? times : Math.min(20, seen);
            limit = most;
            rate = refill;
            each = Math.min(mean, LARGE * most);
            slot = times * each / rate;
        }
        return there;
    }

    /**
     * {@return when the next one goes}
     *
     * @param untold what own requests take that the server had not seen when it told the level
     * @param asked what the next one is known to take; 0 if it is not
     * @param readAt when a request that was there at the reading had to leave
     * @param most the longest time between two requests in seconds
     */
    long dueNanos(double level, double untold, double asked, long readAt, double most) {
        double target = Math.min(MOST * limit, Math.max(TARGET * limit + each, asked));
        double rise = (target - level + times * untold + (times - 1) * each) / rate;
        double own = (readAt - lastAt) / 1e9 + rise;
        double seconds = slot + GAIN * (own - slot);
        double within = Math.max(SHORTEST * slot, Math.min(LONGEST * slot, seconds));
        return lastAt + Nanos.ofSeconds(Math.min(most, within));
    }

    /** {@return how long the request that was refused last steps aside for the callers behind it} */
    long asideNanos(int refusals, int waiting, double random) {
        if (!there || missing <= 0) {
            return 0;
        }
        double units = missing;
        missing = 0; // it belongs to the request that was refused
        boolean alone = waiting < FEW;
        double wait = alone ? Math.max(units / rate, 0.5 * slot) : Math.max(times * units / rate, slot);
        double longer = alone ? 1 : Math.pow(AGAIN, Math.min(MOST_AGAIN, refusals - 1));
        return Nanos.ofSeconds(wait * longer * (1 + RANDOM * random));
    }
}
