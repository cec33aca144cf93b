package dev.throttle.control;

import dev.throttle.internal.DurationText;
import dev.throttle.internal.Preconditions;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.DoubleConsumer;
import java.util.function.DoubleSupplier;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Collects the settings of one strategy. Each setting has its own method. It can also be set as text, for configuration
 * files and command lines. Not thread-safe.
 *
 * <p>A subclass declares its settings in its constructor with {@link #duration}, {@link #number}, {@link #whole} and
 * {@link #text}. The strategy that it builds extends {@link Built}, which has the same name and settings.
 *
 * @param <B> the builder's own type
 */
public abstract class StrategyBuilder<B extends StrategyBuilder<B>> {

    private final String name;
    private final Map<String, Setting> settings = new LinkedHashMap<>();

    /**
     * Makes a builder without settings.
     *
     * @param name the strategy's name
     */
    protected StrategyBuilder(String name) {
        this.name = Preconditions.notBlank("name", name);
    }

    /** {@return a strategy with the current settings} The builder can still be used afterwards. */
    public abstract Strategy build();

    /** {@return this builder} */
    protected abstract B self();

    /** {@return the name of the strategy} */
    public final String name() {
        return name;
    }

    /** {@return the names of all settings, as {@link #set} accepts them} */
    public final List<String> keys() {
        return List.copyOf(settings.keySet());
    }

    /**
     * Sets one setting from text.
     *
     * @param key the name of the setting, which is that of its method; one of {@link #keys()}
     * @param text a number such as {@code 1.2}, a duration such as {@code 250ms}, {@code 1.5s}, {@code 30m}, {@code 1h}
     *     or {@code forever}, a rate such as {@code 100/min}, or {@code true} or {@code false}
     * @return this builder
     * @throws IllegalArgumentException if there is no such setting (the message lists all settings), or if it does not
     *     accept the value
     */
    public final B set(String key, String text) {
        Preconditions.required("key", key);
        Setting setting = settings.get(key);
        if (setting == null) {
            throw new IllegalArgumentException("unknown setting '" + key + "': " + name + " has "
                    + (settings.isEmpty() ? "no settings" : String.join(", ", settings.keySet())));
        }
        setting.write.accept(Preconditions.required(key, text));
        return self();
    }

    /** {@return the settings as text that {@link #set} can read} */
    public final Map<String, String> settings() {
        Map<String, String> texts = new LinkedHashMap<>();
        settings.forEach((key, setting) -> texts.put(key, setting.read.get()));
        return Collections.unmodifiableMap(texts);
    }

    /**
     * Declares a setting that is a duration.
     *
     * @param key the setting's name
     * @param read reads the value
     * @param write checks and sets the value
     */
    protected final void duration(String key, Supplier<Duration> read, Consumer<Duration> write) {
        text(key, () -> DurationText.format(read.get()), text -> write.accept(DurationText.parse(key, text)));
    }

    /**
     * Declares a setting that is a number.
     *
     * @param key the setting's name
     * @param read reads the value
     * @param write checks and sets the value
     */
    protected final void number(String key, DoubleSupplier read, DoubleConsumer write) {
        text(key, () -> String.valueOf(read.getAsDouble()), text -> write.accept(Preconditions.number(key, text)));
    }

    /**
     * Declares a setting that is a whole number.
     *
     * @param key the setting's name
     * @param read reads the value
     * @param write checks and sets the value
     */
    protected final void whole(String key, LongSupplier read, LongConsumer write) {
        text(key, () -> String.valueOf(read.getAsLong()), text -> write.accept(Preconditions.whole(key, text)));
    }

    /**
     * Declares a setting with a form of its own.
     *
     * @param key the setting's name
     * @param read writes the value as text
     * @param write checks and sets the value that a text means
     */
    protected final void text(String key, Supplier<String> read, Consumer<String> write) {
        settings.put(key, new Setting(read, write));
    }

    private record Setting(Supplier<String> read, Consumer<String> write) {}

    /** A base class for the strategies that builders make. It has the builder's name and settings. Immutable. */
    public abstract static class Built implements Strategy {

        private final String name;
        private final Map<String, String> settings;

        /**
         * Copies the name and the settings of a builder.
         *
         * @param builder the builder
         */
        protected Built(StrategyBuilder<?> builder) {
            this.name = builder.name();
            this.settings = builder.settings();
        }

        @Override
        public final String name() {
            return name;
        }

        @Override
        public final Map<String, String> settings() {
            return settings;
        }

        @Override
        public final String toString() {
            return name + settings;
        }
    }
}
