package dev.throttle;

import dev.throttle.engine.EnginePolicy;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The settings of a {@link ThrottleRegistry} that can be changed while it runs. They start as the current ones. A
 * setter replaces one of them for all keys; {@link #limit} and {@link #guardPerKey} add to what is there. Not
 * thread-safe. Use it only within the function that receives it:
 *
 * <pre>{@code
 * throttles.reconfigure(settings -> settings.maxWait(Duration.ofMinutes(1)));
 * }</pre>
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
     * Gives some keys their own settings, as {@link ThrottleRegistry.Builder#forKeys(String, Consumer)} does. If the
     * pattern was declared before, these settings replace the old ones, and the pattern keeps its position.
     *
     * @param pattern which keys
     * @param change sets what is different for them
     * @return this
     * @throws IllegalArgumentException if the pattern is malformed, or if an earlier pattern already covers all its
     *     keys
     */
    public RegistrySettings forKeys(String pattern, Consumer<KeySettings> change) {
        keyRules.put(pattern, change);
        return this;
    }

    /**
     * Gives some keys their own settings, as {@link ThrottleRegistry.Builder#forKeys(Predicate, Consumer)} does.
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
     * Removes all settings made with {@code forKeys}, so that all keys have those of the registry.
     *
     * @return this
     */
    public RegistrySettings clearKeys() {
        keyRules.clear();
        return this;
    }
}
