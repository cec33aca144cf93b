package dev.throttle.lease;

import dev.throttle.control.RateController;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The permits at hand, the oldest first, and what was taken beyond them. Not thread-safe. */
final class PermitStock {

    private final ArrayDeque<PermitRun> runs = new ArrayDeque<>();
    /** Taken without being there: by requests that could not be held back, or that cost more than was known. */
    private long owed;
    /** Spent of the process's own share, and not reported yet. */
    private long untold;
    /** What was taken from last: permits that come back belong there. Null if nothing was. */
    private @Nullable PermitRun latest;
    /** Since when it was, and how many were. */
    private long latestSince;

    private long latestTaken;
    /** What was not spent in time. */
    private List<Lease> lapsed = new ArrayList<>();

    void add(PermitRun run) {
        long paid = Math.min(owed, run.count());
        owed -= paid;
        drop(run, paid);
        if (run.count() > 0) {
            runs.add(run);
        }
    }

    /** What came later may lapse earlier. */
    private void lapse(long now) {
        boolean isOver = false;
        for (PermitRun run : runs) {
            Lease late = run.lapse(now);
            if (late != null) {
                lapsed.add(late);
            }
            isOver |= run.count() == 0;
        }
        if (isOver) {
            runs.removeIf(run -> run.count() == 0);
        }
    }

    /** {@return the leases that were not spent in time, which go back to the store} */
    List<Lease> takeLapsed(long now) {
        lapse(now);
        if (lapsed.isEmpty()) {
            return List.of();
        }
        List<Lease> all = lapsed;
        lapsed = new ArrayList<>();
        return all;
    }

    /** {@return how many there are, those to come included} */
    long size(long now) {
        lapse(now);
        long size = 0;
        for (PermitRun run : runs) {
            size += run.count();
        }
        return size;
    }

    long owed() {
        return owed;
    }

    /** {@return when so many are due; {@link RateController#UNTIL_SIGNAL} if there are not so many} */
    long dueOf(long units, long now) {
        if (units <= 0) {
            return now;
        }
        lapse(now);
        long left = units;
        long due = now;
        for (PermitRun run : runs) {
            long taken = Math.min(left, run.count());
            long last = run.dueOf(taken);
            due = last - due > 0 ? last : due;
            left -= taken;
            if (left == 0) {
                return due;
            }
        }
        return RateController.UNTIL_SIGNAL;
    }

    /** {@return when the last of them is due; {@code now} if there are none} */
    long lastDue(long now) {
        lapse(now);
        long last = now;
        for (PermitRun run : runs) {
            last = run.lastDue() - last > 0 ? run.lastDue() : last;
        }
        return last;
    }

    private void drop(PermitRun run, long units) {
        run.drop(units);
        untold += run.isOwn() ? units : 0;
    }

    /** {@return what was spent of the process's own share since this was asked last} */
    long takeUntold() {
        long all = untold;
        untold = 0;
        return all;
    }

    /** Adds back what could not be reported. */
    void keepUntold(long units) {
        untold += units;
    }

    /** {@return whether some are of the process's own share} */
    boolean hasOwn() {
        for (PermitRun run : runs) {
            if (run.isOwn()) {
                return true;
            }
        }
        return false;
    }

    /** Drops what is left of the process's own share. */
    void dropOwn() {
        runs.removeIf(PermitRun::isOwn);
        latest = latest == null || latest.isOwn() ? null : latest;
    }

    /** {@return how many permits of the oldest run are due} */
    long dueTogether(long now) {
        PermitRun first = runs.peek();
        return first == null ? 0 : first.dueBy(now);
    }

    /** {@return when the first of them lapses; there must be one} */
    long firstLapses() {
        return runs.element().lapsesAt();
    }

    /** Takes units. What is not there is owed. */
    void take(long units, long now) {
        lapse(now);
        takeAnyway(units, now);
    }

    /** Takes units that were taken before they may have lapsed. */
    void takeAnyway(long units, long now) {
        long left = units;
        while (left > 0 && !runs.isEmpty()) {
            PermitRun run = runs.element();
            long taken = Math.min(left, run.count());
            drop(run, taken);
            latestSince = run == latest ? latestSince : now;
            latestTaken = run == latest ? latestTaken + taken : taken;
            latest = run;
            left -= taken;
            if (run.count() == 0) {
                runs.remove();
            }
        }
        owed += left;
    }

    /**
     * Puts units back that were taken at an instant. They lapse when they would have, if it is known; otherwise they
     * may be taken again for as long as a permit is good.
     */
    void putBack(long units, long takenAt, long now, long validNanos) {
        long paid = Math.min(owed, units);
        owed -= paid;
        long left = units - paid;
        if (left == 0) {
            return;
        }
        PermitRun run = latest;
        if (run != null && takenAt - latestSince >= 0 && left <= latestTaken) {
            boolean isGone = run.count() == 0;
            run.undrop(left);
            latestTaken -= left;
            untold -= run.isOwn() ? Math.min(untold, left) : 0;
            if (isGone) {
                runs.addFirst(run);
            }
        } else if (validNanos - (now - takenAt) > 0) {
            runs.addFirst(PermitRun.back(left, now, validNanos - (now - takenAt)));
        }
    }

    /** Empties the stock; {@return the leases that go back to the store} */
    List<Lease> clear(long now) {
        List<Lease> rests = new ArrayList<>(takeLapsed(now));
        for (PermitRun run : runs) {
            Lease rest = run.rest();
            if (rest != null) {
                rests.add(rest);
            }
        }
        runs.clear();
        latest = null;
        return rests;
    }
}
