package dev.throttle.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.throttle.lease.Fleet;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A Redis that may evict what limits rest on is warned of, at the start and when that changes. */
class EvictionCheckTest {

    private final List<String> said = new CopyOnWriteArrayList<>();
    private final Logger log = Logger.getLogger(Fleet.class.getName());
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord message) {
            if (message.getMessage().contains("evict")) {
                said.add(message.getMessage());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void listen() {
        log.addHandler(handler);
    }

    @AfterEach
    void stop() {
        log.removeHandler(handler);
    }

    private static String memory(long most, String policy) {
        return "# Memory\r\nused_memory:1000\r\nmaxmemory:" + most + "\r\nmaxmemory_policy:" + policy + "\r\n";
    }

    @Test
    void eachChangeIsSaidOnce() {
        EvictionCheck check = new EvictionCheck("shop");
        check.read(memory(0, "allkeys-lru")); // without an end of the memory nothing is evicted
        check.read(memory(1000, "noeviction"));
        assertThat(said).isEmpty();
        check.read(memory(1000, "volatile-ttl"));
        check.read(memory(1000, "volatile-ttl"));
        assertThat(said).hasSize(1);
        assertThat(said.get(0)).contains("shop", "volatile-ttl", "noeviction");
        check.read(memory(1000, "noeviction"));
        check.read("nothing of use");
        assertThat(said).hasSize(2);
    }

    @Test
    void aFleetAsksARealRedis() throws Exception {
        try (RedisProcess redis = new RedisProcess()) {
            redis.command("CONFIG SET maxmemory 100mb");
            redis.command("CONFIG SET maxmemory-policy allkeys-lru");
            try (Fleet fleet = RedisFleet.builder("shop", redis.uri()).build()) {
                await().atMost(Duration.ofMinutes(1)).until(() -> fleet.isConnected() && !said.isEmpty());
                assertThat(said.get(0)).contains("allkeys-lru");
            }
        }
    }
}
