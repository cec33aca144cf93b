package dev.throttle.control.quota;

import dev.throttle.control.RateController;
import dev.throttle.internal.DurationText;
import dev.throttle.internal.Nanos;

/**
 * Fixed windows with a reset: a reservation line instead of an interval.
 *
 * <pre>
 *   line(t)  =  reserve * limit * (time left - end) / window       requests;  end: 5 % of the window, 30 s at most
 *   a request may go if   lowest reading - on the wire - line(t)  >=  1
 * </pre>
 *
 * <p>Otherwise it waits until an answer tells more, until the line has come down, which is known exactly, or until the
 * reset. Within a window the count only falls, so the lowest reading is the newest. What others use can be seen: it is
 * what the count has fallen by beyond the own answers and the requests on the wire. While no other client was seen in
 * this window or the one before, the line begins at {@code reserveAlone} of what was left when the window was seen
 * first; otherwise at {@code reserveShared} of the limit, or higher where windows are {@link Contention scarce}. That
 * is about the same line for all clients, so that all get the same. What {@link SteadyUse others keep using} is left
 * for them until the end by a client that has used half as much again as they.
 *
 * <p>The reset is the earliest one that was told since the window began. Where the next window ends is not predicted
 * from it: many servers begin a window with the first request after the end of the last one. If an own request was that
 * one, a {@link FirstHit usual length} tells the end better than a rounded reset does. An answer proves something about
 * a reset only if its request left after it.
 *
 * <p>After the reset one request goes alone unless a renewal was seen before, at a time that was worked out likewise.
 * Then each client sends at once as large a part of what is above the line as it used of the last window.
 *
 * <p>A reset that moves on before it is reached, a request that is accepted when nothing is left, and a count that does
 * not rise at the reset all belong to a rolling quota, and refute this hypothesis. But others may have begun the next
 * window earlier, and have used most of it already. That is believed if the reset was seen to stand still while the
 * count fell, or if the length is told and they are known to use that much.
 *
 * <p>In a window of a second or two, told in whole seconds, all of that also happens beside a busy client, and the
 * interval of a {@link Share} does not help: the busy one uses up each window at its beginning. So if less than three
 * quarters of what should remain is left in one window after another, it is a window after all, as long as it is short.
 * If its length is not told, half of the limit has to have come back within a window, or each crowded sliding window
 * would look like it. One that tells its length does look like it.
 */
final class Window {

    enum Kind {
        UNKNOWN,
        /** Its length is a mere assumption. */
        ASSUMED,
        FIXED,
        ROLLING
    }

    private static final double LONGEST_SECONDS = 86_400;
    private static final double HOUR = 3600;
    /** When so much of a window is left all may be used, as a share of it and in seconds. */
    private static final double END = 0.05;

    private static final double LONGEST_END = 30;
    /** A rise or a fall by less may be chance. */
    private static final int FEW = 3;
    /** A client that takes itself for the only one leaves at least this share of a window until it nearly ends. */
    private static final double LEAST_LEFT = 0.1;
    /** A window is nearly used up if less than this share of what should remain is left. */
    private static final double NEARLY = 0.75;
    /** The interval of a share does not help if so many more windows were nearly used up than not. */
    private static final int IN_VAIN = 4;
    /** One more shows it where no length is told. At most so many are counted. */
    private static final int MOST_IN_VAIN = 6;
    /** If so much of a new window is left, it has just begun. */
    private static final double BEGINNING = 0.75;
    /** If less than this share of the line is left in a young window, others do not keep to it. */
    private static final double KEPT_TO = 0.5;
    /** Two resets are the same if they are no further apart than this share of a window. */
    private static final double SAME = 0.75;

    private final Surroundings surroundings;
    private final boolean exact;
    private final Tuning tuning;
    private Kind kind = Kind.UNKNOWN;
    /** Whether the reset has proved to stand still. */
    private boolean trusted;
    /** When the line has last not held this client back. */
    private long heldAt;

    private double limit;
    /** The length of a window, in seconds, as far as it is known: the longest time to a reset seen. */
    private double window;

    private long resetAt;
    /** The earliest reset that was told in this window. */
    private long toldAt;

    private final FirstHit firstHit = new FirstHit();
    /** What the server's times have turned out to be too early by, in seconds. */
    private double bias;

    /** The lowest count of this window; NaN before the first one. */
    private double lowest = Double.NaN;

    long lowestAt;
    private long readAt;
    /** What was left when the window was seen first, and when that was. */
    private double first;

    private long firstAt;
    /** When the window before ended, or when this one was seen first. */
    private long beganAt;
    /** Own units that the count contains since then. */
    private double own;
    /** So many windows have begun since others were seen; more than one if there are none. */
    private int sinceOthers = 2;

    /** The own part of what was used of this window; 1 if no others are seen. */
    private double part = 1;

    private final SteadyUse others = new SteadyUse();
    private final Contention contention = new Contention();
    /** How far the lowest count was below the line; NaN if this client did not see the window begin. */
    private double below = Double.NaN;

    /** What others keep using, in units per second, if this client has used more than they: it is left for them. */
    private double kept;
    /** How often the count has fallen. */
    private int falls;
    /** In how many windows of any length others used something, less those in which they did not; from 0 to 6. */
    private int windowsOfOthers;

    /**
     * How many short windows of a share were nearly used up when they were looked at, less how many were not; from 0 to
     * 6.
     */
    private int usedUp;

    private long lookedAt;
    /** Whether half of the limit has come back within a window. */
    private boolean returnsAtOnce;
    /** Whether it is a window after all, which nothing refutes while it is short. */
    private boolean firm;

    /** @param exact whether it is known beforehand what each request takes, so that others can be seen */
    Window(Surroundings surroundings, Tuning tuning, boolean exact) {
        this.exact = exact;
        this.surroundings = surroundings;
        this.tuning = tuning;
    }

    Kind kind() {
        return kind;
    }

    /** {@return the longest time to a reset that was seen, in seconds} */
    double length() {
        return window;
    }

    boolean isKnown() {
        return !Double.isNaN(lowest);
    }

    /** A count contains what own requests took. */
    void took(double units) {
        own = Math.max(0, own + units);
    }

    /**
     * Reads a count with a reset.
     *
     * @param wire units that are on the wire
     * @param quickest about the quickest round trip of late, in nanoseconds; negative if this is not the answer to an
     *     own request
     */
    void read(Reading r, double wire, long quickest) {
        kind = kind == Kind.ASSUMED ? Kind.UNKNOWN : kind;
        learnLimit(r);
        window = r.length > 0 ? Math.min(r.length, LONGEST_SECONDS) : window;
        boolean past = secondsLeft(r.now) <= 0;
        boolean leftBefore = past && r.admittedAt - resetAt < 0;
        if (r.reset == 0 && isRoundedDown(r)) {
            bias = Math.max(bias, 1);
        }
        double left = Math.min(r.reset, 366 * LONGEST_SECONDS) + bias;
        long at = r.now + Nanos.ofSeconds(left);
        double later = (at - toldAt) / 1e9;
        if (!isKnown()) {
            begin(r, at, false);
        } else if (kind == Kind.FIXED && isShort() && r.admittedAt - beganAt < 0) {
            return; // overtaken: it tells of the window before
        } else if (kind == Kind.FIXED && leftBefore && later <= tuning.tolerance && !isFull(r.count)) {
            lower(r); // it reached the server before the reset
        } else if (past && !leftBefore && isStill(r, later)) {
            resetAt = firstHit.late(resetAt, toldAt);
            lower(r);
        } else if (past && later <= tuning.tolerance && r.count <= lowest && left < 0.5 * window) {
            early(r, later);
            lower(r);
        } else if (later < -tuning.tolerance) {
            if (r.admittedAt - lowestAt >= 0) {
                begin(r, at, false);
            }
        } else if (past || later > tuning.tolerance || isNew(r, left, wire)) {
            renewed(r, at, past, wire);
        } else {
            resetAt = at - resetAt < 0 ? at : resetAt;
            toldAt = at - toldAt < 0 ? at : toldAt;
            lower(r);
        }
        if (exact && kind == Kind.FIXED && quickest >= 0 && r.count == r.limit - 1) {
            firstHit.read((at - r.admittedAt) / 1e9, (r.now - r.admittedAt) / 1e9, quickest);
            long end = firstHit.end(r.now, resetAt);
            resetAt = end - resetAt < 0 ? end : resetAt;
        }
        after(r, wire);
    }

    /** {@return seconds until the window ends; negative after that} */
    private double secondsLeft(long now) {
        return (resetAt - now) / 1e9;
    }

    /** {@return whether whole seconds hardly tell one window from the next} */
    private boolean isShort() {
        return window < 2 * tuning.tolerance;
    }

    /**
     * Looks, once in a short window and before the count is read, whether others use it up in spite of the interval of
     * a share.
     *
     * @param target what should remain
     */
    void watchOthers(Reading r, double target) {
        firm &= isShort();
        if (!exact || !isKnown() || !isShort()) {
            return;
        }
        returnsAtOnce |= lowest == 0 && r.admittedAt - lowestAt >= 0 && r.count >= tuning.renewedShare * limit;
        if ((r.now - lookedAt) / 1e9 < window) {
            return;
        }
        lookedAt = r.now;
        usedUp = r.count < NEARLY * target ? Math.min(usedUp + 1, MOST_IN_VAIN) : Math.max(0, usedUp - 1);
        boolean inVain = r.length > 0 ? usedUp >= IN_VAIN : returnsAtOnce && usedUp > IN_VAIN;
        if (inVain && kind == Kind.ROLLING) {
            firm = true;
            kind = Kind.FIXED;
            contention.clear(); // until now there was no line that held this client back
        }
    }

    private void refute() {
        kind = firm ? Kind.FIXED : Kind.ROLLING;
    }

    /**
     * Reads a count of a window whose reset the server does not tell.
     *
     * @param reset seconds until it ends, and {@code length} of the whole window
     * @param renewed whether it is the first count of a new window
     */
    void readLearned(Reading r, double reset, double length, boolean isAssumed, boolean renewed, double wire) {
        learnLimit(r);
        window = length;
        long at = r.now + Nanos.ofSeconds(reset);
        if (renewed || !isKnown()) {
            begin(r, at, isKnown());
        } else {
            resetAt = at;
            toldAt = at;
            lower(r);
        }
        contention.clear();
        kind = isAssumed ? Kind.ASSUMED : Kind.UNKNOWN; // it may begin with the first request: one goes alone and tells
        after(r, wire);
    }

    private void learnLimit(Reading r) {
        limit = r.limit > 0 ? r.limit : Math.max(limit, r.count);
    }

    private void after(Reading r, double wire) {
        long now = r.now;
        contention.held(waited(now));
        readAt = now;
        first = Math.min(first, limit);
        double taken = first - lowest - (own + wire);
        boolean isOneEnough = r.length > 0 || windowsOfOthers >= FEW;
        boolean isSeen = isOneEnough ? taken >= 1 : taken >= 2 && falls >= FEW;
        if (exact && isSeen) {
            sinceOthers = 0;
        }
        part = areOthers() ? Math.min(1, (own + wire + 1) / (limit - lowest + 1)) : 1;
        // Any part of what is on the wire may have been counted: half is the middle. A guessed window takes what is
        // certain.
        others.read(taken, kind == Kind.ASSUMED ? taken : taken + wire / 2, now);
        heldAt = lowest - 1 < line(now) ? heldAt : now;
        boolean isYoung = !isShort() && secondsLeft(now) > window / 2;
        if (isYoung && lowest + FEW < KEPT_TO * commonLine(now)) {
            contention.ignored();
        }
        kept = areOthers() ? others.kept(first - lowest, limit, now) : 0;
    }

    /** {@return for how long the line has held this client back until now, in seconds} */
    private double waited(long now) {
        return readAt - heldAt > 0 ? (now - heldAt) / 1e9 : 0;
    }

    private boolean areOthers() {
        return sinceOthers <= 1;
    }

    /** @param follows whether it follows the window before, in which others may have been seen */
    private void begin(Reading r, long at, boolean follows) {
        window = Math.max(window, Math.min((at - r.now) / 1e9, LONGEST_SECONDS));
        others.begin(window, follows, r.now);
        lookedAt = isKnown() ? lookedAt : r.now;
        beganAt = follows && secondsLeft(r.now) <= 0 ? resetAt : r.now;
        if (follows) {
            int more = first - lowest - own >= 1 ? 1 : -1;
            windowsOfOthers = Math.max(0, Math.min(2 * FEW, windowsOfOthers + more));
            sinceOthers++;
            contention.held(waited(beganAt));
            contention.begin(window, part);
        }
        heldAt = r.now;
        if (!areOthers() || (r.now - beganAt) / 1e9 > window) { // what others did long ago tells nothing
            contention.clear();
        }
        below = r.count >= BEGINNING * limit ? 0 : Double.NaN;
        resetAt = at;
        toldAt = at;
        lowest = r.count;
        lowestAt = r.now;
        first = r.count;
        firstAt = r.now;
        own = 0;
        falls = 0;
    }

    private void lower(Reading r) {
        if (lowest == 0 && !r.isRefused() && r.admittedAt - lowestAt > 0) {
            refute(); // a window with nothing left would not have accepted it
        }
        if (r.count < lowest) {
            falls++;
            lowest = r.count;
            lowestAt = r.now;
            below = Double.isNaN(below) ? below : commonLine(r.now) - lowest;
        }
        double seen = (r.now - firstAt) / 1e9;
        boolean asked = r.isRefused() && r.count == 0 && seen > 1;
        boolean standsStill = falls >= FEW && seen > 3 && window <= 2 * HOUR; // while the count falls
        trusted |= asked || standsStill;
    }

    /** Called when the window was not renewed at its reset, but is to end so many seconds later. */
    private void early(Reading r, double later) {
        // A time that may have been rounded up to a whole second shows no error of the server's clock.
        boolean isRounded = kind == Kind.FIXED && r.reset == Math.rint(r.reset);
        double over = (r.now - resetAt) / 1e9;
        double least = over + Math.max(0.1, 0.5 * over);
        bias = Math.min(bias + (isRounded ? least : Math.max(later, least)), HOUR);
        resetAt += Nanos.ofSeconds(Math.max(later, least));
        toldAt = resetAt;
    }

    /** {@return whether a reset now is a whole second that was rounded down, not one of the window before} */
    private boolean isRoundedDown(Reading r) {
        boolean isPassed = r.now - toldAt >= 0 && r.admittedAt - toldAt < 0; // while the answer was on its way
        boolean isOfThisWindow = r.admittedAt - beganAt >= 0 && (toldAt - r.now) / 1e9 <= tuning.tolerance;
        return !isKnown() || (isOfThisWindow && !isPassed);
    }

    /** {@return whether a window of a usual length goes on: the server tells about the same reset, or refuses} */
    private boolean isStill(Reading r, double later) {
        double usual = firstHit.length();
        boolean isSame = r.isRefused() || later < Math.min(tuning.tolerance, SAME * usual);
        return usual > 0 && isSame && !isFull(r.count);
    }

    /** {@return whether most of what was used has come back if so much is left} */
    private boolean isFull(double count) {
        double used = limit - lowest;
        return used > FEW && count - lowest >= tuning.renewedShare * used;
    }

    /**
     * {@return whether a count belongs to the next window, if it is short: others may have used a part of that already}
     *
     * @param left seconds until that ends
     */
    private boolean isNew(Reading r, double left, double wire) {
        boolean isLater = r.admittedAt - lowestAt >= 0 && left >= tuning.renewedShare * window;
        return isShort() && isLater && (isFull(r.count) || (r.count > lowest + FEW && othersUse(r, wire)));
    }

    /** Called when the reset has passed, or has moved on, or all came back. */
    private void renewed(Reading r, long at, boolean past, double wire) {
        boolean isShort = isShort();
        boolean tooLittle = limit - lowest > FEW && !isFull(r.count + wire);
        boolean standsStill = !isShort && trusted && areOthers();
        boolean usedByOthers = standsStill || ((isShort || past) && othersUse(r, wire)); // before it was seen here
        long end = past ? resetAt : r.now;
        if (kind == Kind.ROLLING || (at - end) / 1e9 < tuning.renewedShare * window) {
            refute();
        } else if (isFull(r.count)) {
            kind = Kind.FIXED;
            trusted = true;
        } else if (!usedByOthers && (!past || (tooLittle && (isShort || kind == Kind.UNKNOWN)))) {
            refute(); // own requests on the wire may have been counted, but do not explain it
        }
        begin(r, at, true);
        if (kind == Kind.FIXED || (tooLittle && usedByOthers)) {
            first = limit;
            firstAt = (r.now - beganAt) / 1e9 < window ? beganAt : r.now;
            own = 1;
        }
    }

    /**
     * {@return whether others, who have used as much of the window before, may have used what is missing of this one}
     * Only where the length is told, and something has come back: a short window looks like a rolling quota that tells
     * when the next unit comes back.
     */
    private boolean othersUse(Reading r, double wire) {
        double theirs = limit - lowest - own;
        boolean isEmpty = r.isRefused() || r.count < LEAST_LEFT * limit;
        return exact && r.length > 0 && !isEmpty && theirs >= tuning.renewedShare * (limit - r.count - wire);
    }

    /** {@return the share of a window that is kept for others} */
    private double reserve() {
        double used = Math.max(0, 1 - lowest / Math.max(1, limit));
        return contention.reserve(surroundings.settings.reserveShared(), used, part);
    }

    /** {@return whether others will have used up the window by then, if they keep to the same line} */
    private boolean isUsedUp(long then) {
        return contention.isSettled() && commonLine(then) < below; // false if that is NaN
    }

    /** {@return how fast the line comes down, in units per second} */
    private double usual() {
        if (kind == Kind.ASSUMED || !exact) {
            return 0;
        }
        if (areOthers() || surroundings.areMany()) {
            return reserve() * limit / Math.max(1e-3, window);
        }
        return surroundings.settings.reserveAlone() * first / Math.max(1e-3, (resetAt - firstAt) / 1e9);
    }

    /** {@return seconds until the line has come down to nothing: a little before the window ends} */
    private double slope(long now) {
        return Math.max(0, secondsLeft(now) - Math.min(LONGEST_END, END * window));
    }

    /** {@return what should be left if others keep to the same line} */
    private double commonLine(long now) {
        return usual() * slope(now);
    }

    /** {@return what should be left, with what others keep using} */
    private double line(long now) {
        return Math.max(commonLine(now), kept * Math.max(0, secondsLeft(now)));
    }

    /** {@return seconds until the line has come down to a count} */
    private double until(double count, long now) {
        if (count < 0) {
            return secondsLeft(now);
        }
        double rate = usual();
        double forLine = rate > 0 ? slope(now) - count / rate : 0;
        double forKept = kept > 0 ? secondsLeft(now) - count / kept : 0;
        return Math.max(0, Math.max(forLine, forKept));
    }

    /** {@return whether this window explains a refusal} */
    boolean explains(double wire) {
        return kind != Kind.ROLLING && lowest - wire < 1;
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
        if (!isKnown()) {
            return now;
        }
        if (secondsLeft(now) <= 0) {
            if (kind != Kind.FIXED || firstHit.isUntried()) {
                long patient = Nanos.later(resetAt, admittedAt) + surroundings.settings.firstPatienceNanos();
                return isAnyOnWire ? Nanos.later(now, patient) : now;
            }
            double mine = Math.min(part, 1.0 / surroundings.processes());
            double fresh = limit * (1 - reserve()) * mine - wire;
            boolean isAnyNew = isAnyOnWire && admittedAt - resetAt >= 0; // whose answer tells of the new window
            return fresh >= need || !isAnyNew ? now : RateController.UNTIL_SIGNAL;
        }
        double usable = isUsedUp(now) ? 0 : lowest - line(now);
        if (usable - wire >= need) {
            return now;
        }
        if (isAnyOnWire && usable >= need) {
            return RateController.UNTIL_SIGNAL;
        }
        double wait = until(lowest - wire - need, now);
        wait = isUsedUp(now + Nanos.ofSeconds(wait)) ? secondsLeft(now) : wait;
        double most = Math.max(trusted ? HOUR : 0, surroundings.settings.maxResetWait());
        if (kind == Kind.ASSUMED) {
            most = Math.max(surroundings.settings.firstPatienceNanos(), (readAt - heldAt) / 10) / 1e9;
        }
        double asked = most - (now - readAt) / 1e9;
        if (asked < wait && isAnyOnWire) {
            return RateController.UNTIL_SIGNAL;
        }
        return now + Nanos.ofSeconds(Math.min(wait, asked));
    }

    /** {@return how many units are left, in words} */
    static String left(double units) {
        long whole = (long) Math.max(0, units);
        return whole + (whole == 1 ? " is left" : " are left");
    }

    /** {@return what is left and when it ends, in words} */
    String explain(long now) {
        if (secondsLeft(now) <= 0) {
            return "it has ended, and the next response tells of the new one";
        }
        String seen =
                kind == Kind.ASSUMED ? ", which is a guess" : kind == Kind.FIXED ? "" : ", which was not seen yet";
        return left(lowest) + ", and it ends in " + DurationText.spoken(secondsLeft(now)) + seen;
    }

    /** {@return requests that may be used now} */
    double usable(long now) {
        return secondsLeft(now) <= 0 ? limit : lowest - line(now);
    }
}
