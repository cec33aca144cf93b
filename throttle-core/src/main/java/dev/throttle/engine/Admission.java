package dev.throttle.engine;

import dev.throttle.CallOptions;
import dev.throttle.Priority;
import dev.throttle.WaitEstimate;
import dev.throttle.WhenFull;
import dev.throttle.control.Scope;
import dev.throttle.engine.Refusal.Bound;
import dev.throttle.engine.Waiter.Place;
import dev.throttle.internal.Nanos;
import dev.throttle.signal.Cost;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Decides which call goes next, and when. It compares what a call may have to wait for, the gate, an outage, the
 * controllers, its own backoff, the end of a pause, and keeps the calls that wait in a queue. Only the head of the
 * queue has a due time; whatever could change it is followed by a {@link #drain}. Guarded by the engine's lock.
 *
 * <p>The parts of this file, in their order: arrivals, what a call waits for, the queue as time passes, departures.
 */
final class Admission {

    static final String BACKOFF = "backoff";
    /** As with the limit of this name, which holds blocking calls as well. */
    private static final String IN_FLIGHT = "in-flight";

    /** When a call of a pool looks again that only others keep from going. */
    private static final long SHARED_LOOK_NANOS = 10_000_000;

    private static final Wait UNTIL_ONE_ENDS = new Wait(Wait.UNTIL_SIGNAL, IN_FLIGHT);
    private static final Wait UNTIL_RESUMED = new Wait(Wait.UNTIL_SIGNAL, RunState.PAUSED);

    /**
     * What became of a call that asked.
     *
     * @param waiter its place in the queue; null if it has none
     * @param atLeast the least wait that a call in the queue has, as far as it is known
     * @param refusal why it was rejected at once; null if it was not
     */
    record Entry(
            @Nullable Waiter waiter, Wait atLeast, @Nullable Refusal refusal) {

        static final Entry ADMITTED = new Entry(null, Wait.NONE, null);
    }

    private final InFlightCounter traffic;
    private final Gate gate;
    private final Outage outage;
    private final ToldWindow window;
    private final ControllerSet controls;
    private final Routes routes;
    private final RunState run;
    private final WakeupTimer alarm;
    private final Turns turns;
    private final Tenants tenants = new Tenants();
    private final WaitQueue queue;
    private final CostEstimator estimator;
    private final RandomGenerator random;
    /** Takes the asynchronous calls that have left the queue. */
    private final Consumer<Waiter> settled;

    private long maxWaitNanos;
    private int maxWaiting;
    private int asyncInFlight;
    private boolean dropsOldest;
    /** Whether no call is held back or rejected. */
    private boolean observes;
    /** Admissions so far, of which each gets its number as the id of its permit. */
    private long permits;

    /** How many calls waited in the line of a pool that asked last, and may come here. Read without the lock. */
    private volatile int waitingElsewhere;

    /** What the heads of the queue wait for, and with them all calls behind, as of the last drain: the least of it. */
    private Wait lineWait = Wait.NONE;
    /** The heads as of the last drain, whose threads were told when to look again. */
    private List<Waiter> timed = List.of();

    Admission(
            EnginePolicy policy,
            InFlightCounter traffic,
            Gate gate,
            Outage outage,
            ToldWindow window,
            ControllerSet controls,
            Routes routes,
            RunState run,
            CostEstimator estimator,
            RandomGenerator random,
            WakeupTimer alarm,
            Consumer<Waiter> settled) {
        this.turns = new Turns(policy.priorities(), controls);
        this.queue = new WaitQueue(turns, tenants);
        this.traffic = traffic;
        this.gate = gate;
        this.outage = outage;
        this.window = window;
        this.controls = controls;
        this.routes = routes;
        this.run = run;
        this.estimator = estimator;
        this.random = random;
        this.alarm = alarm;
        this.settled = settled;
        bound(policy);
    }

    /** Goes by another policy. No call that waits is rejected because fewer may. */
    void follow(EnginePolicy policy) {
        turns.follow(policy.priorities());
        outage.follow(policy.overloadWait());
        bound(policy);
    }

    private void bound(EnginePolicy policy) {
        maxWaitNanos = policy.maxWaitNanos();
        maxWaiting = policy.maxWaiting();
        asyncInFlight = policy.asyncInFlight();
        tenants.follow(policy.tenantWeights());
        dropsOldest = policy.whenFull() == WhenFull.DROP_OLDEST_OF_LOWEST;
        observes = policy.isObserving();
    }

    /** Looks again at all calls that wait, after the policy has changed. */
    void revise(long now) {
        reviseWaiting(now);
        if (!run.standsStill()) {
            for (Waiter waiter : queue.restingInVain()) {
                long left = Math.max(0, waiter.restLeftNanos(now)); // the timer may be late
                turnAway(waiter, new Wait(left, waiter.rest.reason()), now);
            }
        }
    }

    /** {@return how long a call may wait, from the time its wait began} */
    long leftNanos(CallState call, long now) {
        return Math.min(call.leftNanos(maxWaitNanos), run.untilEnd(call, now));
    }

    /** {@return how long a call waits for a server that is away, from the time its wait began} */
    private long outageNanos(CallState call, long now) {
        long left = outage.leftNanos(call, now);
        return left == Waiter.NEVER ? left : Nanos.plus(left, call.sleptNanos(now));
    }

    /** Callers may wait for another time from now on, or are reckoned with otherwise. */
    void reviseWaiting(long now) {
        boolean standsStill = run.standsStill();
        queue.revise(waiter -> {
            waiter.revise(
                    leftNanos(waiter.call, now),
                    outageNanos(waiter.call, now),
                    controls.cut(waiter.cost()),
                    standsStill);
            if (waiter.resting) {
                waiter.rest = restOf(waiter);
            }
        });
    }

    WaitQueue queue() {
        return queue;
    }

    /** {@return how many calls wait in the line of a pool, and may come here} */
    int waitingElsewhere() {
        return waitingElsewhere;
    }

    /** {@return what the first in line takes, as of the last drain, or a call without options if the line is empty} */
    private Cost nextCost() {
        return timed.isEmpty()
                ? estimator.resolve(CallOptions.DEFAULT)
                : timed.get(0).cost();
    }

    private Scope nextScope() {
        return timed.isEmpty() ? Scope.ALL : timed.get(0).call.scope();
    }

    /** A call asks: what it takes, and which quotas count it, is found out anew. */
    private void prepare(CallState call) {
        call.cost(estimator.resolve(call.options()));
        call.reviseScope(routes);
    }

    /** Other quotas may count the calls of a route than before, or those of all routes if it is null. */
    void reviseScopes(@Nullable String route) {
        if (queue.size() > 0) {
            List<Waiter> waiters = route == null ? queue.all() : queue.ofRoute(route);
            for (Waiter waiter : waiters) {
                waiter.call.reviseScope(routes);
            }
            queue.changeLanes(waiters, this::laneOf);
        }
    }

    private long laneOf(Waiter waiter) {
        return routes.line(waiter.call.scope());
    }

    /** {@return how long the strategy and the limits make the first in line wait, or the next call} */
    long sleepNanos(long now) {
        Cost next = nextCost();
        Wait shared = controls.shares().waitOf(Cost.NONE, next, now);
        Wait rate = controls.rateWait(Cost.NONE, next, 0, nextScope(), now);
        return Math.max(rate.longer(shared).knownNanos(), controls.sleepNanos());
    }

    /** {@return what keeps all calls from going, newcomers too} */
    Wait heldBy(long now) {
        Wait server = gate.waitAt(routes.scopeOfNewRoutes(), now);
        return queue.isLineClear() ? server : server.longer(lineWait);
    }

    /** Admits the next attempt of a call if it may go at once and no call is in line. */
    boolean tryAdmit(CallState call, long now) {
        drain(now); // the timer may be late
        prepare(call);
        if (observes) {
            call.admitted(admit(call, now), now);
            return true;
        }
        Cost cost = call.cost();
        boolean free = run.isRunning()
                && firstNotPassedBy(call, now) == null
                && gate.waitAt(call.scope(), now).isOver()
                && !outage.isHolding(now)
                && controls.letsGo(cost, turns.reserve(call.priority()), call.scope(), now)
                && controls.shares().tryTake(cost, now);
        if (free) {
            call.admitted(admit(call, now), now);
        }
        return free;
    }

    /**
     * Admits the next attempt of a call of a pool if it may go at once; it takes no place in the queue.
     *
     * @param waiting how many calls wait in the line of the pool
     * @return what it has to wait for, as far as it is known; without meaning if it was admitted
     */
    Offer offer(CallState call, boolean isBounded, int waiting, long now) {
        waitingElsewhere = waiting;
        drain(now); // the timer may be late
        if (!call.isRetry() && !call.wasDrawn()) {
            call.draw(random.nextDouble());
        }
        prepare(call);
        Wait rest = controls.ownSleep(call).longer(Wait.of(call.backoffNanos(), BACKOFF));
        Wait left = Wait.of(rest.nanos() - call.sleptNanos(now), rest.reason());
        if (!left.isOver()) {
            return Offer.own(left);
        }
        Wait wait = admitOrWait(call, isBounded, now);
        String refused = run.refusal(call);
        if (refused != null) {
            return Offer.waits(new Wait(Wait.UNTIL_SIGNAL, refused));
        }
        // It could go, were it not for calls in line here, or for other throttles that share a limit.
        return Offer.waits(wait.isOver() ? new Wait(SHARED_LOOK_NANOS, lineWait.reason()) : wait);
    }

    /** Admits an attempt that cannot be held back. */
    void admitForced(CallState call, long now) {
        prepare(call);
        if (!observes) {
            controls.shares().takeForced(call.cost(), now);
        }
        call.admittedByForce(admit(call, now), now);
    }

    /**
     * Admits the next attempt of a call, puts it in the queue, or rejects it.
     *
     * @param settlement receives the end of the wait; null if the calling thread waits
     * @param trail follows the wait; null if there is nothing to follow it
     */
    Entry enter(CallState call, Waiter.@Nullable Settlement settlement, @Nullable WaitTrail trail, long now) {
        drain(now); // the timer may be late
        if (!call.isRetry()) {
            call.draw(random.nextDouble());
        }
        prepare(call);
        if (observes) {
            call.admitted(admit(call, now), now);
            return Entry.ADMITTED;
        }
        Wait wait = admitOrWait(call, settlement != null && settlement.isBounded(), now);
        if (call.isAdmitted()) {
            return Entry.ADMITTED;
        }
        Refusal refusal = refuseInAdvance(call, wait, now);
        if (refusal != null) {
            return new Entry(null, wait, refusal);
        }
        Waiter waiter = new Waiter(call, controls.cut(call.cost()), settlement, leftNanos(call, now));
        waiter.trail = trail;
        waiter.lane = laneOf(waiter);
        return new Entry(waiter, enqueue(waiter, wait, now), null);
    }

    /**
     * {@return why a call is rejected on arrival; null if it may wait}
     *
     * @param wait the least wait that it has, as far as it is known
     */
    private @Nullable Refusal refuseInAdvance(CallState call, Wait wait, long now) {
        long soFar = call.sleptNanos(now);
        long left = leftNanos(call, now);
        String closed = run.refusal(call);
        if (closed != null) {
            return new Refusal(soFar, left, closed, Bound.MAX_WAIT);
        }
        Cost ahead = call.isRetry() ? Cost.NONE : costAhead(call);
        Wait known = neededBy(call, wait, ahead, now);
        long needed = Nanos.plus(soFar, known.knownNanos());
        if (isFullFor(call) && inTheWayOf(call) == null) {
            return new Refusal(needed, left, Refusal.QUEUE_FULL, Bound.MAX_WAIT);
        }
        if (!known.isOver() && known.nanos() > left - soFar) {
            return new Refusal(needed, left, known.reason(), Bound.MAX_WAIT, quotaOf(known.reason(), call, ahead, now));
        }
        if (wait.reason().equals(Outage.REASON) || wait.reason().equals(Gate.RETRY_AFTER)) {
            long forOutage = outage.leftNanos(call, now);
            if (forOutage <= 0 || known.nanos() > forOutage) {
                return new Refusal(needed, Nanos.plus(soFar, forOutage), wait.reason(), Bound.OVERLOAD_WAIT);
            }
        }
        if (wait.isUntilSignal() && left <= soFar) {
            return new Refusal(needed, left, wait.reason(), Bound.MAX_WAIT);
        }
        Wait limit = call.isRetry() ? null : controls.turnsAway(ahead, call.cost(), call.scope(), now);
        return limit == null ? null : new Refusal(needed, limit.nanos(), limit.reason(), Bound.LIMIT);
    }

    private Cost costAhead(CallState call) {
        return queue.costAhead(routes.line(call.scope()), call);
    }

    /** {@return whether there is no place for a call} */
    private boolean isFullFor(CallState call) {
        return !call.isRetry() && queue.size() >= maxWaiting;
    }

    /** {@return the call that is dropped for one for which there is no place; null if there is none} */
    private @Nullable Waiter inTheWayOf(CallState newcomer) {
        return dropsOldest ? queue.leastFor(newcomer.priority()) : queue.lastOfLargestTenant(newcomer);
    }

    /** {@return what a call with these options would meet if it came now} */
    WaitEstimate estimateWait(String label, CallOptions options, long now) {
        drain(now);
        CallState call = new CallState(options, now);
        call.findRoute();
        prepare(call);
        Cost ahead = costAhead(call);
        Wait wait = observes ? Wait.NONE : waitOf(call, ahead, now);
        for (Lane lane : queue.lanes()) {
            Waiter head = lane.head;
            boolean isBehind = head != null && head.priority == options.priority() && !passes(lane, call, now);
            wait = isBehind ? wait.longer(lane.wait) : wait; // a call of another class may go before the head
        }
        String closed = observes ? null : run.refusal(call);
        String reason = wait.isOver() ? "" : wait.reason();
        if (closed != null) {
            reason = closed;
        } else if (!wait.isOver() && isFullFor(call) && inTheWayOf(call) == null) {
            reason = Refusal.QUEUE_FULL;
        }
        Waiter next = queue.head(now);
        Waiter first = next == null ? queue.firstInLine() : next;
        Wait headWait = first == null ? Wait.NONE : laneWait(first);
        LastRefusal refused = outage.last();
        boolean isExplained =
                refused != null && (refused.explains(headWait.reason()) || refused.explains(wait.reason()));
        LastRefusal last = isExplained ? refused : null;
        return new WaitEstimate(
                label,
                run.shown(),
                queue.size(),
                traffic.inFlight(),
                Duration.ofNanos(
                        closed == null ? neededBy(call, wait, ahead, now).knownNanos() : 0),
                reason,
                headWait.reason(),
                Duration.ofNanos(first == null ? 0 : now - first.arrivedAt),
                Duration.ofNanos(headWait.knownNanos()),
                last == null ? null : last.status(),
                last == null ? null : last.age(now),
                quotaOf(reason, call, ahead, now),
                first == null ? null : quotaOf(headWait.reason(), first.call, Cost.NONE, now));
    }

    /** {@return the name of the quota that a call waits for, by the reason of its wait; null if it has none} */
    @Nullable String quotaOf(String reason, CallState call, Cost ahead, long now) {
        boolean isOfGate = reason.equals(Gate.RETRY_AFTER) || reason.equals(Gate.QUOTA_RESET);
        return isOfGate ? gate.heldBy(call.scope(), now) : controls.heldBy(reason, call, ahead, now);
    }

    /** {@return the name of the quota for which calls are held back for a reason; null if it has none} */
    @Nullable String quotaHolding(String reason, long now) {
        for (Waiter head : timed) {
            String quota = quotaOf(reason, head.call, Cost.NONE, now);
            if (quota != null) {
                return quota;
            }
        }
        return timed.isEmpty() ? gate.heldBy(Scope.ALL, now) : null;
    }

    /** {@return how many callers in line wait for each quota that has a name} */
    Map<String, Integer> waitingByQuota(long now) {
        Map<String, Integer> waiting = new TreeMap<>();
        for (Lane lane : queue.allLanes()) {
            Waiter head = lane.head;
            String quota = head == null ? null : quotaOf(lane.wait.reason(), head.call, Cost.NONE, now);
            if (quota != null) {
                waiting.merge(quota, lane.size(), Integer::sum);
            }
        }
        return waiting;
    }

    /**
     * Admits a call if it may go at once and no other one is in line; to be called after a drain.
     *
     * @param isBounded whether the number of requests in flight bounds it
     * @return the least wait it still has, as far as it is known
     */
    private Wait admitOrWait(CallState call, boolean isBounded, long now) {
        Cost ahead = call.isRetry() ? Cost.NONE : costAhead(call);
        controls.prefetch(ahead, call.cost(), now);
        Wait wait = waitOf(call, ahead, now);
        wait = isBounded ? wait.longer(untilOneEnds()) : wait;
        Lane lane = firstNotPassedBy(call, now);
        if (lane != null) {
            Waiter head = lane.head;
            boolean behindHead = !call.isRetry() && head != null && head.priority == call.priority();
            return behindHead ? wait.longer(lane.wait) : wait;
        }
        if (wait.isOver() && run.refusal(call) == null && controls.shares().tryTake(call.cost(), now)) {
            call.admitted(admit(call, now), now);
        }
        return wait;
    }

    /**
     * Puts a caller in the queue.
     *
     * @param wait the least wait it has, as far as it is known
     * @return the same as it is known now; none if it has left the queue already
     */
    private Wait enqueue(Waiter waiter, Wait wait, long now) {
        Waiter least = isFullFor(waiter.call) ? inTheWayOf(waiter.call) : null;
        if (least != null) {
            turnAway(least, new Wait(0, Refusal.DROPPED), now);
        }
        waiter.rest = restOf(waiter);
        waiter.outageNanos = outageNanos(waiter.call, now);
        waiter.goesBehind = outage.isProbed(); // each waiting call is a probe in its turn
        if (waiter.restLeftNanos(now) > 0) {
            queue.rest(waiter);
        } else {
            Lane lane = queue.lane(waiter.lane);
            if (waiter.isBlocking() && lane != null && wait.nanos() > lane.wait.nanos()) {
                // It looks by itself when it may be due: a head whose thread sleeps too long does not delay
                // others, and no thread need be woken only to be told that it is the head now.
                waiter.lookAgainAfter(wait, now);
            }
            queue.lineUp(waiter);
        }
        drain(now);
        if (waiter.place != Place.QUEUED) {
            return Wait.NONE;
        }
        Lane lane = queue.lane(waiter.lane);
        return wait.isOver() && lane != null ? lane.wait : wait; // it could go, were it not for others
    }

    /** {@return what keeps a caller beside the line, and does not delay others} */
    private Wait restOf(Waiter waiter) {
        return controls.ownSleep(waiter.call).longer(Wait.of(waiter.call.backoffNanos(), BACKOFF));
    }

    /** A caller in the queue looks for itself. If it is not due yet it is told again when it is the head. */
    void look(Waiter waiter) {
        waiter.wakeAfterNanos = run.standsStill() ? Waiter.NEVER : waiter.boundNanos();
    }

    /** {@return the id of the permit} */
    private long admit(CallState call, long now) {
        long id = ++permits;
        traffic.admit(now);
        outage.admitted(id, now);
        controls.onAdmitted(call.cost(), id, call.scope(), now);
        return id;
    }

    /**
     * {@return how long a call still has to wait, were it at the head} Where a strategy that learns only adds to what
     * the server named, for some spread, the server's word is what the wait is for.
     */
    private Wait waitOf(CallState call, Cost ahead, long now) {
        return ownWaitOf(call, ahead, call.scope(), now)
                .longer(controls.shares().waitOf(ahead, call.cost(), now));
    }

    /** The same without the limits that are shared with other throttles, were the call one of a scope. */
    private Wait ownWaitOf(CallState call, Cost ahead, Scope scope, long now) {
        if (run.isPaused()) {
            return UNTIL_RESUMED;
        }
        Wait wait = turns.waitOf(call, ahead, scope, now);
        Wait server = gate.waitAt(scope, now);
        if (!server.isOver()) {
            boolean adds = controls.isAdaptive(wait.reason()) && wait.knownNanos() / 2 <= server.nanos();
            wait = adds ? Wait.of(Math.max(wait.nanos(), server.nanos()), server.reason()) : wait.longer(server);
        }
        wait = wait.longer(outage.waitOf(call, now));
        long backoff = call.backoffNanos() - call.sleptNanos(now);
        return backoff > wait.nanos() ? Wait.of(backoff, BACKOFF) : wait;
    }

    /**
     * {@return as much of a wait as is known} Where only a signal can end it, that is what the call has to wait for
     * besides. Nothing is known while bounds stand still: the time that counts may begin when all of it is over.
     */
    private Wait known(CallState call, Wait wait, Cost ahead, long now) {
        if (run.standsStill()) {
            return Wait.NONE;
        }
        if (!wait.isUntilSignal()) {
            return wait;
        }
        Wait own = Wait.of(call.backoffNanos() - call.sleptNanos(now), BACKOFF);
        return gate.waitAt(call.scope(), now).longer(own).longer(controls.knownWaitOf(call, ahead, now));
    }

    /** {@return how long a call that tries again has to wait, as far as it is known} */
    long neededNanos(CallState call, long now) {
        return known(call, waitOf(call, Cost.NONE, now), Cost.NONE, now).knownNanos();
    }

    /** {@return the wait of a call for which no thread waits, while there are as many requests in flight as may be} */
    private Wait untilOneEnds() {
        traffic.setSlow(true); // from here on every end comes to the lock, and looks at the queue
        return isFullInFlight() ? UNTIL_ONE_ENDS : Wait.NONE;
    }

    private boolean isFullInFlight() {
        return traffic.inFlight() >= asyncInFlight;
    }

    /** {@return the first lane whose calls keep a newcomer from going; null if there is none} */
    private @Nullable Lane firstNotPassedBy(CallState call, long now) {
        List<Lane> lanes = queue.lanes();
        for (int i = 0; i < lanes.size(); i++) {
            if (!passes(lanes.get(i), call, now)) {
                return lanes.get(i);
            }
        }
        return null;
    }

    /**
     * {@return whether a call may go before those of a lane, as it does not need what they wait for} They wait for
     * something that does not count the call if they waited for less, were they counted by no more than it is. A head
     * that is past its time is not passed by calls that need one of its quotas, or it might never find all of them
     * free.
     */
    private boolean passes(Lane lane, CallState call, long now) {
        Waiter head = lane.head;
        long quotas = routes.line(call.scope());
        if (head == null || lane.quotas == quotas || lane.isStanding) {
            return false; // all calls need the shared limits that a head stands for
        }
        if (lane.ownNanos > 0) {
            return true;
        }
        boolean isPassedTooLong = head.isLate(lane.own, now) && routes.haveOneInCommon(head.call.scope(), call.scope());
        return !isPassedTooLong
                && ownWaitOf(head.call, Cost.NONE, routes.both(head.call.scope(), call.scope()), now)
                                .nanos()
                        < lane.own.nanos();
    }

    /** Admits all calls that may go, and rejects those whose wait would be too long. */
    void drain(long now) {
        if (run.catchUp(now)) {
            queue.prolong(run.stoodStillSince(), now);
        }
        if (run.takeEndChange()) {
            reviseWaiting(now);
        }
        if (observes) {
            letAllGo(now);
            return;
        }
        if (run.isClosed()) {
            turnAwayAll(now);
            return;
        }
        for (Waiter rested = queue.firstToRise();
                rested != null && rested.restLeftNanos(now) <= 0;
                rested = queue.firstToRise()) {
            rested.reason = rested.rest.reason();
            rested.lane = laneOf(rested);
            queue.rise(rested);
        }
        List<Waiter> heads = admitDue(now);
        Waiter impatient = mostImpatient();
        while (impatient != null) {
            Wait server = gate.waitAt(impatient.call.scope(), now);
            Wait known = impatient.resting ? server.longer(impatient.restLeft(now)) : server;
            if (!isHopeless(impatient, known, now)) {
                break;
            }
            if (!isSentForTheLastTime(impatient, now)) {
                turnAway(impatient, known.isOver() ? new Wait(0, reasonInLine(impatient)) : known, now);
            }
            impatient = mostImpatient();
        }
        if (!heads.equals(headsOf(choose(now)))) {
            heads = admitDue(now); // a head was among the impatient
        }
        arm(heads, now);
    }

    private Wait laneWait(Waiter waiter) {
        Lane lane = waiter.resting ? null : queue.lane(waiter.lane);
        return lane == null ? lineWait : lane.wait;
    }

    private static List<Waiter> headsOf(List<Lane> lanes) {
        List<Waiter> heads = lanes.isEmpty() ? List.of() : new ArrayList<>(lanes.size());
        for (int i = 0; i < lanes.size(); i++) {
            heads.add(Objects.requireNonNull(lanes.get(i).head));
        }
        return heads;
    }

    /**
     * Tells the limits what the calls in line will take. Limits that obtain permits from a store ask for them ahead.
     */
    void prefetch(long now) {
        Cost ahead = timed.isEmpty() ? Cost.NONE : queue.costInLine(timed.get(0).lane, Priority.NORMAL);
        if (ahead.requests() > 0) {
            controls.prefetch(ahead, nextCost(), now);
        }
    }

    /** {@return the heads that have to wait, one of each lane; none if no call is left that may go} */
    private List<Waiter> admitDue(long now) {
        List<Lane> lanes = choose(now);
        while (leavesOne(lanes, now)) {
            lanes = choose(now);
        }
        if (isFullInFlight()) {
            for (Lane lane : queue.allLanes()) {
                lane.wait = lane.head == null ? UNTIL_ONE_ENDS : lane.wait;
            }
            lineWait = lanes.isEmpty() && !queue.isLineEmpty() ? UNTIL_ONE_ENDS : lineWait;
        }
        return headsOf(lanes);
    }

    /** {@return the lanes whose heads are next; none if no call may go before a request in flight ends} */
    private List<Lane> choose(long now) {
        queue.passOverBounded(isFullInFlight());
        return queue.choose(now);
    }

    /**
     * Finds out what the heads wait for, in their order. {@return whether one has left, so that there is another head}
     */
    private boolean leavesOne(List<Lane> lanes, long now) {
        boolean isStanding = false;
        for (int i = 0; i < lanes.size(); i++) {
            Lane lane = lanes.get(i);
            Waiter head = Objects.requireNonNull(lane.head);
            controls.prefetch(Cost.NONE, head.cost(), now);
            lane.isStanding = false;
            lane.own = ownWaitOf(head.call, Cost.NONE, head.call.scope(), now);
            Wait wait = lane.own.longer(behind(lanes, i, head.call, now));
            if (wait.isOver()) { // no head before it stands for the shared limits
                wait = controls.shares().takeOrStand(head.cost(), now);
                lane.own = wait;
                lane.isStanding = !wait.isOver();
                isStanding |= lane.isStanding;
            }
            if (wait.isOver()) {
                queue.go(head, now);
                grant(head, now);
                return true;
            }
            head.standsAtHead(lane.own, now);
            head.waitsFor(wait, now);
            lane.wait = wait.because(head.reason);
            lineWait = i == 0 || lane.wait.nanos() < lineWait.nanos() ? lane.wait : lineWait;
            if (!run.standsStill() && isHopeless(head, wait, now)) {
                turnAway(head, lane.wait, now);
                return true;
            }
        }
        if (!isStanding) {
            controls.shares().leave(now); // none could go; they look again when they could
        }
        return false;
    }

    /**
     * {@return what a head waits for because the heads before it go first, who wait for something that counts it too}
     */
    private Wait behind(List<Lane> lanes, int place, CallState head, long now) {
        Wait longest = Wait.NONE;
        for (int i = 0; i < place; i++) {
            Lane before = lanes.get(i);
            longest = before.own.isOver() || passes(before, head, now) ? longest : longest.longer(before.own);
        }
        return longest;
    }

    private void grant(Waiter waiter, long now) {
        waiter.call.admitted(admit(waiter.call, now), now);
        String waitedFor = waiter.reason.isEmpty() ? lineWait.reason() : waiter.reason;
        settle(waiter, Place.GRANTED, waitedFor, now - waiter.arrivedAt);
    }

    /**
     * Sends a call once more whose patience with a server that is away has ended, so that its caller gets the last
     * answer. {@return whether nothing else kept it from going}
     */
    private boolean isSentForTheLastTime(Waiter waiter, long now) {
        boolean isLast = outage.isProbed()
                && waiter.isRetry()
                && !waiter.resting
                && waitOf(waiter.call, Cost.NONE, now).isOver()
                && controls.shares().tryTake(waiter.cost(), now);
        if (isLast) {
            queue.remove(waiter);
            grant(waiter, now);
        }
        return isLast;
    }

    private String reasonInLine(Waiter waiter) {
        boolean isPassedOver = waiter.isBounded() && !waiter.resting && isFullInFlight();
        return isPassedOver ? IN_FLIGHT : laneWait(waiter).reason();
    }

    private static boolean isHopeless(Waiter waiter, Wait wait, long now) {
        long left = waiter.leftNanos(now);
        boolean isTooLong = left != Waiter.NEVER && wait.nanos() > left && !wait.isUntilSignal();
        return isTooLong || waiter.isOverdue(now);
    }

    private void turnAway(Waiter waiter, Wait wait, long now) {
        queue.remove(waiter);
        long needed = now - waiter.arrivedAt;
        if (!wait.reason().equals(Refusal.DROPPED)) { // who is dropped did not wait for anything that takes longer
            Wait known = known(waiter.call, wait, Cost.NONE, now);
            needed = Math.max(waiter.boundNanos(), needed + known.knownNanos());
        }
        String reason = wait.reason();
        if (run.isPaused() && waiter.isOverdue(now)) {
            reason = RunState.PAUSED;
        } else if (waiter.bound() == Bound.OVERLOAD_WAIT && waiter.isOverdue(now)) {
            reason = Outage.REASON;
        }
        waiter.quota = quotaOf(reason, waiter.call, Cost.NONE, now);
        settle(waiter, Place.REJECTED, reason, needed);
    }

    private void letAllGo(long now) {
        for (Waiter waiter = queue.any(); waiter != null; waiter = queue.any()) {
            queue.remove(waiter);
            grant(waiter, now);
        }
        lineWait = Wait.NONE;
        arm(List.of(), now);
    }

    private void turnAwayAll(long now) {
        for (Waiter waiter = queue.any(); waiter != null; waiter = queue.any()) {
            queue.remove(waiter);
            settle(waiter, Place.REJECTED, RunState.CLOSED, now - waiter.arrivedAt);
        }
        arm(List.of(), now);
    }

    /**
     * Rejects those in line who cannot go in time, as a new answer tells: for those of a class who come before them the
     * server grants all that it still grants before its reset.
     */
    void turnAwayTheLate(long now) {
        Waiter impatient = mostImpatient();
        if (impatient == null || !window.isCertain(now) || impatient.leftNanos(now) >= window.resetNanos(now)) {
            return;
        }
        Wait reset = untilReset(now);
        long before = now + reset.knownNanos();
        for (Waiter waiter : queue.behind(window.grantsAtMost(), before, this::isCountedInWindow)) {
            if (isHopeless(waiter, reset, now)) {
                turnAway(waiter, reset, now);
            }
        }
        for (Lane lane : queue.allLanes()) {
            for (Priority priority : Priority.values()) {
                turnAwayTheLast(lane, priority, now);
            }
        }
    }

    private boolean isCountedInWindow(Lane lane) {
        return window.counts(lane.firstOfAll().call.scope());
    }

    /** Rejects those at the end of a line whose limits will not let them go in time, as if they came now. */
    private void turnAwayTheLast(Lane lane, Priority priority, long now) {
        for (Waiter last = lane.last(priority); last != null; last = lane.last(priority)) {
            Cost inLine = queue.costInLine(lane.quotas, priority);
            long before = inLine.requests() - last.costInLine().requests();
            Wait known = controls.knownWaitOf(last.call, Cost.requests(Math.max(0, before)), now);
            if (!isHopeless(last, known, now)) {
                return;
            }
            turnAway(last, known, now);
        }
    }

    private Wait untilReset(long now) {
        return Wait.of(window.resetNanos(now), Gate.QUOTA_RESET);
    }

    /**
     * {@return as much as is known of the wait of a call that asks: others may take all that the server still grants}
     */
    private Wait neededBy(CallState call, Wait wait, Cost ahead, long now) {
        Wait known = known(call, wait, ahead, now);
        boolean isLate = !wait.isOver()
                && !run.standsStill()
                && !call.isRetry()
                && window.isCertain(now)
                && window.counts(call.scope())
                && ahead.requests() + call.cost().requests() > window.grantsAtMost();
        return isLate ? known.longer(untilReset(now)) : known;
    }

    /** {@return the call whose allowed wait ends first; null if no wait is bounded} */
    private @Nullable Waiter mostImpatient() {
        return run.standsStill() ? null : queue.earliestDeadline();
    }

    /** Takes a caller out of the queue that gave up. */
    void withdraw(Waiter waiter) {
        queue.remove(waiter);
        waiter.settle(Place.CANCELLED, "", 0);
    }

    private void settle(Waiter waiter, Place place, String reason, long nanos) {
        waiter.settle(place, reason, nanos);
        if (!waiter.isBlocking()) {
            settled.accept(waiter);
        }
    }

    /** Sets the timer, or the threads of the heads, for when one is due, or when a rest or an allowed wait ends. */
    private void arm(List<Waiter> heads, long now) {
        for (Waiter before : timed) {
            if (!heads.contains(before)) {
                before.wakeAfterNanos = before.boundNanos(); // another call went ahead of it: it need not look any more
            }
        }
        timed = heads;
        if (heads.isEmpty()) {
            controls.shares().leave(now);
        }
        for (Waiter head : heads) {
            if (head.isBlocking()) {
                head.lookAgainAfter(laneWait(head), now);
                if (run.standsStill()) {
                    head.wakeAfterNanos = Waiter.NEVER;
                }
            }
        }
        long look = turns.readyAfterNanos();
        boolean isTimed = queue.hasAsynchronousInLine();
        if (!heads.isEmpty() && isTimed) {
            look = Math.min(look, lineWait.nanos());
        }
        long probe = outage.lookAgainNanos(now);
        if (!heads.isEmpty() && probe > 0) {
            look = Math.min(look, probe);
        }
        Waiter resting = queue.firstToRise();
        if (resting != null) {
            look = Math.min(look, resting.restLeftNanos(now));
        }
        Waiter impatient = isTimed || resting != null ? mostImpatient() : null;
        if (impatient != null) {
            look = Math.min(look, impatient.boundNanos() - (now - impatient.arrivedAt));
        }
        if (look == Waiter.NEVER) {
            alarm.clear();
        } else {
            alarm.set(Math.min(look, Nanos.MAX), now);
        }
    }
}
