package dev.throttle.signal.header;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A member of a list or dictionary of RFC 9651.
 *
 * @param value a value as {@link BareItemReader} reads them
 * @param parameters values by name; of several with one name the last counts
 */
record StructuredItem(Object value, Map<String, Object> parameters) {

    /** {@return the text of a string or token; null for other values} */
    @Nullable String text() {
        return value instanceof String text ? text : null;
    }

    /** {@return an integer that is not negative; null if the parameter is missing or something else} */
    @Nullable Long count(String parameter) {
        return parameters.get(parameter) instanceof Long number && number >= 0 ? number : null;
    }

    /** {@return the text of a string or token parameter; null if it is missing or something else} */
    @Nullable String text(String parameter) {
        return parameters.get(parameter) instanceof String text ? text : null;
    }
}
