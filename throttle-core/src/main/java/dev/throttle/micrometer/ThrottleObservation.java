package dev.throttle.micrometer;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/** What {@link ThrottleObservations} makes, for Micrometer's generator of documentation and for readers. */
@SuppressWarnings("exports") // Micrometer is optional: who calls this has it
public enum ThrottleObservation implements ObservationDocumentation {

    /** A caller waits for its permit: one observation for each wait, from its beginning until the caller goes on. */
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
