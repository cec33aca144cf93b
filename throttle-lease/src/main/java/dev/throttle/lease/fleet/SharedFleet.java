package dev.throttle.lease.fleet;

import dev.throttle.Throttle;
import dev.throttle.ThrottleListener;
import dev.throttle.ThrottleRegistry;
import dev.throttle.lease.Fleet;
import dev.throttle.lease.FleetLimitBuilder;
import dev.throttle.lease.LeasedLimit;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** A fleet over any store. Thread-safe. */
public final class SharedFleet implements Fleet {

    private final String name;
    private final String client = UUID.randomUUID().toString().substring(0, 18);
    private final TimeSource time;
    private final Executor executor;
    private final FleetKeys keys;
    private final StoreClock clock;
    private final FleetStore store;
    private final FleetMemory memory;
    private final FleetLimits limits = new FleetLimits();
    private final List<Runnable> leaving = new CopyOnWriteArrayList<>();
    private final Pulse pulse;
    /** Tasks of limits that have not run yet. */
    private final AtomicInteger pending = new AtomicInteger();

    private volatile boolean closed;

    private SharedFleet(FleetTerms terms, StoreFactory stores) {
        this.name = terms.name();
        this.time = terms.time();
        this.executor = terms.executor();
        this.keys = new FleetKeys(name, terms.readableKeys());
        this.store = stores.open(new Ears());
        this.clock = new StoreClock(store.watch().store());
        this.memory = new FleetMemory(store, keys, clock, time, executor, client);
        this.pulse = new Pulse(store, memory, limits, time, executor);
    }

    /** Makes the store of a fleet. */
    public interface StoreFactory {

        /**
         * {@return a store, which is not connected yet}
         *
         * @param listener who hears of it, once it is connected
         */
        FleetStore open(FleetStore.Listener listener);
    }

    /**
     * {@return a fleet, which is connected or will connect in the background}
     *
     * @param stores makes its store
     */
    public static SharedFleet open(FleetTerms terms, StoreFactory stores) {
        SharedFleet fleet = new SharedFleet(terms, stores);
        fleet.store.connect();
        fleet.pulse.start();
        try {
            fleet.pulse.ready.get(terms.startTimeout().toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException | ExecutionException e) {
            // It begins without.
        }
        return fleet;
    }

    /** Called by the store, once it is connected. */
    private final class Ears implements FleetStore.Listener {

        @Override
        public String channel() {
            return memory.channel();
        }

        @Override
        public void heard(String channel, String text) {
            memory.onMessage(channel, text);
        }

        @Override
        public void connected() {
            pulse.read();
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public boolean isConnected() {
        return store.watch().isUp();
    }

    @Override
    public int processes() {
        return memory.alive();
    }

    @Override
    public long losses() {
        return store.watch().losses();
    }

    @Override
    public int processes(String throttle, String key) {
        return memory.sharers(throttle, key);
    }

    @Override
    public Fleet join(ThrottleRegistry throttles) {
        ThrottleListener listener = memory.listener(key -> (signal, age) -> throttles.observe(key, signal, age));
        if (throttles.addListener(listener)) {
            leaving.add(() -> throttles.removeListener(listener));
            throttles.all().forEach(listener::onCreated);
        }
        return this;
    }

    @Override
    public Fleet join(Throttle throttle) {
        ThrottleListener listener = memory.listener(key -> throttle::observe);
        if (throttle.addListener(listener)) {
            leaving.add(() -> throttle.removeListener(listener));
            listener.onCreated(throttle);
        }
        return this;
    }

    @Override
    public FleetLimitBuilder tokenBucket(long permits, Duration period) {
        return new SharedLimitBuilder(this, false, permits, period);
    }

    @Override
    public FleetLimitBuilder slidingWindow(long limit, Duration window) {
        return new SharedLimitBuilder(this, true, limit, window);
    }

    /** Calls a watcher for each limit, those that exist and those that are added later. */
    public void watchLimits(Consumer<LeasedLimit> watcher) {
        limits.watch(watcher);
    }

    LeasedLimit limit(SharedLimitBuilder builder) {
        StoreLeases source = builder.source(store, keys, clock, time, client);
        return limits.add(builder.limit(source, time, this::execute), source);
    }

    /** Runs a task of a limit, such as one that gives a lease back. */
    private void execute(Runnable task) {
        pending.incrementAndGet();
        try {
            executor.execute(() -> {
                try {
                    task.run();
                } finally {
                    pending.decrementAndGet();
                }
            });
        } catch (RuntimeException | Error e) {
            pending.decrementAndGet();
            throw e;
        }
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        pulse.stop();
        leaving.forEach(Runnable::run);
        limits.close();
        memory.leave();
        store.settle(() -> pending.get() == 0);
        store.watch().leave();
        time.schedule(Pulse.PROBE_NANOS, store::closeSoon);
    }

    @Override
    public String toString() {
        return "Fleet[" + name + (isConnected() ? "" : ", store away") + "]";
    }
}
