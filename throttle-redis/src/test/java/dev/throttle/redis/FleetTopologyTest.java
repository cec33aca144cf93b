package dev.throttle.redis;

import static org.awaitility.Awaitility.await;

import dev.throttle.Permit;
import dev.throttle.Throttle;
import dev.throttle.control.Strategies;
import dev.throttle.lease.Fleet;
import dev.throttle.lease.WhenAway;
import dev.throttle.lease.fleet.FleetKeys;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A fleet on a real Redis with a sentinel, and on a real cluster. */
class FleetTopologyTest {

    /** A sentinel that was kept from running for two seconds does nothing for half a minute. */
    private static final Duration PATIENCE = Duration.ofMinutes(4);

    private static final int SLOTS = 16_384;

    private final List<RedisProcess> servers = new ArrayList<>();
    private final List<Fleet> fleets = new ArrayList<>();

    @AfterEach
    void stop() {
        fleets.forEach(Fleet::close);
        servers.forEach(RedisProcess::close);
    }

    private RedisProcess started(RedisProcess server) {
        servers.add(server);
        return server;
    }

    private Throttle process(RedisFleet.Builder builder) {
        Fleet fleet =
                builder.startTimeout(PATIENCE).timeout(Duration.ofMillis(500)).build();
        fleets.add(fleet);
        Throttle throttle = Throttle.builder()
                .name("api")
                .strategy(Strategies.none())
                .retryAfterJitter(0, Duration.ZERO)
                .limit(fleet.tokenBucket(100, Duration.ofSeconds(1))
                        .whenAway(WhenAway.CLOSED)
                        .build())
                .maxWait(PATIENCE)
                .build();
        fleet.join(throttle);
        return throttle;
    }

    private static void sends(Throttle throttle) throws Exception {
        for (int i = 0; i < 20; i++) {
            throttle.acquire().complete(Signal.SUCCESS);
        }
    }

    private void oneTellsTheOther(Throttle first, Throttle second, Duration wait) throws Exception {
        Permit permit = first.acquire();
        permit.complete(new Signal(Outcome.RATE_LIMITED, new RateHints(wait, List.of())));
        await().atMost(PATIENCE).until(() -> !second.snapshot().blocked().isZero());
    }

    private void awaitConnected() {
        await().atMost(PATIENCE).until(() -> fleets.stream().allMatch(Fleet::isConnected));
    }

    /**
     * A server that a sentinel makes a master or a replica closes its connections, this one too; then it is asked
     * again.
     */
    private static void awaitAnswer(RedisProcess server, String command, String part) {
        await().atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(IOException.class)
                .until(() -> server.command(command).contains(part));
    }

    /** All have gone over to this server, which was the replica. */
    private void awaitAllOn(RedisProcess server) {
        String listeners = "PUBSUB NUMSUB " + new FleetKeys("test", false).of("news");
        awaitAnswer(server, listeners, "\r\n:" + fleets.size() + "\r\n");
        awaitConnected();
        awaitAnswer(server, "INFO replication", "role:master");
    }

    private List<Throttle> onSentinel(RedisProcess master) throws Exception {
        RedisProcess replica = started(RedisProcess.replica(master));
        awaitAnswer(replica, "INFO replication", "master_link_status:up");
        RedisProcess sentinel = started(RedisProcess.sentinel(master));
        awaitAnswer(sentinel, "SENTINEL REPLICAS main", String.valueOf(replica.port()));
        String uri = "redis-sentinel://127.0.0.1:" + sentinel.port() + "/0#main";
        Throttle first = process(RedisFleet.builder("test", uri));
        Throttle second = process(RedisFleet.builder("test", uri));
        sends(first);
        sends(second);
        return List.of(first, second);
    }

    @Test
    void itFollowsAFailover() throws Exception {
        RedisProcess master = started(new RedisProcess());
        List<Throttle> throttles = onSentinel(master);
        master.kill();
        awaitAllOn(servers.get(1));
        sends(throttles.get(0));
        sends(throttles.get(1));
        oneTellsTheOther(throttles.get(0), throttles.get(1), Duration.ofMinutes(5));
    }

    /** The old master stands still, and its connections stay open; when it goes on it is a replica. */
    @Tag("slow")
    @Test
    void itFollowsAFailoverThatClosesNoConnection() throws Exception {
        RedisProcess master = started(new RedisProcess());
        List<Throttle> throttles = onSentinel(master);
        master.signal("STOP");
        awaitAllOn(servers.get(1));
        sends(throttles.get(0));
        master.signal("CONT");
        awaitAnswer(master, "INFO replication", "role:slave");
        sends(throttles.get(0));
        sends(throttles.get(1));
        oneTellsTheOther(throttles.get(0), throttles.get(1), Duration.ofMinutes(5));
    }

    private static String slots(int from, int to) {
        return IntStream.range(from, to).mapToObj(String::valueOf).collect(Collectors.joining(" "));
    }

    @Test
    void itWorksOnACluster() throws Exception {
        RedisProcess first = started(RedisProcess.node());
        RedisProcess second = started(RedisProcess.node());
        first.command("CLUSTER ADDSLOTS " + slots(0, SLOTS / 2));
        second.command("CLUSTER ADDSLOTS " + slots(SLOTS / 2, SLOTS));
        first.command("CLUSTER MEET 127.0.0.1 " + second.port());
        await().atMost(PATIENCE).until(() -> isWhole(first) && isWhole(second));
        RedisClusterClient client = RedisClusterClient.create(RedisURI.create(first.uri()));
        try {
            for (String name : List.of("one", "another", "a third")) { // in slots of both
                Throttle here = process(RedisFleet.builder(name, client));
                Throttle there = process(RedisFleet.builder(name, client));
                sends(here);
                sends(there);
                oneTellsTheOther(here, there, Duration.ofMinutes(5));
            }
            awaitConnected();
        } finally {
            fleets.forEach(Fleet::close);
            client.shutdown();
        }
    }

    /** The master of all slots dies, and its replica takes its place. */
    @Tag("slow")
    @Test
    void itFollowsAFailoverOfACluster() throws Exception {
        RedisProcess master = started(RedisProcess.node());
        RedisProcess voter = started(RedisProcess.node());
        RedisProcess another = started(RedisProcess.node());
        RedisProcess replica = started(RedisProcess.node());
        master.command("CLUSTER ADDSLOTS " + slots(0, SLOTS / 2));
        master.command("CLUSTER ADDSLOTS " + slots(SLOTS / 2, SLOTS - 2));
        voter.command("CLUSTER ADDSLOTS " + (SLOTS - 2));
        another.command("CLUSTER ADDSLOTS " + (SLOTS - 1));
        for (RedisProcess other : List.of(voter, another, replica)) {
            master.command("CLUSTER MEET 127.0.0.1 " + other.port());
        }
        await().atMost(PATIENCE).until(() -> servers.stream().allMatch(FleetTopologyTest::knowsFour));
        String id = master.command("CLUSTER MYID").split("\r\n")[1];
        await().atMost(PATIENCE)
                .until(() -> replica.command("CLUSTER REPLICATE " + id).startsWith("+OK"));
        await().atMost(PATIENCE).until(() -> isWhole(master) && isWhole(voter) && isWhole(another));
        awaitAnswer(replica, "INFO replication", "master_link_status:up");
        RedisClusterClient client = RedisClusterClient.create(
                List.of(RedisURI.create(master.uri()), RedisURI.create(voter.uri()), RedisURI.create(another.uri())));
        client.setOptions(ClusterClientOptions.builder()
                .topologyRefreshOptions(ClusterTopologyRefreshOptions.builder()
                        .enablePeriodicRefresh(Duration.ofSeconds(1))
                        .build())
                .build());
        try {
            Throttle here = process(RedisFleet.builder("one", client));
            Throttle there = process(RedisFleet.builder("one", client));
            sends(here);
            sends(there);
            master.kill();
            await().atMost(PATIENCE).until(() -> isWhole(voter));
            awaitConnected();
            sends(here);
            sends(there);
            oneTellsTheOther(here, there, Duration.ofMinutes(5));
        } finally {
            fleets.forEach(Fleet::close);
            client.shutdown();
        }
    }

    private static boolean knowsFour(RedisProcess node) {
        try {
            return node.command("CLUSTER INFO").contains("cluster_known_nodes:4");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isWhole(RedisProcess node) throws IOException {
        return node.command("CLUSTER INFO").contains("cluster_state:ok")
                && node.command("CLUSTER INFO").contains("cluster_slots_ok:" + SLOTS);
    }
}
