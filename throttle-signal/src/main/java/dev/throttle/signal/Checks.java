package dev.throttle.signal;

import java.time.Duration;

/** Checks of arguments. Each message names the argument, what it accepts, and the value. */
final class Checks {

    private Checks() {}

    static <T> T required(String name, T value) {
        if (value == null) {
            throw new NullPointerException(name + " must not be null");
        }
        return value;
    }

    static String notBlank(String name, String value) {
        if (required(name, value).isBlank()) {
            check(false, name, "'" + value + "'", "a text that is not blank");
        }
        return value;
    }

    static Duration notNegative(String name, Duration value) {
        check(!required(name, value).isNegative(), name, value, "a duration of zero or more");
        return value;
    }

    static long between(String name, long value, long min, long max) {
        if (value < min || value > max) {
            check(false, name, value, "a whole number from " + min + " to " + max);
        }
        return value;
    }

    static void check(boolean accepted, String name, Object value, String accepts) {
        if (!accepted) {
            throw new IllegalArgumentException(name + " must be " + accepts + ", but was " + value);
        }
    }
}
