package dev.throttle.micrometer;

import dev.throttle.Priority;
import dev.throttle.ThrottleListener;
import dev.throttle.ThrottleRejectedException;
import io.micrometer.observation.Observation;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Describes an observed wait. Not thread-safe. It changes once, before the observation stops. */
@SuppressWarnings("exports") // Micrometer is optional: callers of this have it
public final class ThrottleWaitContext extends Observation.Context {

    private final ThrottleListener.Source throttle;
    private final Priority priority;
    private final Duration atLeast;
    private volatile String reason;
    private volatile @Nullable Duration wait;
    private volatile @Nullable Throwable failure;

    ThrottleWaitContext(ThrottleListener.Source throttle, Priority priority, String reason, Duration atLeast) {
        this.throttle = throttle;
        this.priority = priority;
        this.reason = reason;
        this.atLeast = atLeast;
    }

    void ended(String why, Duration waited, @Nullable Throwable cause) {
        reason = why;
        failure = cause;
        wait = waited;
    }

    /** {@return the throttle that holds the caller back} */
    public ThrottleListener.Source getThrottle() {
        return throttle;
    }

    /** {@return the priority of the caller} */
    public Priority getPriority() {
        return priority;
    }

    /** {@return what the caller waits for; once the wait has ended, what it waited for longest} */
    public String getReason() {
        return reason;
    }

    /** {@return the least duration of the wait, as far as it was known when the wait began} */
    public Duration getAtLeast() {
        return atLeast;
    }

    /** {@return how long the caller has waited; null until the wait has ended} */
    public @Nullable Duration getWait() {
        return wait;
    }

    /** {@return why the caller was rejected; null if it was not} */
    public @Nullable ThrottleRejectedException getRejection() {
        return failure instanceof ThrottleRejectedException rejection ? rejection : null;
    }

    /** {@return how the wait ended: {@code admitted}, {@code rejected} or {@code cancelled}; {@code waiting} before} */
    public String getOutcome() {
        if (wait == null) {
            return "waiting";
        }
        if (failure == null) {
            return "admitted";
        }
        return failure instanceof ThrottleRejectedException ? "rejected" : "cancelled";
    }
}
