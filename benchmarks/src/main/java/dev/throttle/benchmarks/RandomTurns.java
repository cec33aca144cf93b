package dev.throttle.benchmarks;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Blocks of requests through several clients that take turns, in another order each round. Only the calling threads'
 * processor time counts, and nothing of a block's first requests.
 */
final class RandomTurns {

    private static final double NANOS_PER_MICRO = 1e3;
    /** Open the connections that the pool has closed, and start the threads. */
    private static final int UNCOUNTED = 5;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final List<EndToEnd.Sender> senders;
    private final int callers;
    private final int requests;
    /** Each round's blocks, in the order of the senders. */
    private final List<Block[]> rounds = new ArrayList<>();

    /**
     * One block, in nanoseconds.
     *
     * @param p50 median of the requests' own times
     * @param cpu time of the calling threads for each request
     */
    private record Block(double p50, double cpu) {}

    private record Caller(double[] nanos, long cpu) {}

    private interface Part {
        double of(Block block);
    }

    /** Takes how many requests each caller sends in a block. */
    RandomTurns(List<EndToEnd.Sender> senders, int callers, int requests) {
        this.senders = senders;
        this.callers = callers;
        this.requests = requests;
    }

    /** Runs rounds for some time, the first third of it to be compiled; at least one counts. */
    void run(Duration time) throws InterruptedException, ExecutionException {
        Random random = new Random(1);
        long start = System.nanoTime();
        while (System.nanoTime() - start < time.toNanos() / 3) {
            round(random);
        }
        do {
            rounds.add(round(random));
        } while (System.nanoTime() - start < time.toNanos());
    }

    private Block[] round(Random random) throws InterruptedException, ExecutionException {
        Integer[] order = new Integer[senders.size()];
        Arrays.setAll(order, i -> i);
        Collections.shuffle(Arrays.asList(order), random);
        Block[] blocks = new Block[order.length];
        for (int i : order) {
            blocks[i] = block(senders.get(i));
        }
        return blocks;
    }

    private Block block(EndToEnd.Sender sender) throws InterruptedException, ExecutionException {
        ExecutorService executor = Executors.newFixedThreadPool(callers);
        double[] nanos = new double[callers * requests];
        long cpu = 0;
        try {
            Callable<Caller> task = () -> send(sender);
            int done = 0;
            for (Future<Caller> future : executor.invokeAll(Collections.nCopies(callers, task))) {
                Caller caller = future.get();
                System.arraycopy(caller.nanos, 0, nanos, done, requests);
                done += requests;
                cpu += caller.cpu;
            }
        } finally {
            executor.shutdown();
        }
        return new Block(new Stats(nanos).median(), (double) cpu / nanos.length);
    }

    private Caller send(EndToEnd.Sender sender) throws Exception {
        EndToEnd.send(sender, UNCOUNTED);
        long before = THREADS.getCurrentThreadCpuTime();
        double[] nanos = EndToEnd.send(sender, requests);
        return new Caller(nanos, THREADS.getCurrentThreadCpuTime() - before);
    }

    /** {@return processor time and median of a sender, in microseconds more than the first one's of the same round} */
    List<String> cells(int sender) {
        return List.of(more(sender, Block::cpu), more(sender, Block::p50));
    }

    private String more(int sender, Part part) {
        Stats differences = new Stats(rounds.stream()
                .mapToDouble(round -> part.of(round[sender]) - part.of(round[0]))
                .toArray());
        return Table.interval(differences, NANOS_PER_MICRO, 1);
    }
}
