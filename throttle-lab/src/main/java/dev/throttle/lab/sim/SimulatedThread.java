package dev.throttle.lab.sim;

import dev.throttle.Permit;
import dev.throttle.client.ThrottledCall;
import dev.throttle.lab.server.Answer;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A thread of a process that sends one request after the other: it asks the throttle, waits, sends, hands the answer to
 * the throttle, and repeats what was refused as the throttle says.
 */
final class SimulatedThread {

    private final Simulation simulation;
    private final SimulatedProcess process;
    private final ThreadRecord record;
    private @Nullable ThrottledCall call;
    private long waitBeganAt;
    private boolean waiting;
    /** What the current call has waited before its current wait. */
    private long callWaited;

    SimulatedThread(Simulation simulation, SimulatedProcess process, ThreadRecord record) {
        this.simulation = simulation;
        this.process = process;
        this.record = record;
    }

    void begin() {
        callWaited = 0;
        ThrottledCall next = process.throttle().newCall();
        call = next;
        ask(next);
    }

    private void ask(ThrottledCall current) {
        waitBeganAt = simulation.now();
        waiting = true;
        // The throttle's executor runs this where the permit is granted, so no time passes in between.
        CompletableFuture<Permit> unused = current.acquireAsync().whenComplete((permit, failure) -> {
            if (permit != null) {
                granted(permit);
            }
            // Otherwise the process has left, or the throttle refuses so long a wait: the thread waits for ever.
        });
    }

    private void granted(Permit permit) {
        if (process.hasLeft()) {
            permit.release();
            return;
        }
        endWait();
        simulation.afterOneWay(() -> arrive(permit));
    }

    private void endWait() {
        long now = simulation.now();
        long wait = now - waitBeganAt;
        waiting = false;
        callWaited += wait;
        record.waited(now, wait);
    }

    private void arrive(Permit permit) {
        Answer answer = simulation.answer();
        record.answered(simulation.now(), answer);
        simulation.afterOneWay(() -> respond(permit, answer));
    }

    private void respond(Permit permit, Answer answer) {
        boolean retry = permit.complete(simulation.response(answer)).isRetry();
        simulation.seen(answer);
        if (process.hasLeft()) {
            return;
        }
        if (retry) {
            ask(Objects.requireNonNull(call));
        } else {
            record.callEnded(callWaited);
            begin();
        }
    }

    /** A wait that the end cuts off was a wait none the less. */
    void stop() {
        if (waiting) {
            endWait();
        }
        if (callWaited > 0 || record.requests() == 0) {
            record.callEnded(callWaited);
        }
        ThrottledCall current = call;
        if (current != null) {
            current.cancel();
        }
    }
}
