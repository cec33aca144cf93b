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
 */
public record EngineSettings(
        String name,
        EnginePolicy policy,
        TimeSource time,
        Executor executor,
        @Nullable Supplier<@Nullable Duration> callerOverloadWait) {

    private static final Faults FAULTS = new Faults("the supplier of callerOverloadWait");

    /** {@return the same with another policy} */
    public EngineSettings with(EnginePolicy other) {
        return new EngineSettings(name, other, time, executor, callerOverloadWait);
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
