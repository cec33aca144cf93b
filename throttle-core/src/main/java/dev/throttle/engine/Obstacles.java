package dev.throttle.engine;

import dev.throttle.signal.Cost;

/**
 * Tells what a call has to wait for: the gate, the controllers, its backoff, the end of a pause. Guarded by the
 * engine's lock.
 */
final class Obstacles {

    static final String BACKOFF = "backoff";

    private static final Wait UNTIL_RESUMED = new Wait(Wait.UNTIL_SIGNAL, RunState.PAUSED);

    private final Gate gate;
    private final ControllerSet controls;
    private final RunState run;
    private final Turns turns;

    Obstacles(Gate gate, ControllerSet controls, RunState run, Turns turns) {
        this.gate = gate;
        this.controls = controls;
        this.run = run;
        this.turns = turns;
    }

    /**
     * {@return how long a call still has to wait, were it at the head} Where a strategy that learns only adds to what
     * the server named, for some spread, the server's word is what the wait is for.
     */
    Wait waitOf(CallState call, Cost ahead, long now) {
        return ownWaitOf(call, ahead, now).longer(controls.shares().waitOf(ahead, call.cost(), now));
    }

    /** The same without the limits that are shared with other throttles. */
    private Wait ownWaitOf(CallState call, Cost ahead, long now) {
        if (run.isPaused()) {
            return UNTIL_RESUMED;
        }
        Wait wait = turns.waitOf(call, ahead, now);
        Wait server = gate.waitAt(now);
        if (!server.isOver()) {
            boolean adds = controls.isAdaptive(wait.reason()) && wait.knownNanos() / 2 <= server.nanos();
            wait = adds ? Wait.of(Math.max(wait.nanos(), server.nanos()), server.reason()) : wait.longer(server);
        }
        long backoff = call.backoffNanos() - call.sleptNanos(now);
        return backoff > wait.nanos() ? Wait.of(backoff, BACKOFF) : wait;
    }

    /**
     * {@return as much of a wait as is known} Where only a signal can end it, that is what the call has to wait for
     * besides. Nothing is known while bounds stand still: the time that counts may begin when all of it is over.
     */
    Wait known(CallState call, Wait wait, Cost ahead, long now) {
        if (run.standsStill()) {
            return Wait.NONE;
        }
        if (!wait.isUntilSignal()) {
            return wait;
        }
        Wait own = Wait.of(call.backoffNanos() - call.sleptNanos(now), BACKOFF);
        return gate.waitAt(now).longer(own).longer(controls.knownWaitOf(call, ahead, now));
    }

    /** {@return what the head has to wait for; none if it has taken what is shared, and may take the rest} */
    Wait takeOrStand(CallState head, long now) {
        Wait own = ownWaitOf(head, Cost.NONE, now);
        if (own.isOver()) {
            return controls.shares().takeOrStand(head.cost(), now);
        }
        controls.shares().leave(now); // it could not go, and looks again when it could
        return own;
    }
}
