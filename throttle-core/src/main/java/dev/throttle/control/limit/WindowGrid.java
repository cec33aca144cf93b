package dev.throttle.control.limit;

/** Windows that follow each other; the first one begins with the first admission. Counts permits in the last two. */
final class WindowGrid {

    private final long nanos;
    private boolean started;
    private long beganAt;
    private long previous;
    private long current;

    WindowGrid(long nanos) {
        this.nanos = nanos;
    }

    /** {@return how many whole windows have passed since the last admission's window began; 0 for the same one} */
    long passed(long now) {
        return started ? Math.max(0, now - beganAt) / nanos : Long.MAX_VALUE;
    }

    /** {@return the permits of the window that holds a time} */
    long current(long now) {
        return passed(now) == 0 ? current : 0;
    }

    /** {@return the permits of the window before the one that holds a time} */
    long previous(long now) {
        long passed = passed(now);
        return passed == 0 ? previous : passed == 1 ? current : 0;
    }

    /** {@return how far into its window a time is} */
    long elapsed(long now) {
        return started ? (now - beganAt) % nanos : 0;
    }

    /**
     * Goes on where another one was. Where its windows are of another length, what counts at the moment counts in the
     * window that runs now.
     *
     * @param counted what counts
     */
    void resume(WindowGrid before, long counted, long now) {
        started = before.started;
        beganAt = before.beganAt;
        if (nanos == before.nanos) {
            previous = before.previous;
            current = before.current;
        } else if (started) {
            beganAt += passed(now) * nanos;
            current = counted;
        }
    }

    void take(long permits, long now) {
        if (!started) {
            started = true;
            beganAt = now;
        }
        long passed = passed(now);
        if (passed > 0) {
            previous = passed == 1 ? current : 0;
            current = 0;
            beganAt += passed * nanos;
        }
        current += permits;
    }

    void release(long permits, long takenAt) {
        if (takenAt - beganAt >= 0) {
            current = Math.max(0, current - permits);
        } else if (takenAt - beganAt >= -nanos) {
            previous = Math.max(0, previous - permits);
        }
    }
}
