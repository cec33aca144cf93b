package dev.throttle.lab.torture;

import java.util.ArrayList;
import java.util.List;

/** What is left of a whole run: threads, and memory. */
final class Leftovers {

    private static final long PATIENCE_MILLIS = 30_000;
    private static final long PAUSE_MILLIS = 100;
    private static final int ROUNDS_TO_WARM_UP = 4;
    private static final int ROUNDS_TO_JUDGE = 12;
    private static final long MOST_GROWTH = 16L << 20;
    /** Before Java 21 the JDK's client cannot be closed, and some never end, with a throttle and without. */
    private static final boolean CLIENTS_CAN_BE_CLOSED = Runtime.version().feature() >= 21;

    private final Tally tally;

    Leftovers(Tally tally) {
        this.tally = tally;
    }

    /**
     * Checks the heap only if so asked: the JDK's client keeps something of each call that was cut off, if bare too.
     */
    void check(List<Long> heapBytes, boolean isHeapOurs) throws InterruptedException {
        List<String> threads = threads();
        for (long waited = 0; !threads.isEmpty() && waited < PATIENCE_MILLIS; waited += PAUSE_MILLIS) {
            Thread.sleep(PAUSE_MILLIS);
            threads = threads();
        }
        if (!threads.isEmpty()) {
            tally.left("threads: " + threads);
        }
        if (isHeapOurs && heapBytes.size() >= ROUNDS_TO_JUDGE) {
            int half = (ROUNDS_TO_WARM_UP + heapBytes.size()) / 2;
            long before = least(heapBytes.subList(ROUNDS_TO_WARM_UP, half));
            long after = least(heapBytes.subList(half, heapBytes.size()));
            if (after - before > MOST_GROWTH) {
                tally.left("the live heap grew from " + before + " to " + after + " bytes");
            }
        }
    }

    private static long least(List<Long> values) {
        return values.stream().mapToLong(Long::longValue).min().orElse(0);
    }

    /** Of ours and of the clients; OkHttp's pools for all clients outlive them for a minute. */
    private static List<String> threads() {
        List<String> left = names("throttle-");
        left.addAll(names("OkHttp http"));
        left.addAll(names("torture-c"));
        if (CLIENTS_CAN_BE_CLOSED) {
            left.addAll(names("HttpClient-"));
        }
        return left;
    }

    private static List<String> names(String prefix) {
        List<String> names = new ArrayList<>();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith(prefix)) {
                names.add(thread.getName());
            }
        }
        return names;
    }
}
