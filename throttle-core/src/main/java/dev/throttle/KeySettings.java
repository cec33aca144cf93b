package dev.throttle;

import dev.throttle.engine.EnginePolicy;
import java.util.function.Consumer;

/**
 * The settings of single keys of a {@link ThrottleRegistry}. They start as the settings of the registry. A setter
 * replaces one of them; {@link #limit} and {@link #guardPerKey} add to what is there. Not thread-safe. Use it only
 * within the function that receives it:
 *
 * <pre>{@code
 * ThrottleRegistry throttles = ThrottleRegistry.builder()
 *         .forKeys("api.github.com", github -> github.maxWait(Duration.ofMinutes(1)))
 *         .build();
 * }</pre>
 */
public final class KeySettings extends AdjustableSettings<KeySettings> {

    private KeySettings(EnginePolicy start) {
        startFrom(start);
    }

    /** {@return settings that are changed; throws what the change throws, or if they do not go together} */
    static EnginePolicy change(EnginePolicy start, Consumer<KeySettings> change, boolean own) {
        KeySettings settings = new KeySettings(start);
        change.accept(settings);
        return settings.freeze(start.edition(), own);
    }

    @Override
    KeySettings self() {
        return this;
    }
}
