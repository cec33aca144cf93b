package dev.throttle;

import dev.throttle.internal.CallContext;
import dev.throttle.internal.Faults;
import dev.throttle.internal.IgnoresIdle;
import dev.throttle.internal.Preconditions;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What the user has attached to throttles: listeners that come and go while events are told, of which none can harm a
 * request, and what keeps the context of callers. Thread-safe.
 */
final class Listeners {

    private final Faults faults = new Faults("a throttle listener");
    private final CopyOnWriteArrayList<ThrottleListener> all;
    private final @Nullable ContextCapture context;
    /** Whether there was one that does not ignore {@link ThrottleListener#onIdle}. */
    private volatile boolean idleHeard;

    Listeners(List<ThrottleListener> listeners, @Nullable ContextCapture context) {
        this.all = new CopyOnWriteArrayList<>(listeners);
        this.idleHeard = listeners.stream().anyMatch(listener -> !(listener instanceof IgnoresIdle));
        this.context = context;
    }

    /** {@return the context of this thread; null if none is kept} */
    @Nullable CallContext captureContext() {
        return context == null ? null : CallContext.capture(context::capture);
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    /** {@return whether one of them is told when a throttle becomes idle} */
    boolean isIdleHeard() {
        return idleHeard;
    }

    /** {@return whether it was added; false if an equal one is there already} */
    boolean add(ThrottleListener listener) {
        boolean isAdded = all.addIfAbsent(Preconditions.required("listener", listener));
        if (!(listener instanceof IgnoresIdle)) {
            idleHeard = true; // and stays so: it costs a little time only
        }
        return isAdded;
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

    /** Runs what belongs to a listener. */
    void guard(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            faults.report(e);
        }
    }
}
