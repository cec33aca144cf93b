package dev.throttle.control.quota;

import dev.throttle.control.RateController;
import dev.throttle.control.RateLimit.Load;
import dev.throttle.internal.Nanos;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Demand;
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
 *   a request may go if   level(t)  >=  what it will take, and a stock for those behind it
 * </pre>
 *
 * <p>What comes back is known: for a bucket the server tells when it is full again, for a window when it begins anew;
 * which of the two it is shows in whether that moment moves on as units are spent. What a request takes is what it was
 * estimated to take times the ratio that estimates have turned out to be wrong by; without an estimate, what others
 * have taken. Both are learned, as mean and spread, from how far the count falls from one answer to the next and from
 * what requests are settled with, so the margin is small where requests are alike.
 *
 * <p>Some servers book what a request takes when its answer ends: {@link Booking} finds that out, and {@link UnitLevel}
 * works out what is left by then.
 *
 * <p>A bucket is kept as full as it can be without losing what comes back: as full as what is on the wire is uncertain.
 * Without callers that wait nothing is kept, so that the last calls of a program use it up. Where others use the same
 * bucket, {@link UnitCrowd} decides.
 *
 * <p>A refusal that says when there is enough tells exactly what its request takes, which then waits for as much.
 */
final class UnitLaw {

    private static final int GIVE_UP_AFTER = 16;
    /** No more are on the wire until it is known of so many what they take. */
    private static final int FIRST_FLIGHT = 7;
    /** After so many the start is over, even if the count has told nothing of what they took. */
    private static final int ENOUGH_TOLD = 64;

    private static final int KNOWN = 8;
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
    private final Booking booking = new Booking(costs);
    private final CostFalls falls = new CostFalls(ledger, costs, booking);
    private final UnitRefill refill = new UnitRefill();
    private final UnitLevel levels = new UnitLevel(ledger, costs, booking, refill);
    private final UnitNeed needs = new UnitNeed(costs, booking, refill);
    private final RefusedCost refusedCost;
    private UnitCrowd crowd = new UnitCrowd();

    private int silent;
    /** Whether the heads of answers tell of it, and not bodies alone. */
    private boolean isInHeaders;

    private boolean known;
    private long knownAt;
    private double limit = Double.NaN;
    private double count;
    /** What the last answer told, even if a newer one had come before it. */
    private double lastTold;

    private long readAt;
    private long readOf;
    /** How long a request is on its way to the server, as far as the fastest answers show. */
    private long way;

    private long lastAt;
    private long lastId;
    /** What the last request was estimated to take that had not been refused before. */
    private double usual = CostLedger.UNKNOWN;

    /** Requests that the server has told of. */
    private int requestsTold;

    /** Whether the present window has refused one that might well have fitted. */
    private boolean tried;

    UnitLaw(PacingSettings settings, RandomGenerator random, Quota quota) {
        this.settings = settings;
        this.random = random;
        this.unit = quota.unit();
        this.policy = quota.policy();
        this.partition = quota.partition();
        this.refusedCost = new RefusedCost(unit, costs, refill, booking);
    }

    boolean isOf(Quota quota) {
        return unit.equals(quota.unit())
                && Objects.equals(policy, quota.policy())
                && Objects.equals(partition, quota.partition());
    }

    /** Called with a response that does not mention this quota; {@return whether the quota is forgotten} */
    boolean missing() {
        return isInHeaders && ++silent > GIVE_UP_AFTER;
    }

    void admitted(Cost cost, long id, long now) {
        double asked = asked(cost);
        boolean exact = costs.isExact(asked);
        ledger.admit(asked, exact, id, now);
        costs.asks(asked);
        usual = exact ? usual : asked;
        lastAt = now;
        lastId = id;
        crowd.admitted(id, now);
        needs.admitted();
    }

    private double asked(Cost cost) {
        return cost.has(unit) ? cost.amount(unit) : CostLedger.UNKNOWN;
    }

    /** Called when a request has ended that the server may have counted. */
    void ended(long id, long now) {
        ledger.end(id, now);
    }

    /** Called when a request has ended that the server has not counted. */
    void forget(long id) {
        ledger.forget(id);
        crowd.release(id);
    }

    void settled(Cost admitted, Cost actual, long id, long now) {
        if (actual.has(unit)) {
            double asked = asked(admitted);
            double truth = actual.amount(unit);
            ledger.settle(id, truth, now);
            crowd.settled(truth);
            if (!costs.isExact(asked)) {
                costs.settled(asked, truth);
            }
        }
    }

    /** A refusal told what its request would take, which was taken for a cost. */
    void told(Demand demand, Cost cost) {
        if (unit.equals(demand.unit())) {
            costs.toldExactly(asked(cost), (double) demand.requested());
        }
    }

    void read(Quota quota, boolean refused, boolean answered, @Nullable Duration retryAfter, Load load, long now) {
        isInHeaders |= answered;
        Long units = quota.spendable();
        if (units == null) {
            return;
        }
        silent = 0;
        needs.read(load);
        double remaining = units;
        lastTold = remaining;
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
            costs.asks(asked(load.cost()));
            ledger.admit(asked(load.cost()), false, load.permitId(), load.admittedAtNanos());
            ledger.end(load.permitId(), now);
        }
        int toldNow = 0;
        if (!older) {
            CostLedger.Sum told = falls.tell(load.admittedAtNanos());
            crowd.told(told.count, told.known);
            toldNow = told.count;
            requestsTold = Math.min(ENOUGH_TOLD, requestsTold + told.count);
            readOf = load.admittedAtNanos();
        }
        tried = refused || (tried && remaining <= count);
        if (!near || remaining < expected) { // of two that came at almost the same time the lower one is the later one
            if (known && !renewed && booking.isAtArrival()) {
                crowd.fell(expected - remaining, limit);
            }
            count = remaining;
            readAt = toldAt;
            crowd.read(count, refused);
        }
        if (refused) {
            boolean says = retryAfter != null;
            double missing = says ? refill.rate() * Instants.seconds(retryAfter) : costs.mean(asked(load.cost()));
            crowd.refused(Math.min(limit, missing));
        }
        boolean before = booking.isAtArrival();
        double unexplained = falls.read(
                count, limit, refill, readAt, way, !near && !ledger.isCrowdedAt(load.admittedAtNanos(), slack));
        if (before != booking.isAtArrival()) {
            crowd = new UnitCrowd();
            crowd.admitted(lastId, lastAt);
        } else if (!before) {
            crowd.fell(unexplained + costs.truth(CostLedger.UNKNOWN) * toldNow, limit);
        }
        knownAt = known ? knownAt : now;
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

    /** {@return how long a request stands aside that was refused, so many times in a row} */
    long standAsideNanos(int refusals) {
        long aside = crowd.asideNanos(refusals, needs.waiting(), random.nextDouble());
        return Math.min(aside, Nanos.ofSeconds(settings.maxInterval()));
    }

    private double level(long now, double untold) {
        if (refill.isWindow()) {
            return (now - refill.resetAt() >= 0 ? limit : count) - untold;
        }
        return levels.onArrival(count, readAt, way, limit, now);
    }

    /** {@return whether this quota explains a refusal} */
    boolean explains(Cost cost) {
        double asked = asked(cost);
        return known && lastTold < Math.max(costs.high(asked, PLAUSIBLE), levels.needed(asked, limit));
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
        boolean window = refill.isWindow();
        boolean sure = refill.isBucket() && refill.isSure();
        if (crowd.isThere(costs.mean(guess), sure ? refill.rate() : 0, limit)) {
            double most = settings.maxInterval();
            long due = crowd.dueNanos(count, sum.known + guessed, exact ? asked : 0, readAt - way, most);
            return Instants.later(now, due);
        }
        boolean first = requestsTold < ENOUGH_TOLD && costs.weight(asked) < KNOWN;
        if (!window && first && sum.count >= FIRST_FLIGHT && wire > 0) {
            long next = nextFlightNanos(sum.count / FIRST_FLIGHT);
            if (next == RateController.UNTIL_SIGNAL || next - now > 0) {
                return next;
            }
        }
        double need = needs.of(asked, guess, guessed, sum.count, way, limit) + ahead(ahead);
        double settled = window ? level : levels.onSettlement(now);
        double missing = Math.max(need - settled, levels.needed(asked, limit) - level);
        return missing > 0 && !mayBeTheLast(level, asked) ? wait(missing, wire, now) : now;
    }

    /** {@return when so many flights are over} In the time that fills a bucket one more may go. */
    private long nextFlightNanos(int flights) {
        return refill.rate() > 0
                ? knownAt + Nanos.ofSeconds(flights * limit / refill.rate())
                : RateController.UNTIL_SIGNAL;
    }

    /**
     * {@return whether to try a request that probably fits} One is tried while no other is on its way, because the end
     * of the window may be far away.
     */
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
        if (refill.rate() <= 0) { // the refill is unknown: one request goes at the reset, or now and then
            long asked = lastAt - readAt > 0 ? lastAt : readAt;
            if (refill.isResetTold() && refill.resetAt() - now > 0) {
                return asked + Math.min(refill.resetAt() - asked, Nanos.ofSeconds(LONGEST_RESET));
            }
            return wire > 0 ? RateController.UNTIL_SIGNAL : asked + Nanos.ofSeconds(ASK_AGAIN);
        }
        double most = settings.maxInterval() - (now - readAt) / 1e9;
        return now + Nanos.ofSeconds(Math.max(0, Math.min(missing / refill.rate(), most)));
    }
}
