package dev.throttle.spring.boot;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** Makes a refusal of a setting one of the property that it came from, which Spring Boot reports by name. */
final class PropertyCheck {

    private PropertyCheck() {}

    /** Sets what a property says; without effect if it says nothing. */
    static <T> void set(String property, @Nullable T value, Consumer<? super T> setter) {
        if (value == null) {
            return;
        }
        try {
            setter.accept(value);
        } catch (IllegalArgumentException e) {
            InvalidConfigurationPropertyValueException refusal =
                    new InvalidConfigurationPropertyValueException(property, value, String.valueOf(e.getMessage()));
            refusal.addSuppressed(e); // it takes no cause
            throw refusal;
        }
    }

    static void check(boolean accepted, String property, Object value, String reason) {
        if (!accepted) {
            throw new InvalidConfigurationPropertyValueException(property, value, reason);
        }
    }
}
