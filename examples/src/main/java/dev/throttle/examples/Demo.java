package dev.throttle.examples;

import dev.throttle.ThrottleRegistry;
import dev.throttle.control.Strategies;
import dev.throttle.retry.RetryPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Two clients that know nothing of each other, OkHttp and the JDK's, share the quota of one account, first without
 * throttling and then with it.
 *
 * <p>The server limits as the Heroku API does, but its time runs a hundred times faster: a token comes back every 8 ms
 * instead of every 0.8 s. So 10 seconds here are 17 minutes there, and a wait of 80 ms is one of 8 s. The throttles
 * have their defaults: they are not told what the server grants.
 */
public final class Demo {

    private static final int TIME_SCALE = 100;
    private static final int THREADS = 5;

    private Demo() {}

    /**
     * Runs the demo.
     *
     * @param args how many seconds each part runs; 10 by default
     * @throws Exception if something is wrong with this machine
     */
    public static void main(String[] args) throws Exception {
        Duration each = Duration.ofSeconds(args.length == 0 ? 10 : Integer.parseInt(args[0]));
        DemoScreen screen = DemoScreen.of(System.out);
        List<DemoPhase.Row> rows = new ArrayList<>();
        try (GcraServer first = new GcraServer(TIME_SCALE);
                GcraServer second = new GcraServer(TIME_SCALE);
                DemoMetrics metrics = new DemoMetrics()) {
            System.out.printf(
                    "4500 requests an hour are granted, an hour takes %d s, and the quota is used up.%n"
                            + "2 clients with %d threads each.%n",
                    3600 / TIME_SCALE, THREADS);
            System.out.println("Metrics: " + metrics.uri());
            rows.addAll(unthrottled(first, each, screen, metrics));
            rows.addAll(throttled(second, each, screen, metrics));
        }
        System.out.printf(
                "%nEach part ran for %d s. The server grants %d requests a second.%n%n%s%n",
                each.toSeconds(), 4500 * TIME_SCALE / 3600, DemoPhase.Row.HEADING);
        rows.forEach(System.out::println);
    }

    /** A throttle that holds nothing back and repeats nothing still counts, and shows what it counts. */
    static List<DemoPhase.Row> unthrottled(GcraServer server, Duration duration, DemoScreen screen, DemoMetrics metrics)
            throws Exception {
        ThrottleRegistry.Builder watching =
                ThrottleRegistry.builder().strategy(Strategies.none()).retryPolicy(RetryPolicy.none());
        return run("unthrottled", server, watching, duration, screen, metrics);
    }

    static List<DemoPhase.Row> throttled(GcraServer server, Duration duration, DemoScreen screen, DemoMetrics metrics)
            throws Exception {
        return run("throttled", server, ThrottleRegistry.builder(), duration, screen, metrics);
    }

    private static List<DemoPhase.Row> run(
            String name,
            GcraServer server,
            ThrottleRegistry.Builder throttle,
            Duration duration,
            DemoScreen screen,
            DemoMetrics metrics)
            throws Exception {
        ThrottleRegistry ofOkHttp = throttle.name("okhttp " + name).build();
        ThrottleRegistry ofJdk = throttle.name("jdk " + name).build();
        metrics.show(ofOkHttp);
        metrics.show(ofJdk);
        List<DemoClient> clients =
                List.of(DemoClient.okHttp(server.uri(), ofOkHttp), DemoClient.jdk(server.uri(), ofJdk));
        return new DemoPhase(name, clients).run(THREADS, duration, screen);
    }
}
