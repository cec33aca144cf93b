package dev.throttle;

import dev.throttle.engine.EnginePolicy;
import dev.throttle.internal.Preconditions;
import java.util.List;
import java.util.function.Function;

/**
 * The settings of a key as they were checked. Immutable.
 *
 * @param policy what the engine is to do
 * @param guards what makes the guards of a key
 */
record FrozenSettings(EnginePolicy policy, List<Function<String, AdmissionGuard>> guards) {

    /** {@return the guards of a key, made for it} */
    List<AdmissionGuard> newGuards(String key) {
        return guards.stream()
                .map(maker -> Preconditions.required("guard", maker.apply(key)))
                .toList();
    }
}
