package dev.throttle.micrometer;

import io.micrometer.common.KeyValues;
import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import java.time.Duration;
import java.util.Locale;

/** Names and describes the observation of a wait, with the keys of {@link Key}. Override methods to change that. */
@SuppressWarnings("exports") // Micrometer is optional: callers of this have it
public interface ThrottleWaitConvention extends ObservationConvention<ThrottleWaitContext> {

    /**
     * The name of the observation and of a timer made from it. It differs from the timer of {@link ThrottleMetrics},
     * which has other tags.
     */
    String NAME = "throttle.wait.observed";

    /** The name of a span made from the observation. */
    String CONTEXTUAL_NAME = "throttle.wait";

    @Override
    default String getName() {
        return NAME;
    }

    @Override
    default String getContextualName(ThrottleWaitContext context) {
        return CONTEXTUAL_NAME;
    }

    @Override
    default KeyValues getLowCardinalityKeyValues(ThrottleWaitContext context) {
        return KeyValues.of(
                Key.NAME.withValue(context.getThrottle().name()),
                Key.REASON.withValue(context.getReason()),
                Key.PRIORITY.withValue(context.getPriority().name().toLowerCase(Locale.ROOT)),
                Key.OUTCOME.withValue(context.getOutcome()));
    }

    @Override
    default KeyValues getHighCardinalityKeyValues(ThrottleWaitContext context) {
        Duration wait = context.getWait();
        KeyValues key = KeyValues.of(Key.KEY.withValue(context.getThrottle().label()));
        return wait == null ? key : key.and(Key.WAIT_MS.withValue(Long.toString(wait.toMillis())));
    }

    @Override
    default boolean supportsContext(Observation.Context context) {
        return context instanceof ThrottleWaitContext;
    }

    /** The keys of the observation. */
    enum Key implements KeyName {

        /** The name of the throttle, set with the builder. Of low cardinality. */
        NAME("throttle.name"),
        /** What the caller waits for, such as {@code retry-after}. Of low cardinality. */
        REASON("throttle.reason"),
        /** The priority of the caller. Of low cardinality. */
        PRIORITY("throttle.priority"),
        /** How the wait ended: {@code admitted}, {@code rejected} or {@code cancelled}. Of low cardinality. */
        OUTCOME("throttle.outcome"),
        /** The label of the throttle's key. Of high cardinality. */
        KEY("throttle.key"),
        /** How long the caller waited, in milliseconds. Of high cardinality. */
        WAIT_MS("throttle.wait_ms");

        private final String key;

        Key(String key) {
            this.key = key;
        }

        @Override
        public String asString() {
            return key;
        }
    }
}
