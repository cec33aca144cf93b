package dev.throttle.control.limit;

/** The state of {@code fixed-window}. */
final class FixedWindow extends WindowGrid {

    FixedWindow(Window window) {
        super(window);
    }

    @Override
    long dueNanos(long ahead, long amount, long nowNanos) {
        long windows = windows(ahead + amount, nowNanos);
        return windows == 0 ? nowNanos : nowNanos + startOf(windows, nowNanos);
    }

    @Override
    long used(long nowNanos) {
        return current(nowNanos);
    }
}
