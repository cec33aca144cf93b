package dev.throttle.control.quota;

/**
 * What the count of a quota falls by beyond what was predicted, where requests take different amounts. The predictions
 * leave out what own requests take, so alone the residual is about as large as that. Where it is larger, others use the
 * quota, too.
 */
final class Residual {

    /**
     * Others are seen where the count falls by so many times what own requests take, and not any more at the second.
     */
    private static final double SEEN = 1.3;

    private static final double GONE = 1.15;
    /** Requests after which what was seen counts for little. */
    private static final double MEMORY = 32;
    /** Before the first request so many are taken to have gone without another client. */
    private static final double BELIEVED = 3;

    /** By how much the count fell beyond what was known that requests take, and how many requests that was for. */
    private double fallen;

    private double requests;
    /** What requests were settled with, and how many. */
    private double settled;

    private double settledRequests;

    /** A count tells of own requests for the first time. */
    void told(Ledger.Sum own) {
        double keep = Math.pow(1 - 1 / MEMORY, own.count);
        fallen = fallen * keep - own.known;
        requests = requests * keep + own.count;
    }

    /** The count fell by so much more than was predicted. */
    void fell(double units) {
        fallen += units;
    }

    /** A request was settled with what it took. */
    void settled(double units) {
        settled += units - settled / MEMORY;
        settledRequests += 1 - settledRequests / MEMORY;
    }

    /** Forgets the falls: they were explained in another way. */
    void clear() {
        fallen = 0;
        requests = 0;
    }

    /**
     * {@return how many times as much the count falls as own requests take; 1 if it is not known what they take}
     *
     * @param disorder units that the count may be off by, since requests overtake each other
     */
    double times(double disorder) {
        if (settled == 0) {
            return 1;
        }
        double mean = settled / settledRequests;
        double believed = BELIEVED * mean + disorder;
        return (fallen + believed) / (requests * mean + believed);
    }

    /** {@return whether others use the quota, too} */
    boolean isShared(boolean before, double disorder) {
        return times(disorder) > (before ? GONE : SEEN);
    }
}
