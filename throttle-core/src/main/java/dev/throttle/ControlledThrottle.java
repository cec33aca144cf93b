package dev.throttle;

import dev.throttle.engine.RunMode;
import dev.throttle.internal.Preconditions;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** What a program asks of a throttle while it runs, beside permits. */
abstract class ControlledThrottle extends Pausable {

    ControlledThrottle() {}

    abstract LiveEngine live();

    /** {@return the key as shown in metrics, logs and exceptions} */
    public abstract String label();

    @Override
    public CompletableFuture<Void> drain() {
        return live().drain();
    }

    @Override
    final void ask(RunMode mode) {
        live().ask(mode);
    }

    /**
     * Tells the throttle what the server has just said to another client, as {@link #observe(Signal, Duration)} does.
     *
     * @param signal what the server said
     */
    public final void observe(Signal signal) {
        observe(signal, Duration.ZERO);
    }

    /**
     * Tells the throttle what the server has said elsewhere, such as to another process, in a webhook or on a status
     * page. Times count from when it was said: a {@code Retry-After} of 30 s that was said 10 s ago makes all callers
     * wait for 20 s. As with the throttle's own responses, a {@code Retry-After} applies only to a refusal
     * ({@code RATE_LIMITED} or {@code BUSY}). A quota is ignored if something newer is known about it.
     *
     * <p>This does not count as a response and does not affect requests in flight. The waits of waiting callers are
     * computed again.
     *
     * @param signal what the server said
     * @param age how long ago the server said it, zero or more
     */
    public final void observe(Signal signal, Duration age) {
        live().observe(signal, age);
    }

    /**
     * Tells the throttle how many processes share the server's quota for the key. {@code throttle-redis} does this
     * automatically. Strategies that otherwise guess the number use it: the default strategy shares the quota with a
     * new process at once, instead of when it sees the count fall. The number applies until this method is called
     * again, so the caller must also report when the processes are no longer counted.
     *
     * @param processes how many processes are active now, including this one; 0 if they are no longer counted, so that
     *     the number is unknown
     * @param perSecond how many requests per second they send together at their current limits; NaN or 0 if that is not
     *     known
     */
    public final void reportSharers(int processes, double perSecond) {
        live().reportSharers(processes, perSecond);
    }

    /**
     * Changes settings in one step while the throttle runs. The change starts with the current settings, and settings
     * that it does not touch stay, with all their state. What was counted still counts: the used part of a bucket stays
     * used when its size changes, a window keeps its count, requests in flight count towards a limit on them, a wait
     * that the server asked for still applies, and strategies keep what they have learned. The new settings apply to
     * waiting callers at once.
     *
     * <p>A key of a registry that was changed individually is never dropped. It keeps its settings until those of the
     * registry change.
     *
     * @param change changes the settings. It is called again if they were changed concurrently. If it throws, or if the
     *     settings contradict each other, nothing changes
     */
    public final void reconfigure(Consumer<KeySettings> change) {
        Preconditions.required("change", change);
        live().reconfigure(policy -> KeySettings.change(policy, change, true));
    }

    /**
     * {@return how long a call would have to wait if it arrived now, and why other callers are waiting} This takes no
     * permit and reserves no place in the queue.
     *
     * @param options the options of the call
     */
    public final WaitEstimate estimateWait(CallOptions options) {
        return live().shown().estimateWait(Preconditions.required("options", options));
    }

    /**
     * {@return why callers are waiting now, in one sentence for a log}
     *
     * <pre>{@code
     * LOG.info("{}", throttle.explainWait());
     * // api: 2 calls are waiting, the first for 2 s (retry-after) with at least 3 s to go; 1 request is in flight
     * }</pre>
     */
    public final String explainWait() {
        return estimateWait(CallOptions.DEFAULT).toString();
    }
}
