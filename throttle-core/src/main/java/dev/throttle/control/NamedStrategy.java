package dev.throttle.control;

import java.util.Map;

/** A strategy made by a {@link StrategyBuilder}: it has the builder's name, and its settings as text. Immutable. */
public abstract class NamedStrategy implements Strategy {

    private final String name;
    private final Map<String, String> settings;

    /**
     * Takes over name and settings.
     *
     * @param builder the builder
     */
    protected NamedStrategy(StrategyBuilder<?> builder) {
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
