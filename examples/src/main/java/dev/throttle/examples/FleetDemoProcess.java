package dev.throttle.examples;

import dev.throttle.ThrottleRegistry;
import dev.throttle.lease.Fleet;
import dev.throttle.redis.RedisFleet;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** One JVM of the fleet demo. It runs until its standard input ends, as it does when the one who started it dies. */
final class FleetDemoProcess {

    static final String TWO = "2 processes";

    private static final int THREADS = 5;

    private FleetDemoProcess() {}

    public static void main(String[] args) throws Exception {
        URI server = URI.create(args[0]);
        ThrottleRegistry throttles = ThrottleRegistry.builder().name("demo").build();
        try (Fleet fleet = RedisFleet.builder("demo", args[1]).build()) {
            fleet.join(throttles);
            DemoClient client = DemoClient.jdk(server, throttles);
            ExecutorService pool = Executors.newFixedThreadPool(THREADS);
            AtomicBoolean over = new AtomicBoolean();
            List<Future<?>> work = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                work.add(pool.submit(() -> {
                    while (!over.get()) {
                        client.send();
                    }
                    return null;
                }));
            }
            Thread watcher = new Thread(() -> awaitEndOfInput(over), "end");
            watcher.setDaemon(true);
            watcher.start();
            show(client, fleet, throttles, over);
            for (Future<?> each : work) {
                each.get();
            }
            pool.shutdown();
            System.out.println(FleetDemoJvm.Row.PREFIX + client.requests() + " " + client.refused());
        }
    }

    private static void awaitEndOfInput(AtomicBoolean over) {
        try {
            while (System.in.read() >= 0) {
                // nothing is said there
            }
        } catch (IOException e) {
            // as good as its end
        }
        over.set(true);
    }

    private static void show(DemoClient client, Fleet fleet, ThrottleRegistry throttles, AtomicBoolean over)
            throws InterruptedException {
        for (int tenths = 1; !over.get(); tenths++) {
            TimeUnit.MILLISECONDS.sleep(100);
            if (tenths % 10 == 0) {
                int processes = throttles.all().stream()
                        .mapToInt(each -> fleet.processes("demo", each.key()))
                        .max()
                        .orElse(1);
                System.out.printf(
                        "%4d s  sleep %4d ms %5d left %6d requests %4d refused  %s%n",
                        tenths / 10,
                        client.sleep().toMillis(),
                        client.remaining(),
                        client.requests(),
                        client.refused(),
                        processes == 1 ? "1 process" : processes == 2 ? TWO : processes + " processes");
            }
        }
    }
}
