package dev.throttle.client;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Keeps other calls from a key, in one way after another, until the last one is lifted. Thread-safe. */
final class KeyHold {

    private final AtomicReference<@Nullable Runnable> way = new AtomicReference<>();

    /** Ends a hold, if there is one. */
    static void lift(@Nullable KeyHold hold) {
        if (hold != null) {
            hold.replace(null);
        }
    }

    /** Holds the key in another way, and lifts the one before. */
    void replace(@Nullable Runnable lift) {
        Runnable before = way.getAndSet(lift);
        if (before != null) {
            before.run();
        }
    }
}
