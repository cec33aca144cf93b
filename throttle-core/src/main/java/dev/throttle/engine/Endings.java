package dev.throttle.engine;

import dev.throttle.ThrottleState;
import dev.throttle.internal.Nanos;
import dev.throttle.retry.RetryDecision;
import dev.throttle.retry.RetryDecision.StopReason;
import dev.throttle.retry.decision.RetryFacts;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;
import java.time.Duration;

/**
 * Ends attempts: counts them, hands what they say to everybody who learns from it, and decides what becomes of those
 * that were refused or failed.
 */
final class Endings {

    private final EngineState state;
    private final Counters counters;

    Endings(EngineState state, Counters counters) {
        this.state = state;
        this.counters = counters;
    }

    /** Ends an attempt that is not repeated. */
    void end(Signal signal, Cost cost, long admittedAt) {
        Outcome outcome = signal.outcome();
        counters.count(outcome);
        boolean mattersToSomebody = state.traffic.end();
        if (mattersToSomebody
                || outcome.isRefusal()
                || outcome == Outcome.FAILED
                || !signal.hints().isEmpty()) {
            Waiter ready;
            state.lock.lock();
            try {
                long now = state.now();
                learn(signal, cost, admittedAt, outcome.isRefusal() ? 1 : 0, now);
                state.queue.drain(now);
                ready = state.publish(now);
            } finally {
                state.lock.unlock();
            }
            state.tell(ready);
        }
        if (outcome.isRefusal() || outcome == Outcome.FAILED) {
            state.log.refused(signal);
        }
        tell(signal);
        state.tellIdle();
    }

    /** Ends an attempt that was refused, denied or failed, and decides what becomes of its request. */
    RetryDecision fail(CallState call, Signal signal, int status, Cost cost, long admittedAt) {
        Outcome outcome = signal.outcome();
        counters.count(outcome);
        state.quiet.ends(call);
        state.traffic.end();
        call.failed(outcome, status);
        boolean refuses = outcome != Outcome.DENIED && state.config.guards().isRefusing();
        RetryFacts facts = null;
        long admitted = 0;
        long aside = 0;
        long now;
        Waiter ready;
        state.lock.lock();
        try {
            now = state.now();
            long sleep = learn(signal, cost, admittedAt, call.refusals(), now);
            if (outcome.isRefusal()) {
                call.refused(cost, state.controls.costAfterRefusal(cost));
            }
            if (outcome == Outcome.RATE_LIMITED) {
                aside = state.controls.standAsideNanos(call.refusals());
            }
            call.prepareRetry(sleep, state.random.nextDouble(), now);
            if (!refuses) {
                facts = facts(call, signal, now);
                aside = Math.min(aside, Math.max(0, facts.leftNanos() - facts.neededNanos())); // costs no patience
                admitted = state.traffic.inTenSeconds(now);
            }
            state.queue.drain(now);
            ready = state.publish(now);
        } finally {
            state.lock.unlock();
        }
        state.tell(ready);
        RetryDecision decision;
        if (call.isCancelled()) {
            decision = StopReason.CANCELLED.decision();
        } else if (isClosed() && outcome != Outcome.DENIED) {
            decision = StopReason.CLOSED.decision();
        } else {
            decision = facts == null
                    ? StopReason.GUARD.decision()
                    : state.config.retries().decide(call, facts, admitted, now);
        }
        call.giveBackReserved();
        call.decided(decision, aside);
        state.log.refused(call.attempts(), signal, status, decision);
        tell(signal);
        counters.count(decision);
        state.events.onRetryDecision(decision);
        if (!decision.isRetry()) {
            state.quiet.settles(call);
            state.tellIdle();
        }
        return decision;
    }

    private boolean isClosed() {
        return state.run.shown() == ThrottleState.CLOSED;
    }

    private RetryFacts facts(CallState call, Signal signal, long now) {
        Wait wait = state.queue.obstacles().waitOf(call, Cost.NONE, now);
        long needed = state.queue.obstacles().known(call, wait, Cost.NONE, now).knownNanos();
        boolean spaced = state.gate.waitNanos(now) > 0 || state.controls.isAdaptive();
        return call.facts(signal, spaced, needed, call.leftNanos(state.maxWaitNanos()), state.random.nextDouble());
    }

    /** Foretells a decision as far as it can be told before anybody has learned from the signal. */
    boolean previewRetry(CallState call, Signal signal) {
        if (call.isCancelled() || isClosed() || state.config.guards().isRefusing()) {
            return false;
        }
        Duration named = signal.outcome().isRefusal() ? signal.hints().refusalWait() : null;
        long now = state.now();
        long needed = Math.max(state.gate.waitNanos(now), named == null ? 0 : Nanos.of(named));
        RetryFacts facts = call.foretoldFacts(signal, needed, call.leftNanos(state.maxWaitNanos()));
        return state.config.retries().foretell(call, facts, state.traffic.inTenSeconds(now), now);
    }

    /**
     * Keeps everybody waiting as a refusal demands, until it is known who sent it.
     *
     * @return lifts the hold, after whatever is to be learned instead was learned
     */
    Runnable hold(Signal signal) {
        Gate.Hold hold = new Gate.Hold();
        state.underLock(now -> {
            state.gate.hold(hold, signal, now);
            state.queue.drain(now);
        });
        return () -> state.underLock(now -> {
            state.gate.lift(hold);
            state.queue.drain(now);
        });
    }

    /** Hands a signal to everybody who learns from it; {@return how long a refused call sleeps} */
    private long learn(Signal signal, Cost cost, long admittedAt, int refusals, long now) {
        Signal heard = heard(signal);
        state.note(heard, now);
        return state.queue.learn(heard, cost, admittedAt, refusals, now);
    }

    /**
     * {@return as much of a signal as is news} Hints of a cache are old. Those of a refusal for good are about what no
     * wait can mend.
     */
    private static Signal heard(Signal signal) {
        Outcome outcome = signal.outcome();
        boolean isWithoutNews = outcome == Outcome.IGNORED || outcome == Outcome.DENIED;
        return isWithoutNews ? Signal.of(outcome) : signal;
    }

    /** Listeners hear what the throttle goes by. */
    private void tell(Signal signal) {
        Signal heard = heard(signal);
        Outcome outcome = heard.outcome();
        boolean isBad = outcome.isRefusal() || outcome == Outcome.DENIED || outcome == Outcome.FAILED;
        if ((isBad || !heard.hints().isEmpty()) && state.events.isHeard()) {
            state.events.onSignal(heard);
        }
    }
}
