package dev.throttle.control.quota;

/**
 * The own requests of which a server may not have told yet what they took of one unit, the oldest first. What a request
 * takes is known once it is settled; before, it is what it asked for times what such requests have turned out to take.
 */
final class CostLedger {

    /** Stands for an amount without an estimate. */
    static final double UNKNOWN = -1;

    private static final int MOST = 512;
    /** So many, the last ones, may be the first that are settled. */
    private static final int AWAITED_AT_FIRST = 64;

    /** Those beyond {@link #size} are used again. */
    private final Entry[] entries = new Entry[MOST];

    private int size;
    private boolean settles;

    /** A request. */
    static final class Entry {
        long id;
        long admittedAt;
        double asked;
        /** What it turned out to take; {@link #UNKNOWN} before that. */
        double actual;
        /** Whether that was known before it left. */
        boolean exact;

        /** When its answer came, and whether it has. */
        long endedAt;

        boolean ended;
        /** Whether the server has told a count that contains it. */
        boolean told;
        /** When it was settled, and whether a count was told since. */
        long settledAt;

        boolean settlementTold;

        boolean isSettled() {
            return actual != UNKNOWN && !exact;
        }
    }

    void admit(double amount, boolean isExact, long id, long now) {
        if (size == MOST) {
            remove(0);
        }
        Entry entry = entries[size] == null ? new Entry() : entries[size];
        entries[size++] = entry;
        entry.id = id;
        entry.admittedAt = now;
        entry.asked = amount;
        entry.actual = isExact ? amount : UNKNOWN;
        entry.exact = isExact;
        entry.ended = false;
        entry.told = false;
        entry.settlementTold = false;
    }

    int size() {
        return size;
    }

    Entry get(int index) {
        return entries[index];
    }

    /** A request has ended that the server may have counted. */
    void end(long id, long now) {
        int at = find(id, false);
        if (at >= 0) {
            entries[at].ended = true;
            entries[at].endedAt = now;
        }
    }

    /** A request turned out to have taken nothing. */
    void forget(long id) {
        int at = find(id, false);
        if (at >= 0) {
            remove(at);
        }
    }

    /** A request turned out to have taken an amount. */
    void settle(long id, double amount, long now) {
        settles = true;
        int at = find(id, true);
        if (at >= 0) {
            entries[at].actual = amount;
            entries[at].settledAt = now;
        }
    }

    private int find(long id, boolean unsettled) {
        for (int i = 0; i < size; i++) {
            Entry entry = entries[i];
            if (entry.id == id && (unsettled ? entry.actual == UNKNOWN : !entry.ended)) {
                return i;
            }
        }
        return -1;
    }

    private void remove(int at) {
        Entry removed = entries[at];
        System.arraycopy(entries, at + 1, entries, at, --size - at);
        entries[size] = removed;
    }

    /** Adds up the requests that an answer tells of for the first time: those let go before its own one, and that. */
    void tell(long admittedAt, Sum sum) {
        sum.clear();
        for (int i = 0; i < size; i++) {
            Entry entry = entries[i];
            boolean counted = entry.admittedAt - admittedAt < 0 || (entry.admittedAt == admittedAt && entry.ended);
            if (!entry.told && counted) {
                entry.told = true;
                sum.add(entry.asked, entry.exact ? entry.asked : UNKNOWN);
            }
        }
    }

    /** {@return whether others are on the wire that were let go at almost the same time} */
    boolean isCrowdedAt(long admittedAt, long slack) {
        for (int i = size - 1; i >= 0; i--) {
            if (!entries[i].ended && Math.abs(entries[i].admittedAt - admittedAt) <= slack) {
                return true;
            }
        }
        return false;
    }

    /** Drops those that nothing more will be learned of. */
    void compact(long oldest) {
        int kept = 0;
        for (int i = 0; i < size; i++) {
            Entry entry = entries[i];
            boolean awaited = entry.actual == UNKNOWN
                    && entry.admittedAt - oldest > 0
                    && (settles || i >= size - AWAITED_AT_FIRST);
            boolean settling = entry.isSettled() && !entry.settlementTold;
            if (!entry.told || !entry.ended || awaited || settling) {
                entries[i] = entries[kept];
                entries[kept++] = entry;
            }
        }
        size = kept;
    }

    /** Adds up what the requests asked for that the server has not told of. */
    void untold(Sum sum) {
        sum.clear();
        for (int i = 0; i < size; i++) {
            if (!entries[i].told) {
                sum.add(entries[i].asked, entries[i].actual);
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
