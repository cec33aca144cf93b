package dev.throttle.control.limit;

/** A limit of windows that follow each other. The first one begins with the first admission. */
abstract class WindowGrid extends FixedLimit {

    final long limit;
    final long nanos;
    private boolean started;
    private long beganAt;
    private long previous;
    private long current;

    WindowGrid(Window window) {
        super(window.unit(), window.perSecond());
        this.limit = window.limit();
        this.nanos = window.nanos();
    }

    /** {@return how many whole windows have passed since the last admission's window began; 0 for the same one} */
    private long passed(long now) {
        return started ? Math.max(0, now - beganAt) / nanos : Long.MAX_VALUE;
    }

    /** {@return the permits of the window that holds a time} */
    final long current(long now) {
        return passed(now) == 0 ? current : 0;
    }

    /** {@return the permits of the window before the one that holds a time} */
    final long previous(long now) {
        long passed = passed(now);
        return passed == 0 ? previous : passed == 1 ? current : 0;
    }

    /** {@return how far into its window a time is} */
    final long elapsed(long now) {
        return started ? (now - beganAt) % nanos : 0;
    }

    /** {@return how many windows from the running one on the last of some permits goes, at the earliest} */
    final long windows(long permits, long now) {
        if (permits == 0) {
            return current(now) > limit ? 1 : 0;
        }
        long later = permits - Math.max(0, limit - current(now));
        return later <= 0 ? 0 : 1 + (later - 1) / limit;
    }

    /** {@return how long until a window begins, so many after the one that runs} */
    final long startOf(long windows, long now) {
        return length(windows, nanos) - elapsed(now);
    }

    /** {@return how long so many windows last, as far as a clock can tell} */
    static long length(long windows, long nanos) {
        return Math.min(windows, Long.MAX_VALUE / 4 / nanos) * nanos;
    }

    @Override
    public final long maxUnits() {
        return limit;
    }

    @Override
    final void take(long permits, long now) {
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

    @Override
    final void release(long permits, long takenAt, long now) {
        if (takenAt - beganAt >= 0) {
            current = Math.max(0, current - permits);
        } else if (takenAt - beganAt >= -nanos) {
            previous = Math.max(0, previous - permits);
        }
    }

    /** Where the windows are of another length now, what counts at the moment counts in the window that runs now. */
    @Override
    final boolean resume(FixedLimit before, long now) {
        if (!(before instanceof WindowGrid other) || !other.getClass().equals(getClass())) {
            return false;
        }
        started = other.started;
        beganAt = other.beganAt;
        if (nanos == other.nanos) {
            previous = other.previous;
            current = other.current;
        } else if (started) {
            beganAt += passed(now) * nanos;
            current = other.used(now);
        }
        return true;
    }
}
