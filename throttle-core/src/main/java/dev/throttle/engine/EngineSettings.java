package dev.throttle.engine;

import dev.throttle.time.TimeSource;
import java.util.concurrent.Executor;

/** The settings of an engine, checked already. */
public record EngineSettings(String name, EnginePolicy policy, TimeSource time, Executor executor) {

    /** {@return the same with another policy} */
    public EngineSettings with(EnginePolicy other) {
        return new EngineSettings(name, other, time, executor);
    }
}
