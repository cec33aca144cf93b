package dev.throttle.lab.fleet;

import dev.throttle.control.Strategy;
import dev.throttle.lab.sim.Client;
import dev.throttle.lab.sim.ThrottleClient;
import dev.throttle.lease.Fleet;
import dev.throttle.redis.RedisFleet;
import dev.throttle.signal.Cost;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Processes whose throttles share what they learn. The fleet is the library's own, from what it listens to down to the
 * scripts that it sends; only Redis and the network are simulated.
 */
public final class FleetClients implements Client.Factory {

    /** As long as a process waits at its start for what the fleet knows. */
    private static final long START_TIMEOUT_NANOS = Duration.ofSeconds(1).toNanos();

    private static final long POLL_NANOS = Duration.ofMillis(1).toNanos();

    private final Strategy strategy;
    private final StoreSpec spec;
    private final @Nullable SimulatedStore store;

    private FleetClients(Strategy strategy, StoreSpec spec, @Nullable SimulatedStore store) {
        this.strategy = strategy;
        this.spec = spec;
        this.store = store;
    }

    /**
     * {@return clients with a strategy that are a fleet}
     *
     * @param strategy the strategy
     * @param spec how their store behaves
     */
    public static Client.Factory with(Strategy strategy, StoreSpec spec) {
        return new FleetClients(strategy, spec, null);
    }

    @Override
    public Client.Factory forRun(TimeSource time, long seed) {
        return new FleetClients(strategy, spec, new SimulatedStore(spec, time, seed));
    }

    @Override
    public long storeCommands() {
        return store == null ? -1 : store.commands();
    }

    @Override
    public Client newClient(Client.Surroundings surroundings) {
        if (store == null) {
            throw new IllegalStateException("a fleet needs a run");
        }
        return new Member(ThrottleClient.of(strategy, surroundings), surroundings.time(), store);
    }

    /** A process of the fleet. */
    private static final class Member implements Client {

        private final ThrottleClient throttled;
        private final TimeSource time;
        private final SimulatedRedisClient redis;
        private final Fleet fleet;

        Member(ThrottleClient throttled, TimeSource time, SimulatedStore store) {
            this.throttled = throttled;
            this.time = time;
            this.redis = new SimulatedRedisClient(store);
            Executor next = task -> time.schedule(1, task);
            this.fleet = RedisFleet.builder("lab", redis)
                    .time(time)
                    .executor(next)
                    .startTimeout(Duration.ZERO) // it is waited for below, on virtual time
                    .build()
                    .join(throttled.throttle());
        }

        @Override
        public Call newCall(@Nullable Cost estimate) {
            return throttled.newCall(estimate);
        }

        @Override
        public Call newCall(@Nullable Cost estimate, @Nullable String route) {
            return throttled.newCall(estimate, route);
        }

        @Override
        public void whenReady(Runnable begin) {
            await(begin, time.nanoTime() + START_TIMEOUT_NANOS);
        }

        private void await(Runnable begin, long deadline) {
            if ((fleet.isConnected() && redis.isIdle()) || time.nanoTime() - deadline >= 0) {
                begin.run();
            } else {
                time.schedule(POLL_NANOS, () -> await(begin, deadline));
            }
        }

        @Override
        public void leave() {
            fleet.close();
        }
    }
}
