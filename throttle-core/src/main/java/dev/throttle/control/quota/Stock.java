package dev.throttle.control.quota;

import dev.throttle.control.RateController;
import dev.throttle.internal.Nanos;

/**
 * How much has to be left for a request, so that it fits and a bucket neither runs dry nor overflows. Also what
 * requests on the wire will take of it, and how many may be there at first.
 */
final class Stock {

    /** How sure it is that a request fits in a window, and in a bucket; in standard deviations. */
    private static final double WINDOW_MARGIN = 2.2;

    private static final double BUCKET_MARGIN = 3.5;
    /** No more than this share of the limit is kept free for a request that is larger than most. */
    private static final double CAUTION = 0.75;
    /** What a bucket keeps at least, however well it is known what requests take; and if that is booked later. */
    private static final double KEPT = 0.25;

    private static final double LATE_KEPT = 0.5;
    /** By how many standard deviations of what is on the wire a bucket is less than full. */
    private static final double ROOM = 1.3;

    /** No more are on the wire until it is known of so many what they take. */
    private static final int FIRST_FLIGHT = 7;
    /** After so many the start is over, even if the count has told nothing of what they took. */
    private static final int ENOUGH_TOLD = 64;

    private static final int KNOWN = 8;

    private final Ledger ledger;
    private final CostModel costs;
    private final Booking booking;
    private final Bucket bucket;

    /** What requests ask for; that of the last one whose cost no refusal has told. */
    private double usual = Ledger.UNKNOWN;
    /** Of how many requests a count has told. */
    private int told;

    Stock(Ledger ledger, CostModel costs, Booking booking, Bucket bucket) {
        this.ledger = ledger;
        this.costs = costs;
        this.booking = booking;
        this.bucket = bucket;
    }

    void admitted(double asked) {
        usual = costs.isExact(asked) ? usual : asked;
    }

    /** A count has told of so many requests for the first time. */
    void told(int requests) {
        told = Math.min(ENOUGH_TOLD, told + requests);
    }

    /** {@return what requests take that no count contains yet} */
    double onWire(int wire) {
        return ledger.untold().known + costs.mean(ledger.untold()) + overtaken(wire);
    }

    /**
     * {@return permits on the wire that the ledger does not have, or takes for counted} An answer may have overtaken
     * them long before they reach the server, such as those that wait for a connection.
     */
    double overtaken(int wire) {
        return costs.isFixed() ? Math.max(0, wire - ledger.untold().known) : 0;
    }

    /**
     * {@return when more may be on the wire than at first, while it is not known yet what requests take}
     *
     * @param knownAt when the server told of the quota first
     */
    long startNanos(double asked, int wire, long knownAt, long now) {
        int flights = ledger.untold().count / FIRST_FLIGHT; // 0 for quotas of requests: their cost is known
        boolean isStart =
                flights > 0 && told < ENOUGH_TOLD && costs.ratio(asked).weight() < KNOWN;
        if (!isStart || wire == 0) {
            return now;
        }
        return bucket.rate() > 0
                ? knownAt + Nanos.ofSeconds(flights * bucket.limit / bucket.rate())
                : RateController.UNTIL_SIGNAL;
    }

    /** {@return how much has to be left in a window} */
    double inWindow(double asked) {
        return need(asked, booking.high(guess(asked), WINDOW_MARGIN), CAUTION * bucket.limit);
    }

    /** {@return how much has to be left in a bucket} */
    double inBucket(double asked) {
        double mean = booking.mean(asked);
        if (costs.isFixed()) {
            return Math.min(mean + 1, Math.max(mean, bucket.limit)); // counts are rounded down
        }
        double guess = guess(asked);
        double kept = (booking.isAtArrival() ? KEPT : LATE_KEPT) * bucket.limit;
        double each = costs.mean(guess);
        double spread = costs.ratio(guess).spread();
        double onWire = Math.min(bucket.limit, bucket.rate() * 2 * bucket.way / 1e9); // what comes back meanwhile
        double deviation = Math.sqrt(Math.expm1(spread * spread) * each * onWire);
        double cap = Math.min(CAUTION * bucket.limit, bucket.limit - ROOM * deviation); // or it would overflow
        return need(asked, Math.max(booking.high(guess, BUCKET_MARGIN), mean + kept), cap);
    }

    /** {@return what it asked for; if a refusal has told what it takes, what the last other one asked for} */
    private double guess(double asked) {
        return costs.isExact(asked) ? usual : asked;
    }

    private double need(double asked, double high, double cap) {
        return Math.max(Math.min(booking.mean(asked), bucket.limit), Math.min(high, cap));
    }
}
