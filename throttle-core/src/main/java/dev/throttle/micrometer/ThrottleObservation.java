package dev.throttle.micrometer;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/**
 * Documents the observations that {@link ThrottleObservations} makes, also for Micrometer's documentation generator.
 */
@SuppressWarnings("exports") // Micrometer is optional: who calls this has it
public enum ThrottleObservation implements ObservationDocumentation {

    /** The wait of a caller for its permit. There is one observation for each wait, from its beginning to its end. */
    WAIT {
        @Override
        public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
            return ThrottleWaitConvention.class;
        }

        @Override
        public String getContextualName() {
            return ThrottleWaitConvention.CONTEXTUAL_NAME;
        }

        @Override
        public KeyName[] getLowCardinalityKeyNames() {
            return new KeyName[] {
                ThrottleWaitKey.NAME, ThrottleWaitKey.REASON, ThrottleWaitKey.PRIORITY, ThrottleWaitKey.OUTCOME
            };
        }

        @Override
        public KeyName[] getHighCardinalityKeyNames() {
            return new KeyName[] {ThrottleWaitKey.KEY, ThrottleWaitKey.WAIT_MS};
        }

        @Override
        public String getPrefix() {
            return "throttle";
        }
    }
}
