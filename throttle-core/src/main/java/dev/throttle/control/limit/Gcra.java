package dev.throttle.control.limit;

import dev.throttle.internal.Nanos;
import dev.throttle.signal.Cost;
import java.math.BigInteger;

/**
 * The generic cell rate algorithm: permits drip in at a rate, and all that is remembered is the instant at which
 * everything taken so far will have dripped in. It is kept as a fraction, so that a rate such as three a second loses
 * nothing to rounding however long it runs.
 */
final class Gcra {

    /** More permits than this are never told apart: an estimate that may be early, never late. */
    private static final long MOST_PERMITS = 4 * Cost.MAX_AMOUNT;

    private static final int REMEMBERED = 32;

    /** A stock without bounds. */
    static final long ANY = Long.MAX_VALUE;

    /** One permit drips in within {@code nanos + rest / parts} nanoseconds. */
    private final long parts;

    private final long nanos;
    private final long rest;

    /** When everything taken will have dripped in: {@code debtFreeAt + debtRest / parts}. */
    private long debtFreeAt;

    private long debtRest;
    private boolean started;

    /**
     * The same had the debt never been cut to a smaller stock, which is not earlier; and when it was last cut. So a
     * stock that grows again takes in what was cut.
     */
    private long uncutFreeAt;

    private long uncutRest;
    private long cutAt;

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

    private static final BigInteger LONGEST = BigInteger.valueOf(Nanos.MAX);
    private static final BigInteger MOST = BigInteger.valueOf(MOST_PERMITS);

    private long wholeNanos(long permits) {
        long bounded = Math.min(permits, MOST_PERMITS);
        long fraction = bounded / parts * rest + bounded % parts * rest / parts;
        return bounded > (Nanos.MAX - fraction) / nanos ? Nanos.MAX : bounded * nanos + fraction;
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
        boolean isCut = started && uncutFreeAt - now >= 0;
        long part = (indebted ? debtRest : 0) + restOf(permits);
        long whole = Nanos.plus(indebted ? debtFreeAt - now : 0, wholeNanos(permits));
        long uncutPart = (isCut ? uncutRest : 0) + restOf(permits);
        long uncutWhole = Nanos.plus(isCut ? uncutFreeAt - now : 0, wholeNanos(permits));
        started = true;
        debtFreeAt = now + Nanos.plus(whole, part / parts);
        debtRest = part % parts;
        uncutFreeAt = now + Nanos.plus(uncutWhole, uncutPart / parts);
        uncutRest = uncutPart % parts;
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

    /** Releases permits that were taken at a time. Afterwards the state is the one without them, or a stricter one. */
    void release(long permits, long takenAt, long now) {
        if (!started || debtFreeAt - now < 0) {
            return;
        }
        long least = Long.MAX_VALUE;
        for (int i = remembered - 1; i >= 0 && times[i] - takenAt > 0; i--) {
            least = debts[i];
        }
        long whole = wholeNanos(permits);
        long part = restOf(permits);
        long lowered = whole + 1;
        if (whole >= least) {
            whole = least;
            part = 0;
            lowered = least;
        }
        boolean wasCut = isCut();
        uncutFreeAt -= whole + (uncutRest < part ? 1 : 0);
        uncutRest += part <= uncutRest ? -part : parts - part;
        if (!wasCut || takenAt - cutAt > 0) {
            debtFreeAt -= whole + (debtRest < part ? 1 : 0);
            debtRest += part <= debtRest ? -part : parts - part;
        } else if (!isCut()) { // without them there were less to cut
            debtFreeAt = uncutFreeAt;
            debtRest = uncutRest;
        }
        lower(takenAt, lowered);
    }

    private boolean isCut() {
        return uncutFreeAt - debtFreeAt > 0 || (uncutFreeAt == debtFreeAt && uncutRest > debtRest);
    }

    /** {@return how many permits have not dripped in yet} */
    long permits(long now) {
        return inParts(debtFreeAt, debtRest, now)
                .add(BigInteger.valueOf(period() - 1))
                .divide(BigInteger.valueOf(period()))
                .min(MOST)
                .longValue();
    }

    /** {@return a debt in parts of a nanosecond} */
    private BigInteger inParts(long freeAt, long freeRest, long now) {
        if (!started || freeAt - now < 0) {
            return BigInteger.ZERO;
        }
        return BigInteger.valueOf(freeAt - now)
                .multiply(BigInteger.valueOf(parts))
                .add(BigInteger.valueOf(freeRest));
    }

    /** {@return what a permit takes, in parts of a nanosecond} */
    private long period() {
        return nanos * parts + rest;
    }

    /**
     * Goes on where another one was: as many permits are still to drip in, each in its own time now. If that is more
     * than the stock, as it was smaller before, it is cut to the stock; but what was owed beyond it stays owed. If the
     * stock has grown, what was cut before fills the room that comes, so that nothing is free that was not.
     *
     * @param stock the most permits that can be taken at a time
     * @param stockBefore the same of the other
     */
    void resume(Gcra before, long stock, long stockBefore, long now) {
        BigInteger uncut = before.inParts(before.uncutFreeAt, before.uncutRest, now);
        if (uncut.signum() == 0) {
            return;
        }
        BigInteger debt = before.inParts(before.debtFreeAt, before.debtRest, now);
        BigInteger owed = debt.subtract(BigInteger.valueOf(stockBefore).multiply(BigInteger.valueOf(before.period())))
                .max(BigInteger.ZERO);
        BigInteger all = converted(uncut, before);
        BigInteger own = converted(debt, before);
        BigInteger most = stock > stockBefore
                ? own.add(BigInteger.valueOf(stock - stockBefore).multiply(BigInteger.valueOf(period())))
                : BigInteger.valueOf(stock)
                        .multiply(BigInteger.valueOf(period()))
                        .add(converted(owed, before));
        BigInteger kept = (stock > stockBefore ? all : own).min(most);
        cutAt = kept.compareTo(own) < 0 ? now : before.cutAt;
        started = true;
        BigInteger[] split = kept.divideAndRemainder(BigInteger.valueOf(parts));
        debtFreeAt = now + split[0].min(LONGEST).longValue();
        debtRest = split[1].longValue();
        split = all.divideAndRemainder(BigInteger.valueOf(parts));
        uncutFreeAt = now + split[0].min(LONGEST).longValue();
        uncutRest = split[1].longValue();
        remembered = before.remembered;
        for (int i = 0; i < remembered; i++) {
            times[i] = before.times[i];
            BigInteger old = BigInteger.valueOf(before.debts[i]).multiply(BigInteger.valueOf(before.parts));
            debts[i] = old.multiply(BigInteger.valueOf(period()))
                    .divide(BigInteger.valueOf(before.period()).multiply(BigInteger.valueOf(parts)))
                    .min(LONGEST)
                    .longValue();
        }
    }

    /** {@return a debt of another one in parts of this one, rounded up} */
    private BigInteger converted(BigInteger debt, Gcra before) {
        BigInteger divisor = BigInteger.valueOf(before.period());
        return debt.multiply(BigInteger.valueOf(period()))
                .add(divisor)
                .subtract(BigInteger.ONE)
                .divide(divisor);
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
