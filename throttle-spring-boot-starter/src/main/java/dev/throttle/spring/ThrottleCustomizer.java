package dev.throttle.spring;

import dev.throttle.ThrottleRegistry;

/**
 * Changes the settings of the application's {@link ThrottleRegistry} before it is made. All beans of this type are
 * called in their order, after the properties and listeners have been set.
 */
@FunctionalInterface
public interface ThrottleCustomizer {

    /**
     * Changes settings.
     *
     * @param builder has what the properties say
     */
    void customize(ThrottleRegistry.Builder builder);
}
