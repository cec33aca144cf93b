package dev.throttle.okhttp;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import okhttp3.Dispatcher;

/**
 * Keeps the calls of a factory within the dispatcher's limits, so that none is queued there between its permit and the
 * wire. A call that gets its permit while no slot is free gives it back and stands in a lane, one lane for each key of
 * each host. When a slot is free as many calls of a lane as there are free slots ask for their permits once more. No
 * call holds a slot while it waits for the throttle, nor a permit while it waits for a slot.
 */
final class DispatcherLimiter {

    private final Dispatcher dispatcher;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Host> hosts = new LinkedHashMap<>();
    private int inFlight;
    /** Whether a call was kept waiting by the limit of all hosts together. */
    private boolean isTotalShort;

    private final Queue<AsyncRun> ready = new ConcurrentLinkedQueue<>();
    private final AtomicInteger draining = new AtomicInteger();

    DispatcherLimiter(Dispatcher dispatcher) {
        this.dispatcher = dispatcher;
    }

    /** Lets a newcomer ask for its permit, unless others of its lane wait for a slot already. */
    void enter(AsyncRun run) {
        lock.lock();
        try {
            Host host = hosts.get(run.host());
            Lane lane = host == null ? null : host.lanes.get(run.key());
            if (lane != null && lane.size() > 0) {
                lane.waiting.add(run);
                return;
            }
        } finally {
            lock.unlock();
        }
        run.ask();
    }

    /** Takes a slot for a call that has its permits. */
    boolean take(AsyncRun run) {
        lock.lock();
        try {
            Host host = host(run.host());
            Lane lane = host.lanes.get(run.key());
            boolean isOvertaking =
                    lane != null && lane.size() > 0 && lane.waiting.first().compareTo(run) < 0;
            if (freeOf(host) <= 0 || isOvertaking) {
                isTotalShort |= freeInAll() <= 0;
                return false;
            }
            host.inFlight++;
            inFlight++;
            settle(run, host);
        } finally {
            lock.unlock();
        }
        offer();
        return true;
    }

    /** Takes a slot, free or not, for a call that is not throttled. */
    void occupy(String hostName) {
        lock.lock();
        try {
            host(hostName).inFlight++;
            inFlight++;
        } finally {
            lock.unlock();
        }
    }

    /** Puts a call in its lane that found no slot. */
    void queue(AsyncRun run) {
        lock.lock();
        try {
            Host host = host(run.host());
            settle(run, host);
            host.lanes.computeIfAbsent(run.key(), key -> new Lane()).waiting.add(run);
            release(host);
        } finally {
            lock.unlock();
        }
        offer();
    }

    /** Gives a slot back. */
    void release(String hostName) {
        lock.lock();
        try {
            Host host = host(hostName);
            host.inFlight--;
            inFlight--;
            release(host);
            if (isTotalShort && freeInAll() > 0) {
                isTotalShort = false;
                hosts.values().forEach(this::release);
            }
            tidy(hostName, host);
        } finally {
            lock.unlock();
        }
        offer();
    }

    /**
     * Takes a call out that ends.
     *
     * @return whether it stood in a lane
     */
    boolean leave(AsyncRun run) {
        boolean stood = false;
        lock.lock();
        try {
            Host host = hosts.get(run.host());
            if (host != null) {
                settle(run, host);
                Lane lane = host.lanes.get(run.key());
                stood = lane != null && lane.waiting.remove(run);
                release(host);
                tidy(run.host(), host);
            }
        } finally {
            lock.unlock();
        }
        offer();
        return stood;
    }

    private Host host(String name) {
        return hosts.computeIfAbsent(name, n -> new Host());
    }

    private void tidy(String name, Host host) {
        host.lanes.values().removeIf(lane -> lane.size() == 0 && lane.asking == 0);
        if (host.inFlight == 0 && host.lanes.isEmpty()) {
            hosts.remove(name);
        }
    }

    private int freeInAll() {
        return dispatcher.getMaxRequests() - inFlight;
    }

    private int freeOf(Host host) {
        return Math.min(freeInAll(), dispatcher.getMaxRequestsPerHost() - host.inFlight);
    }

    /** The call asks no more. */
    private static void settle(AsyncRun run, Host host) {
        Lane lane = host.lanes.get(run.key());
        if (run.isCandidate && lane != null) {
            lane.asking--;
        }
        run.isCandidate = false;
    }

    private void release(Host host) {
        for (Lane lane : host.lanes.values()) {
            while (lane.asking < freeOf(host)) {
                AsyncRun run = lane.waiting.pollFirst();
                if (run == null) {
                    break;
                }
                run.isCandidate = true;
                lane.asking++;
                ready.add(run);
            }
        }
    }

    /**
     * Lets those ask that were let out of their lanes: outside of the lock, and in a loop, since one leads to another.
     */
    private void offer() {
        if (ready.isEmpty() || draining.getAndIncrement() > 0) {
            return;
        }
        do {
            for (AsyncRun run = ready.poll(); run != null; run = ready.poll()) {
                run.ask();
            }
        } while (draining.decrementAndGet() > 0);
    }

    private static final class Host {
        private int inFlight;
        private final Map<String, Lane> lanes = new LinkedHashMap<>();
    }

    /** Calls of one host and key that wait for a slot, in the order in which they were enqueued. */
    private static final class Lane {
        private final TreeSet<AsyncRun> waiting = new TreeSet<>();
        /** Calls let out of this lane that wait for their permits again. */
        private int asking;

        int size() {
            return waiting.size();
        }
    }
}
