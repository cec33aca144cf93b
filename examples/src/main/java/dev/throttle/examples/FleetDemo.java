package dev.throttle.examples;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import redis.embedded.RedisServer;

/**
 * Two JVMs share the quota of one account, and one Redis. The second one comes when the first one has the whole quota:
 * it begins with what the first one knows, and both share from then on. Neither was configured with the server's limit.
 *
 * <p>The server is the one of {@link Demo}: its time runs a hundred times faster than ours.
 */
public final class FleetDemo {

    private static final int TIME_SCALE = 100;
    private static final Duration ALONE = Duration.ofSeconds(8);
    private static final Duration TOGETHER = Duration.ofSeconds(15);

    private FleetDemo() {}

    /**
     * Runs the demo.
     *
     * @param args nothing for a Redis of its own, or {@code --redis} and the URI of yours
     * @throws Exception if something is wrong with this machine
     */
    public static void main(String[] args) throws Exception {
        if (args.length == 2 && args[0].equals("--redis")) {
            run(args[1], ALONE, TOGETHER, System.out);
        } else if (args.length == 0) {
            runWithOwnRedis(ALONE, TOGETHER, System.out);
        } else {
            System.err.println("It takes nothing, or --redis redis://HOST:PORT");
        }
    }

    static List<FleetDemoJvm.Row> runWithOwnRedis(Duration alone, Duration together, PrintStream out)
            throws IOException, InterruptedException {
        int port = freePort();
        RedisServer redis = RedisServer.newRedisServer()
                .port(port)
                .bind("127.0.0.1")
                .setting("save \"\"")
                .build();
        redis.start();
        try {
            return run("redis://127.0.0.1:" + port, alone, together, out);
        } finally {
            redis.stop();
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        }
    }

    private static List<FleetDemoJvm.Row> run(String redis, Duration alone, Duration together, PrintStream out)
            throws IOException, InterruptedException {
        List<FleetDemoJvm.Row> rows = new ArrayList<>();
        try (GcraServer server = new GcraServer(TIME_SCALE);
                FleetDemoJvm first = new FleetDemoJvm("first", server.uri(), redis, out)) {
            first.awaitProcesses(1);
            TimeUnit.NANOSECONDS.sleep(alone.toNanos());
            try (FleetDemoJvm second = new FleetDemoJvm("second", server.uri(), redis, out)) {
                first.awaitProcesses(2);
                second.awaitProcesses(2);
                TimeUnit.NANOSECONDS.sleep(together.toNanos());
                rows.add(first.end());
                rows.add(second.end());
            }
        }
        out.printf("%n%-8s %9s %8s %10s%n", "", "requests", "refused", "retry rate");
        rows.forEach(out::println);
        return rows;
    }
}
