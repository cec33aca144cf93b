package dev.throttle.signal;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Assertions for targets of fuzzing, which are called a thousand times a second. */
public final class Expect {

    private Expect() {}

    /** Fails with a value if something does not hold for it. */
    public static void that(boolean holds, String what, @Nullable Object value) {
        if (!holds) {
            throw new AssertionError(what + ": " + value);
        }
    }

    /** Fails if two values are not equal. */
    public static void equal(@Nullable Object actual, @Nullable Object expected, String what) {
        if (!Objects.equals(actual, expected)) {
            throw new AssertionError(what + ": " + actual + " instead of " + expected);
        }
    }
}
