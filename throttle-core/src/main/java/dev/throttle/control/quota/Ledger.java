package dev.throttle.control.quota;

import java.util.Arrays;

/**
 * What this client has taken of one quota: its requests, the oldest first, until the server has told of them, they have
 * ended, and nothing more will be learned of them. A request is identified by its permit. What it takes is known once
 * it is settled; before, it is what it asked for times what such requests have turned out to take.
 */
final class Ledger {

    /** Stands for an amount without an estimate. */
    static final double UNKNOWN = -1;

    private static final int MOST = 1 << 16;
    /** So many, the last ones, may be the first that are settled. */
    private static final int AWAITED_AT_FIRST = 64;

    private static final int MOST_AWAITED = 4096;

    /** Those beyond {@link #size} are used again. */
    private Entry[] entries = new Entry[2]; // a program may have many keys

    private int size;
    /** So many, the last ones, may still be settled. */
    private int awaited = AWAITED_AT_FIRST;
    /** What those ask for that the server has not told of. Amounts are whole numbers, so their sums are exact. */
    private final Sum untold = new Sum();

    /** What is known of what a request takes. */
    enum Truth {
        OPEN,
        /** It was settled, and no count that includes this has been told since. */
        SETTLED,
        SETTLED_AND_TOLD,
        /** It was known before it left, so there is nothing to settle. */
        EXACT
    }

    /** A request. */
    static final class Entry {
        long id;
        long admittedAt;
        double asked;
        /** What it takes; {@link #UNKNOWN} while that is open. */
        double actual;

        Truth truth = Truth.OPEN;
        long settledAt;

        /** When its answer came, and whether it has. */
        long endedAt;

        boolean ended;
        /** Whether the server has told a count that contains it. */
        boolean told;
    }

    void admit(double amount, boolean exact, long id, long now) {
        if (size == MOST) {
            remove(0);
        } else if (size == entries.length) {
            entries = Arrays.copyOf(entries, 2 * size);
        }
        Entry entry = entries[size] == null ? new Entry() : entries[size];
        entries[size++] = entry;
        entry.id = id;
        entry.admittedAt = now;
        entry.asked = amount;
        entry.actual = exact ? amount : UNKNOWN;
        entry.truth = exact ? Truth.EXACT : Truth.OPEN;
        entry.ended = false;
        entry.told = false;
        untold.add(amount, entry.actual);
    }

    int size() {
        return size;
    }

    Entry get(int index) {
        return entries[index];
    }

    /** A request has ended that the server may have counted; {@return whether it is known here} */
    boolean end(long id, long now) {
        int at = find(id, false);
        if (at >= 0) {
            entries[at].ended = true;
            entries[at].endedAt = now;
        }
        return at >= 0;
    }

    /** A request turned out to have taken nothing; {@return what the server was thought to have told of it} */
    double drop(long id) {
        int at = find(id, false);
        if (at < 0) {
            return 0;
        }
        double told = entries[at].told ? Math.max(0, entries[at].actual) : 0;
        remove(at);
        return told;
    }

    /** A request turned out to have taken an amount. */
    void settle(long id, double amount, long now) {
        int at = find(id, true);
        if (at >= 0) {
            awaited = Math.max(awaited, Math.min(MOST_AWAITED, 2 * (size - at))); // as many as settlements are late
            Entry entry = entries[at];
            if (!entry.told) {
                untold.add(entry.asked, UNKNOWN, -1);
                untold.add(entry.asked, amount);
            }
            entry.actual = amount;
            entry.truth = Truth.SETTLED;
            entry.settledAt = now;
        }
    }

    private int find(long id, boolean unsettled) {
        for (int i = 0; i < size; i++) {
            Entry entry = entries[i];
            if (entry.id == id && (unsettled ? entry.truth == Truth.OPEN : !entry.ended)) {
                return i;
            }
        }
        return -1;
    }

    private void remove(int at) {
        Entry removed = entries[at];
        if (!removed.told) {
            untold.add(removed.asked, removed.actual, -1);
        }
        System.arraycopy(entries, at + 1, entries, at, --size - at);
        entries[size] = removed;
    }

    /**
     * Adds up the requests that an answer tells of for the first time: its own one, and those let go before it.
     *
     * @param slack those let go so little earlier may reach the server later, and count only if they have ended
     */
    void tell(long id, long admittedAt, long slack, Sum sum) {
        sum.clear();
        for (int i = 0; i < size; i++) {
            Entry entry = entries[i];
            long earlier = admittedAt - entry.admittedAt;
            boolean counted = earlier > slack || (earlier >= 0 && (entry.ended || entry.id == id));
            if (!entry.told && counted) {
                untold.add(entry.asked, entry.actual, -1);
                entry.told = true;
                sum.add(entry.asked, entry.truth == Truth.EXACT ? entry.asked : UNKNOWN);
            }
        }
    }

    /** {@return how many are on the wire that were let go at almost the same time, and may have come before it} */
    int rivals(long admittedAt, long slack) {
        int count = 0;
        for (int i = size - 1; i >= 0; i--) {
            count += !entries[i].ended && Math.abs(entries[i].admittedAt - admittedAt) <= slack ? 1 : 0;
        }
        return count;
    }

    /** {@return what those asked for that have not ended} */
    double inFlight() {
        double sum = 0;
        for (int i = 0; i < size; i++) {
            sum += entries[i].ended ? 0 : Math.max(0, entries[i].asked);
        }
        return sum;
    }

    /** Drops those that nothing more will be learned of. */
    void compact(long oldest) {
        int kept = 0;
        for (int i = 0; i < size; i++) {
            Entry entry = entries[i];
            boolean isAwaited = entry.truth == Truth.OPEN && entry.admittedAt - oldest > 0 && i >= size - awaited;
            if (!entry.told || !entry.ended || isAwaited || entry.truth == Truth.SETTLED) {
                entries[i] = entries[kept];
                entries[kept++] = entry;
            }
        }
        size = kept;
    }

    /** {@return what the requests asked for that the server has not told of} */
    Sum untold() {
        return untold;
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
            add(asked, actual, 1);
        }

        private void add(double asked, double actual, int times) {
            if (actual != UNKNOWN) {
                known += times * actual;
                return;
            }
            count += times;
            if (asked == UNKNOWN) {
                unknown += times;
            } else {
                estimated += times * asked;
            }
        }
    }
}
