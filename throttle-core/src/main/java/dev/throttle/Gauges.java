package dev.throttle;

/**
 * The state of a throttle as shown to the outside: written under the throttle's lock, read by anyone without it, so
 * that reading disturbs nothing.
 */
final class Gauges {

    private final Gate gate;
    private final InFlightCounter traffic;
    private final QuotaBoard quotas = new QuotaBoard();

    private volatile long sleepNanos;
    private volatile long rateDueAt;
    private volatile double limitPerSecond = Double.POSITIVE_INFINITY;
    private volatile int waiting;

    Gauges(Gate gate, InFlightCounter traffic) {
        this.gate = gate;
        this.traffic = traffic;
    }

    void publish(long now, ControllerSet controls, WaitQueue queue) {
        long rateWait = controls.rateWaitNanos(queue.permitsInLine(), 1, now);

        rateDueAt = rateWait == ControllerSet.UNTIL_SIGNAL ? now : now + rateWait;
        sleepNanos = controls.sleepNanos();
        limitPerSecond = controls.limitPerSecond();
        waiting = queue.size();
    }

    QuotaBoard quotas() {
        return quotas;
    }

    /** {@return the sleep that the next request would be given, without the gate} */
    long sleepNanos(long now) {
        return Math.max(sleepNanos, Math.max(0, rateDueAt - now));
    }

    long blockedNanos(long now) {
        return Math.max(0, gate.waitNanos(now));
    }

    double limitPerSecond() {
        return limitPerSecond;
    }

    double requestsPerSecond(long now) {
        return traffic.perSecond(now);
    }

    int waiting() {
        return waiting;
    }

    int inFlight() {
        return traffic.inFlight();
    }
}
