package dev.throttle.lab.sim;

import dev.throttle.lab.server.Answer;
import dev.throttle.lab.server.Load;
import dev.throttle.signal.Cost;
import dev.throttle.signal.RateHints;
import org.jspecify.annotations.Nullable;

/**
 * A thread of a process that makes one call after the other: it asks the client, waits, sends, hands the answer to the
 * client, and repeats what was refused as the client says.
 */
final class SimulatedThread {

    /** After a call that the client would not let wait, the program does something else for a while. */
    private static final long PAUSE_NANOS = 1_000_000_000L;

    private final Simulation simulation;
    private final SimulatedProcess process;
    private final ThreadRecord record;
    private Client.@Nullable Call call;
    private Load load = Load.NONE;
    private long waitBeganAt;
    private boolean waiting;
    /** What the current call has waited before its current wait. */
    private long callWaited;

    /** Which of the named limits of the server counts its calls. */
    private final int route;

    /** It sends over a connection of its own, as a thread of a client does that keeps connections open. */
    private final int connection;

    SimulatedThread(Simulation simulation, SimulatedProcess process, ThreadRecord record, int route) {
        this.simulation = simulation;
        this.process = process;
        this.record = record;
        this.route = route;
        this.connection = simulation.openConnection();
    }

    void begin() {
        callWaited = 0;
        call = null;
        if (process.hasLeft() || !process.takeCall(route)) {
            return;
        }
        load = process.nextLoad().on(route).over(connection);
        Client.Call next = process.client().newCall(simulation.estimate(load), simulation.route(route));
        call = next;
        ask(next);
    }

    private void ask(Client.Call current) {
        waitBeganAt = simulation.now();
        waiting = true;
        current.ask(() -> granted(current), this::rejected);
    }

    private void rejected() {
        if (simulation.boundsWaits() && !process.hasLeft()) {
            endWait();
            end(false, PAUSE_NANOS);
        }
        // Otherwise the process has left, or the client refuses so long a wait: the thread waits for ever.
    }

    private void granted(Client.Call current) {
        if (process.hasLeft()) {
            current.giveBack();
            return;
        }
        endWait();
        boolean informed = process.isTold();
        simulation.afterOneWay(() -> arrive(current, informed));
    }

    private void endWait() {
        long now = simulation.now();
        long wait = now - waitBeganAt;
        waiting = false;
        callWaited += wait;
        record.waited(now, wait);
    }

    private void arrive(Client.Call current, boolean informed) {
        Answer answer = simulation.answer(load);
        long epochMillis = simulation.epochMillis();
        record.answered(simulation.now(), answer, load);
        if (informed && !answer.isAccepted()) {
            record.refusedThoughTold();
        }
        Runnable answered = () -> simulation.afterOneWay(() -> respond(current, answer, epochMillis));
        if (answer.heldNanos() == 0) {
            answered.run();
        } else {
            simulation.after(answer.heldNanos(), answered);
        }
    }

    private void respond(Client.Call current, Answer answer, long epochMillis) {
        if (!answer.isAccepted() && !answer.isConnectionRefused()) {
            observe(current, answer);
        }
        boolean retry = answer.isConnectionRefused()
                ? current.unanswered()
                : current.answered(simulation.response(answer, epochMillis));
        simulation.seen(answer);
        if (simulation.tells(answer)) {
            process.told();
        }
        if (process.hasLeft()) {
            return;
        }
        if (retry) {
            ask(current);
        } else if (answer.isAccepted()) {
            simulation.afterStream(() -> received(current, answer));
        } else {
            end(false, 0);
        }
    }

    /** The whole answer is there, not only its head. */
    private void received(Client.Call current, Answer answer) {
        observe(current, answer);
        Cost truth = simulation.truth(load);
        if (truth != null) {
            current.ended(truth);
        }
        if (!process.hasLeft()) {
            end(true, 0);
        }
    }

    private void observe(Client.Call current, Answer answer) {
        RateHints hints = simulation.body(answer);
        if (!hints.isEmpty()) {
            current.heard(hints);
        }
    }

    private void end(boolean accepted, long pauseNanos) {
        record.callEnded(callWaited);
        if (!accepted) {
            record.callFailed();
        }
        if (!process.ended(this, route, accepted)) {
            return;
        }
        if (pauseNanos == 0) {
            begin();
        } else {
            callWaited = 0;
            call = null;
            simulation.after(pauseNanos, this::begin);
        }
    }

    /** A wait that the end cuts off was a wait none the less. */
    void stop() {
        if (waiting) {
            endWait();
        }
        Client.Call current = call;
        if (current != null) {
            if (callWaited > 0 || record.requests() == 0) {
                record.callEnded(callWaited);
            }
            current.cancel();
        }
    }
}
