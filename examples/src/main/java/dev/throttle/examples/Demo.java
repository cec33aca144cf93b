package dev.throttle.examples;

import dev.throttle.ThrottleRegistry;
import dev.throttle.control.Strategies;
import dev.throttle.retry.RetryPolicy;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Two clients that know nothing of each other, OkHttp and the JDK's, share the quota of one account, first without
 * throttling and then with it.
 *
 * <p>The server limits as the Heroku API does, but its time runs a hundred times faster: a token comes back every 8 ms
 * instead of every 0.8 s. So 20 seconds here are 33 minutes there, and a wait of 80 ms is one of 8 s. The throttles
 * have their defaults: nobody told them what the server grants.
 */
public final class Demo {

    private static final int TIME_SCALE = 100;
    private static final int THREADS = 5;

    private Demo() {}

    /**
     * Runs the demo.
     *
     * @param args not used
     * @throws Exception if something is wrong with this machine
     */
    public static void main(String[] args) throws Exception {
        List<DemoPhase.Row> rows = new ArrayList<>();
        try (GcraServer server = new GcraServer(TIME_SCALE)) {
            System.out.printf(
                    "4500 requests an hour are granted, an hour takes %d s, and the quota is used up.%n"
                            + "2 clients with %d threads each.%n",
                    3600 / TIME_SCALE, THREADS);
            rows.addAll(unthrottled(server, Duration.ofSeconds(5), System.out));
            rows.addAll(throttled(server, Duration.ofSeconds(20), System.out));
        }
        System.out.printf("%n%s%n", DemoPhase.Row.HEADING);
        rows.forEach(System.out::println);
    }

    /** A throttle that holds nothing back and repeats nothing still counts, and shows what it counts. */
    static List<DemoPhase.Row> unthrottled(GcraServer server, Duration duration, PrintStream out) throws Exception {
        ThrottleRegistry.Builder watching =
                ThrottleRegistry.builder().strategy(Strategies.none()).retryPolicy(RetryPolicy.none());
        return run("unthrottled", server, watching, duration, out);
    }

    static List<DemoPhase.Row> throttled(GcraServer server, Duration duration, PrintStream out) throws Exception {
        return run("throttled", server, ThrottleRegistry.builder(), duration, out);
    }

    private static List<DemoPhase.Row> run(
            String name, GcraServer server, ThrottleRegistry.Builder throttle, Duration duration, PrintStream out)
            throws Exception {
        DemoClient okHttp =
                DemoClient.okHttp(server.uri(), throttle.name("okhttp").build());
        DemoClient jdk = DemoClient.jdk(server.uri(), throttle.name("jdk").build());
        return new DemoPhase(name, List.of(okHttp, jdk)).run(THREADS, duration, out);
    }
}
