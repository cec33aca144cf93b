package dev.throttle.engine;

import dev.throttle.internal.Faults;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The settings of an engine, checked already.
 *
 * @param callerOverloadWait how long a call of the current thread waits for a server that is away, unless it or its
 *     throttle are told otherwise; null if it does not matter which thread makes a call
 * @param firstRefusals which of the first refusals are told; the engines of a registry share it
 * @param space bounds what is recorded; the engines of a registry share it
 * @param logs whether there are log messages
 */
public record EngineSettings(
        String name,
        EnginePolicy policy,
        TimeSource time,
        Executor executor,
        @Nullable Supplier<@Nullable Duration> callerOverloadWait,
        FirstRefusals firstRefusals,
        RecordingSpace space,
        boolean logs) {

    private static final Faults FAULTS = new Faults("the supplier of callerOverloadWait");

    /** Makes the settings of a registry, or of a throttle of its own. */
    public EngineSettings(
            String name,
            EnginePolicy policy,
            TimeSource time,
            Executor executor,
            @Nullable Supplier<@Nullable Duration> callerOverloadWait) {
        this(name, policy, time, executor, callerOverloadWait, new FirstRefusals(), new RecordingSpace(), true);
    }

    /** {@return the same with another policy, for one key} */
    public EngineSettings with(EnginePolicy other) {
        return new EngineSettings(name, other, time, executor, callerOverloadWait, firstRefusals, space, logs);
    }

    /** {@return settings of an engine that simulates another one, and writes no log} */
    public EngineSettings simulated(EnginePolicy other, TimeSource simulatedTime) {
        return new EngineSettings(name, other, simulatedTime, Runnable::run, null, firstRefusals, space, false);
    }

    /** {@return how long a call of the current thread waits for a server that is away; null if that is not known} */
    @Nullable Duration overloadWaitOfThisThread() {
        if (callerOverloadWait == null) {
            return null;
        }
        try {
            return callerOverloadWait.get();
        } catch (Throwable e) {
            FAULTS.report(e);
            return null;
        }
    }
}
