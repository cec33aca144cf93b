package dev.throttle.spring.boot;

import dev.throttle.ThrottleRegistry;

/**
 * Customizes the settings of the application's {@link ThrottleRegistry} before it is made. All beans of this type are
 * called in order, after the properties and listeners have been applied.
 */
@FunctionalInterface
public interface ThrottleCustomizer {

    /**
     * Changes settings.
     *
     * @param builder the builder, with the properties applied
     */
    void customize(ThrottleRegistry.Builder builder);
}
