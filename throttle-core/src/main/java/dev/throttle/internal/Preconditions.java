package dev.throttle.internal;

import java.time.Duration;

/** Checks of settings. Each message names the setting, what it accepts, and the value. */
public final class Preconditions {

    private Preconditions() {}

    /**
     * {@return the value if it is there}
     *
     * @param name the setting
     * @param value its value
     * @param <T> its type
     */
    public static <T> T required(String name, T value) {
        if (value == null) {
            throw new NullPointerException(name + " must not be null");
        }
        return value;
    }

    /**
     * {@return the text if it is not blank}
     *
     * @param name the setting
     * @param value its value
     */
    public static String notBlank(String name, String value) {
        required(name, value);
        check(!value.isBlank(), name, "'" + value + "'", "a text that is not blank");
        return value;
    }

    /**
     * {@return the duration if it is zero or more}
     *
     * @param name the setting
     * @param value its value
     */
    public static Duration notNegative(String name, Duration value) {
        required(name, value);
        check(!value.isNegative(), name, value, "a duration of zero or more");
        return value;
    }

    /**
     * {@return the duration if it is more than zero}
     *
     * @param name the setting
     * @param value its value
     */
    public static Duration positive(String name, Duration value) {
        required(name, value);
        check(!value.isNegative() && !value.isZero(), name, value, "a duration above zero");
        return value;
    }

    /**
     * {@return the number if it lies between two bounds}
     *
     * @param name the setting
     * @param value its value
     * @param min the smallest accepted
     * @param max the largest accepted
     */
    public static long between(String name, long value, long min, long max) {
        if (!(value >= min && value <= max)) {
            throw refusal(name, value, "a whole number from " + min + " to " + max);
        }
        return value;
    }

    /**
     * {@return the number if it lies between two bounds; NaN never does}
     *
     * @param name the setting
     * @param value its value
     * @param min the smallest accepted
     * @param max the largest accepted
     */
    public static double between(String name, double value, double min, double max) {
        if (!(value >= min && value <= max)) {
            throw refusal(name, value, "a number from " + min + " to " + max);
        }
        return value;
    }

    /**
     * {@return the number if it is finite and above a bound}
     *
     * @param name the setting
     * @param value its value
     * @param bound the largest number that is not accepted
     */
    public static double above(String name, double value, double bound) {
        if (!(value > bound && value < Double.POSITIVE_INFINITY)) {
            throw refusal(name, value, "a finite number above " + bound);
        }
        return value;
    }

    /**
     * {@return the number that a text stands for}
     *
     * @param name the setting
     * @param text its value
     */
    public static double number(String name, String text) {
        return number(name, text, "a number");
    }

    /**
     * {@return the number that a text stands for}
     *
     * @param name the setting
     * @param text its value
     * @param accepts what the setting accepts, in words
     */
    public static double number(String name, String text, String accepts) {
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException e) {
            throw refusal(name, "'" + text + "'", accepts);
        }
    }

    /**
     * {@return the whole number that a text stands for}
     *
     * @param name the setting
     * @param text its value
     */
    public static long whole(String name, String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw refusal(name, "'" + text + "'", "a whole number");
        }
    }

    /**
     * {@return the truth value that a text stands for}
     *
     * @param name the setting
     * @param text its value
     */
    public static boolean flag(String name, String text) {
        check(text.equals("true") || text.equals("false"), name, "'" + text + "'", "true or false");
        return text.equals("true");
    }

    /**
     * Refuses a value unless a condition holds.
     *
     * @param accepted the condition
     * @param name the setting
     * @param value its value
     * @param accepts what the setting accepts, in words
     * @throws IllegalArgumentException if the condition does not hold
     */
    public static void check(boolean accepted, String name, Object value, String accepts) {
        if (!accepted) {
            throw refusal(name, value, accepts);
        }
    }

    private static IllegalArgumentException refusal(String name, Object value, String accepts) {
        return new IllegalArgumentException(name + " must be " + accepts + ", but was " + value);
    }
}
