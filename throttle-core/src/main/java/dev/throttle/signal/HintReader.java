package dev.throttle.signal;

import dev.throttle.internal.Preconditions;
import dev.throttle.signal.header.HeaderHintParser;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads what a response says about the server's limits. A reader never throws on what a server sent: what it cannot
 * understand counts as not said. Implementations are thread-safe.
 */
@FunctionalInterface
public interface HintReader {

    /** {@return the default reader} */
    static HintReader standard() {
        return HeaderHintParser.STANDARD::read;
    }

    /** {@return a builder of readers for servers that mean something else than what they write suggests} */
    static Builder builder() {
        return new Builder();
    }

    /**
     * Reads the hints of a response.
     *
     * @param response status and headers
     * @param receivedAtMillis wall-clock time of its arrival in milliseconds since the epoch, used where the server
     *     named an instant but sent no {@code Date} of its own to compare with
     * @return the hints; {@link RateHints#NONE} if there are none
     */
    RateHints read(ResponseHead response, long receivedAtMillis);

    /** Collects what is known about servers beyond what their headers say. Not thread-safe. */
    final class Builder {

        private ResetUnit resetUnit = ResetUnit.AUTO;
        private @Nullable Duration floor;
        private final Map<String, ResetUnit> resetUnits = new HashMap<>();
        private final Map<String, Duration> floors = new HashMap<>();

        private Builder() {}

        /**
         * Sets how the numbers of resets are read on hosts without a setting of their own; by their size by default.
         *
         * @param value the unit
         * @return this builder
         */
        public Builder resetUnit(ResetUnit value) {
            this.resetUnit = Preconditions.required("resetUnit", value);
            return this;
        }

        /**
         * Sets how the numbers of one host's resets are read.
         *
         * @param host the host, as {@link ResponseHead#host()} has it, in any case
         * @param value the unit
         * @return this builder
         */
        public Builder resetUnit(String host, ResetUnit value) {
            resetUnits.put(lower(host), Preconditions.required("resetUnit", value));
            return this;
        }

        /**
         * Sets how long to stay away after a refusal without any time, on hosts without a setting of their own; by
         * default that is up to the strategy, but a minute for GitHub.
         *
         * @param value zero or more
         * @return this builder
         */
        public Builder floor(Duration value) {
            this.floor = Preconditions.notNegative("floor", value);
            return this;
        }

        /**
         * Sets how long to stay away after a refusal of one host without any time.
         *
         * @param host the host, as {@link ResponseHead#host()} has it, in any case
         * @param value zero or more
         * @return this builder
         */
        public Builder floor(String host, Duration value) {
            floors.put(lower(host), Preconditions.notNegative("floor", value));
            return this;
        }

        private static String lower(String host) {
            return Preconditions.notBlank("host", host).toLowerCase(Locale.ROOT);
        }

        /** {@return the reader} */
        public HintReader build() {
            return new HeaderHintParser(resetUnit, floor, resetUnits, floors)::read;
        }
    }
}
