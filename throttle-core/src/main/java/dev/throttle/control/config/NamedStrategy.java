package dev.throttle.control.config;

import dev.throttle.control.Strategy;
import java.util.Map;

/** What the strategies of the library have in common: a name, and their settings as text. */
public abstract class NamedStrategy implements Strategy {

    private final String name;
    private final Map<String, String> settings;

    protected NamedStrategy(String name, Map<String, String> settings) {
        this.name = name;
        this.settings = settings;
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
