package dev.throttle.micrometer;

import io.micrometer.common.docs.KeyName;

/** The keys of the observation of a wait. */
@SuppressWarnings("exports") // Micrometer is optional: who calls this has it
public enum ThrottleWaitKey implements KeyName {

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

    ThrottleWaitKey(String key) {
        this.key = key;
    }

    @Override
    public String asString() {
        return key;
    }
}
