package dev.throttle.signal;

import dev.throttle.signal.header.HeaderHintParser;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads what the headers of a response say about the server's limits. A reader never throws because of what a server
 * sent; it ignores what it does not understand. Implementations must be thread-safe.
 *
 * <pre>{@code
 * HintReader reader = HintReader.builder().resetUnit("api.example.com", ResetUnit.MILLIS).build();
 * }</pre>
 */
@FunctionalInterface
public interface HintReader {

    /** {@return the default reader} */
    static HintReader standard() {
        return HeaderHintParser.STANDARD::read;
    }

    /** {@return a builder of readers for servers whose headers do not have their usual meaning} */
    static Builder builder() {
        return new Builder();
    }

    /**
     * Reads the hints of a response.
     *
     * @param response status and headers
     * @param receivedAtMillis wall-clock time of its arrival in milliseconds since the epoch. It is used if the server
     *     named an instant but sent no {@code Date} to compare it with
     * @return the hints; {@link RateHints#NONE} if there are none
     */
    RateHints read(ResponseHead response, long receivedAtMillis);

    /** Collects what is known about servers in addition to their headers. Not thread-safe. */
    final class Builder {

        private ResetUnit resetUnit = ResetUnit.AUTO;
        private @Nullable Duration floor;
        private final Map<String, ResetUnit> resetUnits = new HashMap<>();
        private final Map<String, Duration> floors = new HashMap<>();

        private Builder() {}

        /**
         * Sets how the numbers in reset headers are read, for hosts without a setting of their own. The default is
         * {@link ResetUnit#AUTO}.
         *
         * @param value the unit
         * @return this builder
         */
        public Builder resetUnit(ResetUnit value) {
            this.resetUnit = Checks.required("resetUnit", value);
            return this;
        }

        /**
         * Sets how the numbers in the reset headers of one host are read.
         *
         * @param host the host, as {@link ResponseHead#host()} has it, in any case
         * @param value the unit
         * @return this builder
         */
        public Builder resetUnit(String host, ResetUnit value) {
            resetUnits.put(lower(host), Checks.required("resetUnit", value));
            return this;
        }

        /**
         * Sets how long to wait after a refusal that names no time, for hosts without a setting of their own. The
         * default leaves it to the strategy, except for GitHub, where it is one minute.
         *
         * @param value zero or more
         * @return this builder
         */
        public Builder floor(Duration value) {
            this.floor = Checks.notNegative("floor", value);
            return this;
        }

        /**
         * Sets how long to wait after a refusal of one host that names no time.
         *
         * @param host the host, as {@link ResponseHead#host()} has it, in any case
         * @param value zero or more
         * @return this builder
         */
        public Builder floor(String host, Duration value) {
            floors.put(lower(host), Checks.notNegative("floor", value));
            return this;
        }

        private static String lower(String host) {
            return Checks.notBlank("host", host).toLowerCase(Locale.ROOT);
        }

        /** {@return the reader} */
        public HintReader build() {
            return new HeaderHintParser(resetUnit, floor, resetUnits, floors)::read;
        }
    }
}
