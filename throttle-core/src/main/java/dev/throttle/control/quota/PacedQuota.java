package dev.throttle.control.quota;

import dev.throttle.control.RateController;
import dev.throttle.control.RateLimit.Load;
import dev.throttle.control.Scope;
import dev.throttle.internal.DurationText;
import dev.throttle.internal.Nanos;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Demand;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One quota of the server: what it may be, what this client has taken of it, and when a request may go. */
final class PacedQuota {

    /** What it is taken for. */
    private enum Kind {
        WINDOW,
        SLIDING,
        BUCKET,
        /** Others use it, too: what remains is a price, whatever the server is. */
        SHARED
    }

    /** Who uses it, as far as that shows. */
    private enum Users {
        THIS_ONE,
        /** A sliding window accounts for all that was used. If it is refuted, there are others. */
        THIS_ONE_BY_SLIDING,
        /** There may be others: they were not seen. */
        PERHAPS_OTHERS,
        OTHERS
    }

    private static final int GIVE_UP_AFTER = 16;
    /** The share of what is left that is taken without knowing what a reset has brought. */
    private static final double AMPLE = 0.5;
    /** How long an answer is awaited that tells what a request took, in seconds. */
    private static final double LONGEST_STREAM = 600;
    /** Requests this share of their way apart may reach the server in another order. */
    private static final double NEAR = 0.2;

    /** Even on a short way they overtake each other by so much. */
    private static final long LEAST_NEAR_NANOS = 5_000_000;

    private static final long NEAR_NANOS = 200_000_000;
    /** What a request may well have taken, in standard deviations. */
    private static final double PLAUSIBLE = 3.5;

    private static final int FEW = 3;
    /** A newcomer that finds more than this of an untold limit takes the quota for its own. */
    private static final int PLENTY = 18;
    /** Stands for the round trip of what is no answer to an own request. */
    private static final long NOT_OWN = -1;
    /** No permit. */
    private static final long NONE = -1;
    /** More sharers are not believed at first. */
    private static final int MOST_SHARERS = 20;

    private static final double STOCK_SECONDS = 3600;
    /** A quota whose reset was this far away is a window. */
    private static final double LONG_SECONDS = 900;
    /**
     * Where little is left, newcomers of a fleet spread their first requests over this share of the interval. If they
     * took more time, the count would rise meanwhile, the others would get faster, and too little would be left.
     */
    private static final double SOON = 0.4;
    /** A small bucket is full if its count is the same after so many pauses; after fewer it may be by chance. */
    private static final int PAUSES = 3;

    private final Surroundings surroundings;
    private final Tuning tuning;
    private final String unit;
    private final @Nullable String policy;
    private final @Nullable String partition;

    private final CostModel costs;
    private final Ledger ledger = new Ledger();
    private final Ledger.Sum sum = new Ledger.Sum();
    private final Booking booking;
    /** Null if it is known beforehand what requests take. */
    private final @Nullable CostFalls falls;

    private final Bucket bucket;
    private final Window window;
    private @Nullable Renewals renewals;
    /** Null while the quota is certainly a window: it keeps a history. */
    private @Nullable Sliding sliding;

    private final Stock stock;
    private final Share share;
    private final Target target;
    private final Drought drought = new Drought();
    /** Null if it is known beforehand what requests take. */
    private final @Nullable RefusedCost refusedCost;

    /** How many callers waited at the last answer, less those whose requests have left since. */
    private int waiting;
    /** Permits on the wire that it does not count. */
    private int passing;
    /** How many answers in a row have not told of it, of the calls that it counts. */
    private int silent;

    private boolean isInHeaders;
    private long knownAt;
    /** What was left as told last; NaN before the first reading. */
    private double lastTold = Double.NaN;

    /** Whether the present window has refused a request that probably fitted. */
    private boolean tried;

    /** The request whose body was the first to tell of this quota, and which may end later. */
    private long endsLater = NONE;

    private long readOf;
    private long resetAt;
    private boolean resets;

    private Users users = Users.PERHAPS_OTHERS;
    /** If the count is the same after so many more pauses, a small bucket is full; 0 if that is not looked for. */
    private int pausesLeft;
    /** The lowest count of what may be a stock into which nothing flows, and when that was told; NaN if it is not. */
    private double lowest = Double.NaN;

    private long lowestAt;
    private long readAt;

    PacedQuota(Surroundings surroundings, Tuning tuning, Quota quota) {
        this.surroundings = surroundings;
        this.tuning = tuning;
        this.unit = quota.unit();
        this.policy = quota.policy();
        this.partition = quota.partition();
        this.costs = quota.countsRequests() ? CostModel.REQUESTS : new CostModel();
        this.booking = new Booking(ledger, costs);
        this.falls = costs.isFixed() ? null : new CostFalls(costs, booking);
        this.bucket = new Bucket(ledger, costs, booking);
        this.window = new Window(surroundings, tuning, costs.isFixed());
        this.stock = new Stock(ledger, costs, booking, bucket);
        this.share = new Share(surroundings, tuning, costs.isFixed());
        this.target = new Target(tuning, costs, bucket);
        this.refusedCost = costs.isFixed() ? null : new RefusedCost(surroundings, unit, costs, bucket, booking);
    }

    boolean isOf(Quota quota) {
        return unit.equals(quota.unit())
                && Objects.equals(policy, quota.policy())
                && Objects.equals(partition, quota.partition());
    }

    /** {@return whether a refusal tells of another limit} It is of another size, and of this one enough is left. */
    boolean isOther(Quota told, Load load, int allOnWire) {
        return costs.isFixed()
                && told.limit() != null
                && told.limit() > 0
                && bucket.limit < Double.POSITIVE_INFINITY
                && told.limit() != bucket.limit
                && !explains(load.cost(), allOnWire);
    }

    boolean countsRequests() {
        return costs.isFixed();
    }

    @Nullable String policy() {
        return policy;
    }

    /** {@return whether it counts calls of a scope} */
    boolean counts(Scope scope) {
        return scope.counts(policy);
    }

    /** So many permits are on the wire, or no longer, that it does not count. */
    void passed(int permits) {
        passing = Math.max(0, passing + permits);
    }

    /** {@return how many of the permits on the wire it counts} */
    private int counted(int wire) {
        passing = Math.min(passing, wire);
        return wire - passing;
    }

    /** {@return how many answers in a row have not told of it, of the calls that it counts} */
    int silent() {
        return silent;
    }

    /** Called with a response that does not mention this quota; {@return whether the quota is forgotten} */
    boolean missing(Scope scope) {
        silent += counts(scope) ? 1 : 0;
        return (costs.isFixed() || isInHeaders) && silent > GIVE_UP_AFTER;
    }

    private double asked(Cost cost) {
        return cost.has(unit) ? cost.amount(unit) : Ledger.UNKNOWN;
    }

    private boolean isWindow() {
        return resets && (bucket.isResetTold() ? bucket.isWindow() : window.kind() != Window.Kind.ROLLING);
    }

    private boolean isAlone() {
        return users == Users.THIS_ONE || users == Users.THIS_ONE_BY_SLIDING;
    }

    /** {@return the hypothesis that decides when requests go} */
    private Kind taken() {
        if (isWindow()) {
            return Kind.WINDOW;
        }
        if (!isAlone()) {
            return Kind.SHARED;
        }
        return sliding != null && sliding.isKnown() ? Kind.SLIDING : Kind.BUCKET;
    }

    void admitted(Cost cost, double jitter, long id, long now) {
        double asked = asked(cost);
        ledger.admit(asked, costs.isExact(asked), id, now);
        costs.asks(asked);
        share.pace.admitted((int) Math.min(1 << 20, costs.isFixed() ? asked : 1), jitter, id, now);
        stock.admitted(asked);
        waiting--;
    }

    /** A request has ended. */
    void ended(Outcome outcome, Load load, long now) {
        long id = load.permitId();
        if (outcome == Outcome.IGNORED) { // it was not sent
            share.pace.release(id);
        }
        if (outcome == Outcome.IGNORED || outcome == Outcome.DENIED || outcome.isRefusal()) { // nor counted
            double told = ledger.drop(id);
            bucket.took(-told);
            window.took(-told);
        } else if (!ledger.end(id, now) && id != endsLater) { // it left at rest, or before this quota was known
            ledger.admit(asked(load.cost()), costs.isFixed(), id, load.admittedAtNanos());
            ledger.end(id, now);
        }
    }

    /** A refusal told what its request would take. */
    void told(Demand demand, Cost cost) {
        if (unit.equals(demand.unit()) && !costs.isFixed()) {
            costs.tell((double) demand.requested());
            costs.seen(asked(cost), (double) demand.requested());
        }
    }

    /**
     * {@return what a request takes that was refused last}
     *
     * @param silent whether the refusal has not said when to come back: then it takes more than what is left
     */
    Cost costAfterRefusal(Cost cost, boolean silent) {
        if (refusedCost == null) {
            return cost;
        }
        if (silent && explains(cost, 0)) {
            refusedCost.readSilent(asked(cost));
        }
        return refusedCost.of(cost);
    }

    /** {@return how long a request stands aside that was refused, so many times in a row} */
    long standAsideNanos(int refusals) {
        return refusedCost == null || isAlone()
                ? 0
                : refusedCost.standAsideNanos(refusals, share.pace.interval(), waiting < FEW);
    }

    void settled(Cost admitted, Cost actual, long id, long now) {
        if (falls != null && actual.has(unit)) {
            double asked = asked(admitted);
            double truth = actual.amount(unit);
            ledger.settle(id, truth, now);
            falls.residual.settled(truth);
            if (!costs.isExact(asked)) {
                costs.settled(asked, truth);
            }
        }
    }

    /**
     * Reads what an answer says.
     *
     * @param answered whether its head said it
     * @param allOnWire permits that are still on the wire
     */
    void read(Reading r, boolean answered, Load load, int allOnWire) {
        isInHeaders |= answered;
        silent = 0;
        boolean first = Double.isNaN(lastTold);
        note(r, load);
        if (first) {
            know(r);
            if (!r.isRefused()) { // it left before this quota was known
                costs.asks(asked(load.cost()));
                ended(Outcome.SUCCESS, load, r.now);
                endsLater = answered ? NONE : r.id;
            }
        }
        long slack = Math.min(NEAR_NANOS, (long) (NEAR * bucket.way));
        boolean older = r.admittedAt - readOf < 0;
        boolean renewed = bucket.isOver(r.toldAt() + slack);
        boolean near = !renewed && isNear(r, slack);
        double predicted = bucket.untouched(r.toldAt());
        tried = r.isRefused() || (tried && (older || r.count <= bucket.count));
        double took = older ? 0 : tell(r);
        readWindow(r, took, stock.onWire(counted(allOnWire)));
        boolean anew = costs.isFixed() ? slide(load, r) : first;
        if (older && !(near && r.count < predicted)) {
            return; // it was overtaken by a newer one
        }
        readAt = r.now;
        if (costs.isFixed() && sliding == null) {
            bucket.count = r.count;
            ledger.compact(r.now);
            return; // it is a window and nothing else
        }
        boolean rises = renewals != null && renewals.isRolling();
        if (rises && bucket.believe()) {
            users = Users.OTHERS; // they have used what came back
        }
        bucket.learn(r);
        double remaining = bucket.left(r);
        drought.read(remaining < 1, r.isRefused(), r.now);
        int rivals = ledger.rivals(r.admittedAt, Math.max(slack, LEAST_NEAR_NANOS));
        boolean full = false;
        if (anew) {
            begin(r);
        } else if (near && remaining >= predicted) {
            bucket.took(took); // of two at almost the same time the lower one is the later one
        } else {
            if (falls != null && !renewed && booking.isAtArrival()) {
                falls.residual.fell(predicted - remaining);
            }
            full = correct(r, remaining, took, rivals, !rises && !(r.reset >= 0), load);
        }
        if (falls != null) {
            falls.read(bucket, !near && rivals == 0, sum.count);
        }
        steer(r, full, load);
        ledger.compact(r.now - Nanos.ofSeconds(LONGEST_STREAM));
    }

    /** It becomes known by a reading. */
    private void know(Reading r) {
        lastTold = r.count;
        knownAt = r.now;
        readOf = r.admittedAt;
        readAt = r.admittedAt;
    }

    /**
     * Corrects the level, and looks at who uses it; {@return whether a quota of untold size stays full}
     *
     * @param rivals how many requests may have come before this one
     * @param mayBeWindow whether nothing has come back so far, and no reset is told
     */
    private boolean correct(Reading r, double remaining, double took, int rivals, boolean mayBeWindow, Load load) {
        boolean same = r.count == bucket.count;
        boolean full = target.read(r.count, r.isAccepted(), same, surroundings.areMany());
        double dry = drought.usual(r.now) - tuning.firstProbe;
        double others = bucket.correct(remaining, took, rivals, dry, r.toldAt());
        if (mayBeWindow && bucket.standsStill() && !surroundings.areMany()) {
            others = 0;
            users = isAlone() ? users : Users.THIS_ONE;
            share.pace.clear();
        }
        if (falls != null) {
            watchCosts(falls.residual, r);
        } else if (sliding != null) {
            watchRequests(sliding, others, same, r, load);
        }
        return full;
    }

    /** Notes what an answer says whenever its request left. */
    private void note(Reading r, Load load) {
        waiting = load.waiting();
        lastTold = r.count;
        target.answered(r.count, r.outcome);
        resetAt = r.reset >= 0 ? r.now + Nanos.ofSeconds(r.reset) : r.now;
        bucket.answered(r);
        if (refusedCost != null) {
            refusedCost.read(asked(load.cost()), r);
        }
    }

    /** {@return whether it may have overtaken the last reading, or been overtaken by it} */
    private boolean isNear(Reading r, long slack) {
        boolean leftBefore = r.admittedAt - readAt < 0; // what left after the last answer was not
        return leftBefore
                && (Math.abs(r.toldAt() - bucket.countAt) <= slack
                        || (costs.isFixed() && Math.abs(r.admittedAt - readOf) <= slack));
    }

    /**
     * Adds to what is known of a sliding window, which a quota with a reset may be until it was renewed as a whole;
     * {@return whether that begins here}
     */
    private boolean slide(Load load, Reading r) {
        boolean isSure = window.kind() == Window.Kind.FIXED || window.length() >= LONG_SECONDS;
        if (isWindow() && isSure && r.reset >= 0) {
            sliding = null;
            return false;
        }
        boolean begins = sliding == null;
        if (sliding == null) {
            sliding = new Sliding(r);
        }
        if (!r.isRefused()) {
            sliding.served((double) load.cost().requests(), r.now);
        }
        return begins;
    }

    private void readWindow(Reading r, double took, double wire) {
        boolean before = isWindow();
        window.took(took);
        resets = r.reset >= 0;
        if (resets) {
            if (!isAlone()) {
                window.watchOthers(r, target.units());
            }
            window.read(r, wire, 2 * bucket.way);
        } else {
            if (renewals == null) {
                renewals = new Renewals(tuning);
            }
            boolean renewed = renewals.read(r.count, r.isRefused(), r.retryAfter, r.admittedAt, r.now);
            double until = renewals.reset(r.now);
            boolean isLearned = until >= 0;
            if (!isLearned && isStock(r)) {
                until = STOCK_SECONDS - (r.now - knownAt) / 1e9;
            }
            resets = until >= 0 && !bucket.isRateTold();
            if (resets) {
                window.readLearned(r, until, isLearned ? renewals.length() : STOCK_SECONDS, !isLearned, renewed, wire);
            }
        }
        if (before && !isWindow() && window.kind() != Window.Kind.ASSUMED) {
            share.pace.clear(); // until now it did not decide
        }
    }

    /**
     * {@return whether this may be the first window of a server that tells no reset, which is taken for an hour: a
     * stock that others use too, and into which nothing has flowed so far}
     */
    private boolean isStock(Reading r) {
        boolean falls = r.count >= 1 && !r.isRefused() && (r.count <= lowest + 2 || r.admittedAt - lowestAt < 0);
        if (!falls || r.now - knownAt >= Nanos.ofSeconds(STOCK_SECONDS)) {
            lowest = Double.NaN;
        } else if (r.count < lowest) {
            lowest = r.count;
            lowestAt = r.now;
        }
        return users == Users.OTHERS && lowest >= 0;
    }

    /** {@return what own requests took that a count contains for the first time} */
    private double tell(Reading r) {
        ledger.tell(r.id, r.admittedAt, falls == null ? bucket.way : 0, sum);
        if (falls != null) {
            falls.tell(sum);
        }
        stock.told(sum.count);
        readOf = r.admittedAt;
        return sum.known + costs.mean(sum);
    }

    private void begin(Reading r) {
        bucket.begin(r.count, 0, r.toldAt());
        double plenty = bucket.limit == Double.POSITIVE_INFINITY
                ? PLENTY
                : Math.min(tuning.headroom / tuning.targetShare, tuning.targetShare * bucket.limit);
        users = !costs.isFixed() || (!r.isRefused() && r.count > plenty) ? Users.THIS_ONE : Users.PERHAPS_OTHERS;
        lowest = isAlone() ? r.count : Double.NaN;
        lowestAt = r.now;
        pausesLeft = isAlone() || r.isRefused() ? 0 : PAUSES;
        target.begin(r.count, r.outcome);
        shared(1, r.now);
    }

    /** Looks whether this client is the only one that uses a quota of costs. */
    private void watchCosts(Residual residual, Reading r) {
        double disorder = NEAR * bucket.rate() * bucket.way / 1e9; // what came back while requests overtook each other
        boolean isShared = bucket.isSure() && residual.isShared(!isAlone(), disorder);
        if (isShared && isAlone()) {
            share.rescale(target.reference()); // of which the interval is a multiple from now on
            double slots = Math.min(MOST_SHARERS, residual.times(disorder));
            share.pace.limit(slots * costs.mean() / bucket.rate(), r.now);
        }
        users = isShared ? Users.OTHERS : Users.THIS_ONE;
    }

    /**
     * Looks whether this client is the only one that uses a quota of requests.
     *
     * @param others by how much others have lowered the total at least
     * @param same whether the count is what it was before
     */
    private void watchRequests(Sliding sliding, double others, boolean same, Reading r, Load load) {
        if (isFull(same, r) && !surroundings.areMany()) {
            users = Users.THIS_ONE; // others would have left more in the pauses
            if (bucket.limit == Double.POSITIVE_INFINITY) {
                bucket.limit = r.count + 1;
            }
            double refill = 1 / share.pace.interval(); // what one request took was there again when the next one came
            bucket.begin(r.count, refill, bucket.countAt);
            return;
        }
        double held = sliding.correct(r, load.inFlight());
        if (users == Users.OTHERS && sliding.isFound()) {
            users = Users.PERHAPS_OTHERS; // until they are seen again
        }
        boolean isProven = sliding.isAccountedFor() && (users != Users.OTHERS || r.limit > 0); // of a known size
        if (isAlone() && (sliding.isKnown() ? held > 0 : others > 0)) {
            users = Users.OTHERS;
        } else if (users == Users.THIS_ONE_BY_SLIDING && !sliding.isKnown()) {
            users = Users.PERHAPS_OTHERS;
        } else if (!isAlone() && isProven && !surroundings.areMany()) {
            users = Users.THIS_ONE_BY_SLIDING;
            share.pace.clear();
        }
        boolean low = bucket.predict(r.now) < stock.inBucket(Ledger.UNKNOWN);
        if (isAlone() && low && target.isQuotaLarge() && bucket.isSure() && !sliding.isKnown()) {
            users = Users.PERHAPS_OTHERS; // others may come: from here on they have to see it
            share.pace.limit(1 / bucket.rate(), r.now);
        }
    }

    /** {@return whether the count was the same after several pauses: a small bucket of untold size that is full} */
    private boolean isFull(boolean same, Reading r) {
        if (pausesLeft == 0 || r.isRefused() || r.count < 1 || !same || share.pace.isFree()) {
            pausesLeft = 0;
            return false;
        }
        share.pace.hold(Math.min(surroundings.settings.maxInterval(), 2 * share.pace.interval()), r.now);
        pausesLeft--;
        return pausesLeft == 0;
    }

    /** @param full whether a bucket of untold size seems to be full */
    private void steer(Reading r, boolean full, Load load) {
        if (isAlone() || (r.isRefused() && (costs.isFixed() || bucket.count > target.units()))) {
            return;
        }
        boolean isTiny = bucket.limit <= target.units(); // a count never shows more than should remain
        boolean mayBeAlone = sliding != null && sliding.mayBeAlone(r) && !surroundings.areMany();
        double ample = full || isTiny || mayBeAlone
                ? r.count - 1
                : 0.85 * Math.min(bucket.limit, Math.max(target.highest(), 25 * target.units()));
        share.correct(
                Math.max(0, bucket.count), target.units(), target.large(), ample, target.reference(), load, r.now);
        if (!costs.isFixed() || (isTiny && bucket.isRateTold())) {
            double units = costs.isFixed() ? 1 + surroundings.settings.jitter() : costs.mean();
            // With a shorter interval requests would be refused.
            share.pace.interval(Math.max(units / bucket.rate(), share.pace.interval()));
        }
    }

    void refused(Load load, long now) {
        if (costs.isFixed() && !isAlone()) {
            share.refused(target.units(), target.reference(), load, now);
        } else if (costs.isFixed()) {
            if (sliding != null) {
                sliding.refused();
            }
            bucket.doubt();
            users = bucket.count < 1 ? users : Users.PERHAPS_OTHERS;
        }
    }

    /** {@return when it is reset, in seconds, if the server tells that; otherwise NaN} */
    double untilReset(long now) {
        return resets && renewals == null ? Math.max(0, (resetAt - now) / 1e9) : Double.NaN;
    }

    /** {@return whether this quota says why a request was refused} */
    boolean explains(Cost cost, int allOnWire) {
        double asked = asked(cost);
        if (!costs.isFixed()) {
            return lastTold < Math.max(costs.high(asked, PLAUSIBLE), bucket.needed(asked));
        }
        int wire = counted(allOnWire);
        return isWindow() ? window.explains(wire) : bucket.count - wire < 1 + (isAlone() ? 0 : target.units());
    }

    /** {@return when a request may go, after those ahead of it} */
    long dueNanos(Cost ahead, Cost cost, int allOnWire, long now) {
        int wire = counted(allOnWire);
        double asked = asked(cost);
        double more = ahead(ahead);
        return switch (taken()) {
            case WINDOW -> dueInWindow(more, asked, wire, now);
            case SHARED -> dueShared(ahead.requests(), more, asked, wire, now);
            case SLIDING -> Objects.requireNonNull(sliding).dueNanos(wire + more, asked, now);
            case BUCKET -> dueInBucket(more, asked, wire, now);
        };
    }

    private long dueInWindow(double more, double asked, int wire, long now) {
        double need = costs.isFixed() ? asked : stock.inWindow(asked);
        if (!costs.isFixed() && !tried && ledger.untold().count == 0 && lastTold >= costs.likely(asked)) {
            need = Math.min(need, lastTold); // the end of the window may be far away
        }
        return window.dueNanos(more + need, stock.onWire(wire), wire > 0, share.pace.admittedAt(knownAt), now);
    }

    private long dueShared(long requestsAhead, double more, double asked, int wire, long now) {
        double onWire = stock.onWire(wire);
        double free = bucket.count - (share.pace.isFree() ? onWire + more : 0);
        if (wire > 0 && free < costs.mean(asked)) {
            return RateController.UNTIL_SIGNAL;
        }
        boolean refillIsKnown = bucket.isSure() && bucket.isRateTold();
        if (costs.isFixed() || !refillIsKnown || share.pace.isFree() || requestsAhead > 0) {
            return share.pace.dueNanos(requestsAhead, 1, now);
        }
        double mean = costs.mean();
        double least = Math.min(0.95 * bucket.limit, Math.max(target.units() + mean, costs.isExact(asked) ? asked : 0));
        return share.dueNanos(bucket.count, onWire, mean, least, bucket.rate(), bucket.countAt - bucket.way, now);
    }

    private long dueInBucket(double more, double asked, int wire, long now) {
        long start = stock.startNanos(asked, wire, knownAt, now);
        if (start == RateController.UNTIL_SIGNAL || start - now > 0) {
            return start;
        }
        double left = leftForOthers();
        double need = more + stock.overtaken(wire) + stock.inBucket(asked) + left;
        double missing = bucket.missing(need, asked, now);
        boolean dry = costs.isFixed() && drought.lasts() && !bucket.isSure();
        return missing <= 0 && !dry ? now : untilRefilled(missing, left, wire, now);
    }

    /**
     * {@return what stays in a small bucket} If this client took the last unit each time, the bucket would seem used up
     * to others who ask for little. At twice T their interval is short. It delays this client once: from then on all
     * that comes back is used. In a small sliding window it never comes back, so nothing stays there once that shows.
     */
    private double leftForOthers() {
        boolean isSmall = bucket.limit < Double.POSITIVE_INFINITY && !target.isQuotaLarge();
        return costs.isFixed() && isSmall && bucket.isEven()
                ? bucket.keep(Math.max(0, Math.min(2 * target.units(), bucket.limit / 2) - 1))
                : 0;
    }

    private double ahead(Cost ahead) {
        boolean isByNumber = ahead.requests() == 0 || !ahead.has(unit);
        return isByNumber ? ahead.requests() * costs.mean() : costs.mean(asked(ahead));
    }

    /** @param left what stays for others: it comes back little by little, and not at a reset */
    private long untilRefilled(double missing, double left, int wire, long now) {
        double wait = bucket.rate() > 0 ? (now - readAt) / 1e9 + missing / bucket.rate() : Double.POSITIVE_INFINITY;
        boolean isUsedUp = bucket.count < 1 && left == 0;
        if (bucket.rate() == 0 || (costs.isFixed() && (!bucket.isSure() || isUsedUp))) {
            if (wire > 0) {
                return RateController.UNTIL_SIGNAL;
            }
            double reset = (resetAt - readAt) / 1e9;
            if (drought.lasts()) {
                double least = bucket.rate() > 0 ? wait : 0;
                double back = sliding == null ? reset : Math.min(reset, sliding.untilBack(readAt));
                wait = reset > 0 ? back : Math.max(least, drought.patience(tuning));
            } else {
                double atReset = missing <= 1 ? 0 : reset; // it fits if the count was not rounded down
                wait = Math.min(wait, Math.max(tuning.firstProbe, atReset));
            }
        }
        double most = surroundings.settings.maxInterval();
        if (wait > most && wire > 0) {
            return RateController.UNTIL_SIGNAL; // one asks
        }
        return Nanos.later(now, readAt + Nanos.ofSeconds(Math.min(wait, most)));
    }

    /** {@return whether a reset has passed and requests fit, even if it brought nothing back} */
    boolean isAmple(double permits, long now) {
        return costs.isFixed()
                && resets
                && window.kind() == Window.Kind.UNKNOWN
                && now - resetAt >= 0
                && permits <= AMPLE * bucket.count;
    }

    /** {@return what it is taken for, and what is left, in a sentence} */
    String explain(long now) {
        String left = Window.left(bucket.predict(now)) + ", and ";
        String pace = share.pace.isFree()
                ? "there is enough for all"
                : "one request goes each " + DurationText.spoken(share.pace.interval());
        String refill = bucket.rate() == 0
                ? "it is not known yet what comes back"
                : (bucket.isSure() ? "" : "perhaps ") + "one comes back each " + DurationText.spoken(1 / bucket.rate());
        String explained = switch (taken()) {
            case WINDOW -> "taken for a window: " + window.explain(now);
            case SHARED -> "shared with others: " + left + pace;
            case SLIDING -> "taken for a " + Objects.requireNonNull(sliding).explain(now);
            case BUCKET -> "taken for a bucket: " + left + refill;
        };
        return "Quota " + (policy == null ? unit : policy) + " is " + explained + ".";
    }

    double interval() {
        return taken() == Kind.SHARED ? share.pace.interval() : 0;
    }

    boolean isPlentiful(long now) {
        boolean isMuch = isWindow()
                ? !window.isKnown() || window.usable(now) > 10_000
                : share.pace.isFree() && bucket.count > 10_000;
        return costs.isFixed() && isMuch;
    }

    // What other processes know

    /**
     * Reads what is not an own answer. It tells of windows only: how another quota refills shows in own answers. With
     * the time of the lowest count it proves nothing about accepted requests.
     */
    void heard(Reading r, int allOnWire) {
        if (Double.isNaN(lastTold)) {
            resets = true;
            know(r);
        }
        if (isWindow()) {
            r.admittedAt = window.lowestAt;
            window.read(r, counted(allOnWire), NOT_OWN);
        }
    }

    /**
     * Begins with a count that another process has read, at the pace of all, so that no refusal is needed to find it.
     */
    void join(Reading r) {
        know(r);
        begin(r);
        boolean scarce = r.count < tuning.headroom + surroundings.processes(); // others may come right now, too
        share.pace.admitted(1, scarce ? SOON * surroundings.random.nextDouble() : 0, 0, r.now);
    }

    /** More or fewer processes share the quota: intervals change by a factor. */
    void shared(double factor, long now) {
        if (!share.pace.isFree()) {
            share.pace.interval(share.pace.interval() * factor);
        }
        if (surroundings.areMany() && costs.isFixed()) {
            if (users != Users.OTHERS && share.isNew() && surroundings.fairInterval() > 0) {
                share.pace.limit(surroundings.fairInterval(), now);
            }
            users = Users.OTHERS;
        }
    }
}
