package dev.throttle.control.quota;

import dev.throttle.control.RateController;
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
 * what the count has fallen by beyond the own answers and the requests on the wire. While nobody else was seen in this
 * window or the one before, the line begins at {@code reserveAlone} of what was left when the window was seen first;
 * otherwise at {@code reserveShared} of the limit, which is the same line for all clients, so that all get the same. If
 * less than half of the line is left, it is laid through what is left. What {@link SteadyUse others keep using} is left
 * for them until the end by a client that has used half as much again as they.
 *
 * <p>What a request costs is the greatest common divisor of all falls. After the reset one request goes alone unless a
 * renewal was seen before. A reset that moves on before it is reached, a request that is accepted when nothing is left,
 * and a count that does not rise at the reset all belong to a rolling quota, and end this law for the policy.
 */
final class WindowLaw {

    enum Kind {
        UNKNOWN,
        FIXED,
        ROLLING
    }

    private static final double LONGEST_SECONDS = 86_400;
    private static final double HOUR = 3600;
    private final PacingSettings settings;
    private final Tuning tuning;
    private final Sharers sharers;
    private Kind kind = Kind.UNKNOWN;
    private boolean known;
    private boolean trusted;
    private double limit = Double.NaN;
    /** The length of a window, in seconds, as far as it is known: the longest time to a reset seen. */
    private double window;

    private long resetAt;
    /** What the server's times have turned out to be too early by, in seconds. */
    private double bias;

    private double lowest;
    long lowestAt;
    private long readAt;
    /** What was left when the window was seen first, and when that was. */
    private double first;

    private long firstAt;
    /** Own permits that were answered since then. */
    private double own;

    private boolean foreign;
    private boolean foreignBefore;
    private final SteadyUse others = new SteadyUse();
    /** What others keep using, in units per second, if this client has used more than they: it is left for them. */
    private double kept;

    private final UnitCost cost = new UnitCost();
    private double lowered = Double.POSITIVE_INFINITY;

    WindowLaw(PacingSettings settings, Tuning tuning, Sharers sharers) {
        this.settings = settings;
        this.tuning = tuning;
        this.sharers = sharers;
    }

    Kind kind() {
        return kind;
    }

    boolean isKnown() {
        return known;
    }

    void forget() {
        known = false;
        kind = Kind.UNKNOWN;
        trusted = false;
        window = 0;
        bias = 0;
        foreign = false;
        foreignBefore = false;
        others.forget();
        kept = 0;
        cost.forget();
        limit = Double.NaN;
    }

    /** An own request has ended that the server may have counted. */
    void ended(int permits) {
        own += permits;
    }

    void read(
            double count,
            double told,
            double reset,
            double length,
            boolean accepted,
            long admittedAt,
            int wire,
            long now) {
        if (!(reset >= 0)) {
            return;
        }
        reset = Math.min(reset, 366 * LONGEST_SECONDS);
        if (reset == 0 && bias < 1) {
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
        boolean past = now - resetAt >= 0;
        if (past && later <= tuning.tolerance && left < 0.5 * window && count <= lowest) {
            early(at, now);
            lower(count, accepted, admittedAt, now);
        } else if (past) {
            reached(count, left, at, now);
        } else if (later > tuning.tolerance) {
            moved(count, left, at, now);
        } else if (later < -tuning.tolerance) {
            if (admittedAt - firstAt >= 0) {
                begin(count, at, left, false, now);
            }
        } else if (window < 2 * tuning.tolerance && admittedAt - lowestAt >= 0 && isRenewed(count, left)) {
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
            double count,
            double told,
            double reset,
            LearnedReset from,
            boolean renewed,
            long admittedAt,
            int wire,
            long now) {
        limit = told > 0 ? told : Double.isNaN(limit) || count > limit ? count : limit;
        window = from.length();
        trusted |= from.isSure();
        long at = now + Nanos.ofSeconds(reset);
        if (renewed || !known) {
            renew(count, reset, at, now, now);
        } else {
            resetAt = at;
            lower(count, true, admittedAt, now);
        }
        kind = from.isSure() ? Kind.FIXED : Kind.UNKNOWN;
        after(wire, now);
    }

    private void after(int wire, long now) {
        readAt = now;
        if (limit - first < 0) {
            first = limit;
        }
        double taken = first - lowest - cost.units() * (own + wire);
        foreign |= cost.isKnown() && taken >= 2 * cost.units();
        others.read(taken, now);
        kept = foreign || foreignBefore ? others.kept(first - lowest, cost.units(), limit, now) : 0;
        double slope = slope(now);
        if (slope > 0 && lowest < 0.5 * usual() * slope) {
            lowered = Math.min(lowered, lowest / slope);
        }
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
        cost.forget();
        lowered = Double.POSITIVE_INFINITY;
        kept = 0;
    }

    private void lower(double count, boolean accepted, long admittedAt, long now) {
        if (lowest == 0 && accepted && admittedAt - lowestAt > 0) {
            kind = Kind.ROLLING; // nobody can be served from a window of which nothing is left
        }
        if (count < lowest) {
            cost.fell(lowest - count);
            lowest = count;
            lowestAt = now;
        }
        boolean asked = !accepted && count == 0 && now - firstAt > 1e9;
        boolean standsStill = cost.isKnown() && now - firstAt > 3e9 && window <= 2 * HOUR; // while the count falls
        trusted |= asked || standsStill;
    }

    /** It was not renewed when it should have been. */
    private void early(long at, long now) {
        double over = (now - resetAt) / 1e9;
        double wait = Math.max(0.1, 0.5 * over);
        long next = Math.max(at - now, Nanos.ofSeconds(wait)) + now;
        bias = Math.min(bias + (next - resetAt) / 1e9, HOUR);
        resetAt = next;
    }

    private void reached(double count, double left, long at, long now) {
        double late = (now - resetAt) / 1e9;
        double used = limit - lowest;
        double risen = count - lowest;
        if (left + late < tuning.renewedShare * window) {
            kind = Kind.ROLLING;
        } else if (used > 3 && kind != Kind.ROLLING) {
            if (risen >= tuning.renewedShare * used) {
                kind = Kind.FIXED;
                trusted = true;
            } else if (kind == Kind.UNKNOWN || window < 2 * tuning.tolerance) {
                kind = Kind.ROLLING;
            }
        }
        long predicted = resetAt + Nanos.ofSeconds(Math.ceil(window - 1e-9));
        boolean next = Math.abs(predicted - at) <= tuning.tolerance * 1e9 && predicted - now > 0;
        renew(count, left, next ? Math.min(predicted - now, at - now) + now : at, late < window ? resetAt : now, now);
    }

    private boolean isRenewed(double count, double left) {
        double used = limit - lowest;
        return left >= tuning.renewedShare * window && used > 3 && count - lowest >= tuning.renewedShare * used;
    }

    private void moved(double count, double left, long at, long now) {
        if (kind != Kind.ROLLING && isRenewed(count, left)) {
            kind = Kind.FIXED;
            double off = (resetAt - now) / 1e9;
            bias -= off;
            renew(count, left - off, at - Nanos.ofSeconds(off), now, now);
        } else {
            kind = Kind.ROLLING;
            renew(count, left, at, now, now);
        }
    }

    private void renew(double count, double left, long at, long beganAt, long now) {
        boolean before = foreign;
        begin(count, at, left, true, now);
        foreignBefore = before;
        if (kind == Kind.FIXED) {
            first = limit;
            firstAt = beganAt;
            own = 1;
        }
    }

    private double usual() {
        if (foreign || foreignBefore || sharers.areMany()) {
            return settings.reserveShared() * limit / Math.max(1e-3, window);
        }
        return settings.reserveAlone() * first / Math.max(1e-3, (resetAt - firstAt) / 1e9);
    }

    /** {@return seconds until the line has come down to nothing: a little before the window ends} */
    private double slope(long now) {
        return Math.max(0, (resetAt - now) / 1e9 - 0.05 * window);
    }

    private double line(long now) {
        return Math.max(Math.min(usual(), lowered) * slope(now), kept * Math.max(0, (resetAt - now) / 1e9));
    }

    /** {@return seconds until the line has come down to a count} */
    private double until(double count, long now) {
        double left = (resetAt - now) / 1e9;
        double rate = Math.min(usual(), lowered);
        if (count < 0) {
            return left;
        }
        double forLine = rate > 0 ? slope(now) - count / rate : 0;
        double forKept = kept > 0 ? left - count / kept : 0;
        return Math.max(0, Math.max(forLine, forKept));
    }

    /** {@return whether it says why a request was refused} */
    boolean explains(int wire) {
        return known && kind != Kind.ROLLING && lowest - cost.units() * wire < cost.units();
    }

    long dueNanos(long ahead, int permits, int wire, long now) {
        if (!known) {
            return now;
        }
        double need = cost.units() * ((double) ahead + permits);
        if (now - resetAt >= 0) {
            if (kind != Kind.FIXED) {
                long patience = wire > 0 ? settings.firstPatienceNanos() - (now - resetAt) : 0;
                return patience > 0 ? now + patience : now;
            }
            double fresh = limit * (1 - settings.reserveShared()) / sharers.processes() - cost.units() * wire;
            return fresh >= need || wire == 0 ? now : RateController.UNTIL_SIGNAL;
        }
        double usable = lowest - line(now);
        if (usable - cost.units() * wire >= need) {
            return now;
        }
        if (wire > 0 && usable >= need) {
            return RateController.UNTIL_SIGNAL;
        }
        double wait = until(lowest - cost.units() * wire - need, now);
        double most = trusted ? Math.max(HOUR, settings.maxResetWait()) : settings.maxResetWait();
        double asked = most - (now - readAt) / 1e9;
        if (asked < wait && wire > 0) {
            return RateController.UNTIL_SIGNAL;
        }
        return now + Nanos.ofSeconds(Math.max(0, Math.min(wait, asked)));
    }

    /** {@return requests that may be used now} */
    double usable(long now) {
        return now - resetAt >= 0 ? limit : lowest - line(now);
    }
}
