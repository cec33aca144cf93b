package dev.throttle.engine;

import dev.throttle.Priority;
import dev.throttle.ThrottleState;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Quota;
import java.util.List;

/**
 * The state of a throttle as shown to the outside: written under the engine's lock, read by anyone without it, so that
 * reading disturbs nothing. What has not changed is not written, as other processors read it.
 */
public final class Gauges {

    private final Gate gate;
    private final InFlightCounter traffic;
    private final RunState run;
    private final QuotaBoard quotas = new QuotaBoard();

    private volatile long sleepNanos;
    private volatile long rateDueAt;
    private volatile double limitPerSecond = Double.POSITIVE_INFINITY;
    private volatile int limitInFlight = Integer.MAX_VALUE;
    private volatile int waiting;
    private volatile int waitingInteractive;
    private volatile int waitingBatch;
    private volatile long waitsSoFar;

    Gauges(Gate gate, InFlightCounter traffic, RunState run) {
        this.gate = gate;
        this.traffic = traffic;
        this.run = run;
    }

    /** {@return whether the rate began or ceased to be limited} */
    boolean publish(long now, Cost next, ControllerSet controls, WaitQueue queue) {
        Cost ahead = queue.costAhead(Priority.NORMAL);
        Wait shared = controls.shares().waitOf(ahead, next, now);
        showWaits(controls.rateWait(ahead, next, 0, now).longer(shared).knownNanos(), controls.sleepNanos(), now);
        boolean wasLimited = isLimited();
        showLimits(controls.limitPerSecond(), controls.limitInFlight());
        showCallers(queue);
        return wasLimited != isLimited();
    }

    /** {@return whether it lets calls go} */
    public ThrottleState state() {
        return run.shown();
    }

    private void showWaits(long rateWait, long sleep, long now) {
        if (rateWait > 0 || rateDueAt - now > 0) { // any time that has passed says the same
            rateDueAt = now + rateWait;
        }
        if (sleepNanos != sleep) {
            sleepNanos = sleep;
        }
    }

    private void showLimits(double perSecond, int inFlight) {
        if (Double.compare(limitPerSecond, perSecond) != 0) {
            limitPerSecond = perSecond;
        }
        if (limitInFlight != inFlight) {
            limitInFlight = inFlight;
        }
    }

    private void showCallers(WaitQueue queue) {
        int all = queue.size();
        if (waiting != all) {
            waiting = all;
        }
        int interactive = queue.size(Priority.INTERACTIVE);
        if (waitingInteractive != interactive) {
            waitingInteractive = interactive;
        }
        int batch = queue.size(Priority.BATCH);
        if (waitingBatch != batch) {
            waitingBatch = batch;
        }
        long waits = queue.waitsSoFar();
        if (waitsSoFar != waits) {
            waitsSoFar = waits;
        }
    }

    boolean isLimited() {
        return limitPerSecond < Double.POSITIVE_INFINITY;
    }

    QuotaBoard board() {
        return quotas;
    }

    /** {@return what the server said last about its quotas, the resets counted from now} */
    public List<Quota> quotas(long now) {
        return quotas.read(now);
    }

    /** {@return the sleep that the next request would be given, without the gate} */
    public long sleepNanos(long now) {
        return Math.max(sleepNanos, Math.max(0, rateDueAt - now));
    }

    public long blockedNanos(long now) {
        return Math.max(0, gate.waitNanos(now));
    }

    public double limitPerSecond() {
        return limitPerSecond;
    }

    /** {@return how many requests may be on the wire at a time; {@link Integer#MAX_VALUE} if any number} */
    public int limitInFlight() {
        return limitInFlight;
    }

    public double requestsPerSecond(long now) {
        return traffic.perSecond(now);
    }

    /** {@return how many times somebody took a place in the queue so far} */
    long waitsSoFar() {
        return waitsSoFar;
    }

    public int waiting() {
        return waiting;
    }

    /** {@return callers of one class in the queue} */
    public int waiting(Priority priority) {
        return switch (priority) {
            case INTERACTIVE -> waitingInteractive;
            case NORMAL -> Math.max(0, waiting - waitingInteractive - waitingBatch);
            case BATCH -> waitingBatch;
        };
    }

    public int inFlight() {
        return traffic.inFlight();
    }
}
