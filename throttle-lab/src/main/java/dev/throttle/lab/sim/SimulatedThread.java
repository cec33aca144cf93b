package dev.throttle.lab.sim;

import dev.throttle.Permit;
import dev.throttle.ThrottledCall;
import dev.throttle.lab.server.Answer;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A thread of a process that makes one call after the other: it asks the throttle, waits, sends, hands the answer to
 * the throttle, and repeats what was refused as the throttle says.
 */
final class SimulatedThread {

    /** After a call that the throttle would not let wait, the program does something else for a while. */
    private static final long PAUSE_NANOS = 1_000_000_000L;

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
        call = null;
        if (process.hasLeft() || !process.takeCall()) {
            return;
        }
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
            } else if (simulation.boundsWaits() && !process.hasLeft()) {
                rejected();
            }
            // Otherwise the process has left, or the throttle refuses so long a wait: the thread waits for ever.
        });
    }

    private void rejected() {
        endWait();
        end(false, PAUSE_NANOS);
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
        long epochMillis = simulation.epochMillis();
        record.answered(simulation.now(), answer);
        simulation.afterOneWay(() -> respond(permit, answer, epochMillis));
    }

    private void respond(Permit permit, Answer answer, long epochMillis) {
        boolean retry =
                permit.complete(simulation.response(answer, epochMillis)).isRetry();
        simulation.seen(answer);
        if (process.hasLeft()) {
            return;
        }
        if (retry) {
            ask(permit.call());
        } else {
            end(answer.isAccepted(), 0);
        }
    }

    private void end(boolean accepted, long pauseNanos) {
        record.callEnded(callWaited);
        if (!accepted) {
            record.callFailed();
        }
        if (!process.ended(this, accepted)) {
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
        ThrottledCall current = call;
        if (current != null) {
            if (callWaited > 0 || record.requests() == 0) {
                record.callEnded(callWaited);
            }
            current.cancel();
        }
    }
}
