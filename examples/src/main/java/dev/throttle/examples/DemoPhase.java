package dev.throttle.examples;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Several clients at work at the same time: what they do now, and in the end what came of it. */
record DemoPhase(String name, List<DemoClient> clients) {

    /** What one client did. */
    record Row(String phase, String client, long served, long refused, long refusalsSeen, Duration longestWait) {

        static final String HEADING = String.format(
                "%-12s %-7s %7s %8s %10s %13s %19s",
                "", "client", "served", "refused", "retry rate", "longest wait", "429 in the program");

        /** {@return the requests that were sent} */
        long requests() {
            return served + refused;
        }

        double retryRate() {
            return requests() == 0 ? 0 : (double) refused / requests();
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "%-12s %-7s %7d %8d %8.2f %% %10d ms %19d",
                    phase,
                    client,
                    served,
                    refused,
                    100 * retryRate(),
                    longestWait.toMillis(),
                    refusalsSeen);
        }
    }

    /** Lets each client send one request after the other on several threads, for a while. */
    List<Row> run(int threads, Duration duration, DemoScreen screen) throws InterruptedException, ExecutionException {
        AtomicBoolean over = new AtomicBoolean();
        ExecutorService pool = Executors.newFixedThreadPool(threads * clients.size());
        try {
            List<Future<?>> work = new ArrayList<>();
            for (DemoClient client : clients) {
                for (int i = 0; i < threads; i++) {
                    work.add(pool.submit(() -> {
                        while (!over.get()) {
                            client.send();
                        }
                        return null;
                    }));
                }
            }
            show(duration, screen);
            over.set(true);
            for (Future<?> each : work) {
                each.get();
            }
        } finally {
            pool.shutdownNow();
        }
        return clients.stream().map(this::row).toList();
    }

    private void show(Duration duration, DemoScreen screen) throws InterruptedException {
        List<DemoScreen.Reading> now =
                clients.stream().map(DemoScreen.Reading::of).toList();
        screen.begin(name, now);
        long step = screen.every().toMillis();
        long begin = System.nanoTime();
        for (long millis = 0; millis < duration.toMillis(); ) {
            millis += Math.min(step, duration.toMillis() - millis);
            TimeUnit.NANOSECONDS.sleep(begin + TimeUnit.MILLISECONDS.toNanos(millis) - System.nanoTime());
            screen.show(
                    Duration.ofMillis(millis),
                    clients.stream().map(DemoScreen.Reading::of).toList());
        }
    }

    private Row row(DemoClient client) {
        return new Row(
                name, client.name(), client.served(), client.refused(), client.refusalsSeen(), client.longestWait());
    }
}
