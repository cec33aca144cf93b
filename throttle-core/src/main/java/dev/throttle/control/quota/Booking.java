package dev.throttle.control.quota;

import dev.throttle.control.quota.Ledger.Entry;

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
        AT_ARRIVAL,
        HELD,
        AT_END
    }

    private final CostModel costs;
    private Kind kind = Kind.AT_ARRIVAL;
    private double arrivalError;
    private double heldError;
    private double endError;
    /** The squares of the falls themselves. */
    private double falls;

    /** What requests took that were settled since the last count, and by how much that was more than they asked for. */
    private double settled;

    private double corrected;
    /** Whether one was settled long after the head of its answer. */
    private boolean streams;
    /** How long they take until they are settled, in seconds. */
    private double duration;
    /** Whether the only reason to believe in {@link Kind#AT_END} is a bucket that stayed full. */
    private boolean byFullness;
    /** Counts in a row that showed nothing of requests that had arrived. */
    private int free;

    Booking(CostModel costs) {
        this.costs = costs;
    }

    boolean isAtArrival() {
        return kind == Kind.AT_ARRIVAL;
    }

    boolean isAtEnd() {
        return kind == Kind.AT_END;
    }

    /** Adds up what was settled before the server told a count, and not told before. */
    void settle(Ledger ledger, long countedAt, long way, double limit) {
        for (int i = 0; i < ledger.size(); i++) {
            Entry entry = ledger.get(i);
            if (!entry.isSettled() || entry.settlementTold) {
                continue;
            }
            boolean streamed = entry.ended && entry.settledAt - entry.endedAt > Math.max(way, STREAM);
            entry.settlementTold = !streamed || entry.settledAt - way - countedAt <= 0;
            if (streamed && entry.settlementTold) {
                double took = Instants.secondsSince(entry.admittedAt, entry.settledAt);
                duration = streams ? duration + DURATION_NEWS * (took - duration) : took;
                streams = true;
                settled += entry.actual;
                double held = entry.asked == Ledger.UNKNOWN ? Double.NaN : Math.min(limit, entry.asked);
                corrected += entry.actual - held;
            }
        }
    }

    /** {@return how far the count should have fallen for requests that it tells of for the first time} */
    double expected(Ledger.Sum told) {
        return switch (kind) {
            case AT_ARRIVAL -> atArrival(told);
            case HELD -> isHeldKnown(told) ? held(told) : atArrival(told);
            case AT_END -> settled;
        };
    }

    private double atArrival(Ledger.Sum told) {
        return told.known + costs.mean(told);
    }

    /** {@return whether the amount that the server holds is known} It is not for requests without an estimate. */
    private boolean isHeldKnown(Ledger.Sum told) {
        return told.unknown == 0 && !Double.isNaN(corrected);
    }

    private double held(Ledger.Sum told) {
        return told.known + told.estimated + corrected;
    }

    /** {@return how far the count should have fallen for what is settled since} */
    double later() {
        return switch (kind) {
            case AT_ARRIVAL -> 0;
            case HELD -> corrected;
            case AT_END -> settled;
        };
    }

    /** Called with whether a bucket is still full although a request has arrived. */
    void arrived(boolean isFull) {
        free = isFull ? free + 1 : 0;
        if (free >= FREE && kind == Kind.AT_ARRIVAL) {
            kind = Kind.AT_END;
            byFullness = true;
        } else if (byFullness && !isFull && settled == 0) {
            kind = Kind.AT_ARRIVAL;
            byFullness = false;
        }
    }

    /** Called when the count fell. */
    void fell(double fall, Ledger.Sum told, boolean isClear) {
        if (isClear) {
            falls = KEEP * falls + square(fall);
            arrivalError = KEEP * arrivalError + square(fall - atArrival(told));
            heldError = KEEP * heldError + square(isHeldKnown(told) ? fall - held(told) : fall);
            endError = KEEP * endError + square(fall - settled);
            Kind best = best();
            byFullness &= best == kind;
            free = best == kind ? free : 0;
            kind = best;
        }
        settled = 0;
        corrected = 0;
    }

    private static double square(double error) {
        return error * error;
    }

    private Kind best() {
        Kind best = streams && heldError < arrivalError ? Kind.HELD : Kind.AT_ARRIVAL;
        best = streams && endError < error(best) ? Kind.AT_END : best;
        boolean isWrong = error(kind) > EXPLAINED * falls;
        return isWrong && error(best) < BETTER * error(kind) ? best : kind;
    }

    private double error(Kind of) {
        return switch (of) {
            case AT_ARRIVAL -> arrivalError;
            case HELD -> heldError;
            case AT_END -> endError;
        };
    }

    /** {@return whether the server holds what requests ask for until they are settled} */
    boolean isHeld() {
        return kind == Kind.HELD;
    }

    /** {@return how long a request takes until it is settled, in seconds; 0 if no stream was seen} */
    double duration() {
        return streams ? duration : 0;
    }

    /** {@return what such a request takes in the mean, whenever that is booked} */
    double mean(double asked) {
        return kind == Kind.AT_ARRIVAL ? costs.mean(asked) : costs.truth(asked);
    }

    /** {@return what such a request takes at most} */
    double high(double asked, double deviations) {
        return kind == Kind.AT_ARRIVAL ? costs.high(asked, deviations) : costs.truth(asked);
    }
}
