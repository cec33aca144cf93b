package dev.throttle.lease;

import dev.throttle.control.ControllerHost;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The throttles that spend from one account. It keeps none of them alive. Thread-safe. */
final class Hosts {

    private final List<WeakReference<ControllerHost>> hosts = new CopyOnWriteArrayList<>();

    void add(ControllerHost host) {
        hosts.add(new WeakReference<>(host));
    }

    /** Without any lock. */
    void nudge() {
        for (WeakReference<ControllerHost> reference : hosts) {
            ControllerHost host = reference.get();
            if (host != null) {
                host.nudge();
            }
        }
    }

    /** {@return whether a caller waits in one of them} */
    boolean haveWaiting() {
        for (WeakReference<ControllerHost> reference : hosts) {
            ControllerHost host = reference.get();
            if (host != null && host.waiting() > 0) {
                return true;
            }
        }
        return false;
    }

    /** {@return whether all of them are gone} */
    boolean areGone() {
        hosts.removeIf(reference -> {
            ControllerHost host = reference.get();
            return host == null || host.isGone();
        });
        return hosts.isEmpty();
    }
}
