package dev.throttle.micrometer;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import java.time.Duration;
import java.util.Locale;

/**
 * Names and describes the observation of a wait, with the keys of {@link ThrottleWaitKey}. Override methods to change
 * that.
 */
@SuppressWarnings("exports") // Micrometer is optional: who calls this has it
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
                ThrottleWaitKey.NAME.withValue(context.getThrottle().name()),
                ThrottleWaitKey.REASON.withValue(context.getReason()),
                ThrottleWaitKey.PRIORITY.withValue(context.getPriority().name().toLowerCase(Locale.ROOT)),
                ThrottleWaitKey.OUTCOME.withValue(context.getOutcome()));
    }

    @Override
    default KeyValues getHighCardinalityKeyValues(ThrottleWaitContext context) {
        Duration wait = context.getWait();
        KeyValues key =
                KeyValues.of(ThrottleWaitKey.KEY.withValue(context.getThrottle().label()));
        return wait == null ? key : key.and(ThrottleWaitKey.WAIT_MS.withValue(Long.toString(wait.toMillis())));
    }

    @Override
    default boolean supportsContext(Observation.Context context) {
        return context instanceof ThrottleWaitContext;
    }
}
