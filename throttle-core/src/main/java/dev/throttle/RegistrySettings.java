package dev.throttle;

import dev.throttle.engine.EnginePolicy;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The settings of a {@link ThrottleRegistry} that can change while it runs. They begin as they are: a setter replaces
 * one of them for all keys, and {@link #limit} and {@link #guardPerKey} add to them. Not thread-safe; it is to be used
 * only by the function that it is handed to.
 */
public final class RegistrySettings extends AdjustableSettings<RegistrySettings> {

    private final KeyRules keyRules;

    private RegistrySettings(KeyRules.Settled start) {
        startFrom(start.ofAll);
        keyRules = start.rules.copy();
    }

    /** {@return settings that are changed; throws what the change throws, or if they do not go together} */
    static KeyRules.Settled change(KeyRules.Settled start, Consumer<RegistrySettings> change) {
        RegistrySettings settings = new RegistrySettings(start);
        change.accept(settings);
        EnginePolicy next = settings.freeze(start.ofAll.edition() + 1, false);
        return settings.keyRules.settle(next);
    }

    @Override
    RegistrySettings self() {
        return this;
    }

    /**
     * Gives some keys settings of their own, as {@link ThrottleRegistry.Builder#forKeys(String, Consumer)} does. A
     * pattern that was declared before gets these settings instead, in its old place.
     *
     * @param pattern which keys
     * @param change sets what is different for them
     * @return this
     * @throws IllegalArgumentException if the pattern is malformed, or if an earlier one leaves it no keys
     */
    public RegistrySettings forKeys(String pattern, Consumer<KeySettings> change) {
        keyRules.put(pattern, change);
        return this;
    }

    /**
     * Gives some keys settings of their own, as {@link ThrottleRegistry.Builder#forKeys(Predicate, Consumer)} does.
     *
     * @param keys which keys
     * @param change sets what is different for them
     * @return this
     */
    public RegistrySettings forKeys(Predicate<String> keys, Consumer<KeySettings> change) {
        keyRules.put(keys, change);
        return this;
    }

    /**
     * Forgets all settings of {@code forKeys} so far: all keys have those of the registry.
     *
     * @return this
     */
    public RegistrySettings noKeys() {
        keyRules.clear();
        return this;
    }
}
