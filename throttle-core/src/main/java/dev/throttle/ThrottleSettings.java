package dev.throttle;

import dev.throttle.engine.EnginePolicy;
import dev.throttle.engine.EngineSettings;
import dev.throttle.internal.CallbackPool;
import dev.throttle.internal.Preconditions;
import dev.throttle.time.TimeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The settings that {@link Throttle#builder()} and {@link ThrottleRegistry#builder()} have in common. Every setter
 * refuses what it does not accept with an {@link IllegalArgumentException} that names the setting, the value and what
 * it accepts, and null with a {@link NullPointerException}. Not thread-safe; may be used for any number of throttles.
 *
 * @param <B> the builder
 */
public abstract class ThrottleSettings<B extends ThrottleSettings<B>> extends AdjustableSettings<B> {

    private String name = "default";
    private @Nullable Long seed;
    private TimeSource time = TimeSource.system();
    private @Nullable Executor executor;
    private final List<ThrottleListener> listeners = new ArrayList<>();
    private @Nullable ContextCapture context;

    ThrottleSettings() {}

    /**
     * Sets the name, shown as tag {@code throttle} of the metrics; {@code default} by default.
     *
     * @param value not blank
     * @return this builder
     */
    public B name(String value) {
        this.name = Preconditions.notBlank("name", value);
        return self();
    }

    /**
     * Sets the seed of all randomness, to make runs repeatable; drawn at random by default.
     *
     * @param value any number
     * @return this builder
     */
    public B seed(long value) {
        this.seed = value;
        return self();
    }

    /**
     * Sets the clocks and the timer; those of the JVM by default.
     *
     * @param value the time source
     * @return this builder
     */
    public B time(TimeSource value) {
        this.time = Preconditions.required("time", value);
        return self();
    }

    /**
     * Sets where the futures of asynchronous callers are completed, and so where what depends on them runs; by default
     * a pool of daemon threads shared by all throttles, which has a thread for each that is at work and inherits no
     * thread-locals. An executor that runs tasks on the spot, such as {@code Runnable::run}, is fine where nothing that
     * depends on the futures blocks. If the executor refuses a task, the future fails with what it threw and the permit
     * goes back.
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
     * @param value hears what the throttle does
     * @return this builder
     */
    public B listener(ThrottleListener value) {
        listeners.add(Preconditions.required("listener", value));
        return self();
    }

    /**
     * Sets what keeps the context of callers. Each attempt of a call is made in it, also one that has waited or is a
     * repetition, which other threads make; and what depends on the future of a call, or its callback, runs in it.
     * Nothing is kept by default.
     *
     * @param value captures the context of a caller
     * @return this builder
     */
    public B context(ContextCapture value) {
        this.context = Preconditions.required("context", value);
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
        return new EngineSettings(name, policy, time, executor == null ? CallbackPool.shared() : executor);
    }

    Listeners listeners() {
        return new Listeners(listeners, context);
    }

    long seed() {
        return seed == null ? new SplittableRandom().nextLong() : seed;
    }
}
