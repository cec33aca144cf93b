package dev.throttle.lab.sim;

import java.util.Locale;

/** How often the library's throttles repeat what was refused or failed. */
public enum Retries {
    /** Until it is accepted: calls that are given up would be missing from the figures. */
    ALL,
    /** As by default in production. */
    STANDARD;

    /** {@return the name on the command line} */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
