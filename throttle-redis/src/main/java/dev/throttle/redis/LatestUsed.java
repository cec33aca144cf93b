package dev.throttle.redis;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Map.Entry;

/** Maps that keep what was used last, so that no number of keys fills the memory. */
final class LatestUsed {

    private LatestUsed() {}

    /** {@return a map of at most so many keys; thread-safe} */
    static <V> Map<String, V> map(int most) {
        return Collections.synchronizedMap(new LinkedHashMap<String, V>(16, 0.75f, true) {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Entry<String, V> eldest) {
                return size() > most;
            }
        });
    }
}
