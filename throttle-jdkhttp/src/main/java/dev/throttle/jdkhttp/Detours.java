package dev.throttle.jdkhttp;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * Whose requests were redirected to another key, and refused there, when it last happened. It is a guess at who answers
 * the next one.
 */
final class Detours {

    private static final int MAX = 1_000;

    private final ConcurrentMap<String, String> refusedBy = new ConcurrentHashMap<>();

    /** {@return the key that refused the requests of a key; null if none is known} */
    @Nullable String of(String key) {
        return refusedBy.get(key);
    }

    void put(String key, String refusing) {
        if (refusedBy.size() >= MAX) {
            refusedBy.clear();
        }
        refusedBy.put(key, refusing);
    }

    void remove(String key) {
        refusedBy.remove(key);
    }
}
