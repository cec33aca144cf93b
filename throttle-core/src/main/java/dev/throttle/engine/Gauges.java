package dev.throttle.engine;

import dev.throttle.ThrottleState;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Quota;
import java.util.List;

/**
 * The state of a throttle as shown to the outside: written under the engine's lock, read by anyone without it, so that
 * reading disturbs nothing.
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
    private volatile long waitsSoFar;

    Gauges(Gate gate, InFlightCounter traffic, RunState run) {
        this.gate = gate;
        this.traffic = traffic;
        this.run = run;
    }

    /** {@return whether the rate began or ceased to be limited} */
    boolean publish(long now, Cost next, ControllerSet controls, WaitQueue queue) {
        rateDueAt = now + controls.rateWait(queue.costInLine(), next, now).knownNanos();
        sleepNanos = controls.sleepNanos();
        boolean wasLimited = isLimited();
        limitPerSecond = controls.limitPerSecond();
        limitInFlight = controls.limitInFlight();
        waiting = queue.size();
        waitsSoFar = queue.waitsSoFar();
        return wasLimited != isLimited();
    }

    /** {@return whether it lets calls go} */
    public ThrottleState state() {
        return run.shown();
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

    public int inFlight() {
        return traffic.inFlight();
    }
}
