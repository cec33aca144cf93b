package dev.throttle.bucket4j;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Throttle;
import dev.throttle.fixtures.Recorder;
import dev.throttle.lease.Lease;
import dev.throttle.lease.LeasedLimit;
import dev.throttle.signal.Signal;
import io.github.bucket4j.distributed.jdbc.PrimaryKeyMapper;
import io.github.bucket4j.distributed.proxy.AsyncProxyManager;
import io.github.bucket4j.distributed.proxy.ProxyManager;
import io.github.bucket4j.postgresql.Bucket4jPostgreSQL;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.ServerSocket;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import redis.embedded.RedisServer;

/** A limit of several processes, kept by Bucket4j in a real Redis and in a real PostgreSQL. */
class Bucket4jLeasesTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    /** In which one token drips in: nearly as long as a lease may lie ahead. */
    private static final Duration DRIP = Duration.ofSeconds(29);

    private interface Source {
        Bucket4jLeases leases(long permits, Duration period);
    }

    private static void run(Source source) throws Exception {
        promisesInTurn(source.leases(10, DRIP.multipliedBy(10)));
        keepsToTheLimit(source);
    }

    private static @Nullable RedisServer started(int port) throws IOException {
        RedisServer server = RedisServer.newRedisServer().port(port).build();
        try {
            server.start();
            return server;
        } catch (IOException e) {
            server.stop();
            return null;
        }
    }

    @Test
    void onRedis() throws Exception {
        int port = 0;
        RedisServer server = null;
        while (server == null) {
            try (ServerSocket free = new ServerSocket(0)) {
                port = free.getLocalPort();
            }
            server = started(port); // null if another program was faster with the port
        }
        RedisClient client = RedisClient.create("redis://127.0.0.1:" + port);
        try (StatefulRedisConnection<String, byte[]> connection =
                client.connect(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE))) {
            AsyncProxyManager<String> manager =
                    Bucket4jLettuce.casBasedBuilder(connection).build().asAsync();
            run((permits, period) -> new Bucket4jLeases(manager, permits, period, permits < 50 ? 10 : 50, 2));
        } finally {
            client.shutdown(0, 1, TimeUnit.SECONDS);
            server.stop();
        }
    }

    @Test
    void onPostgres() throws Exception {
        try (EmbeddedPostgres postgres = EmbeddedPostgres.builder().start()) {
            try (Connection connection = postgres.getPostgresDatabase().getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("CREATE TABLE bucket(id VARCHAR PRIMARY KEY, state BYTEA, expires_at BIGINT)");
            }
            ProxyManager<String> manager = Bucket4jPostgreSQL.selectForUpdateBasedBuilder(
                            postgres.getPostgresDatabase())
                    .primaryKeyMapper(PrimaryKeyMapper.STRING)
                    .build();
            run((permits, period) -> new Bucket4jLeases(manager, permits, period, permits < 50 ? 10 : 50, 2));
        }
    }

    private static void promisesInTurn(Bucket4jLeases leases) throws Exception {
        Lease other = leases.lease("other", 1, 100).toCompletableFuture().get();
        assertThat(other.permits()).isEqualTo(9);
        assertThat(other.first()).isZero();
        leases.giveBack("other", other);
        assertThat(leases.lease("other", 5, 5).toCompletableFuture().get().first())
                .isLessThanOrEqualTo(DRIP.multipliedBy(4));
        Lease costly = leases.lease("costly", 5, 5).toCompletableFuture().get();
        assertThat(costly.first()).isZero();
        leases.giveBack("costly", costly);
        assertThat(leases.lease("costly", 9, 9).toCompletableFuture().get().first())
                .isZero();
        leases.spent("spent", 2, 2);
        leases.spent("spent", 1, 2);
        assertThat(leases.lease("spent", 1, 100).toCompletableFuture().get().permits())
                .isEqualTo(6);
        long start = System.nanoTime();
        assertThat(leases.lease("k", 1, 100).toCompletableFuture().get().permits())
                .isEqualTo(9); // one is kept back for late ones
        Lease second = leases.lease("k", 1, 100).toCompletableFuture().get();
        Lease third = leases.lease("k", 1, 100).toCompletableFuture().get();
        Duration passed = Duration.ofNanos(System.nanoTime() - start).plusMillis(10); // its clock counts milliseconds
        assertThat(second.permits()).isEqualTo(1);
        assertThat(second.first()).isBetween(DRIP.minus(passed), DRIP);
        assertThat(third.first()).isBetween(DRIP.multipliedBy(2).minus(passed), DRIP.multipliedBy(2));
    }

    private static void keepsToTheLimit(Source source) throws Exception {
        Recorder recorder = new Recorder();
        List<CompletableFuture<?>> callers = new ArrayList<>();
        for (int process = 0; process < 2; process++) {
            LeasedLimit limit = source.leases(100, SECOND).limit().build();
            Throttle throttle = Throttle.builder()
                    .name("api")
                    .strategy(recorder)
                    .limit(limit)
                    .maxWait(Duration.ofHours(1))
                    .build();
            for (int i = 0; i < 4; i++) {
                callers.add(call(throttle, recorder));
            }
        }
        callers.forEach(CompletableFuture::join);
        List<Long> sorted = recorder.departures.stream().sorted().toList();
        for (int from = 0, to = 0; to < sorted.size(); to++) {
            while (sorted.get(to) - sorted.get(from) >= SECOND.toNanos()) {
                from++;
            }
            assertThat(to - from + 1).isLessThanOrEqualTo(150);
        }
    }

    /** Calls on a thread of its own, until there were enough. */
    private static CompletableFuture<?> call(Throttle throttle, Recorder recorder) {
        CompletableFuture<Void> ended = new CompletableFuture<>();
        new Thread(() -> {
                    try {
                        while (recorder.departures.size() < 300) {
                            throttle.acquire().complete(Signal.SUCCESS);
                        }
                        ended.complete(null);
                    } catch (Throwable e) {
                        ended.completeExceptionally(e);
                    }
                })
                .start();
        return ended;
    }
}
