package dev.throttle;

import dev.throttle.engine.EnginePolicy;
import java.util.function.Consumer;

/**
 * The settings that a key of a {@link ThrottleRegistry} can have for itself. They begin as those of the whole registry:
 * a setter replaces one of them, and {@link #limit} and {@link #guardPerKey} add to them. Not thread-safe; it is to be
 * used only by the function that it is handed to.
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
