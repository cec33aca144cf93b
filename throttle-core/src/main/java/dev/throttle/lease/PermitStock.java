package dev.throttle.lease;

import dev.throttle.control.RateController;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** The permits at hand, the oldest first, and what was taken beyond them. Not thread-safe. */
final class PermitStock {

    private final ArrayDeque<PermitRun> runs = new ArrayDeque<>();
    /** Taken by requests that nobody could keep from going, or that took more than was known. */
    private long owed;

    void add(PermitRun run) {
        long paid = Math.min(owed, run.count());
        owed -= paid;
        run.drop(paid);
        if (run.count() > 0) {
            runs.add(run);
        }
    }

    private void lapse(long now) {
        for (PermitRun run = runs.peek(); run != null; run = runs.peek()) {
            run.lapse(now);
            if (run.count() > 0) {
                return;
            }
            runs.remove();
        }
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

    /** Takes units, also such as are not there. */
    void take(long units, long now) {
        lapse(now);
        long left = units;
        while (left > 0 && !runs.isEmpty()) {
            PermitRun run = runs.element();
            long taken = Math.min(left, run.count());
            run.drop(taken);
            left -= taken;
            if (run.count() == 0) {
                runs.remove();
            }
        }
        owed += left;
    }

    /** Puts units back that may be taken again until they lapse. */
    void putBack(long units, long now, long validNanos) {
        long paid = Math.min(owed, units);
        owed -= paid;
        if (units > paid) {
            runs.addFirst(new PermitRun(units - paid, now, 0, validNanos));
        }
    }

    /** Empties it; {@return what the store gave and is to have back} */
    List<Lease> clear(long now) {
        lapse(now);
        List<Lease> rests = new ArrayList<>();
        for (PermitRun run : runs) {
            Lease rest = run.rest();
            if (rest != null) {
                rests.add(rest);
            }
        }
        runs.clear();
        return rests;
    }
}
