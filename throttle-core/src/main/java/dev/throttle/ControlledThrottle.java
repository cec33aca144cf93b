package dev.throttle;

import dev.throttle.engine.Foresight.Outlook;
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

    /** {@return the key as it is shown: in metrics, logs and exceptions} */
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
     * Learns what somebody else was told about the server just now, as {@link #hear(Signal, Duration)} does.
     *
     * @param signal what was said
     */
    public final void hear(Signal signal) {
        hear(signal, Duration.ZERO);
    }

    /**
     * Learns what somebody else was told about the server: another process, a webhook, a status page. The times in it
     * are counted from when it was said: a {@code Retry-After} of 30 s that was said 10 s ago keeps everybody waiting
     * for 20 s. As with own answers, it takes a refusal ({@code RATE_LIMITED} or {@code BUSY}) to heed a
     * {@code Retry-After}. Of a quota of which something newer is known nothing is learned.
     *
     * <p>It is not counted as an answer, and what is on the wire is not touched. Callers who wait are looked at again.
     *
     * @param signal what was said
     * @param age how long ago it was said, zero or more
     */
    public final void hear(Signal signal, Duration age) {
        live().hear(signal, age);
    }

    /**
     * Tells how many processes share what the server grants for the key, for a program that knows;
     * {@code throttle-redis} does it by itself. A strategy that otherwise guesses goes by it: the default one shares a
     * quota at once with who comes, instead of when it sees the count fall. It holds until something else is told, so
     * whoever tells it must also tell when nobody counts any more.
     *
     * @param processes how many have something to do at the moment, this one included; 0 if nobody counts them any
     *     more, so that those who were there may be there still
     * @param perSecond how many requests per second all of them together send at their present limits; NaN or 0 if that
     *     is not known
     */
    public final void sharedBy(int processes, double perSecond) {
        live().sharedBy(processes, perSecond);
    }

    /**
     * Changes settings while the throttle runs, in one step. The change begins with the settings that hold. What was
     * counted goes on counting: a bucket that becomes smaller or larger is as empty as it was used, a window goes on
     * with its count, requests on the wire count for a limit of them, a gate that is closed stays closed, and
     * strategies keep what they have learned. What is not touched stays as it is, with all its state. Callers who wait
     * are looked at again at once, by their new bounds.
     *
     * <p>A key of a registry that was changed by itself is never dropped, and keeps its settings until those of the
     * registry change.
     *
     * @param change changes the settings; asked again if somebody else changes them meanwhile. If it throws, or if the
     *     settings do not go together, nothing has changed
     */
    public final void reconfigure(Consumer<KeySettings> change) {
        Preconditions.required("change", change);
        live().reconfigure(policy -> KeySettings.change(policy, change, true));
    }

    /**
     * {@return how long a call would have to wait if it came now} Nothing is taken, and no place is kept: who comes
     * meanwhile is ahead.
     *
     * @param options what the throttle has to know about the call
     */
    public final WaitEstimate estimateWait(CallOptions options) {
        Outlook outlook = live().shown().foresight().outlook(Preconditions.required("options", options));
        return new WaitEstimate(Duration.ofNanos(outlook.atLeastNanos()), outlook.reason());
    }

    /** {@return why callers wait now} */
    public final WaitExplanation explainWait() {
        Outlook outlook = live().shown().foresight().outlook(CallOptions.DEFAULT);
        return new WaitExplanation(
                label(),
                outlook.state(),
                outlook.waiting(),
                outlook.inFlight(),
                outlook.headReason(),
                Duration.ofNanos(outlook.headWaitedNanos()),
                Duration.ofNanos(outlook.headLeftNanos()));
    }
}
