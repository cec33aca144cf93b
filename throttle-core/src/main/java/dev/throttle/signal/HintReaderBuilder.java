package dev.throttle.signal;

import dev.throttle.internal.Preconditions;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Collects what is known about servers beyond what their headers say. Not thread-safe. */
public final class HintReaderBuilder {

    private ResetUnit resetUnit = ResetUnit.AUTO;
    private @Nullable Duration floor;
    private final Map<String, ResetUnit> resetUnits = new HashMap<>();
    private final Map<String, Duration> floors = new HashMap<>();

    HintReaderBuilder() {}

    /**
     * Sets how the numbers of resets are read on hosts without a setting of their own; by their size by default.
     *
     * @param value the unit
     * @return this builder
     */
    public HintReaderBuilder resetUnit(ResetUnit value) {
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
    public HintReaderBuilder resetUnit(String host, ResetUnit value) {
        resetUnits.put(lower(host), Preconditions.required("resetUnit", value));
        return this;
    }

    /**
     * Sets how long to stay away after a refusal without any time, on hosts without a setting of their own; by default
     * that is up to the strategy, but a minute for GitHub.
     *
     * @param value zero or more
     * @return this builder
     */
    public HintReaderBuilder floor(Duration value) {
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
    public HintReaderBuilder floor(String host, Duration value) {
        floors.put(lower(host), Preconditions.notNegative("floor", value));
        return this;
    }

    private static String lower(String host) {
        return Preconditions.notBlank("host", host).toLowerCase(Locale.ROOT);
    }

    /** {@return the reader} */
    public HintReader build() {
        return new StandardHintReader(resetUnit, floor, resetUnits, floors);
    }
}
