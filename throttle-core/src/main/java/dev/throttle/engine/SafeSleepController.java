package dev.throttle.engine;

import dev.throttle.control.SleepController;
import dev.throttle.internal.Nanos;
import dev.throttle.signal.Signal;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A strategy whose callers sleep, as the engine uses it: in nanoseconds, with jitter. It may be the user's own:
 * whatever it throws or answers, requests go on.
 */
final class SafeSleepController {

    private final SleepController controller;
    private final String name;
    private final SafeCalls safe;
    private final boolean adaptive;

    /**
     * Makes a controller safe.
     *
     * @param later takes what is to be said when the engine's lock is free: a log may take its time
     */
    SafeSleepController(SleepController controller, String name, Consumer<Runnable> later) {
        this.controller = controller;
        this.name = name;
        this.safe = new SafeCalls("the sleep controller of " + name, later);
        this.adaptive = safe.get(true, controller::isAdaptive);
    }

    /** {@return the reason of waits for it} */
    String name() {
        return name;
    }

    boolean isAdaptive() {
        return adaptive;
    }

    /** {@return whether it is at rest; false if it fails, so that it is asked again} */
    boolean isIdle() {
        return safe.get(false, controller::isIdle);
    }

    void takeOver(@Nullable SafeSleepController before, long now) {
        safe.run(() -> controller.takeOver(before == null ? null : before.controller, now));
    }

    /** {@return how long a call that was refused sleeps, without jitter} */
    long onSignal(Signal signal, int refusals, long now) {
        return nanos(0.0, () -> controller.onSignal(signal, refusals, now));
    }

    /** {@return the sleep that gauges show, without jitter} */
    long sleepNanos() {
        return nanos(0.0, controller::sleepSeconds);
    }

    /** {@return the sleep before a first attempt, without jitter} */
    long firstSleepNanos() {
        return nanos(0.0, controller::firstSleepSeconds);
    }

    private long retrySleepNanos(long decidedNanos) {
        double decided = Nanos.toSeconds(decidedNanos);
        return nanos(decided, () -> controller.retrySleepSeconds(decided));
    }

    private long nanos(double otherwise, Supplier<Double> seconds) {
        return Nanos.ofSeconds(safe.get(otherwise, seconds));
    }

    /** {@return the sleep of a call from its arrival on, or from its refusal on} */
    long sleepNanos(CallState call) {
        long plain = call.isRefused() ? retrySleepNanos(call.retrySleepNanos()) : firstSleepNanos();
        return withJitter(plain, call.random());
    }

    /** {@return whether a call was refused, and sleeps for longer than a first attempt does} */
    boolean isOwn(CallState call) {
        return call.isRefused() && retrySleepNanos(call.retrySleepNanos()) > firstSleepNanos();
    }

    /** {@return the longest sleep before a first attempt that jitter can make} */
    long longestNanos() {
        long longest = Math.max(sleepNanos(), firstSleepNanos());
        return withJitter(Math.min(longest, Nanos.MAX / 2), 1);
    }

    private long withJitter(long plain, double random) {
        double jitter = safe.get(0.0, controller::jitter);
        return jitter > 0 ? plain + (long) (plain * Math.min(1, jitter) * random) : plain;
    }
}
