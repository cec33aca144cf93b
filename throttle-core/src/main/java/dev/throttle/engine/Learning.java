package dev.throttle.engine;

import dev.throttle.CallOptions;
import dev.throttle.control.Scope;
import dev.throttle.retry.decision.RetryFacts;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Demand;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.util.List;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What an answer changes: it tells the gate, the outage detector, the controllers, the shown quotas and the estimate of
 * costs what the server has said. After each of its methods the queue is to be looked at again, since any of them may
 * let a call go earlier or later. Guarded by the engine's lock, unless a method says otherwise.
 */
final class Learning {

    private final InFlightCounter traffic;
    private final Gate gate;
    private final Outage outage;
    private final ToldWindow window;
    private final ControllerSet controls;
    private final QuotaBoard quotas;
    private final Routes routes;
    private final Ceilings ceilings;
    private final CostEstimator estimator;
    private final Admission admission;
    private final RandomGenerator random;
    /** Is told of quotas that are used up. */
    private final Consumer<Quota> exhausted;
    /** Whether it matters what requests cost, as far as is known. Never false again; written under the lock. */
    private volatile boolean countsCosts;

    Learning(
            InFlightCounter traffic,
            Gate gate,
            Outage outage,
            ToldWindow window,
            ControllerSet controls,
            QuotaBoard quotas,
            Routes routes,
            Ceilings ceilings,
            CostEstimator estimator,
            Admission admission,
            RandomGenerator random,
            Consumer<Quota> exhausted) {
        this.traffic = traffic;
        this.gate = gate;
        this.outage = outage;
        this.window = window;
        this.controls = controls;
        this.quotas = quotas;
        this.routes = routes;
        this.ceilings = ceilings;
        this.estimator = estimator;
        this.admission = admission;
        this.random = random;
        this.exhausted = exhausted;
        this.countsCosts = controls.countsCosts();
    }

    /** Any thread may ask. {@return whether it matters what requests cost beside their number, as far as is known} */
    boolean countsCosts() {
        return countsCosts;
    }

    /** The controllers have changed. */
    void follow() {
        countsCosts |= controls.countsCosts();
    }

    /**
     * An attempt has ended.
     *
     * @param call its call
     * @param status the status of its answer; 0 if there was none, or if it is not known
     * @param refusals how often its call was refused in a row
     * @return how long a refused call sleeps
     */
    long ended(
            CallState call,
            Signal signal,
            int status,
            long permitId,
            Cost cost,
            long admittedAt,
            int refusals,
            long now) {
        if (signal.outcome() == Outcome.IGNORED) {
            traffic.takeBack(admittedAt);
        } else {
            traffic.end();
        }
        Signal heard = heard(signal);
        Scope scope = call.scope(); // it was counted by when it was admitted
        note(call.route(), heard, heard.hints().quotas(), now, now);
        Signal counted = forControllers(heard);
        long sleep = controls.onSignal(counted, refusals, load(permitId, cost, admittedAt, scope, now), now);
        if (outage.learn(heard.outcome(), status, permitId, now)) {
            admission.reviseWaiting(now);
        }
        if (!counted.hints().isEmpty()) {
            window.learn(counted, cost.requests(), now);
            admission.turnAwayTheLate(now);
        }
        return sleep;
    }

    /**
     * Any thread may ask.
     *
     * @return the part of a signal that is news: hints of a cache are old, and those of a denial are about what no wait
     *     can mend, unless they say what the request would take or which quota is used up for how long
     */
    static Signal heard(Signal signal) {
        Outcome outcome = signal.outcome();
        RateHints hints = signal.hints();
        boolean isOfUse = hints.demand() != null || (hints.retryAfter() != null && hasNameOnly(hints.quotas()));
        boolean isWithoutNews = outcome == Outcome.IGNORED || (outcome == Outcome.DENIED && !isOfUse);
        return isWithoutNews ? Signal.of(outcome) : signal;
    }

    private static boolean hasNameOnly(List<Quota> quotas) {
        return quotas.stream().anyMatch(quota -> quota.policy() != null && quota.isNameOnly());
    }

    /** {@return the signal for the controllers: of a denial without its wait, which would slow down other calls} */
    private static Signal forControllers(Signal heard) {
        return heard.outcome() == Outcome.DENIED
                ? Signal.of(
                        Outcome.DENIED, RateHints.NONE.withDemand(heard.hints().demand()))
                : heard;
    }

    /** An attempt of a call has ended with a refusal or a fault; {@return the facts that decide on its repetition} */
    RetryFacts facts(CallState call, Signal signal, long now) {
        long needed = admission.neededNanos(call, now);
        boolean spaced = !gate.waitAt(call.scope(), now).isOver() || controls.isAdaptive();
        boolean away = isSpacedInOutages(signal) && outage.isWaitedForBy(call, now);
        if (away) {
            call.excuse(outage.number());
        }
        return call.facts(signal, spaced, away, needed, leftNanos(call, now), random.nextDouble());
    }

    /** {@return whether attempts are spaced while the server is away, so that they need no bound of their own} */
    private boolean isSpacedInOutages(Signal signal) {
        return signal.outcome() != Outcome.BUSY || controls.isAdaptive();
    }

    /** {@return how long a call may go on waiting, also for a server that is away} */
    private long leftNanos(CallState call, long now) {
        return Math.min(outage.leftNanos(call, now), admission.leftNanos(call, now));
    }

    /** Books what an attempt truly took; see {@link Engine#settle}. */
    void settled(CallOptions options, long permitId, Cost admitted, Cost actual, long admittedAt, long now) {
        if (!actual.isRequestsOnly()) {
            countsCosts = true;
            estimator.learn(options, actual);
        }
        comeToTheLock(); // what is owed must be waited for
        controls.onSettled(admitted, actual, permitId, admittedAt, now);
    }

    /**
     * Learns what does not end an attempt. A time to stay away is kept like that of a refusal, as only a client that
     * was refused is told one in a body.
     */
    void heardMore(Signal signal, long permitId, Cost cost, long admittedAt, long now) {
        boolean isRefused = signal.hints().retryAfter() != null;
        Signal meant = isRefused ? Signal.of(Outcome.RATE_LIMITED, signal.hints()) : signal;
        heard(meant, signal, permitId, cost, admittedAt, now, now);
    }

    /** Learns what the server told another client some time ago. */
    void heardElsewhere(Signal told, long ageNanos, long now) {
        Signal news = AgedSignal.withoutOld(told, quotas, ageNanos, now);
        heard(AgedSignal.aged(news, ageNanos), news, 0, Cost.NONE, now, now - ageNanos, now);
    }

    private void heard(Signal signal, Signal told, long permitId, Cost cost, long admittedAt, long saidAt, long now) {
        if (!signal.hints().isEmpty()) {
            note(null, signal, told.hints().quotas(), saidAt, now);
            controls.onHeard(signal, load(permitId, cost, admittedAt, Scope.ALL, now), now);
        }
    }

    /** Tells controllers that start anew what the server said last. */
    void tellAgain(long now) {
        Signal last = Signal.of(Outcome.SUCCESS, new RateHints(null, quotas.read(now)));
        if (!last.hints().isEmpty()) {
            controls.onHeard(last, load(0, Cost.NONE, now, Scope.ALL, now), now);
        }
    }

    /** So many processes share the key. */
    void shared(int processes, double perSecond, long now) {
        comeToTheLock();
        controls.onShared(processes, perSecond, now);
    }

    /**
     * Hands on what a server says about its limits.
     *
     * @param route the route of the request that it answers; null if it answers none
     * @param signal what it means now
     * @param told the quotas as they were told
     * @param saidAt when they were told
     */
    private void note(@Nullable String route, Signal signal, List<Quota> told, long saidAt, long now) {
        comeToTheLock();
        switch (routes.learn(route, signal)) {
            case NAMES -> admission.reviseScopes(null);
            case ROUTE -> admission.reviseScopes(route);
            case NOTHING -> {}
        }
        if (!signal.hints().isEmpty()) {
            countsCosts |= signal.hints().countsCosts();
            Demand demand = signal.hints().demand();
            if (route != null) {
                ceilings.learn(route, demand, signal.hints().quotas(), now);
            }
            quotas.newlyExhausted(signal.hints().quotas(), now).forEach(exhausted);
            quotas.put(withNumbers(told), saidAt);
            gate.onSignal(signal, random.nextDouble(), now);
        }
    }

    /** {@return the quotas of which there is something to show} */
    private static List<Quota> withNumbers(List<Quota> quotas) {
        for (int i = 0; i < quotas.size(); i++) {
            if (quotas.get(i).isNameOnly()) {
                return quotas.stream().filter(quota -> !quota.isNameOnly()).toList();
            }
        }
        return quotas;
    }

    /** From here on every end comes to the lock: no controller may miss one that it waits for. */
    private void comeToTheLock() {
        traffic.setSlow(true);
    }

    /** {@return the state of the throttle as controllers see it} */
    TrafficLoad load(long permitId, Cost cost, long admittedAt, Scope scope, long now) {
        return new TrafficLoad(
                permitId,
                cost,
                admittedAt,
                traffic.inFlight(),
                traffic.admitted(),
                admission.queue().size() + admission.waitingElsewhere(),
                traffic.perSecond(now),
                scope);
    }
}
