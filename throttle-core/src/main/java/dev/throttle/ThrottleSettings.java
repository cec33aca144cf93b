package dev.throttle;

import dev.throttle.engine.EnginePolicy;
import dev.throttle.engine.EngineSettings;
import dev.throttle.internal.CallbackPool;
import dev.throttle.internal.Preconditions;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The settings that {@link Throttle#builder()} and {@link ThrottleRegistry#builder()} have in common. A setter throws
 * an {@link IllegalArgumentException} for a value that it does not accept; the message names the setting, the value and
 * what is accepted. It throws a {@link NullPointerException} for null. Not thread-safe. A builder can be used for any
 * number of throttles.
 *
 * @param <B> the builder
 */
abstract class ThrottleSettings<B extends ThrottleSettings<B>> extends AdjustableSettings<B> {

    private String name = "default";
    private @Nullable Long seed;
    private TimeSource time = TimeSource.system();
    private @Nullable Executor executor;
    private final List<ThrottleListener> listeners = new ArrayList<>();
    private @Nullable ContextCapture context;
    private @Nullable Supplier<@Nullable Duration> callerOverloadWait;

    ThrottleSettings() {}

    /**
     * Sets the name. Metrics show it as the tag {@code throttle}. The default is {@code default}.
     *
     * @param value not blank
     * @return this builder
     */
    public B name(String value) {
        this.name = Preconditions.notBlank("name", value);
        return self();
    }

    /**
     * Sets the seed of all randomness, to make runs repeatable. By default it is drawn at random.
     *
     * @param value any number
     * @return this builder
     */
    public B seed(long value) {
        this.seed = value;
        return self();
    }

    /**
     * Sets the clocks and the timer. The default is those of the JVM.
     *
     * @param value the time source
     * @return this builder
     */
    public B time(TimeSource value) {
        this.time = Preconditions.required("time", value);
        return self();
    }

    /**
     * Sets the executor that completes the futures of asynchronous callers, and so runs their dependent actions. The
     * default is a pool of daemon threads that all throttles share. It has a thread for each running action and
     * inherits no thread-locals. An executor that runs tasks on the calling thread, such as {@code Runnable::run}, is
     * fine if no dependent action blocks. If the executor rejects a task, the future fails with the executor's
     * exception, and the permit is given back.
     *
     * @param value the executor
     * @return this builder
     */
    public B executor(Executor value) {
        this.executor = Preconditions.required("executor", value);
        return self();
    }

    /**
     * Adds a listener.
     *
     * @param value receives the throttle's events
     * @return this builder
     */
    public B listener(ThrottleListener value) {
        listeners.add(Preconditions.required("listener", value));
        return self();
    }

    /**
     * Sets what captures the context of callers. Each attempt of a call runs in it, including attempts that other
     * threads make after a wait, and so do the callbacks and dependent actions of the call. By default no context is
     * captured.
     *
     * @param value captures the context of a caller
     * @return this builder
     */
    public B context(ContextCapture value) {
        this.context = Preconditions.required("context", value);
        return self();
    }

    /**
     * Sets how long a call waits for a server that is away, by the thread that makes the call. Use it where some
     * threads serve a person who waits and others do not. A value that {@link #overloadWait} or {@link CallOptions}
     * sets goes before it. By default all threads wait alike.
     *
     * @param value called on the thread that makes a call, once for each call, so it must be fast. Null means that the
     *     thread has no bound of its own; a negative duration counts as zero
     * @return this builder
     */
    public B callerOverloadWait(Supplier<@Nullable Duration> value) {
        this.callerOverloadWait = Preconditions.required("callerOverloadWait", value);
        return self();
    }

    String name() {
        return name;
    }

    TimeSource time() {
        return time;
    }

    /** {@return the settings of an engine with a policy} */
    EngineSettings engineSettings(EnginePolicy policy) {
        return new EngineSettings(
                name, policy, time, executor == null ? CallbackPool.shared() : executor, callerOverloadWait);
    }

    Listeners listeners() {
        return new Listeners(listeners, context);
    }

    long seed() {
        return seed == null ? new SplittableRandom().nextLong() : seed;
    }
}
