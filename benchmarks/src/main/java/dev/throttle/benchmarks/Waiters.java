package dev.throttle.benchmarks;

import dev.throttle.CallOptions;
import dev.throttle.Permit;
import dev.throttle.Throttle;
import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.ToDoubleFunction;

/**
 * Asynchronous callers in one queue: the memory they take, how fast they come, leave from the middle, and are released.
 * The throttle's time is virtual, so that all of them wait until all is measured; what is measured is real time.
 */
final class Waiters {

    private static final double NANOS_PER_SECOND = 1e9;
    private static final int CANCELLED = 2000;
    private static final Duration WAIT = Duration.ofHours(1);
    private static final int CROWD = 10_000;
    private static final int TENANTS = 100;

    private Waiters() {}

    /**
     * What was measured.
     *
     * @param bytes heap for each waiter, its future included
     * @param enqueueNanos time to begin to wait
     * @param cancelNanos time to leave from a random place in the queue
     * @param releaseNanos time to be released when the gate opens for all
     * @param threads threads that the waiting took
     * @param released how many futures completed with a permit
     */
    record Result(
            double bytes, double enqueueNanos, double cancelNanos, double releaseNanos, int threads, int released) {}

    /**
     * Runs the measurement.
     *
     * @param arguments the scale
     */
    public static void main(String[] arguments) {
        Scale scale = Scale.valueOf(arguments[0]);
        int rounds = scale.of(5, 1);
        for (int i = 0; i < rounds; i++) {
            measure(scale.of(100_000, 20_000)); // to be compiled
        }
        Table table = new Table(
                System.out,
                "waiting in one queue",
                "bytes each",
                "enqueue, per second",
                "release, per second",
                "cancel from the middle, ns",
                "threads added");
        for (int waiters = 1000; waiters <= scale.of(1_000_000, 100_000); waiters *= 10) {
            List<Result> results = new ArrayList<>();
            for (int i = 0; i < rounds; i++) {
                results.add(measure(waiters));
            }
            table.row(
                    Table.number(waiters, 0),
                    Table.number(median(results, Result::bytes), 0),
                    Table.number(NANOS_PER_SECOND / median(results, Result::enqueueNanos), 0),
                    Table.number(NANOS_PER_SECOND / median(results, Result::releaseNanos), 0),
                    Table.number(median(results, Result::cancelNanos), 0),
                    Table.number(median(results, Result::threads), 0));
        }
        int dripping = scale.of(200_000, 20_000);
        System.out.printf(
                "%nReleased one at a time by a rate limit, %,d waiting: %,.0f ns each.%n",
                dripping, releaseOneByOne(dripping));
        compareTenants(scale.of(40, 4), scale.of(100_000, 20_000));
    }

    /** What a call costs that goes and comes again while many wait, without tenants and with a hundred by turns. */
    private static void compareTenants(int rounds, int calls) {
        double[] without = new double[rounds];
        double[] with = new double[rounds];
        double[] difference = new double[rounds];
        for (int i = -rounds / 4; i < rounds; i++) {
            double alone = goAndComeAgain(0, calls);
            double shared = goAndComeAgain(TENANTS, calls);
            if (i >= 0) {
                without[i] = alone;
                with[i] = shared;
                difference[i] = shared - alone;
            }
        }
        System.out.printf(
                "%nOne call goes and another one comes, 10,000 waiting: %,.0f ns; of %d tenants: %,.0f ns; the median of"
                        + " the differences: %,.0f ns.%n",
                new Stats(without).median(), TENANTS, new Stats(with).median(), new Stats(difference).median());
    }

    private static double goAndComeAgain(int tenants, int calls) {
        VirtualTime time = new VirtualTime();
        Strategy everyMilli = Strategies.leakyBucket()
                .rate(1_000, Duration.ofSeconds(1))
                .queue(1_000_000)
                .build();
        Throttle throttle = Throttle.builder()
                .strategy(everyMilli)
                .time(time)
                .executor(Runnable::run)
                .maxWait(Duration.ofDays(1))
                .build();
        CallOptions[] options = new CallOptions[Math.max(1, tenants)];
        for (int i = 0; i < options.length; i++) {
            options[i] = tenants == 0 ? CallOptions.DEFAULT : CallOptions.DEFAULT.tenant("tenant-" + i);
        }
        for (int i = 0; i < CROWD; i++) {
            comeAgainAndAgain(throttle, options[i % options.length]);
        }
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long start = threads.getCurrentThreadCpuTime();
        for (int i = 0; i < calls; i++) {
            time.advance(Duration.ofMillis(1));
        }
        return (double) (threads.getCurrentThreadCpuTime() - start) / calls;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // it asks again as long as the throttle is there
    private static void comeAgainAndAgain(Throttle throttle, CallOptions options) {
        Calls.of(throttle).newCall(options).acquireAsync().thenAccept(permit -> {
            permit.complete(Signal.SUCCESS);
            comeAgainAndAgain(throttle, options);
        });
    }

    private static double median(List<Result> results, ToDoubleFunction<Result> part) {
        return new Stats(results.stream().mapToDouble(part).toArray()).median();
    }

    private static Throttle throttle(VirtualTime time, Strategy strategy) {
        return Throttle.builder()
                .strategy(strategy)
                .time(time)
                .maxWait(Duration.ofDays(1))
                .build();
    }

    /** Lets so many callers wait for a server that named a time to stay away. */
    static Result measure(int waiters) {
        VirtualTime time = new VirtualTime();
        Throttle throttle = throttle(time, Strategies.none());
        Permit first = throttle.tryAcquire();
        if (first == null) {
            throw new IllegalStateException("not at rest");
        }
        first.complete(new Signal(Outcome.RATE_LIMITED, new RateHints(WAIT, List.of())));
        List<CompletableFuture<Permit>> futures = new ArrayList<>(waiters);
        int threadsBefore = ManagementFactory.getThreadMXBean().getThreadCount();
        long heapBefore = Heap.used();

        long start = System.nanoTime();
        for (int i = 0; i < waiters; i++) {
            futures.add(throttle.acquireAsync());
        }
        double enqueue = (double) (System.nanoTime() - start) / waiters;
        double bytes = (double) (Heap.used() - heapBefore) / waiters;
        int threads = ManagementFactory.getThreadMXBean().getThreadCount() - threadsBefore;

        double cancel = cancelSome(futures, Math.min(waiters / 10, CANCELLED));

        start = System.nanoTime();
        time.advance(WAIT.multipliedBy(2));
        int released = 0;
        for (CompletableFuture<Permit> future : futures) {
            if (!future.isCancelled()) {
                future.join();
                released++;
            }
        }
        double release = (double) (System.nanoTime() - start) / released;
        return new Result(bytes, enqueue, cancel, release, threads, released);
    }

    private static double cancelSome(List<CompletableFuture<Permit>> futures, int count) {
        SplittableRandom random = new SplittableRandom(1);
        List<CompletableFuture<Permit>> chosen = new ArrayList<>();
        for (int at : random.ints(0, futures.size()).distinct().limit(count).toArray()) {
            chosen.add(futures.get(at));
        }
        long start = System.nanoTime();
        for (CompletableFuture<Permit> future : chosen) {
            future.cancel(false);
        }
        return (double) (System.nanoTime() - start) / count;
    }

    /** {@return nanoseconds for each release, when a rate limit lets one go at a time} */
    static double releaseOneByOne(int waiters) {
        VirtualTime time = new VirtualTime();
        Duration interval = Duration.ofMillis(1);
        Throttle throttle = throttle(
                time, Strategies.leakyBucket().rate(1, interval).queue(waiters).build());
        List<CompletableFuture<Permit>> futures = new ArrayList<>(waiters);
        for (int i = 0; i < waiters; i++) {
            futures.add(throttle.acquireAsync());
        }
        long start = System.nanoTime();
        for (int i = 0; i < waiters; i++) {
            time.advance(interval);
        }
        for (CompletableFuture<Permit> future : futures) {
            future.join();
        }
        return (double) (System.nanoTime() - start) / waiters;
    }
}
