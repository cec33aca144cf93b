package dev.throttle.lab.fleet;

import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Predicate;

/**
 * The store of a simulated fleet: one clock, one after the other, and between it and each process a network that takes
 * its time and may lose things. What it does is what the fleet's scripts say.
 */
final class SimulatedStore {

    private static final long EPOCH_MICROS = 1_700_000_000_000_000L;

    private final TimeSource time;
    private final StoreSpec spec;
    private final long startedAt;
    private final SplittableRandom random;
    private final RedisData data = new RedisData(this::publish);
    private final LuaScripts scripts = new LuaScripts(data);
    private final Map<String, String> known = new HashMap<>();
    private final List<SimulatedRedisClient> clients = new ArrayList<>();
    private long commands;
    private long putForwardMicros;
    private double jitter;

    SimulatedStore(StoreSpec spec, TimeSource time, long seed) {
        this.spec = spec;
        this.time = time;
        this.startedAt = time.nanoTime();
        this.random = new SplittableRandom(seed);
    }

    TimeSource time() {
        return time;
    }

    /** {@return a number for a process that comes} */
    int join(SimulatedRedisClient client) {
        clients.add(client);
        return clients.size();
    }

    boolean isAway() {
        return spec.isAway(time.nanoTime() - startedAt);
    }

    /** {@return whether a script has been sent here before} */
    boolean knows(String digest) {
        return known.containsKey(digest);
    }

    void learn(String digest, String text) {
        known.put(digest, text);
    }

    /** {@return what a script that is known answers} */
    List<Object> run(String digest, String[] keys, String[] args) {
        commands++;
        data.setTime(EPOCH_MICROS + putForwardMicros + (time.nanoTime() - startedAt) / 1000);
        return scripts.run(known.getOrDefault(digest, ""), keys, args);
    }

    private void publish(String channel, String text) {
        for (SimulatedRedisClient client : clients) {
            if (!isLost()) {
                afterOneWay(() -> client.observe(channel, text));
            }
        }
    }

    boolean isLost() {
        return spec.loss() > 0 && random.nextDouble() < spec.loss();
    }

    void afterOneWay(Runnable event) {
        double factor = jitter == 0 ? 1 : 1 + jitter * (2 * random.nextDouble() - 1);
        time.schedule(Math.max(1, (long) (spec.latency().toNanos() * factor / 2)), event);
    }

    /** Makes each way longer or shorter by up to such a part of it. */
    void jitter(double part) {
        jitter = part;
    }

    /** Loses keys, as a store does that evicts them or starts empty. */
    void lose(Predicate<String> keys) {
        data.lose(keys);
    }

    /** Sets the store's clock forward. */
    void putForward(Duration by) {
        putForwardMicros += by.toNanos() / 1000;
    }

    /** {@return how many commands have come so far} */
    long commands() {
        return commands;
    }
}
