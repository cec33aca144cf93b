package dev.throttle.engine;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Which member of a pool has which conversation. Those that were not used for the longest time are forgotten. */
final class Conversations {

    private static final int MOST = 10_000;
    private static final float LOAD = 0.75f;

    /** Guarded by this, and held for a look-up. */
    private final Map<String, Integer> members = new LinkedHashMap<>(16, LOAD, true) {

        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Integer> eldest) {
            return size() > MOST;
        }
    };

    /** {@return the member that has a conversation; null if none has} */
    synchronized @Nullable Integer memberOf(String name) {
        return members.get(name);
    }

    synchronized void put(String name, int member) {
        members.put(name, member);
    }
}
