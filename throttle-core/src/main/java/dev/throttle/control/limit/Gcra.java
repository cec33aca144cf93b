package dev.throttle.control.limit;

import dev.throttle.internal.Nanos;
import dev.throttle.signal.Cost;

/**
 * The generic cell rate algorithm: permits drip in at a rate, and all that is remembered is the instant at which
 * everything taken so far will have dripped in. It is kept as a fraction, so that a rate such as three a second loses
 * nothing to rounding however long it runs.
 */
final class Gcra {

    /** More permits than this are never told apart: an estimate that may be early, never late. */
    private static final long MOST_PERMITS = 4 * Cost.MAX_AMOUNT;

    private static final int REMEMBERED = 32;

    /** One permit drips in within {@code nanos + rest / parts} nanoseconds. */
    private final long parts;

    private final long nanos;
    private final long rest;

    /** When everything taken will have dripped in: {@code debtFreeAt + debtRest / parts}. */
    private long debtFreeAt;

    private long debtRest;
    private boolean started;

    /**
     * How deep in debt admissions found the limit: the latest, and of those before it each one that no later one went
     * below, the oldest first. A permit that comes back can lower the debt only as far as it was there ever since.
     */
    private final long[] times = new long[REMEMBERED];

    private final long[] debts = new long[REMEMBERED];
    private int remembered;

    Gcra(Rate rate) {
        parts = rate.permits();
        nanos = Nanos.of(rate.period()) / parts;
        rest = Nanos.of(rate.period()) % parts;
    }

    private long wholeNanos(long permits) {
        long bounded = Math.min(permits, MOST_PERMITS);
        long fraction = bounded / parts * rest + bounded % parts * rest / parts;
        return nanos > 0 && bounded > (Nanos.MAX - fraction) / nanos ? Nanos.MAX : bounded * nanos + fraction;
    }

    private long restOf(long permits) {
        return Math.min(permits, MOST_PERMITS) % parts * rest % parts;
    }

    /**
     * {@return how long until the debt is not more than some permits}
     *
     * @param permits permits to take in addition, above zero, or the debt that is allowed, as a negative number
     */
    long waitNanos(long permits, long now) {
        boolean indebted = started && debtFreeAt - now >= 0;
        long whole = indebted ? debtFreeAt - now : 0;
        long part = indebted ? debtRest : 0;
        if (permits >= 0) {
            whole = Nanos.plus(whole, wholeNanos(permits));
            part += restOf(permits);
        } else {
            whole -= wholeNanos(-permits);
            part -= restOf(-permits);
        }
        return whole + Math.floorDiv(part + parts - 1, parts);
    }

    void take(long permits, long now) {
        boolean indebted = started && debtFreeAt - now >= 0;
        remember(now, indebted ? debtFreeAt - now : 0);
        long part = (indebted ? debtRest : 0) + restOf(permits);
        long whole = Nanos.plus(indebted ? debtFreeAt - now : 0, wholeNanos(permits));
        started = true;
        debtFreeAt = now + Nanos.plus(whole, part / parts);
        debtRest = part % parts;
    }

    private void remember(long now, long debt) {
        while (remembered > 0 && debts[remembered - 1] >= debt) {
            remembered--;
        }
        if (remembered == REMEMBERED) {
            debts[1] = debts[0]; // the two oldest become one: what comes back to them may lower the debt by less
            System.arraycopy(times, 1, times, 0, --remembered);
            System.arraycopy(debts, 1, debts, 0, remembered);
        }
        times[remembered] = now;
        debts[remembered++] = debt;
    }

    /** Takes back what was taken at a time, as if it had never been taken. */
    void release(long permits, long takenAt, long now) {
        if (debtFreeAt - now < 0) {
            return;
        }
        long least = Long.MAX_VALUE;
        for (int i = remembered - 1; i >= 0 && times[i] - takenAt > 0; i--) {
            least = debts[i];
        }
        long whole = wholeNanos(permits);
        if (whole < least) {
            long part = debtRest - restOf(permits);
            debtFreeAt -= whole + (part < 0 ? 1 : 0);
            debtRest = part < 0 ? part + parts : part;
            lower(takenAt, whole + 1);
        } else {
            debtFreeAt -= least;
            lower(takenAt, least);
        }
    }

    private void lower(long takenAt, long by) {
        long least = Long.MAX_VALUE;
        for (int i = remembered - 1; i >= 0; i--) {
            long lowered = times[i] - takenAt > 0 ? Math.max(0, debts[i] - by) : debts[i];
            least = Math.min(least, lowered);
            debts[i] = least;
        }
    }
}
