package dev.throttle;

import dev.throttle.internal.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Listeners that come and go while events are told. No listener can harm a request. Thread-safe. */
final class Listeners {

    private static final Logger LOG = LoggerFactory.getLogger(Throttle.class);
    private static final ThrottleListener[] NOBODY = {};

    private volatile ThrottleListener[] all;

    Listeners(List<ThrottleListener> listeners) {
        this.all = listeners.toArray(NOBODY);
    }

    boolean isEmpty() {
        return all.length == 0;
    }

    /** {@return whether it was added; false if an equal one is there already} */
    synchronized boolean add(ThrottleListener listener) {
        Settings.required("listener", listener);
        List<ThrottleListener> now = new ArrayList<>(List.of(all));
        if (now.contains(listener)) {
            return false;
        }
        now.add(listener);
        all = now.toArray(NOBODY);
        return true;
    }

    /** {@return whether it was there} */
    synchronized boolean remove(ThrottleListener listener) {
        List<ThrottleListener> now = new ArrayList<>(List.of(all));
        boolean removed = now.remove(Settings.required("listener", listener));
        all = now.toArray(NOBODY);
        return removed;
    }

    void tell(String key, Consumer<ThrottleListener> event) {
        for (ThrottleListener listener : all) {
            try {
                event.accept(listener);
            } catch (RuntimeException e) {
                LOG.warn("throttle {}: a listener failed", key, e);
            }
        }
    }
}
