package dev.throttle.control.quota;

import dev.throttle.control.RateController;
import dev.throttle.control.RateLimit;
import dev.throttle.control.Scope;
import dev.throttle.internal.Nanos;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Demand;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The state of {@code quota-pacing} in one throttle. The first request of all goes alone: its answer tells what the
 * others may do.
 */
final class QuotaPacer implements RateController {

    private static final int MOST_POLICIES = 8;
    /** How many requests with a cost are sent each time that the first patience has passed without a response. */
    private static final int FIRST_FLIGHT = 7;
    /** Two of them can be added. */
    private static final int MOST_PERMITS = Integer.MAX_VALUE / 2;

    private PacingSettings settings;
    private final RandomGenerator random;
    private final Tuning tuning;
    /** As many as the server has told of: most servers tell of one or two. */
    private PolicyView[] views = {};

    private RefusalLaw refusals;
    private UnitPacer units;
    private Sharers sharers = new Sharers();
    private AnnouncedRates announced = new AnnouncedRates();

    private boolean asked;
    private long firstAskedAt;
    private boolean answered;
    private boolean idle;
    /** Permits on the wire. */
    private int wire;

    QuotaPacer(PacingSettings configured, Tuning tuning, RandomGenerator random) {
        this.settings = configured.copy();
        this.tuning = tuning;
        this.random = random;
        this.refusals = new RefusalLaw(settings, tuning, random);
        this.units = new UnitPacer(settings, random);
    }

    @Override
    public boolean isIdle() {
        return idle;
    }

    private boolean isAtRest(long now) {
        if (!answered || !refusals.isIdle() || !units.isEmpty() || !announced.isEmpty()) {
            return false;
        }
        for (PolicyView view : views) {
            if (view.isUsed() && !view.isPlentiful(now)) {
                return false;
            }
        }
        return true;
    }

    /** Keeps what was learned, under the new settings. */
    @Override
    public void takeOver(@Nullable RateLimit before, Load load, long nowNanos) {
        wire = load.inFlight();
        if (before instanceof QuotaPacer other) {
            other.settings.become(settings);
            settings = other.settings;
            views = other.views.clone();
            refusals = other.refusals;
            units = other.units;
            sharers = other.sharers;
            announced = other.announced;
            asked = other.asked;
            firstAskedAt = other.firstAskedAt;
            answered = other.answered;
            wire = other.idle ? wire : Math.max(wire, other.wire);
            idle = isAtRest(nowNanos);
        }
    }

    @Override
    public boolean plansResets() {
        return true;
    }

    @Override
    public long dueNanos(Cost ahead, Cost cost, long nowNanos) {
        return dueNanos(ahead, cost, 0, Scope.ALL, nowNanos);
    }

    @Override
    public long dueNanos(Cost ahead, Cost cost, double reserve, Scope scope, long nowNanos) {
        long permitsAhead = ahead.requests();
        int permits = requests(cost);
        if (!answered) {
            return unansweredNanos(cost, nowNanos);
        }
        if (idle) {
            return nowNanos;
        }
        long due = Instants.later(
                refusals.dueNanos(permitsAhead, wire, nowNanos), units.dueNanos(ahead, cost, wire, nowNanos));
        due = Instants.later(due, announced.dueNanos(permitsAhead + permits, scope, nowNanos));
        for (PolicyView view : views) {
            if (view.counts(scope)) {
                due = Instants.later(due, dueNanos(view, permitsAhead, permits, nowNanos));
            }
        }
        return due;
    }

    private long dueNanos(PolicyView view, long permitsAhead, int permits, long now) {
        int counted = view.wire(wire);
        boolean ample = !units.isEmpty() && view.isAmple((double) permitsAhead + permits + counted, now);
        return ample ? now : view.dueNanos(permitsAhead, permits, counted, now);
    }

    @Override
    public @Nullable String heldBy(Cost ahead, Cost cost, Scope scope, long nowNanos) {
        String name = null;
        long latest = nowNanos;
        for (PolicyView view : views) {
            long due = answered && !idle && view.counts(scope)
                    ? dueNanos(view, ahead.requests(), requests(cost), nowNanos)
                    : nowNanos;
            if (Instants.later(latest, due) != latest) {
                latest = due;
                name = view.policy();
            }
        }
        return name;
    }

    private long unansweredNanos(Cost cost, long now) {
        long patience = settings.firstPatienceNanos();
        if (!asked || patience == 0) {
            return now;
        }
        long flights = cost.isRequestsOnly() ? 1 : Math.min(1 + wire / FIRST_FLIGHT, Nanos.MAX / patience);
        long left = flights * patience - (now - firstAskedAt);
        return left > 0 ? now + left : now;
    }

    @Override
    public void onAdmitted(Cost cost, long permitId, long nowNanos) {
        onAdmitted(cost, permitId, Scope.ALL, nowNanos);
    }

    @Override
    public void onAdmitted(Cost cost, long permitId, Scope scope, long nowNanos) {
        int permits = requests(cost);
        if (!answered && !asked) {
            asked = true;
            firstAskedAt = nowNanos;
        }
        wire = Math.min(MOST_PERMITS, wire) + permits;
        double jitter = 1 + settings.jitter() * (2 * random.nextDouble() - 1);
        refusals.admitted(permits, jitter, permitId, nowNanos);
        units.admitted(cost, permitId, nowNanos);
        announced.admitted(permits, scope, nowNanos);
        for (PolicyView view : views) {
            if (view.counts(scope)) {
                view.admitted(permits, jitter, permitId, nowNanos);
            } else {
                view.passed(permits);
            }
        }
    }

    @Override
    public void onSignal(Signal signal, Load load, long nowNanos) {
        learn(signal, load, nowNanos);
        idle = isAtRest(nowNanos);
    }

    @Override
    public Cost costAfterRefusal(Cost cost) {
        return units.costAfterRefusal(cost);
    }

    @Override
    public long standAsideNanos(int refusals) {
        return units.standAsideNanos(refusals);
    }

    @Override
    public void onSettled(Cost admitted, Cost actual, long permitId, long admittedAtNanos, long nowNanos) {
        units.settled(admitted, actual, permitId, nowNanos);
    }

    @Override
    public void onShared(int processes, double perSecond, long nowNanos) {
        double factor = sharers.become(processes, perSecond, nowNanos);
        for (PolicyView view : views) {
            if (view.isUsed()) {
                view.shared(factor, nowNanos);
            }
        }
    }

    @Override
    public void onHeard(Signal signal, Load load, long nowNanos) {
        if (requests(load) > 0) {
            read(signal, false, false, load, nowNanos);
        } else {
            heardElsewhere(signal.hints().quotas(), load, nowNanos);
        }
        idle = isAtRest(nowNanos);
    }

    /**
     * Reads quotas that another process was told. Of a window with a reset it is a further reading, but no response.
     */
    private void heardElsewhere(List<Quota> quotas, Load load, long now) {
        wire = idle ? load.inFlight() : wire;
        if (!quotas.isEmpty()) {
            refusals.told();
        }
        for (Quota quota : quotas) {
            if (quota.countsRequests() && quota.remaining() != null && quota.reset() != null) {
                PolicyView known = view(quota);
                PolicyView view = known == null ? free() : known;
                if (known == null) {
                    view.begin(quota);
                }
                view.heard(quota, known == null, wire, now);
                answered = true;
            } else if (isRolling(quota) && sharers.fairInterval() > 0 && view(quota) == null) {
                PolicyView view = free();
                view.begin(quota);
                view.join(quota, now);
                answered = true;
            }
        }
    }

    private static boolean isRolling(Quota quota) {
        return quota.countsRequests() && quota.remaining() != null && quota.reset() == null;
    }

    private void learn(Signal signal, Load load, long nowNanos) {
        wire = idle || load.inFlight() == 0 ? load.inFlight() : Math.max(wire - requests(load), load.inFlight());
        Outcome outcome = signal.outcome();
        for (PolicyView view : views) {
            if (load.permitId() != 0 && !view.counts(load.scope())) {
                view.passed(-requests(load));
            }
        }
        units.ended(outcome, load.permitId(), nowNanos);
        Demand demand = signal.hints().demand();
        if (demand != null) {
            units.told(demand, load.cost());
        }
        boolean saysNothing = outcome.isFault() || outcome == Outcome.DENIED;
        if (outcome == Outcome.IGNORED || outcome == Outcome.CANCELLED || saysNothing) {
            refusals.release(load.permitId());
        }
        if (outcome == Outcome.IGNORED) {
            announced.release(requests(load), load.scope(), load.admittedAtNanos());
            for (PolicyView view : views) {
                view.release(load.permitId());
            }
        }
        if (outcome == Outcome.IGNORED || outcome == Outcome.CANCELLED) {
            asked &= answered; // the next one goes alone
            for (PolicyView view : views) {
                view.cancelled(outcome == Outcome.CANCELLED && view.counts(load.scope()) ? requests(load) : 0);
            }
            return;
        }
        answered = true;
        boolean refused = outcome.isRefusal();
        for (PolicyView view : views) {
            if (!refused && view.counts(load.scope())) {
                view.ended(requests(load));
            }
        }
        if (saysNothing) {
            if (!signal.hints().isEmpty()) { // those of a gateway whose server is away
                read(signal, false, false, load, nowNanos);
            }
            return;
        }
        read(signal, refused, true, load, nowNanos);
        if (!refused) {
            refusals.onSuccess(load, nowNanos);
        } else if (outcome == Outcome.BUSY || !(explained(load, nowNanos) || isClosedByName(signal.hints()))) {
            refusals.onRefusal(outcome == Outcome.BUSY, signal.hints().retryAfter(), load, nowNanos);
        } else {
            refusals.release(load.permitId());
        }
    }

    /** {@return whether the throttle itself keeps the calls of the quota waiting that a refusal is about} */
    private static boolean isClosedByName(RateHints hints) {
        boolean isNamed = false;
        for (Quota quota : hints.quotas()) {
            isNamed |= quota.policy() != null && quota.isNameOnly();
        }
        return isNamed && hints.refusalWait() != null;
    }

    private static int requests(Cost cost) {
        return (int) Math.min(MOST_PERMITS, cost.requests());
    }

    private static int requests(Load load) {
        return requests(load.cost());
    }

    private boolean explained(Load load, long now) {
        boolean explained = units.explains(load.cost());
        for (PolicyView view : views) {
            if (view.counts(load.scope()) && view.explains(view.wire(wire))) {
                explained = true;
                view.onRefusal(load, view.wire(wire), now);
            }
        }
        return explained;
    }

    private void read(Signal signal, boolean refused, boolean answered, Load load, long now) {
        RateHints hints = signal.hints();
        units.read(hints, refused, signal.outcome() == Outcome.BUSY, answered, load, now);
        List<Quota> quotas = hints.quotas();
        if (!quotas.isEmpty()) {
            refusals.told();
        }
        if (answered) {
            announced.read(quotas, load.scope(), wire, now);
        }
        for (PolicyView view : views) {
            if (view.isUsed()) {
                Quota quota = find(quotas, view);
                if (quota == null && answered) {
                    view.missing(view.counts(load.scope()));
                } else if (quota != null) {
                    view.read(quota, refused, hints.retryAfter(), load, view.wire(wire), now);
                }
            }
        }
        for (int i = 0; i < quotas.size(); i++) {
            Quota quota = quotas.get(i);
            if (quota.countsRequests() && quota.remaining() != null && view(quota) == null) {
                PolicyView view = free();
                view.begin(quota);
                view.read(quota, refused, hints.retryAfter(), load, wire, now);
            }
        }
    }

    private static @Nullable Quota find(List<Quota> quotas, PolicyView view) {
        for (int i = 0; i < quotas.size(); i++) {
            Quota quota = quotas.get(i);
            if (view.isOf(quota) && quota.countsRequests() && quota.remaining() != null) {
                return quota;
            }
        }
        return null;
    }

    private @Nullable PolicyView view(Quota quota) {
        for (PolicyView view : views) {
            if (view.isOf(quota)) {
                return view;
            }
        }
        return null;
    }

    /**
     * {@return a view for a policy that has none: an unused one, a new one, or the one that was not told of for
     * longest}
     */
    private PolicyView free() {
        for (PolicyView view : views) {
            if (!view.isUsed()) {
                return view;
            }
        }
        if (views.length < MOST_POLICIES) {
            PolicyView added = new PolicyView(settings, tuning, sharers, random);
            views = Arrays.copyOf(views, views.length + 1);
            views[views.length - 1] = added;
            return added;
        }
        PolicyView longest = views[0];
        for (PolicyView view : views) {
            longest = view.unseen() > longest.unseen() ? view : longest;
        }
        return longest;
    }

    /** {@return permits on the wire} */
    int wire() {
        return wire;
    }

    /** {@return seconds between two requests; 0 if there is no limit} */
    double interval() {
        double longest = refusals.interval();
        for (PolicyView view : views) {
            longest = view.isUsed() ? Math.max(longest, view.interval()) : longest;
        }
        return longest;
    }

    @Override
    public double limitPerSecond() {
        double interval = interval();
        return interval == 0 ? Double.POSITIVE_INFINITY : 1 / interval;
    }
}
