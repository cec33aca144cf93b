package dev.throttle.signal;

import java.util.ArrayList;
import java.util.List;

/**
 * The status and headers of a response, independent of the HTTP client. Adapters implement it as a view that copies
 * nothing.
 */
public interface ResponseHead {

    /** {@return the status code} */
    int status();

    /** {@return the host that sent the response; empty if unknown} */
    default String host() {
        return "";
    }

    /**
     * Passes every header line to a visitor, in the order received. A header that was sent in several lines is passed
     * several times.
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
