package dev.throttle;

import dev.throttle.engine.Events;
import dev.throttle.engine.WaitTrail;
import dev.throttle.internal.CallContext;
import dev.throttle.retry.RetryDecision;
import dev.throttle.signal.Quota;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Tells the listeners of one throttle what it does. */
final class ListenerEvents implements Events {

    private final ThrottleListener.Source throttle;
    /** The listeners of all throttles that were built together. */
    private final Listeners common;
    /** The listeners of this throttle only. */
    final Listeners own = new Listeners(List.of(), null);

    ListenerEvents(ThrottleListener.Source throttle, Listeners common) {
        this.throttle = throttle;
        this.common = common;
    }

    @Override
    public boolean isHeard() {
        return !common.isEmpty() || !own.isEmpty();
    }

    @Override
    public boolean isIdleHeard() {
        return common.isIdleHeard() || own.isIdleHeard();
    }

    @Override
    public @Nullable CallContext captureContext() {
        return common.captureContext();
    }

    @Override
    public void onWaiting(Priority priority, String reason, Duration atLeast) {
        tell(listener -> listener.onWaiting(throttle, priority, reason, atLeast));
    }

    @Override
    public void onWaited(Priority priority, String reason, Duration wait) {
        tell(listener -> listener.onWaited(throttle, priority, reason, wait));
    }

    @Override
    public WaitTrail.@Nullable Follower onWaitStart(Priority priority, String reason, Duration atLeast) {
        List<ThrottleListener.WaitObserver> followed = new ArrayList<>();
        tell(listener -> {
            ThrottleListener.WaitObserver wait = listener.onWaitStart(throttle, priority, reason, atLeast);
            if (wait != null) {
                followed.add(wait);
            }
        });
        return followed.isEmpty()
                ? null
                : (why, nanos, failure) -> {
                    String waitedFor = why.isEmpty() ? reason : why;
                    followed.forEach(
                            wait -> common.guard(() -> wait.ended(waitedFor, Duration.ofNanos(nanos), failure)));
                };
    }

    @Override
    public void onRejected(ThrottleRejectedException rejection) {
        tell(listener -> listener.onRejected(throttle, rejection));
    }

    @Override
    public void onSignal(Signal signal) {
        tell(listener -> listener.onSignal(throttle, signal));
    }

    @Override
    public void onRetryDecision(RetryDecision decision) {
        tell(listener -> listener.onRetryDecision(throttle, decision));
    }

    @Override
    public void onRateLimited(boolean limited) {
        tell(listener -> listener.onRateLimited(throttle, limited));
    }

    @Override
    public void onQuotaExhausted(Quota quota) {
        tell(listener -> listener.onQuotaExhausted(throttle, quota));
    }

    @Override
    public void onStateChanged(ThrottleState state) {
        tell(listener -> listener.onStateChanged(throttle, state));
    }

    @Override
    public void onIdle() {
        tell(listener -> listener.onIdle(throttle));
    }

    void onCreated() {
        tell(listener -> listener.onCreated(throttle));
    }

    void onEvicted() {
        tell(listener -> listener.onEvicted(throttle));
    }

    private void tell(Consumer<ThrottleListener> event) {
        if (!common.isEmpty()) {
            common.tell(event);
        }
        if (!own.isEmpty()) {
            own.tell(event);
        }
    }
}
