package dev.throttle.benchmarks;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Blocks of requests through two clients by turns. */
final class PairedBlocks {

    private static final double NANOS_PER_MICRO = 1e3;
    private static final double NANOS_PER_SECOND = 1e9;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final EndToEnd.Pair pair;
    private final int callers;
    private final int requests;
    private final List<Block> bare = new ArrayList<>();
    private final List<Block> throttled = new ArrayList<>();

    /**
     * One block, in nanoseconds.
     *
     * @param perRequest wall time divided by requests
     * @param p50 median of the requests' own times
     * @param p99 the time that one in a hundred exceeds
     * @param cpu time of the client's threads for each request
     */
    private record Block(double perRequest, double p50, double p99, double cpu) {}

    private interface Part {
        double of(Block block);
    }

    PairedBlocks(EndToEnd.Pair pair, int callers, int requests) {
        this.pair = pair;
        this.callers = callers;
        this.requests = requests;
    }

    /**
     * Runs pairs of blocks for some time, the first third of it to be compiled; which client begins changes with every
     * pair.
     *
     * @param pairs the most pairs that are measured, at least two
     */
    PairedBlocks run(Duration time, int pairs) throws InterruptedException, ExecutionException {
        ExecutorService executor = Executors.newFixedThreadPool(callers);
        try {
            long start = System.nanoTime();
            while (System.nanoTime() - start < time.toNanos() / 3) {
                block(executor, pair.bare());
                block(executor, pair.throttled());
            }
            for (int i = 0; i < pairs && (i < 2 || System.nanoTime() - start < time.toNanos()); i++) {
                if (i % 2 == 0) {
                    bare.add(block(executor, pair.bare()));
                    throttled.add(block(executor, pair.throttled()));
                } else {
                    throttled.add(block(executor, pair.throttled()));
                    bare.add(block(executor, pair.bare()));
                }
            }
        } finally {
            executor.shutdown();
        }
        return this;
    }

    private Block block(ExecutorService executor, EndToEnd.Sender sender)
            throws InterruptedException, ExecutionException {
        List<Future<double[]>> running = new ArrayList<>();
        Map<Long, Long> cpuBefore = cpuNanos();
        long start = System.nanoTime();
        for (int i = 0; i < callers; i++) {
            running.add(executor.submit(() -> EndToEnd.send(sender, requests / callers)));
        }
        double[] nanos = {};
        for (Future<double[]> caller : running) {
            double[] more = caller.get();
            int length = nanos.length;
            nanos = Arrays.copyOf(nanos, length + more.length);
            System.arraycopy(more, 0, nanos, length, more.length);
        }
        long took = System.nanoTime() - start;
        long cpu = spentSince(cpuBefore);
        Stats stats = new Stats(nanos);
        return new Block(
                (double) took / nanos.length, stats.median(), stats.quantile(0.99), (double) cpu / nanos.length);
    }

    /** What each thread that runs Java code has spent: the compiler and the collector are not the client's. */
    private static Map<Long, Long> cpuNanos() {
        long[] ids = THREADS.getAllThreadIds();
        long[] nanos = THREADS.getThreadCpuTime(ids);
        Map<Long, Long> spent = new HashMap<>();
        for (int i = 0; i < ids.length; i++) {
            spent.put(ids[i], nanos[i]);
        }
        return spent;
    }

    private static long spentSince(Map<Long, Long> before) {
        long[] sum = {0};
        cpuNanos().forEach((id, nanos) -> sum[0] += Math.max(0, nanos - before.getOrDefault(id, 0L)));
        return sum[0];
    }

    /** {@return the cells of a row} */
    List<String> cells(String name) {
        return List.of(
                name,
                Table.number(NANOS_PER_SECOND / of(bare, Block::perRequest).median(), 0),
                Table.number(NANOS_PER_SECOND / of(throttled, Block::perRequest).median(), 0),
                micros(of(bare, Block::p50).median()),
                micros(of(throttled, Block::p50).median()),
                micros(of(bare, Block::p99).median()),
                micros(of(throttled, Block::p99).median()),
                Table.interval(ratios(Block::perRequest), 1, 3),
                Table.interval(ratios(Block::p50), 1, 3),
                micros(of(bare, Block::cpu).median()),
                Table.interval(differences(Block::cpu), NANOS_PER_MICRO, 2));
    }

    private static String micros(double nanos) {
        return Table.number(nanos / NANOS_PER_MICRO, 1);
    }

    private static Stats of(List<Block> blocks, Part part) {
        return new Stats(blocks.stream().mapToDouble(part::of).toArray());
    }

    private Stats ratios(Part part) {
        double[] ratios = new double[bare.size()];
        Arrays.setAll(ratios, i -> part.of(throttled.get(i)) / part.of(bare.get(i)));
        return new Stats(ratios);
    }

    private Stats differences(Part part) {
        double[] differences = new double[bare.size()];
        Arrays.setAll(differences, i -> part.of(throttled.get(i)) - part.of(bare.get(i)));
        return new Stats(differences);
    }
}
