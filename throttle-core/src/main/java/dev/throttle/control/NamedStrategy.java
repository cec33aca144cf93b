package dev.throttle.control;

import java.util.Map;

/**
 * A base class for strategies that are made by a {@link StrategyBuilder}. It has the builder's name and settings.
 * Immutable.
 */
public abstract class NamedStrategy implements Strategy {

    private final String name;
    private final Map<String, String> settings;

    /**
     * Copies the name and the settings of a builder.
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
