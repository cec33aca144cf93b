package dev.throttle.control.quota;

import dev.throttle.control.quota.Ledger.Entry;
import dev.throttle.control.quota.Ledger.Truth;
import dev.throttle.internal.Nanos;

/**
 * When a server books what a request takes of a unit, by how far the count falls.
 *
 * <pre>
 *   at arrival:   fall  =  what those take that arrived
 *   held:         fall  =  what those asked for that arrived, and how far those were off that were settled since
 *   at the end:   fall  =  what those took that were settled since
 * </pre>
 *
 * <p>The first is believed until another explains the falls twice as well. The last two show only in streams, which end
 * long after the heads of their answers.
 */
final class Booking {

    /** What the errors of before still count. */
    private static final double KEEP = 0.9;
    /** Another one must explain the falls so much better, as a share of the squared errors. */
    private static final double BETTER = 0.25;
    /** What explains the falls but for this share of their squares is not doubted. */
    private static final double EXPLAINED = 0.0005;
    /** An answer that is settled so much later than its head is a stream; its body took longer than a way at least. */
    private static final long STREAM = 1_000_000_000;
    /** How much the last stream counts in how long they take. */
    private static final double DURATION_NEWS = 0.1;
    /** After so many counts that showed nothing they are taken to be booked at the end. */
    private static final int FREE = 3;

    private enum Kind {
        AT_ARRIVAL(0),
        HELD(1),
        AT_END(2);

        /** Where its errors are. */
        private final int index;

        Kind(int index) {
            this.index = index;
        }
    }

    private static final Kind[] KINDS = Kind.values();

    private final Ledger ledger;
    private final CostModel costs;
    private Kind kind = Kind.AT_ARRIVAL;
    /** The squares of what each kind does not explain, and of the falls themselves. */
    private final double[] errors = new double[KINDS.length];

    private double falls;

    /** What requests took that were settled since the last fall, and by how much that was more than they asked for. */
    private double settled;

    private double corrected;
    /** How long streams take until they are settled, in seconds; 0 before one was seen. */
    private double duration;
    /** Counts in a row that showed nothing of requests that had arrived. */
    private int free;

    Booking(Ledger ledger, CostModel costs) {
        this.ledger = ledger;
        this.costs = costs;
    }

    boolean isAtArrival() {
        return kind == Kind.AT_ARRIVAL;
    }

    boolean isAtEnd() {
        return kind == Kind.AT_END;
    }

    /** {@return whether the server holds what requests ask for until they are settled} */
    boolean isHeld() {
        return kind == Kind.HELD;
    }

    /** {@return whether requests are booked when their answers end, and it is known how long these take} */
    boolean isLate() {
        return kind != Kind.AT_ARRIVAL && duration > 0;
    }

    /** {@return how long a request takes until it is settled, in seconds; 0 if no stream was seen} */
    double duration() {
        return duration;
    }

    /** Adds up what was settled before the server told a count, and not told before. */
    void settle(long countedAt, long way, double limit) {
        for (int i = 0; i < ledger.size(); i++) {
            Entry entry = ledger.get(i);
            boolean streamed = entry.ended && entry.settledAt - entry.endedAt > Math.max(way, STREAM);
            if (entry.truth != Truth.SETTLED || (streamed && entry.settledAt - way - countedAt > 0)) {
                continue;
            }
            entry.truth = Truth.SETTLED_AND_TOLD;
            if (streamed) {
                double took = Nanos.toSeconds(entry.settledAt - entry.admittedAt);
                duration = duration > 0 ? duration + DURATION_NEWS * (took - duration) : took;
                settled += entry.actual;
                corrected += entry.actual - (entry.asked == Ledger.UNKNOWN ? Double.NaN : Math.min(limit, entry.asked));
            }
        }
    }

    /** {@return how far the count should fall for requests that it tells of for the first time} */
    double expected(Ledger.Sum requests) {
        return expected(kind, requests);
    }

    private double expected(Kind of, Ledger.Sum requests) {
        if (of == Kind.HELD && isHeldKnown(requests)) {
            return requests.known + requests.estimated + corrected;
        }
        return of == Kind.AT_END ? settled : requests.known + costs.mean(requests);
    }

    /** {@return whether it is known what the server holds} It is not for requests without an estimate. */
    private boolean isHeldKnown(Ledger.Sum requests) {
        return requests.unknown == 0 && !Double.isNaN(corrected);
    }

    /**
     * {@return what the count should have fallen by for estimates that were wrong} It is negative if they were too
     * high, and NaN if the server held requests without an estimate.
     */
    double corrected() {
        return kind == Kind.HELD ? corrected : 0;
    }

    /** Called with whether a bucket is still full although a request has arrived. */
    void arrived(boolean isFull) {
        free = isFull && kind == Kind.AT_ARRIVAL ? free + 1 : 0;
        if (free >= FREE) {
            kind = Kind.AT_END;
        } else if (kind == Kind.AT_END && duration == 0 && !isFull) { // no stream has shown it
            kind = Kind.AT_ARRIVAL;
        }
    }

    /** Called when the count fell because of requests, and of what was settled since the last fall. */
    void fell(double fall, Ledger.Sum requests, boolean isClear) {
        if (isClear) {
            falls = KEEP * falls + fall * fall;
            for (Kind each : KINDS) {
                double error = each == Kind.HELD && !isHeldKnown(requests) ? fall : fall - expected(each, requests);
                errors[each.index] = KEEP * errors[each.index] + error * error;
            }
            kind = best();
        }
        settled = 0;
        corrected = 0;
    }

    private Kind best() {
        Kind best = kind;
        for (Kind each : KINDS) {
            boolean isShown = each == Kind.AT_ARRIVAL || duration > 0;
            if (isShown && error(each) < BETTER * error(kind) && error(each) < error(best)) {
                best = each;
            }
        }
        return error(kind) > EXPLAINED * falls ? best : kind;
    }

    private double error(Kind of) {
        return errors[of.index];
    }

    /** {@return what such a request takes in the mean, whenever that is booked} */
    double mean(double asked) {
        return kind == Kind.AT_ARRIVAL ? costs.mean(asked) : costs.truth(asked);
    }

    /** {@return what such a request takes at most} */
    double high(double asked, double deviations) {
        return kind == Kind.AT_ARRIVAL ? costs.high(asked, deviations) : costs.truth(asked);
    }

    /** {@return what the server books for a request when it arrives} */
    double atArrival(Entry entry, double limit) {
        if (entry.truth == Truth.EXACT || (entry.truth != Truth.OPEN && !isLate())) {
            return entry.actual;
        }
        if (kind == Kind.AT_END && isLate()) {
            return 0;
        }
        boolean isAsHeld = kind == Kind.HELD && entry.asked != Ledger.UNKNOWN;
        return Math.min(limit, isAsHeld ? entry.asked : costs.mean(entry.asked));
    }
}
