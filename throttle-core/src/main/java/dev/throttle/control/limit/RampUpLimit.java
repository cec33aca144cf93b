package dev.throttle.control.limit;

import dev.throttle.internal.Nanos;
import dev.throttle.signal.Quota;
import java.time.Duration;

/**
 * The state of {@code ramp-up}: what was used in the last two periods, in small slices, and when the next permit is
 * due. Whenever the last period is counted, however it lies, it has at most twice as much as the one before. What the
 * slices do not tell exactly counts against the caller.
 *
 * <p>The permits are spaced by a rate that leads to a little less than that. Otherwise the limit would stop all
 * requests now and then, until a slice has passed.
 */
final class RampUpLimit extends FixedLimit {

    /** Of a period. */
    private static final int SLICES = 32;

    private static final int KEPT = 2 * SLICES + 1;
    /** The rate is so many times that of the period before the last one. With 2.77 it would double exactly. */
    private static final double GROWTH = 2.4;
    /** Timers are late by some milliseconds. So much is made up for; it would be lost at high rates. */
    private static final long CATCH_UP_NANOS = 10_000_000;

    private static final double MOST_PER_NANO = 1;

    private final double first;
    private final long sliceNanos;
    /** The latest slices, that of number n at n modulo its length. */
    private final double[] slices = new double[KEPT];

    private boolean started;
    private long startedAt;
    /** The number of the latest slice. */
    private long latest;
    /** Until when time has to pass for what was taken. */
    private long nextAt;

    private long lastTakenAt;

    RampUpLimit(String unit, Rate from, Duration doubleEvery) {
        super(unit, from.perSecond());
        this.sliceNanos = Math.max(1, Nanos.of(doubleEvery) / SLICES);
        this.first = (double) from.permits() / Nanos.of(from.period()) * periodNanos();
    }

    private long periodNanos() {
        return SLICES * sliceNanos;
    }

    private long sliceAt(long instant) {
        return Math.floorDiv(instant - startedAt, sliceNanos);
    }

    private double usedIn(long slice) {
        boolean isKept = started && slice <= latest && slice > latest - KEPT;
        return isKept ? slices[(int) Math.floorMod(slice, (long) KEPT)] : 0;
    }

    private double used(long fromSlice, long toSlice) {
        double used = 0;
        for (long slice = fromSlice; slice <= toSlice; slice++) {
            used += usedIn(slice);
        }
        return used;
    }

    /** {@return what was used in the period before the last one, or some less} */
    private double usedBefore(long slice) {
        return used(slice - 2 * SLICES + 1, slice - SLICES - 1);
    }

    private double perNano(long slice) {
        return Math.min(Math.max(first, GROWTH * usedBefore(slice)) / periodNanos(), MOST_PER_NANO);
    }

    /** {@return whether the last period has room for one more, in the middle of a slice} */
    private boolean hasRoomIn(long slice) {
        double last = used(slice - SLICES, slice);
        double floor = first * (SLICES + 1) / SLICES + 1; // the slice too many, which the spacing sees to
        return last + 1 <= Math.max(floor, 2 * usedBefore(slice));
    }

    /** {@return how long the next permit is away; negative if some time can be made up for} */
    private long untilNext(long nowNanos) {
        return started ? Math.max(nextAt - nowNanos, -CATCH_UP_NANOS) : 0;
    }

    /** Those who wait use all that they may: the rate doubles meanwhile, and not sooner. */
    @Override
    long dueNanos(long ahead, long amount, long nowNanos) {
        if (amount == 0) {
            return nowNanos;
        }
        long due = nowNanos + untilNext(nowNanos);
        long slice = sliceAt(Math.max(due - nowNanos, 0) + nowNanos);
        long free = slice;
        while (started && free - slice < KEPT && !hasRoomIn(free)) {
            free++;
        }
        if (free > slice) {
            due = startedAt + free * sliceNanos;
        }
        double doublings = Math.log1p(Math.log(2) * ahead / periodNanos() / perNano(free)) / Math.log(2);
        return due + (long) Math.min(doublings * periodNanos(), Nanos.MAX / 2.0);
    }

    private void roll(long nowNanos) {
        if (!started) {
            started = true;
            startedAt = nowNanos;
            nextAt = nowNanos;
        }
        long slice = sliceAt(nowNanos);
        for (long next = Math.max(latest, slice - KEPT) + 1; next <= slice; next++) {
            slices[(int) Math.floorMod(next, (long) KEPT)] = 0;
        }
        latest = Math.max(latest, slice);
    }

    private void add(double amount, long slice) {
        if (slice > latest - KEPT && slice <= latest) {
            int at = (int) Math.floorMod(slice, (long) KEPT);
            slices[at] = Math.max(0, slices[at] + amount);
        }
    }

    private long spacing(long amount, long slice) {
        return (long) Math.min(amount / perNano(slice), Nanos.MAX / 4.0);
    }

    @Override
    void take(long amount, long nowNanos) {
        roll(nowNanos);
        nextAt = nowNanos + untilNext(nowNanos) + spacing(amount, latest);
        lastTakenAt = nowNanos;
        add((double) amount, latest);
    }

    /** What was taken last gives back its time, too. What was taken before it does not, as others came since. */
    @Override
    void release(long amount, long takenAtNanos, long nowNanos) {
        roll(nowNanos);
        add((double) -amount, sliceAt(takenAtNanos));
        if (takenAtNanos == lastTakenAt) {
            nextAt -= spacing(amount, sliceAt(takenAtNanos));
        }
    }

    @Override
    long used(long nowNanos) {
        return untilNext(nowNanos) > 0 ? 1 : 0;
    }

    /** What went elsewhere keeps the next one away for the time of one. */
    @Override
    long mostToTakeOver() {
        return 1;
    }

    /** What was used is remembered by its age, whatever the periods. */
    @Override
    boolean resume(FixedLimit before, long nowNanos) {
        if (before instanceof RampUpLimit other && other.started) {
            started = true;
            startedAt = nowNanos;
            nextAt = other.nextAt;
            lastTakenAt = other.lastTakenAt;
            for (long slice = 1 - KEPT; slice <= 0; slice++) {
                double share = (double) sliceNanos / other.sliceNanos;
                slices[(int) Math.floorMod(slice, (long) KEPT)] =
                        share * other.usedIn(other.sliceAt(nowNanos + slice * sliceNanos));
            }
        }
        return before instanceof RampUpLimit;
    }

    @Override
    public double limitPerSecond(long nowNanos) {
        return unit().equals(Quota.REQUESTS) ? perNano(sliceAt(nowNanos)) * 1e9 : Double.POSITIVE_INFINITY;
    }
}
