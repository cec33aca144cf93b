package dev.throttle.control.quota;

import dev.throttle.control.RateController;
import dev.throttle.internal.DurationText;
import dev.throttle.internal.Nanos;

/**
 * Fixed windows with a reset: a reservation line instead of an interval.
 *
 * <pre>
 *   line(t)  =  reserve * limit * (time left - 5 % of the window) / window       requests
 *   a request may go if   lowest reading - on the wire - line(t)  >=  1
 * </pre>
 *
 * <p>Otherwise it waits until an answer tells more, until the line has come down, which is known exactly, or until the
 * reset. Within a window the count only falls, so the lowest reading is the newest. What others use can be seen: it is
 * what the count has fallen by beyond the own answers and the requests on the wire. While no other client was seen in
 * this window or the one before, the line begins at {@code reserveAlone} of what was left when the window was seen
 * first; otherwise at {@code reserveShared} of the limit, which is the same line for all clients, so that all get the
 * same. What {@link SteadyUse others keep using} is left for them until the end by a client that has used half as much
 * again as they.
 *
 * <p>The reset is the earliest one that was told since the window began. Where the next window ends is not predicted
 * from it: many servers begin a window with the first request after the end of the last one. An answer proves something
 * about a reset only if its request left after it.
 *
 * <p>After the reset one request goes alone unless a renewal was seen before. A reset that moves on before it is
 * reached, a request that is accepted when nothing is left, and a count that does not rise at the reset all belong to a
 * rolling quota, and refute this hypothesis.
 */
final class Window {

    enum Kind {
        UNKNOWN,
        FIXED,
        ROLLING
    }

    private static final double LONGEST_SECONDS = 86_400;
    private static final double HOUR = 3600;
    private final Surroundings surroundings;
    private final boolean exact;
    private final Tuning tuning;
    private Kind kind = Kind.UNKNOWN;
    private boolean known;
    private boolean trusted;
    /** Whether its length is a mere assumption, and since when this client has been held back for that. */
    private boolean assumed;

    private long heldAt;
    private double limit = Double.NaN;
    /** The length of a window, in seconds, as far as it is known: the longest time to a reset seen. */
    private double window;

    private long resetAt;
    /** When the window before ended, if it was seen. */
    private long endedAt;
    /** What the server's times have turned out to be too early by, in seconds. */
    private double bias;

    private double lowest;
    long lowestAt;
    private long readAt;
    /** What was left when the window was seen first, and when that was. */
    private double first;

    private long firstAt;
    /** Own units that the count contains since then. */
    private double own;

    private boolean foreign;
    private boolean foreignBefore;
    private final SteadyUse others = new SteadyUse();
    /** What others keep using, in units per second, if this client has used more than they: it is left for them. */
    private double kept;

    private int falls;

    /** @param exact whether it is known beforehand what each request takes, so that others can be seen */
    Window(Surroundings surroundings, Tuning tuning, boolean exact) {
        this.exact = exact;
        this.surroundings = surroundings;
        this.tuning = tuning;
    }

    Kind kind() {
        return kind;
    }

    /**
     * {@return the longest time to a reset that was seen, in seconds: the length of the window, as far as it is known}
     */
    double length() {
        return window;
    }

    boolean isAssumed() {
        return assumed;
    }

    boolean isRefuted() {
        return kind == Kind.ROLLING;
    }

    boolean isKnown() {
        return known;
    }

    /** A count contains what own requests took. */
    void took(double units) {
        own += units;
    }

    void read(
            double count,
            double told,
            double reset,
            double length,
            boolean accepted,
            long admittedAt,
            double wire,
            long now) {
        if (!(reset >= 0)) {
            return;
        }
        assumed = false;
        reset = Math.min(reset, 366 * LONGEST_SECONDS);
        boolean past = known && now - resetAt >= 0;
        boolean leftBefore = past && admittedAt - resetAt < 0;
        if (reset == 0 && bias < 1 && !leftBefore) {
            bias = 1; // whole seconds, rounded down
        }
        if (told > 0) {
            limit = told;
        } else if (!(limit >= count)) {
            limit = count;
        }
        if (length > 0) {
            window = Math.min(length, LONGEST_SECONDS);
        }
        double left = Math.max(0, reset + bias);
        long at = now + Nanos.ofSeconds(left);
        if (!known) {
            begin(count, at, left, false, now);
            return;
        }
        double later = (at - resetAt) / 1e9;
        boolean isFixed = kind == Kind.FIXED;
        if (isFixed && isShort() && admittedAt - endedAt < 0) {
            return; // overtaken: it tells of the window before
        }
        boolean isWhole = reset == Math.rint(reset);
        long atLeast = at - (now - admittedAt) - Nanos.ofSeconds(isWhole ? 1 : 0);
        boolean isBefore = leftBefore && later <= tuning.tolerance && count <= lowest && atLeast - resetAt <= 0;
        if (isFixed && isBefore) {
            lower(count, accepted, admittedAt, now); // it reached the server before the reset
        } else if (past && later <= tuning.tolerance && left < 0.5 * window && count <= lowest) {
            early(at, isFixed && isWhole, now);
            lower(count, accepted, admittedAt, now);
        } else if (past) {
            reached(count, left, at, wire, now);
        } else if (later > tuning.tolerance) {
            moved(count, left, at, now);
        } else if (later < -tuning.tolerance) {
            if (admittedAt - firstAt >= 0) {
                begin(count, at, left, false, now);
            }
        } else if (isShort() && admittedAt - lowestAt >= 0 && isRenewed(count, left)) {
            kind = kind == Kind.ROLLING ? kind : Kind.FIXED;
            renew(count, left, at, now, now);
        } else {
            if (later < 0) {
                resetAt = at;
            }
            lower(count, accepted, admittedAt, now);
        }
        after(wire, now);
    }

    /** Reads a count of a window whose reset the server does not tell. */
    void readLearned(
            Reading r, double reset, double length, boolean sure, boolean isAssumed, boolean renewed, double wire) {
        limit = r.limit > 0 ? r.limit : Double.isNaN(limit) || r.count > limit ? r.count : limit;
        window = length;
        trusted |= sure;
        assumed = isAssumed;
        long at = r.now + Nanos.ofSeconds(reset);
        if (renewed || !known) {
            renew(r.count, reset, at, r.now, r.now);
        } else {
            resetAt = at;
            lower(r.count, true, r.admittedAt, r.now);
        }
        kind = Kind.UNKNOWN; // it may begin with the first request: one goes alone and tells
        after(wire, r.now);
    }

    private void after(double wire, long now) {
        readAt = now;
        if (limit - first < 0) {
            first = limit;
        }
        double taken = first - lowest - (own + wire);
        foreign |= exact && falls >= 3 && taken >= 2;
        others.read(taken, now);
        heldAt = assumed && lowest - 1 < line(now) ? heldAt : now;
        kept = foreign || foreignBefore ? others.kept(first - lowest, 1, limit, now) : 0;
    }

    private void begin(double count, long at, double left, boolean renewed, long now) {
        others.begin(Math.max(window, Math.min(left, LONGEST_SECONDS)), renewed && known, now);
        known = true;
        resetAt = at;
        window = Math.max(window, Math.min(left, LONGEST_SECONDS));
        lowest = count;
        lowestAt = now;
        readAt = now;
        first = count;
        firstAt = now;
        own = 0;
        foreign = false;
        kept = 0;
        falls = 0;
    }

    private void lower(double count, boolean accepted, long admittedAt, long now) {
        if (lowest == 0 && accepted && admittedAt - lowestAt > 0) {
            kind = Kind.ROLLING; // a window with nothing left would not have accepted it
        }
        if (count < lowest) {
            falls++;
            lowest = count;
            lowestAt = now;
        }
        boolean asked = !accepted && count == 0 && now - firstAt > 1e9;
        boolean standsStill = falls >= 3 && now - firstAt > 3e9 && window <= 2 * HOUR; // while the count falls
        trusted |= asked || standsStill;
    }

    /**
     * Called when the window was not renewed at its reset.
     *
     * @param isRounded whether the time to the reset may have been rounded up to a whole second, which would be no
     *     error of the server's clock
     */
    private void early(long at, boolean isRounded, long now) {
        double over = (now - resetAt) / 1e9;
        double least = over + Math.max(0.1, 0.5 * over);
        double off = Math.max((at - resetAt) / 1e9, least);
        bias = Math.min(bias + (isRounded ? least : off), HOUR);
        resetAt += Nanos.ofSeconds(off);
    }

    private void reached(double count, double left, long at, double wire, long now) {
        double late = (now - resetAt) / 1e9;
        double used = limit - lowest;
        double risen = count - lowest;
        if (left + late < tuning.renewedShare * window) {
            kind = Kind.ROLLING;
        } else if (used > 3 && kind != Kind.ROLLING) {
            if (risen >= tuning.renewedShare * used) {
                kind = Kind.FIXED;
                trusted = true;
            } else if ((kind == Kind.UNKNOWN || isShort()) && risen + wire < tuning.renewedShare * used) {
                kind = Kind.ROLLING; // own requests on the wire may have been counted, but do not explain it
            }
        }
        renew(count, left, at, late < window ? resetAt : now, now);
    }

    /** {@return whether a reset that is told in whole seconds hardly tells one window from the next} */
    private boolean isShort() {
        return window < 2 * tuning.tolerance;
    }

    private boolean isRenewed(double count, double left) {
        double used = limit - lowest;
        return left >= tuning.renewedShare * window && used > 3 && count - lowest >= tuning.renewedShare * used;
    }

    private void moved(double count, double left, long at, long now) {
        if (kind != Kind.ROLLING && isRenewed(count, left)) {
            kind = Kind.FIXED;
        } else {
            kind = Kind.ROLLING;
        }
        renew(
                count, left, at, now,
                now); // or a time that was rounded, or a restart of the server, which forgets its counts
    }

    private void renew(double count, double left, long at, long beganAt, long now) {
        boolean before = foreign;
        long end = now - resetAt < 0 ? now : resetAt;
        begin(count, at, left, true, now);
        endedAt = end;
        foreignBefore = before;
        if (kind == Kind.FIXED) {
            first = limit;
            firstAt = beganAt;
            own = 1;
        }
    }

    private double usual() {
        if (assumed || !exact) {
            return 0;
        }
        if (foreign || foreignBefore || surroundings.areMany()) {
            return surroundings.settings.reserveShared() * limit / Math.max(1e-3, window);
        }
        return surroundings.settings.reserveAlone() * first / Math.max(1e-3, (resetAt - firstAt) / 1e9);
    }

    /** {@return seconds until the line has come down to nothing: a little before the window ends} */
    private double slope(long now) {
        return Math.max(0, (resetAt - now) / 1e9 - 0.05 * window);
    }

    private double line(long now) {
        return Math.max(usual() * slope(now), kept * Math.max(0, (resetAt - now) / 1e9));
    }

    /** {@return seconds until the line has come down to a count} */
    private double until(double count, long now) {
        double left = (resetAt - now) / 1e9;
        double rate = usual();
        if (count < 0) {
            return left;
        }
        double forLine = rate > 0 ? slope(now) - count / rate : 0;
        double forKept = kept > 0 ? left - count / kept : 0;
        return Math.max(0, Math.max(forLine, forKept));
    }

    /** {@return whether this window explains a refusal} */
    boolean explains(double wire) {
        return known && kind != Kind.ROLLING && lowest - wire < 1;
    }

    /**
     * {@return when there is enough}
     *
     * @param need units, those of the callers before included
     * @param wire units that are on the wire
     * @param isAnyOnWire whether an answer will come
     * @param admittedAt when the last request left
     */
    long dueNanos(double need, double wire, boolean isAnyOnWire, long admittedAt, long now) {
        if (!known) {
            return now;
        }
        if (now - resetAt >= 0) {
            if (kind != Kind.FIXED) {
                long since = admittedAt - resetAt > 0 ? admittedAt : resetAt;
                long patience = isAnyOnWire ? surroundings.settings.firstPatienceNanos() - (now - since) : 0;
                return patience > 0 ? now + patience : now;
            }
            double fresh = limit * (1 - surroundings.settings.reserveShared()) / surroundings.processes() - wire;
            return fresh >= need || !isAnyOnWire ? now : RateController.UNTIL_SIGNAL;
        }
        double usable = lowest - line(now);
        if (usable - wire >= need) {
            return now;
        }
        if (isAnyOnWire && usable >= need) {
            return RateController.UNTIL_SIGNAL;
        }
        double wait = until(lowest - wire - need, now);
        double most =
                trusted ? Math.max(HOUR, surroundings.settings.maxResetWait()) : surroundings.settings.maxResetWait();
        if (assumed) {
            most = Math.max(surroundings.settings.firstPatienceNanos(), (readAt - heldAt) / 10) / 1e9;
        }
        double asked = most - (now - readAt) / 1e9;
        if (asked < wait && isAnyOnWire) {
            return RateController.UNTIL_SIGNAL;
        }
        return now + Nanos.ofSeconds(Math.max(0, Math.min(wait, asked)));
    }

    /** {@return how many units are left, in words} */
    static String left(double units) {
        long whole = (long) Math.max(0, units);
        return whole + (whole == 1 ? " is left" : " are left");
    }

    /** {@return what is left and when it ends, in words} */
    String explain(long now) {
        double left = (resetAt - now) / 1e9;
        if (left <= 0) {
            return "it has ended, and the next response tells of the new one";
        }
        String seen = assumed ? ", which is a guess" : kind == Kind.FIXED ? "" : ", which was not seen yet";
        return left(lowest) + ", and it ends in " + DurationText.spoken(left) + seen;
    }

    /** {@return requests that may be used now} */
    double usable(long now) {
        return now - resetAt >= 0 ? limit : lowest - line(now);
    }
}
