package dev.throttle.control.quota;

import dev.throttle.control.RateController;
import dev.throttle.control.RateController.Load;
import dev.throttle.internal.Nanos;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Quota;
import java.time.Duration;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A quota of which requests take different amounts: tokens, points, bytes.
 *
 * <pre>
 *   level(t)  =  what remained when the server told last  +  what comes back until the request arrives
 *                -  own requests that it had not seen yet
 *   a request may go if   level(t)  >=  what it will take, with a margin
 *   and since the last one   t - t'  >=  what that took / (refill * (level(t) / 0.5 limit)^2)
 * </pre>
 *
 * <p>What comes back is known: for a bucket the server tells when it is full again, for a window when it begins anew;
 * which of the two it is shows in whether that moment moves on as units are spent. What a request takes is what it was
 * estimated to take times the ratio that estimates have turned out to be wrong by; without an estimate, what others
 * have taken. Both are learned, as mean and spread, from how far the count falls from one answer to the next and from
 * what requests are settled with, so the margin is small where requests are alike.
 *
 * <p>The second rule spaces requests the more the less is left. It is the same curve for all clients. The fall of the
 * count between two own requests is larger where others are there, and counts as the own request's in that rule.
 */
final class UnitLaw {

    private static final int GIVE_UP_AFTER = 16;
    /** How sure it is that a request fits, in standard deviations. */
    private static final double MARGIN = 2.2;
    /** No more than this share of the limit is kept free for a request that is larger than most. */
    private static final double CAUTION = 0.75;
    /** A lone client keeps this share of the limit, when requests are small. */
    private static final double STOCK = 0.5;
    /** No pace is slower than at this share of {@link #STOCK}. */
    private static final double FLOOR = 0.15;
    /** How long an answer is awaited that tells what a request took, in seconds. */
    private static final double LONGEST_STREAM = 600;
    /** The time between two questions, where nothing tells when more comes back, in seconds. */
    private static final double ASK_AGAIN = 1;
    /** The longest wait for the end of a window without a question in between, in seconds. */
    private static final double LONGEST_RESET = 3600;
    /** Halvings of the time in which a pace is looked for. */
    private static final int STEPS = 12;
    /** What a request may well have taken, in standard deviations. */
    private static final double PLAUSIBLE = 3.5;

    private final PacingSettings settings;
    private final RandomGenerator random;
    private final String unit;
    private final @Nullable String policy;
    private final @Nullable String partition;
    private final CostLedger ledger = new CostLedger();
    private final CostLedger.Sum sum = new CostLedger.Sum();
    private final CostModel costs = new CostModel();

    private int silent;
    private boolean known;
    private double limit = Double.NaN;
    private double count;
    private long readAt;
    private long readOf;
    /** How long a request is on its way to the server, as far as the fastest answers show. */
    private long way;

    /** Units per second that come back; 0 if that is not known. */
    private double rate;

    private double errorAsBucket;
    private double errorAsWindow;
    private double toldReset = Double.NaN;
    private long resetAt;

    private long lastAt;
    private double lastTaken;
    private boolean paced;

    UnitLaw(PacingSettings settings, RandomGenerator random, Quota quota) {
        this.settings = settings;
        this.random = random;
        this.unit = quota.unit();
        this.policy = quota.policy();
        this.partition = quota.partition();
    }

    boolean isOf(Quota quota) {
        return unit.equals(quota.unit())
                && Objects.equals(policy, quota.policy())
                && Objects.equals(partition, quota.partition());
    }

    /** An answer that does not tell of this quota; {@return whether it is forgotten} */
    boolean missing() {
        return ++silent > GIVE_UP_AFTER;
    }

    void admitted(Cost cost, long now) {
        double asked = asked(cost);
        ledger.admit(asked, now);
        paced = rate > 0 && known && !isWindow();
        lastAt = now;
        lastTaken = costs.apparent(asked) * (1 + settings.jitter() * (2 * random.nextDouble() - 1));
    }

    private double asked(Cost cost) {
        return cost.has(unit) ? cost.amount(unit) : CostLedger.UNKNOWN;
    }

    /** A request has ended that the server may have counted. */
    void ended(long admittedAt) {
        ledger.end(admittedAt);
    }

    /** A request has ended that the server has not counted. */
    void forget(long admittedAt) {
        ledger.forget(admittedAt);
    }

    void settled(Cost admitted, Cost actual, long admittedAt) {
        if (actual.has(unit)) {
            double asked = asked(admitted);
            double truth = actual.amount(unit);
            ledger.settle(admittedAt, truth);
            if (admittedAt == lastAt) {
                lastTaken = Math.min(lastTaken, truth);
            }
            costs.settled(asked, truth);
        }
    }

    void read(Quota quota, boolean refused, @Nullable Duration retryAfter, Load load, long now) {
        Long units = quota.spendable();
        if (units == null) {
            return;
        }
        silent = 0;
        double remaining = units;
        if (quota.limit() != null && quota.limit() > 0) {
            limit = quota.limit();
        } else if (!(limit >= remaining)) {
            limit = remaining;
        }
        double reset = seconds(quota.reset());
        if (known && load.admittedAtNanos() - readOf < 0) {
            return; // it was overtaken by a newer one
        }
        // The server spoke somewhere between request and answer.
        long half = (now - load.admittedAtNanos()) / 2;
        long toldAt = now - half;
        way = known ? Math.min(half, way + (half - way) / 64) : half;
        learnRefill(remaining, reset, seconds(quota.window()), toldAt);
        if (remaining == 0 && rate > 0 && !isWindow() && reset * rate > limit) {
            remaining = limit - reset * rate; // a debt
        }
        learnCosts(remaining, load, toldAt);
        if (refused && retryAfter != null && rate > 0 && !isWindow()) {
            double took = remaining + rate * Nanos.toSeconds(Nanos.of(retryAfter));
            costs.seen(asked(load.cost()), took);
        }
        count = remaining;
        readAt = toldAt;
        readOf = load.admittedAtNanos();
        known = true;
    }

    /** A bucket is full after a time that grows with what is missing; a window ends when it ends. */
    private void learnRefill(double remaining, double reset, double length, long now) {
        if (!(reset >= 0)) {
            rate = length > 0 ? limit / length : rate;
            return;
        }
        double missing = limit - remaining;
        if (known && toldReset >= 0) {
            double passed = (now - readAt) / 1e9;
            double asBucket = rate > 0 ? Math.abs(missing / rate - reset) : 0;
            double asWindow = toldReset - passed < 0 ? asBucket : Math.abs(toldReset - passed - reset);
            errorAsBucket = 0.8 * errorAsBucket + asBucket;
            errorAsWindow = 0.8 * errorAsWindow + asWindow;
        }
        if (reset > 0 && missing > 0 && remaining > 0) {
            double told = missing / reset;
            double share = reset == Math.rint(reset) ? Math.min(0.2, reset / 100) : 0.2; // whole seconds are rounded
            rate = rate == 0 || !known ? told : rate + share * (told - rate);
        }
        toldReset = reset;
        resetAt = now + Nanos.ofSeconds(reset);
    }

    boolean isWindow() {
        return errorAsWindow < 0.5 * errorAsBucket;
    }

    /** What the count fell by is what the requests took that it tells of, and what others took. */
    private void learnCosts(double remaining, Load load, long now) {
        ledger.tell(load.admittedAtNanos(), sum);
        double passed = known ? secondsSince(readAt, now) : 0;
        double fall = known ? (isWindow() ? count : count + rate * passed) - remaining : limit - remaining;
        boolean full = known && (isWindow() ? now - resetAt >= 0 : count + rate * passed > limit);
        if (full) { // what came back beyond the limit is lost; how much that was can be guessed
            double expected = sum.known + sumOfMeans();
            fall = isWindow() ? Double.NaN : Math.min(limit + expected, count + rate * passed) - remaining;
        }
        if (sum.count > 0) {
            costs.fell(fall, sum, known);
        }
        ledger.compact(now - Nanos.ofSeconds(LONGEST_STREAM));
    }

    /** {@return when the own pace lets the next one go} */
    private long pacedAt(long now) {
        double low = secondsSince(lastAt, now);
        // The level only rises until then, so it is not later than at the present level.
        double high = Math.min(neededAt(low), low + settings.maxInterval());
        if (high <= low) {
            return now;
        }
        for (int i = 0; i < STEPS; i++) {
            double mid = (low + high) / 2;
            if (neededAt(mid) <= mid) {
                high = mid;
            } else {
                low = mid;
            }
        }
        return lastAt + Nanos.ofSeconds(high);
    }

    /** {@return how many seconds after the last one the next one may go, at the level of a time} */
    private double neededAt(double elapsed) {
        double level = level(lastAt + Nanos.ofSeconds(elapsed));
        double stock = Math.max(FLOOR, level / (STOCK * limit));
        return lastTaken / (rate * stock * stock);
    }

    private double level(long now) {
        ledger.untold(sum);
        double untold = sum.known + sumOfMeans();
        if (isWindow()) {
            return (now - resetAt >= 0 ? limit : count) - untold;
        }
        return Math.min(limit, count - untold + rate * secondsSince(readAt, now + way));
    }

    private double sumOfMeans() {
        return (sum.estimated == 0 ? 0 : costs.mean(sum.estimated))
                + (sum.unknown == 0 ? 0 : sum.unknown * costs.mean(CostLedger.UNKNOWN));
    }

    private static double seconds(@Nullable Duration duration) {
        return duration == null ? Double.NaN : Nanos.toSeconds(Nanos.of(duration));
    }

    private static double secondsSince(long then, long now) {
        return Math.max(0, (now - then) / 1e9);
    }

    /** {@return whether it says why a request was refused} */
    boolean explains(Cost cost) {
        return known && count < costs.high(asked(cost), PLAUSIBLE);
    }

    long dueNanos(Cost ahead, Cost cost, int wire, long now) {
        if (!known) {
            return now;
        }
        double level = level(now);
        double untold = sum.estimated + sum.unknown == 0 ? 0 : sumOfMeans();
        double asked = asked(cost);
        double high = costs.high(asked, MARGIN);
        double spread = costs.spread(asked);
        double unsure = untold * spread / Math.sqrt(Math.max(1, sum.count));
        double cap = CAUTION * limit - unsure;
        double mean = costs.mean(asked);
        double least = costs.isDoubtful(asked) ? Math.min(mean, CAUTION * limit) : mean;
        double need = Math.min(limit, Math.max(least, Math.min(high, cap))) + ahead(ahead);
        long due = now;
        if (level < need) {
            due = wait(need - level, wire, now);
        }
        if (paced && due != RateController.UNTIL_SIGNAL) {
            due = Instants.later(due, pacedAt(now));
        }
        return due;
    }

    private double ahead(Cost ahead) {
        if (ahead.requests() == 0) {
            return 0;
        }
        return ahead.has(unit)
                ? costs.mean((double) ahead.amount(unit))
                : ahead.requests() * costs.mean(CostLedger.UNKNOWN);
    }

    private long wait(double missing, int wire, long now) {
        if (isWindow()) {
            double most = LONGEST_RESET - (now - readAt) / 1e9;
            return now + Nanos.ofSeconds(Math.max(0, Math.min((resetAt - now) / 1e9, most)));
        }
        if (rate <= 0) { // nobody knows when more comes back: one asks now and then
            long asked = lastAt - readAt > 0 ? lastAt : readAt;
            return wire > 0 ? RateController.UNTIL_SIGNAL : asked + Nanos.ofSeconds(ASK_AGAIN);
        }
        double most = settings.maxInterval() - (now - readAt) / 1e9;
        return now + Nanos.ofSeconds(Math.max(0, Math.min(missing / rate, most)));
    }
}
