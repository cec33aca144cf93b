package dev.throttle.lab.torture;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** What is counted, and what went wrong. */
final class Tally {

    private static final int MOST_TOLD = 20;

    private final LongAdder calls = new LongAdder();
    private final LongAdder answered = new LongAdder();
    private final LongAdder rejected = new LongAdder();
    private final LongAdder cancelled = new LongAdder();
    private final LongAdder faults = new LongAdder();
    private final LongAdder left = new LongAdder();
    private final LongAdder lostByOkHttp = new LongAdder();
    private final LongAdder lostByJdk = new LongAdder();
    private final LongAdder clientsLostByJdk = new LongAdder();
    private final List<String> wrong = new ArrayList<>();
    private long failures;

    void count(Ending ending) {
        calls.increment();
        if (ending.thrown() == null) {
            answered.increment();
        } else if (ending.isRejected()) {
            rejected.increment();
        } else if (ending.isCancelled()) {
            cancelled.increment();
        } else {
            faults.increment();
        }
    }

    /** Something is left of calls that have ended. */
    void left(String what) {
        left.increment();
        wrong(what);
    }

    /** Connections that a bare client loses too. */
    void lostByOkHttp(int connections) {
        lostByOkHttp.add(connections);
    }

    /** A body that never ends with a bare client of the JDK either. */
    void lostByJdk() {
        lostByJdk.increment();
    }

    /** A client of the JDK that does not end, bare or not. */
    void clientLostByJdk() {
        clientsLostByJdk.increment();
    }

    synchronized void wrong(String what) {
        failures++;
        if (wrong.size() < MOST_TOLD) {
            wrong.add(what);
        }
    }

    synchronized boolean isHopeless() {
        return failures >= MOST_TOLD;
    }

    /** {@return the outcome of the run}. */
    synchronized TortureResult result(long refused, List<Long> heapBytes) {
        return new TortureResult(
                calls.sum(),
                answered.sum(),
                refused,
                rejected.sum(),
                cancelled.sum(),
                faults.sum(),
                left.sum(),
                lostByOkHttp.sum(),
                lostByJdk.sum(),
                clientsLostByJdk.sum(),
                failures,
                List.copyOf(wrong),
                heapBytes);
    }
}
