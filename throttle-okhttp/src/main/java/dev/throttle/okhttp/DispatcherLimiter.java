package dev.throttle.okhttp;

import dev.throttle.internal.CallbackPool;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import okhttp3.Dispatcher;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the enqueued calls of a factory within the dispatcher's limits, so that none is queued there between its permit
 * and the wire. A call takes a slot before it asks for its permit. If the permit comes at once, the call goes.
 * Otherwise it gives the slot back and waits for the throttle. So no call holds a slot while it waits for the throttle,
 * nor a permit while it waits for a slot, and a free slot costs one permit.
 *
 * <p>Calls that find no slot stand in lanes, one for each key of each host. A free slot goes to the call that was
 * enqueued first. If that has to wait for its throttle, the slot goes on to the next lane, and no other call of its
 * lane asks meanwhile. This happens on a thread of the library, never on one that enqueues, cancels or ends a call.
 */
final class DispatcherLimiter {

    private final Dispatcher dispatcher;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Host> hosts = new HashMap<>();
    /** Hosts with a call that may ask, by the number of the first such call. */
    private final TreeMap<Long, Host> ready = new TreeMap<>();

    private int inFlight;
    private boolean isLettingOut;

    DispatcherLimiter(Dispatcher dispatcher) {
        this.dispatcher = dispatcher;
    }

    /**
     * Takes a slot for a call that is about to ask for its permits, or has got them.
     *
     * @return false if none is free, or if a call that was enqueued before may use it
     */
    boolean take(AsyncRun run) {
        Limits limits = limits();
        return change(run.host(), host -> !host.isBehind(run) && hasSlot(host, limits) && add(host, 1));
    }

    /** Takes a slot, free or not, for a call that is not throttled. */
    void occupy(String hostName) {
        change(hostName, host -> add(host, 1));
    }

    /** Puts a call in its lane, from which another thread may take it on at once. */
    void stand(AsyncRun run) {
        change(run.host(), host -> host.change(run, lane -> lane.add(run)));
        letOut();
    }

    /**
     * Gives back the slot of a call that has to wait for its throttle.
     *
     * @param isFromLane whether it was let out of its lane, which is to wait for it
     */
    void giveBack(AsyncRun run, boolean isFromLane) {
        change(run.host(), host -> add(host, -1) && isFromLane && host.change(run, lane -> lane.waitFor(run)));
        letOut();
    }

    /** Gives a slot back. */
    void release(String hostName) {
        change(hostName, host -> add(host, -1));
        letOut();
    }

    /** Lets others of a call's lane ask, if it was let out before them: it does not wait for its throttle any more. */
    void settle(AsyncRun run) {
        change(run.host(), host -> host.change(run, lane -> lane.settle(run)));
        letOut();
    }

    /**
     * Takes a call out of its lane.
     *
     * @return whether it stood in one
     */
    boolean withdraw(AsyncRun run) {
        return change(run.host(), host -> host.change(run, lane -> lane.remove(run)));
    }

    /** {@return whether it counts no call any more, on the wire or in a lane} */
    boolean isIdle() {
        lock.lock();
        try {
            return inFlight == 0 && hosts.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** Changes a host, and puts it where it belongs afterwards. */
    private boolean change(String name, Predicate<Host> change) {
        lock.lock();
        try {
            Host host = hosts.computeIfAbsent(name, n -> new Host());
            if (!host.ready.isEmpty()) {
                ready.remove(host.ready.firstKey());
            }
            boolean result = change.test(host);
            if (!host.ready.isEmpty()) {
                ready.put(host.ready.firstKey(), host);
            } else if (host.inFlight == 0 && host.lanes.isEmpty()) {
                hosts.remove(name);
            }
            return result;
        } finally {
            lock.unlock();
        }
    }

    private boolean add(Host host, int slots) {
        host.inFlight += slots;
        inFlight += slots;
        return true;
    }

    /**
     * {@return the dispatcher's limits} Without the lock: the dispatcher's monitor is needed for them, and OkHttp calls
     * listeners while it holds that, such as those of a cancellation, which may need the lock.
     */
    private Limits limits() {
        return new Limits(dispatcher.getMaxRequests(), dispatcher.getMaxRequestsPerHost());
    }

    private boolean hasSlot(Host host, Limits limits) {
        return inFlight < limits.inAll && host.inFlight < limits.perHost;
    }

    /** Lets calls ask as long as there are slots for them. */
    private void letOut() {
        Limits limits = limits();
        lock.lock();
        try {
            if (isLettingOut || firstToServe(limits) == null) {
                return;
            }
            isLettingOut = true;
        } finally {
            lock.unlock();
        }
        try {
            CallbackPool.shared().execute(this::askAll);
        } catch (Throwable e) {
            askAll(); // no thread to be had
        }
    }

    private void askAll() {
        for (AsyncRun run = next(); run != null; run = next()) {
            run.askFromLane();
        }
    }

    /** {@return the first call that there is a slot for, which it has got; null if there is none} */
    private @Nullable AsyncRun next() {
        Limits limits = limits();
        lock.lock();
        try {
            AsyncRun run = firstToServe(limits);
            isLettingOut = run != null;
            if (run != null) {
                change(run.host(), host -> host.change(run, lane -> lane.remove(run)) && add(host, 1));
            }
            return run;
        } finally {
            lock.unlock();
        }
    }

    /** Passes over hosts that are full, of which there are a few at most, as their calls use up the total. */
    private @Nullable AsyncRun firstToServe(Limits limits) {
        for (Host host : ready.values()) {
            if (hasSlot(host, limits)) {
                return host.ready.firstEntry().getValue().waiting.firstEntry().getValue();
            }
        }
        return null;
    }

    /**
     * How many calls may run at a time.
     *
     * @param inAll to all hosts together
     * @param perHost to one host
     */
    private record Limits(int inAll, int perHost) {}

    private static final class Host {
        private int inFlight;
        /** By key. */
        private final Map<String, Lane> lanes = new HashMap<>();
        /** Lanes with a call that may ask, by the number of that call. */
        private final TreeMap<Long, Lane> ready = new TreeMap<>();

        /** Changes the lane of a call, and puts it where it belongs afterwards. */
        boolean change(AsyncRun run, Predicate<Lane> change) {
            Lane lane = lanes.computeIfAbsent(run.key(), key -> new Lane());
            if (lane.isReady()) {
                ready.remove(lane.waiting.firstKey());
            }
            boolean result = change.test(lane);
            if (lane.isReady()) {
                ready.put(lane.waiting.firstKey(), lane);
            } else if (lane.asking == null) {
                lanes.remove(run.key());
            }
            return result;
        }

        /** {@return whether another call comes first, of its own lane or of one that may ask} */
        boolean isBehind(AsyncRun run) {
            Lane own = lanes.get(run.key());
            return (own != null && isBefore(own.waiting, run)) || isBefore(ready, run);
        }

        private static boolean isBefore(SortedMap<Long, ?> calls, AsyncRun run) {
            return !calls.isEmpty() && calls.firstKey() < run.number();
        }
    }

    /** Calls of one host and key that wait for a slot. */
    private static final class Lane {
        /** By their numbers: in the order in which they were enqueued. */
        private final TreeMap<Long, AsyncRun> waiting = new TreeMap<>();
        /** The call that was let out and waits for its throttle; null if none does. */
        private @Nullable AsyncRun asking;

        boolean isReady() {
            return asking == null && !waiting.isEmpty();
        }

        boolean add(AsyncRun run) {
            waiting.put(run.number(), run);
            return settle(run);
        }

        boolean remove(AsyncRun run) {
            return waiting.remove(run.number()) != null;
        }

        boolean waitFor(AsyncRun run) {
            asking = run;
            return true;
        }

        boolean settle(AsyncRun run) {
            boolean wasAsking = run.equals(asking);
            asking = wasAsking ? null : asking;
            return wasAsking;
        }
    }
}
