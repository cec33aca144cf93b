package dev.throttle.reality.load;

import dev.throttle.ThrottleMode;
import dev.throttle.ThrottleRegistry;
import dev.throttle.ThrottleReport;
import dev.throttle.okhttp.ThrottlingInterceptor;
import dev.throttle.reality.Product;
import dev.throttle.reality.ProductServer;
import dev.throttle.reality.Products;
import dev.throttle.signal.Outcome;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.Dispatcher;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;

/**
 * Does the report of a client that only observes predict what happens when it enforces, on real servers? For each
 * product the same calls are made twice, each time to a new server. The arguments are names of products; each takes two
 * minutes and a half. It writes a row of Markdown for each.
 */
public final class DryRunCheck {

    private static final Duration LENGTH = Duration.ofMinutes(1);
    private static final Duration LONGEST = Duration.ofMinutes(2);
    private static final int BURST = 1;
    private static final double LOAD = 1.3;
    private static final double MEDIAN = 0.5;
    private static final double P99 = 0.99;
    private static final double SECOND = 1e9;
    private static final long SEED = 5;

    private final Product product;
    private final List<Long> arrivals = new ArrayList<>();

    private DryRunCheck(Product product) {
        this.product = product;
        SplittableRandom random = new SplittableRandom(SEED);
        double perSecond = LOAD * product.limit().callsPerSecond() / BURST;
        for (double at = 0; at < LENGTH.toNanos(); at -= Math.log(1 - random.nextDouble()) / perSecond * SECOND) {
            arrivals.addAll(Collections.nCopies(BURST, (long) at));
        }
    }

    /**
     * Runs it.
     *
     * @param products their names
     * @throws IOException if a product does not start
     */
    public static void main(String... products) throws IOException, InterruptedException {
        for (String name : products) {
            System.out.println(new DryRunCheck(Products.named(name)).row());
        }
        System.exit(0); // whatever threads are left
    }

    private String row() throws IOException, InterruptedException {
        Run observed = new Run(ThrottleMode.OBSERVE);
        observed.run();
        ThrottleReport report = observed.throttles.reports().get(0);
        Run enforced = new Run(ThrottleMode.ENFORCE);
        enforced.run();
        return String.format(
                Locale.ROOT,
                "| %s | %d | %d | %d / %d | %.2f s / %.2f s | %.2f s / %.2f s | %d / %d | %s | %.1f %% |",
                product.name(),
                report.calls(),
                report.refused(),
                report.avoided(),
                Math.max(0, report.refused() - enforced.refused()),
                report.waitP50().toNanos() / SECOND,
                Math.max(0, enforced.share(MEDIAN) - observed.share(MEDIAN)),
                report.waitP99().toNanos() / SECOND,
                Math.max(0, enforced.share(P99) - observed.share(MEDIAN)),
                report.rejected(),
                enforced.failed,
                report.limits(),
                100 * report.explained());
    }

    /** All calls, once. */
    private final class Run {

        private final ThrottleRegistry throttles;
        /** Of those that were answered, in seconds. */
        private final List<Double> times = Collections.synchronizedList(new ArrayList<>());

        private int failed;

        Run(ThrottleMode mode) {
            this.throttles = ThrottleRegistry.builder().mode(mode).build();
        }

        void run() throws IOException, InterruptedException {
            ThrottlingInterceptor throttling = ThrottlingInterceptor.create(throttles);
            Dispatcher dispatcher = new Dispatcher();
            dispatcher.setMaxRequestsPerHost(64);
            OkHttpClient client = new OkHttpClient.Builder()
                    .dispatcher(dispatcher)
                    .addInterceptor(throttling)
                    .addNetworkInterceptor(throttling.observer())
                    .build();
            try (ProductServer server = ProductServer.start(product, 0)) {
                awaitWindow();
                Request request =
                        new Request.Builder().url(server.uri().toString()).build();
                make(throttling.callFactory(client), request);
            } finally {
                dispatcher.cancelAll();
                dispatcher.executorService().shutdownNow();
                client.connectionPool().evictAll();
            }
        }

        /**
         * Windows that begin at multiples of their length are met at the same point in both runs: not at their
         * beginning.
         */
        private void awaitWindow() throws InterruptedException {
            if (product.limit().onGrid()) {
                long length = product.limit().per().toMillis();
                Thread.sleep(length - System.currentTimeMillis() % length + length / 3);
            }
        }

        private void make(Call.Factory calls, Request request) throws InterruptedException {
            long start = System.nanoTime();
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (long at : arrivals) {
                for (long left; (left = start + at - System.nanoTime()) > 0; ) {
                    LockSupport.parkNanos(left);
                }
                all.add(later(calls.newCall(request)));
            }
            try {
                CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
                        .get(LONGEST.toNanos(), TimeUnit.NANOSECONDS);
            } catch (ExecutionException | TimeoutException e) {
                failed = -1; // shows in the row
            }
        }

        private CompletableFuture<Void> later(Call call) {
            long began = System.nanoTime();
            CompletableFuture<Void> ended = new CompletableFuture<>();
            call.enqueue(new Callback() {
                @Override
                public void onFailure(Call failed, IOException failure) {
                    count();
                    ended.complete(null);
                }

                @Override
                public void onResponse(Call answered, Response response) {
                    response.close();
                    times.add((System.nanoTime() - began) / SECOND);
                    ended.complete(null);
                }
            });
            return ended;
        }

        private synchronized void count() {
            failed++;
        }

        long refused() {
            return throttles.all().stream()
                    .mapToLong(throttle -> throttle.count(Outcome.RATE_LIMITED))
                    .sum();
        }

        double share(double share) {
            Double[] sorted = times.toArray(Double[]::new);
            Arrays.sort(sorted);
            return sorted[Math.min(sorted.length - 1, (int) (share * sorted.length))];
        }
    }
}
