package dev.throttle;

import dev.throttle.internal.Faults;
import dev.throttle.internal.Preconditions;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Listeners that come and go while events are told. No listener can harm a request. Thread-safe. */
final class Listeners {

    private final Faults faults = new Faults("a throttle listener");
    private final CopyOnWriteArrayList<ThrottleListener> all;

    Listeners(List<ThrottleListener> listeners) {
        this.all = new CopyOnWriteArrayList<>(listeners);
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    /** {@return whether it was added; false if an equal one is there already} */
    boolean add(ThrottleListener listener) {
        return all.addIfAbsent(Preconditions.required("listener", listener));
    }

    /** {@return whether it was there} */
    boolean remove(ThrottleListener listener) {
        return all.remove(Preconditions.required("listener", listener));
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
