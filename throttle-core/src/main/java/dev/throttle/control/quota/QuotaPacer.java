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
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The state of {@code quota-pacing} in one throttle: the quotas that the server has told of, of which the slowest
 * decides, and the refusals that none of them explains. The first request of all goes alone: its answer tells what the
 * others may do.
 */
final class QuotaPacer implements RateController {

    /** How far it has come. */
    private enum Phase {
        /** There is no answer, and the next request goes alone. */
        NEW,
        /** The first request is on the wire, alone. */
        ASKED,
        /** An answer has come. */
        ANSWERED,
        /** An answer has come, and no limit is near, so the throttle need not ask. */
        AT_REST
    }

    private static final int MOST_QUOTAS = 16;
    /** How many requests with a cost are sent each time that the first patience has passed without a response. */
    private static final int FIRST_FLIGHT = 7;
    /** Two of them can be added. */
    private static final int MOST_PERMITS = Integer.MAX_VALUE / 2;

    private Surroundings surroundings;
    private final Tuning tuning;
    /** Most servers tell of one or two. */
    private List<PacedQuota> quotas = new ArrayList<>(0);

    private final Reading reading = new Reading();
    /** Refusals of a limit that no quota explains. */
    private RefusalLaw limits;
    /** Refusals of an overloaded server. */
    private RefusalLaw overloads;

    private AnnouncedRates announced = new AnnouncedRates();

    private Phase phase = Phase.NEW;
    private long firstAskedAt;
    /** Permits on the wire. */
    private int wire;
    /** What was read last: if it tells of a refusal, it may show what the refused request takes. */
    private Signal last = Signal.SUCCESS;

    QuotaPacer(PacingSettings settings, Tuning tuning, RandomGenerator random) {
        this.surroundings = new Surroundings(settings, random);
        this.tuning = tuning;
        this.limits = new RefusalLaw(surroundings, tuning, null);
        this.overloads = new RefusalLaw(surroundings, tuning, limits);
    }

    @Override
    public boolean isIdle() {
        return phase == Phase.AT_REST;
    }

    /** Finds out whether requests can go without being asked about and counted. */
    private void lookForRest(long now) {
        if (phase == Phase.NEW || phase == Phase.ASKED) {
            return;
        }
        boolean rests = limits.isIdle() && overloads.isIdle() && announced.isEmpty();
        for (int i = 0; i < quotas.size() && rests; i++) {
            rests = quotas.get(i).isPlentiful(now);
        }
        phase = rests ? Phase.AT_REST : Phase.ANSWERED;
    }

    /** Keeps what was learned, under the new settings. */
    @Override
    public void takeOver(@Nullable RateLimit before, Load load, long nowNanos) {
        wire = load.inFlight();
        if (before instanceof QuotaPacer other) {
            other.surroundings.settings = surroundings.settings;
            surroundings = other.surroundings;
            quotas = other.quotas;
            limits = other.limits;
            overloads = other.overloads;
            announced = other.announced;
            last = other.last;
            phase = other.phase;
            firstAskedAt = other.firstAskedAt;
            wire = other.isIdle() ? wire : Math.max(wire, other.wire);
            lookForRest(nowNanos);
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
        if (phase != Phase.ANSWERED) {
            return phase == Phase.ASKED ? unansweredNanos(cost, nowNanos) : nowNanos;
        }
        long due = limits.dueNanos(ahead.requests(), wire, nowNanos);
        due = Nanos.later(due, overloads.dueNanos(ahead.requests(), wire, nowNanos));
        due = Nanos.later(due, announced.dueNanos(ahead.requests() + requests(cost), scope, nowNanos));
        for (int i = 0; i < quotas.size() && due != UNTIL_SIGNAL; i++) {
            due = Nanos.later(due, dueNanos(quotas.get(i), ahead, cost, scope, nowNanos));
        }
        return due;
    }

    private long dueNanos(PacedQuota quota, Cost ahead, Cost cost, Scope scope, long now) {
        double permits = (double) ahead.requests() + cost.requests() + wire;
        boolean free = !quota.counts(scope) || (hasUnits() && quota.isAmple(permits, now));
        return free ? now : quota.dueNanos(ahead, cost, wire, now);
    }

    @Override
    public @Nullable String heldBy(Cost ahead, Cost cost, Scope scope, long nowNanos) {
        String name = null;
        long latest = nowNanos;
        for (int i = 0; i < quotas.size() && phase == Phase.ANSWERED; i++) {
            long due = dueNanos(quotas.get(i), ahead, cost, scope, nowNanos);
            if (Nanos.later(latest, due) != latest) {
                latest = due;
                name = quotas.get(i).policy();
            }
        }
        return name;
    }

    @Override
    public List<String> explain(long nowNanos) {
        List<String> sentences = new ArrayList<>(quotas.size());
        quotas.forEach(quota -> sentences.add(quota.explain(nowNanos)));
        sentences.addAll(announced.explain());
        Stream.of(limits.explain(), overloads.explain())
                .filter(Objects::nonNull)
                .forEach(sentences::add);
        return sentences;
    }

    private boolean hasUnits() {
        boolean units = false;
        for (int i = 0; i < quotas.size(); i++) {
            units |= !quotas.get(i).countsRequests();
        }
        return units;
    }

    private long unansweredNanos(Cost cost, long now) {
        long patience = surroundings.settings.firstPatienceNanos();
        if (patience == 0) {
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
        if (phase == Phase.NEW) {
            phase = Phase.ASKED;
            firstAskedAt = nowNanos;
        }
        int permits = requests(cost);
        wire = Math.min(MOST_PERMITS, wire) + permits;
        double jitter = 1 + surroundings.settings.jitter() * (2 * surroundings.random.nextDouble() - 1);
        limits.admitted(permits, jitter, permitId, nowNanos);
        overloads.admitted(permits, jitter, permitId, nowNanos);
        announced.admitted(permits, scope, nowNanos);
        for (int i = 0; i < quotas.size(); i++) {
            if (quotas.get(i).counts(scope)) {
                quotas.get(i).admitted(cost, jitter, permitId, nowNanos);
            } else {
                quotas.get(i).passed(permits);
            }
        }
    }

    @Override
    public void onSignal(Signal signal, Load load, long nowNanos) {
        Outcome outcome = signal.outcome();
        ended(signal, load, nowNanos);
        if (outcome != Outcome.IGNORED && outcome != Outcome.CANCELLED) {
            phase = Phase.ANSWERED;
            read(signal, outcome == Outcome.SUCCESS || outcome.isRefusal(), load, nowNanos);
        } else if (phase == Phase.ASKED) {
            phase = Phase.NEW; // the next one goes alone
        }
        if (outcome == Outcome.SUCCESS) {
            if (overloads.onSuccess(load, nowNanos)) {
                limits.restart(load, nowNanos);
            }
            limits.onSuccess(load, nowNanos);
        } else if (outcome == Outcome.BUSY) {
            refused(overloads, limits, load, nowNanos);
        } else if (outcome == Outcome.RATE_LIMITED
                && !explained(signal.hints(), load, nowNanos)
                && !isClosedByName(signal.hints())) {
            refused(limits, overloads, load, nowNanos);
        } else {
            release(load.permitId());
        }
        lookForRest(nowNanos);
    }

    /** What a request took is no longer on the wire. */
    private void ended(Signal signal, Load load, long now) {
        int permits = requests(load.cost());
        wire = isIdle() || load.inFlight() == 0 ? load.inFlight() : Math.max(wire - permits, load.inFlight());
        Demand demand = signal.hints().demand();
        for (int i = 0; i < quotas.size(); i++) {
            PacedQuota quota = quotas.get(i);
            if (load.permitId() != 0 && !quota.counts(load.scope())) {
                quota.passed(-permits);
            } else {
                quota.ended(signal.outcome(), load, now);
            }
            if (demand != null) {
                quota.told(demand, load.cost());
            }
        }
        if (signal.outcome() == Outcome.IGNORED) {
            announced.release(permits, load.scope(), load.admittedAtNanos());
        }
    }

    /** A request was refused for a reason that no quota explains, and that is the business of a law. */
    private static void refused(RefusalLaw law, RefusalLaw other, Load load, long now) {
        other.release(load.permitId());
        other.catchUp(load, now);
        law.onRefusal(load, now);
    }

    private void release(long id) {
        limits.release(id);
        overloads.release(id);
    }

    @Override
    public Cost costAfterRefusal(Cost cost) {
        PacedQuota only = onlyUnit();
        return only == null ? cost : only.costAfterRefusal(cost, last.hints().retryAfter() == null);
    }

    @Override
    public long standAsideNanos(int refusals) {
        PacedQuota only = onlyUnit();
        return only == null ? 0 : only.standAsideNanos(refusals);
    }

    /** {@return the quota whose costs the last refusal tells of, if that is certain} */
    private @Nullable PacedQuota onlyUnit() {
        if (last.outcome() == Outcome.BUSY || last.hints().isExhausted()) {
            return null; // it is for want of something that no cost explains
        }
        PacedQuota only = null;
        for (PacedQuota quota : quotas) {
            if (!quota.countsRequests()) {
                if (only != null) {
                    return null;
                }
                only = quota;
            }
        }
        return only;
    }

    @Override
    public void onSettled(Cost admitted, Cost actual, long permitId, long admittedAtNanos, long nowNanos) {
        for (int i = 0; i < quotas.size(); i++) {
            quotas.get(i).settled(admitted, actual, permitId, nowNanos);
        }
    }

    @Override
    public void onShared(int processes, double perSecond, long nowNanos) {
        double factor = surroundings.become(processes, perSecond, nowNanos);
        for (PacedQuota quota : quotas) {
            quota.shared(factor, nowNanos);
        }
    }

    @Override
    public void onHeard(Signal signal, Load load, long nowNanos) {
        if (requests(load.cost()) > 0) {
            // A body comes before the request has ended, so its counts are read as those of an accepted one.
            read(Signal.of(Outcome.SUCCESS, signal.hints()), false, load, nowNanos);
        } else {
            wire = isIdle() ? load.inFlight() : wire;
            noteTold(signal.hints().quotas());
            for (Quota quota : signal.hints().quotas()) {
                heardElsewhere(quota, load, nowNanos);
            }
        }
        lookForRest(nowNanos);
    }

    /**
     * Reads a quota that another process was told. Of a window with a reset it is a further reading, but no response.
     * One without a reset tells a newcomer the pace of all.
     */
    private void heardElsewhere(Quota quota, Load load, long now) {
        Long units = quota.spendable();
        if (units == null || !quota.countsRequests()) {
            return;
        }
        PacedQuota known = find(quota);
        if (quota.reset() != null) {
            Reading told = reading.of(quota, units, Outcome.SUCCESS, null, load, now);
            (known == null ? add(quota) : known).heard(told, wire);
            phase = Phase.ANSWERED;
        } else if (known == null && surroundings.fairInterval() > 0) {
            add(quota).join(reading.of(quota, units, Outcome.SUCCESS, null, load, now));
            phase = Phase.ANSWERED;
        }
    }

    /** Refusals are judged otherwise where the server tells of quotas. */
    private void noteTold(List<Quota> quotas) {
        if (!quotas.isEmpty()) {
            limits.told();
            overloads.told();
        }
    }

    /** {@return whether the throttle itself keeps the calls of the quota waiting that a refusal is about} */
    private static boolean isClosedByName(RateHints hints) {
        for (Quota quota : hints.quotas()) {
            if (quota.policy() != null && quota.isNameOnly()) {
                return hints.refusalWait() != null;
            }
        }
        return false;
    }

    private static int requests(Cost cost) {
        return (int) Math.min(MOST_PERMITS, cost.requests());
    }

    private boolean explained(RateHints hints, Load load, long now) {
        boolean explained = announced.explains();
        for (int i = 0; i < quotas.size(); i++) {
            PacedQuota quota = quotas.get(i);
            if (quota.counts(load.scope()) && quota.explains(load.cost(), wire)) {
                explained = true;
                if (quota.countsRequests() && !isTold(quota, hints.quotas())) {
                    quota.read(
                            reading.ofRefusal(quota.untilReset(now), hints.retryAfter(), load, now), false, load, wire);
                }
                quota.refused(load, now);
            }
        }
        return explained;
    }

    private void read(Signal signal, boolean answered, Load load, long now) {
        last = signal;
        Duration wait = signal.hints().retryAfter();
        List<Quota> told = signal.hints().quotas();
        // A refusal for want of requests tells nothing of what a request takes of another unit.
        boolean isForRequests = signal.outcome() == Outcome.BUSY || areRequestsUsedUp(told);
        noteTold(told);
        if (answered) {
            announced.read(told, signal.outcome().isRefusal(), load.scope(), wire, now);
            for (int i = quotas.size() - 1; i >= 0; i--) {
                if (!isTold(quotas.get(i), told) && quotas.get(i).missing(load.scope())) {
                    quotas.remove(i);
                }
            }
        }
        for (int i = 0; i < told.size(); i++) {
            Quota quota = told.get(i);
            Long units = quota.spendable();
            if (units == null || quota.unit().equals(Quota.CONCURRENT_REQUESTS)) {
                continue;
            }
            PacedQuota known = find(quota);
            boolean costs = !quota.countsRequests();
            Outcome outcome = costs && !answered && wait != null ? Outcome.RATE_LIMITED : signal.outcome();
            boolean usedUp = signal.outcome() == Outcome.RATE_LIMITED && quota.isExhausted();
            boolean hidden =
                    usedUp && known != null && (announced.hidden(quota) != null || known.isOther(quota, load, wire));
            if (hidden && announced.refused(quota, load, wire, now)) {
                continue; // accepted requests tell of another limit
            }
            Duration asked = costs && isForRequests ? null : wait;
            (known == null ? add(quota) : known)
                    .read(reading.of(quota, units, outcome, asked, load, now), answered, load, wire);
        }
    }

    private static boolean areRequestsUsedUp(List<Quota> told) {
        boolean areUsedUp = false;
        for (int i = 0; i < told.size(); i++) {
            areUsedUp |= told.get(i).countsRequests() && told.get(i).isExhausted();
        }
        return areUsedUp;
    }

    private static boolean isTold(PacedQuota known, List<Quota> told) {
        for (int i = 0; i < told.size(); i++) {
            if (known.isOf(told.get(i)) && told.get(i).remaining() != null) {
                return true;
            }
        }
        return false;
    }

    private @Nullable PacedQuota find(Quota quota) {
        for (int i = 0; i < quotas.size(); i++) {
            if (quotas.get(i).isOf(quota)) {
                return quotas.get(i);
            }
        }
        return null;
    }

    /** {@return a new quota, in place of the one that was silent for longest if there are too many} */
    private PacedQuota add(Quota quota) {
        if (quotas.size() == MOST_QUOTAS) {
            quotas.remove(Collections.max(quotas, Comparator.comparingInt(PacedQuota::silent)));
        }
        PacedQuota added = new PacedQuota(surroundings, tuning, quota);
        quotas.add(added);
        return added;
    }

    /** {@return permits on the wire} */
    int wire() {
        return wire;
    }

    /** {@return seconds between two requests; 0 if there is no limit} */
    double interval() {
        double longest = Math.max(limits.interval(), overloads.interval());
        for (int i = 0; i < quotas.size(); i++) {
            longest = Math.max(longest, quotas.get(i).interval());
        }
        return longest;
    }

    @Override
    public double limitPerSecond() {
        return 1 / interval(); // infinity if there is no limit
    }
}
