package dev.throttle.signal;

import dev.throttle.signal.header.HeaderHintParser;
import dev.throttle.signal.header.Vendor;
import dev.throttle.signal.header.VendorFile;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
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

    /** The system property that names a file with more entries of vendors for the default reader. */
    String VENDORS_PROPERTY = "throttle.vendors";

    /**
     * {@return the default reader}
     *
     * @throws IllegalArgumentException if {@link #VENDORS_PROPERTY} names a file that cannot be read as a table of
     *     vendors
     */
    static HintReader standard() {
        return HeaderHintParser.standard()::read;
    }

    /**
     * {@return a builder of readers for servers whose headers do not have their usual meaning}
     *
     * @throws IllegalArgumentException if {@link #VENDORS_PROPERTY} names a file that cannot be read as a table of
     *     vendors
     */
    static Builder builder() {
        return new Builder();
    }

    /**
     * Reads the hints of a response.
     *
     * @param response status and headers
     * @param receivedAtMillis time of its arrival in milliseconds since the epoch: by the server's clock as far as its
     *     dates have told it, otherwise by this machine's
     * @return the hints; {@link RateHints#NONE} if there are none
     */
    RateHints read(ResponseHead response, long receivedAtMillis);

    /** Collects what is known about servers in addition to their headers. Not thread-safe. */
    final class Builder {

        private ResetUnit resetUnit = ResetUnit.AUTO;
        private @Nullable Duration floor;
        private final Map<String, ResetUnit> resetUnits = new HashMap<>();
        private final Map<String, Duration> floors = new HashMap<>();
        private final List<Vendor> vendors = new ArrayList<>(VendorFile.ofProperty());
        private CostReader costReader = response -> null;

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

        /**
         * Adds entries of vendors: what headers mean that this library does not know, or that it reads otherwise. A
         * later entry about the same header replaces an earlier one.
         *
         * @param entries the entries, in the form that the documentation of headers describes
         * @return this builder
         * @throws IllegalArgumentException if a line is not one of an entry; the message names it
         */
        public Builder vendors(String entries) {
            vendors.addAll(VendorFile.parse("vendors", Checks.notBlank("vendors", entries)));
            return this;
        }

        /**
         * Adds entries of vendors from a file.
         *
         * @param file a text in UTF-8
         * @return this builder
         * @throws IllegalArgumentException if the file cannot be read, or a line is not one of an entry
         */
        public Builder vendors(Path file) {
            vendors.addAll(VendorFile.parse(Checks.required("vendors", file)));
            return this;
        }

        /**
         * Sets what reads costs of calls that the standard reader does not know.
         *
         * @param value the reader; what it reads replaces what the headers tell otherwise
         * @return this builder
         */
        public Builder costReader(CostReader value) {
            this.costReader = Checks.required("costReader", value);
            return this;
        }

        private static String lower(String host) {
            return Checks.notBlank("host", host).toLowerCase(Locale.ROOT);
        }

        /** {@return the reader} */
        public HintReader build() {
            HintReader reader = new HeaderHintParser(resetUnit, floor, resetUnits, floors, vendors)::read;
            CostReader costs = costReader;
            return (response, receivedAtMillis) -> {
                RateHints hints = reader.read(response, receivedAtMillis);
                Cost cost = costs.read(response);
                return cost == null ? hints : hints.withCost(cost);
            };
        }
    }
}
