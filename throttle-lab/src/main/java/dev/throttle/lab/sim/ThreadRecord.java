package dev.throttle.lab.sim;

import dev.throttle.lab.server.Answer;
import dev.throttle.lab.server.Load;
import org.jspecify.annotations.Nullable;

/** What was seen of one thread. */
public final class ThreadRecord {

    private final RunRecord run;
    private final ProcessRecord process;
    private long accepted;
    private long refused;
    private long longestWait;
    private final @Nullable LongList waitEnds;
    private final @Nullable LongList waits;

    ThreadRecord(RunRecord run, ProcessRecord process, boolean traced) {
        this.run = run;
        this.process = process;
        this.waitEnds = traced ? new LongList() : null;
        this.waits = traced ? new LongList() : null;
    }

    void waited(long now, long wait) {
        longestWait = Math.max(longestWait, wait);
        if (waits != null && waitEnds != null) {
            waitEnds.add(now);
            waits.add(wait);
        }
    }

    void answered(long now, Answer answer, Load load) {
        if (answer.isAccepted()) {
            accepted++;
            process.accepted(now, load);
        } else {
            refused++;
            process.refused(now, load);
        }
        run.answered(now, answer);
    }

    void callEnded(long waited) {
        run.callEnded(waited);
    }

    void callFailed() {
        run.callFailed();
    }

    void refusedThoughTold() {
        run.wasRefusedThoughTold();
    }

    long requests() {
        return accepted + refused;
    }

    long accepted() {
        return accepted;
    }

    long refused() {
        return refused;
    }

    long longestWait() {
        return longestWait;
    }

    /** {@return when each wait ended, in nanoseconds from the start; empty if the run was not traced} */
    public LongList waitEnds() {
        return waitEnds == null ? new LongList() : waitEnds;
    }

    /** {@return how long each wait was, in nanoseconds; empty if the run was not traced} */
    public LongList waits() {
        return waits == null ? new LongList() : waits;
    }
}
