package dev.throttle.signal;

import java.util.ArrayList;
import java.util.List;

/**
 * The status line and headers of a response, as any HTTP client has them. An adapter implements it as a view: nothing
 * is copied.
 */
public interface ResponseHead {

    /** {@return the status code} */
    int status();

    /** {@return the host that answered, as far as it is known; empty otherwise} */
    default String host() {
        return "";
    }

    /**
     * Shows every header line in the order received; a header sent in several lines is shown several times.
     *
     * @param visitor is called once per line
     */
    void forEachHeader(HeaderVisitor visitor);

    /**
     * {@return the values of all lines of a header in the order received; empty if there is none}
     *
     * @param name the header's name, in any case
     */
    default List<String> headers(String name) {
        List<String> values = new ArrayList<>(1);
        forEachHeader((line, value) -> {
            if (line.equalsIgnoreCase(name)) {
                values.add(value);
            }
        });
        return values;
    }

    /** Receives header lines. */
    @FunctionalInterface
    interface HeaderVisitor {

        /**
         * Receives one line.
         *
         * @param name the header's name as sent
         * @param value the value as sent
         */
        void visit(String name, String value);
    }
}
