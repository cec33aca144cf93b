package dev.throttle.engine;

import dev.throttle.Priority;
import dev.throttle.ThrottleState;
import dev.throttle.signal.Quota;
import java.util.List;

/**
 * What a throttle counts, as shown to the outside: written under the engine's lock and read without it. A value that
 * has not changed is not written, as other processors read it. What depends on the time, such as the wait of the first
 * call in line, is not kept here; the engine computes it when it is read.
 */
public final class Gauges {

    private final InFlightCounter traffic;
    private final RunState run;
    private final QuotaBoard quotas = new QuotaBoard();

    /** Whether the rate is limited, as of the last event. */
    private volatile boolean limited;

    private volatile int waiting;
    private volatile int waitingInteractive;
    private volatile int waitingBatch;
    private volatile long waitsSoFar;

    Gauges(InFlightCounter traffic, RunState run) {
        this.traffic = traffic;
        this.run = run;
    }

    /** {@return whether the rate began or ceased to be limited} */
    boolean publish(long now, ControllerSet controls, WaitQueue queue) {
        showCallers(queue);
        boolean wasLimited = limited;
        limited = controls.limitPerSecond(now) < Double.POSITIVE_INFINITY;
        return wasLimited != limited;
    }

    /** {@return whether it lets calls go} */
    public ThrottleState state() {
        return run.shown();
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
        return limited;
    }

    QuotaBoard board() {
        return quotas;
    }

    /** {@return what the server said last about its quotas, the resets counted from now} */
    public List<Quota> quotas(long now) {
        return quotas.read(now);
    }

    public double requestsPerSecond(long now) {
        return traffic.perSecond(now);
    }

    /** {@return how many times a call took a place in the queue so far} */
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
