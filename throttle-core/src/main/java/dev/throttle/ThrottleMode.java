package dev.throttle;

/** Whether a throttle acts on what it knows, or only watches. See {@link Throttle.Builder#mode}. */
public enum ThrottleMode {
    /** Calls wait, are retried and are rejected, as the settings say. */
    ENFORCE,
    /**
     * All responses are read and learned from, but no call waits, is retried or is rejected. The application behaves as
     * if it had no throttle, and {@link Throttle#report()} says what the throttle would have done.
     */
    OBSERVE
}
