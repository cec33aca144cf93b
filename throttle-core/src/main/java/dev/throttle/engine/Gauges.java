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

    private volatile Waiting waiting = new Waiting(0, 0, 0, 0, 0);

    /**
     * The callers in the queue.
     *
     * @param tenants of how many tenants they are
     * @param soFar how many times a call took a place so far
     */
    private record Waiting(int interactive, int normal, int batch, int tenants, long soFar) {

        /** {@return whether it says what is true of the queue} */
        boolean isThatOf(WaitQueue queue) {
            return soFar == queue.waitsSoFar()
                    && interactive == queue.size(Priority.INTERACTIVE)
                    && normal == queue.size(Priority.NORMAL)
                    && batch == queue.size(Priority.BATCH)
                    && tenants == queue.tenants();
        }

        static Waiting of(WaitQueue queue) {
            return new Waiting(
                    queue.size(Priority.INTERACTIVE),
                    queue.size(Priority.NORMAL),
                    queue.size(Priority.BATCH),
                    queue.tenants(),
                    queue.waitsSoFar());
        }
    }

    Gauges(InFlightCounter traffic, RunState run) {
        this.traffic = traffic;
        this.run = run;
    }

    /** {@return whether the rate began or ceased to be limited} */
    boolean publish(long at, ControllerSet controls, WaitQueue queue) {
        if (!waiting.isThatOf(queue)) {
            waiting = Waiting.of(queue);
        }
        boolean isLimited = controls.limitPerSecond(at) < Double.POSITIVE_INFINITY;
        boolean isNews = isLimited != limited;
        if (isNews) {
            limited = isLimited;
        }
        return isNews;
    }

    /** {@return whether it lets calls go} */
    public ThrottleState state() {
        return run.shown();
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
        return waiting.soFar;
    }

    /** {@return callers in the queue} */
    public int waiting() {
        Waiting now = waiting;
        return now.interactive + now.normal + now.batch;
    }

    /** {@return callers of one class in the queue} */
    public int waiting(Priority priority) {
        return switch (priority) {
            case INTERACTIVE -> waiting.interactive;
            case NORMAL -> waiting.normal;
            case BATCH -> waiting.batch;
        };
    }

    /** {@return how many tenants have a call in the queue} */
    public int waitingTenants() {
        return waiting.tenants;
    }

    public int inFlight() {
        return traffic.inFlight();
    }
}
