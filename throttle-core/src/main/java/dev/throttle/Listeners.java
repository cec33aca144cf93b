package dev.throttle;

import dev.throttle.internal.Faults;
import dev.throttle.internal.Preconditions;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Listeners that come and go while events are told. No listener can harm a request. Thread-safe. */
final class Listeners {

    private static final ThrottleListener[] NOBODY = {};

    private final Faults faults = new Faults("a throttle listener");
    private volatile ThrottleListener[] all;

    Listeners(List<ThrottleListener> listeners) {
        this.all = listeners.toArray(NOBODY);
    }

    boolean isEmpty() {
        return all.length == 0;
    }

    /** {@return whether it was added; false if an equal one is there already} */
    synchronized boolean add(ThrottleListener listener) {
        Preconditions.required("listener", listener);
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
        boolean removed = now.remove(Preconditions.required("listener", listener));
        all = now.toArray(NOBODY);
        return removed;
    }

    void tell(Consumer<ThrottleListener> event) {
        for (ThrottleListener listener : all) {
            try {
                event.accept(listener);
            } catch (Throwable e) {
                faults.report(e);
            }
        }
    }
}
