package dev.throttle.lease.fleet;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Map.Entry;

/** Bounded maps that drop the least recently used entry. */
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
