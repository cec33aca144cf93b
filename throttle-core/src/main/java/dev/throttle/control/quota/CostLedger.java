package dev.throttle.control.quota;

/**
 * The own requests of which a server may not have told yet what they took of one unit, the oldest first. What a request
 * takes is known once it is settled; before, it is what it asked for times what such requests have turned out to take.
 */
final class CostLedger {

    /** An amount that nobody has estimated. */
    static final double UNKNOWN = -1;

    private static final int MOST = 512;

    private final long[] times = new long[MOST];
    private final double[] asked = new double[MOST];
    /** What they turned out to take; {@link #UNKNOWN} before that. */
    private final double[] actual = new double[MOST];

    /** Whether that was known before they left. */
    private final boolean[] exact = new boolean[MOST];

    private final boolean[] ended = new boolean[MOST];
    private final boolean[] told = new boolean[MOST];
    private int size;
    private boolean settles;

    void admit(double amount, boolean isExact, long now) {
        if (size == MOST) {
            remove(0);
        }
        times[size] = now;
        asked[size] = amount;
        actual[size] = isExact ? amount : UNKNOWN;
        exact[size] = isExact;
        ended[size] = false;
        told[size] = false;
        size++;
    }

    /** A request has ended that the server may have counted. */
    void end(long admittedAt) {
        int at = find(admittedAt, false);
        if (at >= 0) {
            ended[at] = true;
        }
    }

    /** A request turned out to have taken nothing. */
    void forget(long admittedAt) {
        int at = find(admittedAt, false);
        if (at >= 0) {
            remove(at);
        }
    }

    /** A request turned out to have taken an amount. */
    void settle(long admittedAt, double amount) {
        settles = true;
        int at = find(admittedAt, true);
        if (at >= 0) {
            actual[at] = amount;
        }
    }

    private int find(long admittedAt, boolean unsettled) {
        for (int i = 0; i < size; i++) {
            if (times[i] == admittedAt && (unsettled ? actual[i] == UNKNOWN : !ended[i])) {
                return i;
            }
        }
        return -1;
    }

    private void remove(int at) {
        int rest = --size - at;
        System.arraycopy(asked, at + 1, asked, at, rest);
        System.arraycopy(actual, at + 1, actual, at, rest);
        System.arraycopy(exact, at + 1, exact, at, rest);
        System.arraycopy(times, at + 1, times, at, rest);
        System.arraycopy(ended, at + 1, ended, at, rest);
        System.arraycopy(told, at + 1, told, at, rest);
    }

    /** Adds up the requests that an answer tells of for the first time: those let go before its own one, and that. */
    void tell(long admittedAt, Sum sum) {
        sum.clear();
        for (int i = 0; i < size; i++) {
            boolean counted = times[i] - admittedAt < 0 || (times[i] == admittedAt && ended[i]);
            if (!told[i] && counted) {
                told[i] = true;
                sum.add(asked[i], exact[i] ? asked[i] : UNKNOWN);
            }
        }
    }

    /** {@return whether others are on the wire that were let go at almost the same time} */
    boolean isCrowdedAt(long admittedAt, long slack) {
        for (int i = size - 1; i >= 0; i--) {
            if (!ended[i] && Math.abs(times[i] - admittedAt) <= slack) {
                return true;
            }
        }
        return false;
    }

    /** Drops those that nothing more will be learned of. */
    void compact(long oldest) {
        int kept = 0;
        for (int i = 0; i < size; i++) {
            boolean awaited = settles && actual[i] == UNKNOWN && times[i] - oldest > 0;
            if (!told[i] || !ended[i] || awaited) {
                times[kept] = times[i];
                asked[kept] = asked[i];
                actual[kept] = actual[i];
                exact[kept] = exact[i];
                ended[kept] = ended[i];
                told[kept] = told[i];
                kept++;
            }
        }
        size = kept;
    }

    /** Adds up what the requests asked for that the server has not told of. */
    void untold(Sum sum) {
        sum.clear();
        for (int i = 0; i < size; i++) {
            if (!told[i]) {
                sum.add(asked[i], actual[i]);
            }
        }
    }

    /** What some requests asked for, or took if that is known. */
    static final class Sum {

        double known;
        double estimated;
        int unknown;
        /** How many there are of which it is not known what they took. */
        int count;

        void clear() {
            known = 0;
            estimated = 0;
            unknown = 0;
            count = 0;
        }

        void add(Sum other) {
            known += other.known;
            estimated += other.estimated;
            unknown += other.unknown;
            count += other.count;
        }

        void add(double asked, double actual) {
            if (actual != UNKNOWN) {
                known += actual;
                return;
            }
            count++;
            if (asked == UNKNOWN) {
                unknown++;
            } else {
                estimated += asked;
            }
        }
    }
}
