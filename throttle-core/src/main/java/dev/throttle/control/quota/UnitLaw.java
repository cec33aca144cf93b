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
 *   and since the last one   t - t'  >=  what that took / (refill * (level(t) / 0.5 limit)^4)
 * </pre>
 *
 * <p>What comes back is known: for a bucket the server tells when it is full again, for a window when it begins anew;
 * which of the two it is shows in whether that moment moves on as units are spent. What a request takes is what it was
 * estimated to take times the ratio that estimates have turned out to be wrong by; without an estimate, what others
 * have taken. Both are learned, as mean and spread, from how far the count falls from one answer to the next and from
 * what requests are settled with, so the margin is small where requests are alike.
 *
 * <p>The second rule spaces requests the more the less is left. It is the same curve for all clients, and keeps more of
 * the limit where the count falls by more than own requests take: others are there then.
 *
 * <p>A refusal that says when there is enough tells exactly what its request takes, which then waits for as much.
 */
final class UnitLaw {

    private static final int GIVE_UP_AFTER = 16;
    /** How sure it is that a request fits, in standard deviations. */
    private static final double MARGIN = 2.2;
    /** No more than this share of the limit is kept free for a request that is larger than most. */
    private static final double CAUTION = 0.75;
    /** A lone client keeps this share of the limit, when requests are small. */
    private static final double STOCK = 0.5;
    /** By how much each of these is more for a client that is not alone. */
    private static final double MORE_MARGIN = 0.8;

    private static final double MORE_CAUTION = 0.2;
    private static final double MORE_STOCK = 0.7;
    /** No pace is slower than at this share of {@link #STOCK}. */
    private static final double FLOOR = 0.4;
    /** How long an answer is awaited that tells what a request took, in seconds. */
    private static final double LONGEST_STREAM = 600;
    /** The time between two questions, where nothing tells when more comes back, in seconds. */
    private static final double ASK_AGAIN = 1;
    /** The longest wait for the end of a window without a question in between, in seconds. */
    private static final double LONGEST_RESET = 3600;
    /** Requests whose costs have a smaller spread are similar, as far as a few of them tell. */
    private static final double SIMILAR = 0.3;
    /** Counts are whole numbers. */
    private static final double ROUNDING = 0.999;
    /** Requests this share of their way apart may reach the server in another order. */
    private static final double NEAR = 0.2;

    private static final long NEAR_NANOS = 200_000_000;
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
    private final CostFalls falls = new CostFalls(ledger, costs);
    private final UnitRefill refill = new UnitRefill();
    private final RefusedCost refusedCost;

    private int silent;
    /** Whether the heads of answers tell of it, and not bodies alone. */
    private boolean isInHeaders;

    private boolean known;
    private double limit = Double.NaN;
    private double count;
    private long readAt;
    private long readOf;
    /** How long a request is on its way to the server, as far as the fastest answers show. */
    private long way;

    private long lastAt;
    private double lastTaken;
    /** How many others there seem to be, from 0 to 1. */
    private double company;
    /** What the last request was estimated to take that had not been refused before. */
    private double usual = CostLedger.UNKNOWN;

    private boolean paced;
    /** Whether the present window has refused one that might well have fitted. */
    private boolean tried;

    UnitLaw(PacingSettings settings, RandomGenerator random, Quota quota) {
        this.settings = settings;
        this.random = random;
        this.unit = quota.unit();
        this.policy = quota.policy();
        this.partition = quota.partition();
        this.refusedCost = new RefusedCost(unit, costs, refill);
    }

    boolean isOf(Quota quota) {
        return unit.equals(quota.unit())
                && Objects.equals(policy, quota.policy())
                && Objects.equals(partition, quota.partition());
    }

    /** An answer that does not tell of this quota; {@return whether it is forgotten} */
    boolean missing() {
        return isInHeaders && ++silent > GIVE_UP_AFTER;
    }

    void admitted(Cost cost, long now) {
        double asked = asked(cost);
        boolean exact = costs.isExact(asked);
        ledger.admit(asked, exact, now);
        usual = exact ? usual : asked;
        paced = refill.isSure() && refill.isBucket();
        lastAt = now;
        double taken = costs.mean(asked);
        lastTaken =
                (taken <= limit ? taken : known ? limit : 0) * (1 + settings.jitter() * (2 * random.nextDouble() - 1));
    }

    private double asked(Cost cost) {
        return cost.has(unit) ? cost.amount(unit) : CostLedger.UNKNOWN;
    }

    /** A request has ended that the server may have counted. */
    void ended(long admittedAt) {
        ledger.end(admittedAt);
    }

    /** A request has ended that the server has not counted. One that it refused keeps the next one at its distance. */
    void forget(long admittedAt, boolean isUnsent) {
        ledger.forget(admittedAt);
        if (isUnsent && admittedAt == lastAt) {
            lastTaken = 0;
        }
    }

    void settled(Cost admitted, Cost actual, long admittedAt) {
        if (actual.has(unit)) {
            double asked = asked(admitted);
            double truth = actual.amount(unit);
            ledger.settle(admittedAt, truth);
            if (admittedAt == lastAt) {
                lastTaken = Math.min(lastTaken, truth);
            }
            if (!costs.isExact(asked)) {
                costs.settled(asked, truth);
            }
        }
    }

    void read(Quota quota, boolean refused, boolean answered, @Nullable Duration retryAfter, Load load, long now) {
        isInHeaders |= answered;
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
        double reset = Instants.seconds(quota.reset());
        refusedCost.forget();
        if (refused) {
            refusedCost.read(asked(load.cost()), remaining, limit, Instants.seconds(retryAfter));
        }
        long half = (now - load.admittedAtNanos()) / 2; // the server spoke somewhere between request and answer
        long toldAt = now - half;
        way = known ? Math.min(half, way + (half - way) / 64) : half;
        long slack = Math.min(NEAR_NANOS, (long) (NEAR * way));
        boolean renewed = refill.isWindow() && toldAt - refill.resetAt() >= -slack;
        boolean near = known && !renewed && Math.abs(toldAt - readAt) <= slack;
        double expected = known ? Math.min(limit, refill.after(count, (toldAt - readAt) / 1e9)) : limit;
        boolean older = known && load.admittedAtNanos() - readOf < 0;
        if (older && !(near && remaining < expected)) {
            return; // it was overtaken by a newer one
        }
        refill.read(remaining, limit, reset, Instants.seconds(quota.window()), toldAt);
        if (remaining == 0 && refill.isBucket() && reset * refill.rate() > limit) {
            remaining = limit - reset * refill.rate(); // a debt
        }
        if (!known && !refused) { // it left before this law was there
            ledger.admit(asked(load.cost()), false, load.admittedAtNanos());
            ledger.end(load.admittedAtNanos());
        }
        if (!older) {
            falls.tell(load.admittedAtNanos());
            readOf = load.admittedAtNanos();
        }
        tried = refused || (tried && remaining <= count);
        if (!near || remaining < expected) { // of two that came at almost the same time the lower one is the later one
            count = remaining;
            readAt = toldAt;
        }
        falls.read(count, limit, refill, readAt, !near && !ledger.isCrowdedAt(load.admittedAtNanos(), slack));
        ledger.compact(now - Nanos.ofSeconds(LONGEST_STREAM));
        known = true;
    }

    /**
     * {@return what a request takes that was refused last}
     *
     * @param silent whether the refusal has not said when to come back: then it takes more than what is left
     */
    Cost costAfterRefusal(Cost cost, boolean silent) {
        if (silent && refill.isBucket() && refill.isSure() && explains(cost)) {
            refusedCost.readSilent(asked(cost), count, limit);
        }
        return refusedCost.of(cost);
    }

    /** {@return when the own pace lets the next one go} */
    private long pacedAt(long now) {
        double low = Instants.secondsSince(lastAt, now);
        // The level only rises until then, so it is not later than at the present level.
        ledger.untold(sum);
        double untold = sum.known + costs.mean(sum);
        double high = Math.min(neededAt(low, untold), settings.maxInterval());
        if (!(high > low)) {
            return now;
        }
        for (int i = 0; i < STEPS; i++) {
            double mid = (low + high) / 2;
            if (neededAt(mid, untold) <= mid) {
                high = mid;
            } else {
                low = mid;
            }
        }
        return lastAt + Nanos.ofSeconds(high);
    }

    /** {@return how many seconds after the last one the next one may go, at the level of a time} */
    private double neededAt(double elapsed, double untold) {
        double level = level(lastAt + Nanos.ofSeconds(elapsed), untold);
        double stock = Math.max(FLOOR, level / ((STOCK + MORE_STOCK * company) * limit));
        return lastTaken / (refill.rate() * stock * stock * stock * stock);
    }

    private double level(long now, double untold) {
        if (refill.isWindow()) {
            return (now - refill.resetAt() >= 0 ? limit : count) - untold;
        }
        return Math.min(limit, count - untold + refill.rate() * Instants.secondsSince(readAt, now + way));
    }

    /** {@return whether it says why a request was refused} */
    boolean explains(Cost cost) {
        return known && count < costs.high(asked(cost), PLAUSIBLE);
    }

    long dueNanos(Cost ahead, Cost cost, int wire, long now) {
        if (!known) {
            return now;
        }
        ledger.untold(sum);
        double guessed = costs.mean(sum);
        double level = level(now, sum.known + guessed);
        double asked = asked(cost);
        boolean exact = costs.isExact(asked);
        double guess = exact ? usual : asked;
        company = costs.company(guess);
        double high = Math.max(costs.high(guess, MARGIN + MORE_MARGIN * company), exact ? asked : 0);
        double spread = costs.spread(guess);
        double unsure = guessed * spread / Math.sqrt(Math.max(1, sum.count));
        double cap = (CAUTION + MORE_CAUTION * company) * limit - unsure;
        double mean = costs.mean(asked);
        double least = !exact && costs.isDoubtful(asked) ? Math.min(mean, CAUTION * limit) : mean;
        double need = Math.min(limit, Math.max(least, Math.min(high, cap))) + ahead(ahead);
        long due = now;
        if (level < need && !mayBeTheLast(level, asked)) {
            due = wait(need - level, wire, now);
        }
        if (paced && !refill.isWindow() && due != RateController.UNTIL_SIGNAL) {
            due = Instants.later(due, pacedAt(now));
        }
        return due;
    }

    /** Who waits for the end of a window waits long: one that probably fits, while no other is on its way, is tried. */
    private boolean mayBeTheLast(double level, double asked) {
        double margin = costs.spread(asked) < SIMILAR ? 0 : 1;
        return refill.isWindow() && !tried && sum.count == 0 && level >= ROUNDING * costs.high(asked, margin);
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
        if (refill.isWindow()) {
            double most = LONGEST_RESET - (now - readAt) / 1e9;
            double left = Math.min((refill.resetAt() - now) / 1e9, most);
            if (left <= 0) { // an answer tells what the new window holds
                return wire > 0 ? RateController.UNTIL_SIGNAL : now;
            }
            return now + Nanos.ofSeconds(left);
        }
        if (refill.rate() <= 0) { // nobody knows how fast it comes back: one asks at the reset, or now and then
            if (refill.isResetTold() && refill.resetAt() - now > 0) {
                return now + Math.min(refill.resetAt() - now, Nanos.ofSeconds(LONGEST_RESET));
            }
            long asked = lastAt - readAt > 0 ? lastAt : readAt;
            return wire > 0 ? RateController.UNTIL_SIGNAL : asked + Nanos.ofSeconds(ASK_AGAIN);
        }
        double most = settings.maxInterval() - (now - readAt) / 1e9;
        return now + Nanos.ofSeconds(Math.max(0, Math.min(missing / refill.rate(), most)));
    }
}
