package dev.throttle.okhttp;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
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
    /** How many calls stand in lanes. */
    private int standing;

    private final Queue<AsyncRun> ready = new ConcurrentLinkedQueue<>();
    private final AtomicInteger draining = new AtomicInteger();

    DispatcherLimiter(Dispatcher dispatcher) {
        this.dispatcher = dispatcher;
    }

    /**
     * Lets a newcomer ask for its permit.
     *
     * @return false if others of its lane wait for a slot already, so that it stands there too
     */
    boolean enter(AsyncRun run) {
        lock.lock();
        try {
            Host host = hosts.get(run.host());
            Lane lane = host == null ? null : host.lanes.get(run.key());
            if (lane != null && lane.size() > 0) {
                run.beginWait();
                stand(run, lane);
                return false;
            }
        } finally {
            lock.unlock();
        }
        run.ask();
        return true;
    }

    /** Takes a slot for a call that has its permits. */
    boolean take(AsyncRun run) {
        Limits limits = limits();
        lock.lock();
        try {
            Host host = host(run.host());
            Lane lane = host.lanes.get(run.key());
            boolean isOvertaking =
                    lane != null && lane.size() > 0 && lane.waiting.first().compareTo(run) < 0;
            if (freeOf(host, limits) <= 0 || isOvertaking) {
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
        Limits limits = limits();
        lock.lock();
        try {
            Host host = host(run.host());
            settle(run, host);
            stand(run, host.lanes.computeIfAbsent(run.key(), key -> new Lane()));
            wake(limits);
        } finally {
            lock.unlock();
        }
        offer();
    }

    /** Gives a slot back. */
    void release(String hostName) {
        Limits limits = limits();
        lock.lock();
        try {
            Host host = host(hostName);
            host.inFlight--;
            inFlight--;
            wake(limits);
            tidy(hostName, host);
        } finally {
            lock.unlock();
        }
        offer();
    }

    /** A call that was let out to ask ends without a slot. */
    void leave(AsyncRun run) {
        Limits limits = limits();
        lock.lock();
        try {
            Host host = hosts.get(run.host());
            if (host != null) {
                settle(run, host);
                wake(limits);
                tidy(run.host(), host);
            }
        } finally {
            lock.unlock();
        }
        offer();
    }

    /**
     * Takes a call out of its lane.
     *
     * @return whether it stood in one
     */
    boolean withdraw(AsyncRun run) {
        lock.lock();
        try {
            Host host = hosts.get(run.host());
            Lane lane = host == null ? null : host.lanes.get(run.key());
            boolean stood = lane != null && lane.waiting.remove(run);
            if (host != null && stood) {
                standing--;
                tidy(run.host(), host);
            }
            return stood;
        } finally {
            lock.unlock();
        }
    }

    boolean isStanding(AsyncRun run) {
        lock.lock();
        try {
            Host host = hosts.get(run.host());
            Lane lane = host == null ? null : host.lanes.get(run.key());
            return lane != null && lane.waiting.contains(run);
        } finally {
            lock.unlock();
        }
    }

    /** {@return whether it counts no call any more, on the wire or in a lane} */
    boolean isIdle() {
        lock.lock();
        try {
            return inFlight == 0 && standing == 0 && hosts.isEmpty();
        } finally {
            lock.unlock();
        }
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

    /**
     * {@return the dispatcher's limits} Without the lock: the dispatcher's monitor is needed for them, and OkHttp calls
     * listeners while it holds that, such as those of a cancellation, which may need the lock.
     */
    private Limits limits() {
        return new Limits(dispatcher.getMaxRequests(), dispatcher.getMaxRequestsPerHost());
    }

    private int freeInAll(Limits limits) {
        return limits.inAll - inFlight;
    }

    private int freeOf(Host host, Limits limits) {
        return Math.min(freeInAll(limits), limits.perHost - host.inFlight);
    }

    /** The call asks no more. */
    private static void settle(AsyncRun run, Host host) {
        Lane lane = host.lanes.get(run.key());
        if (run.isCandidate && lane != null) {
            lane.asking--;
        }
        run.isCandidate = false;
    }

    private void stand(AsyncRun run, Lane lane) {
        lane.waiting.add(run);
        standing++;
    }

    /**
     * Lets out of the lanes whoever could go now, the first that came first. Whatever may have made room, for a host or
     * for all, ends here: a slot that is free, and a call that asked and left.
     */
    private void wake(Limits limits) {
        if (standing == 0 || freeInAll(limits) <= 0) {
            return;
        }
        List<AsyncRun> woken = new ArrayList<>();
        for (Host host : hosts.values()) {
            for (Lane lane : host.lanes.values()) {
                letOut(lane, freeOf(host, limits), woken);
            }
        }
        standing -= woken.size();
        woken.sort(null);
        ready.addAll(woken);
    }

    private static void letOut(Lane lane, int free, List<AsyncRun> woken) {
        while (lane.asking < free) {
            AsyncRun run = lane.waiting.pollFirst();
            if (run == null) {
                return;
            }
            run.isCandidate = true;
            lane.asking++;
            woken.add(run);
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
                askOnce(run);
            }
        } while (draining.decrementAndGet() > 0);
    }

    /** The others must get their turn, and the next ones too, whatever becomes of this one. */
    private void askOnce(AsyncRun run) {
        try {
            run.ask();
        } catch (Throwable e) {
            fail(run, e);
        }
    }

    private static void fail(AsyncRun run, Throwable cause) {
        try {
            run.refused(cause);
        } catch (Throwable e) {
            return; // no memory to tell even that
        }
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
