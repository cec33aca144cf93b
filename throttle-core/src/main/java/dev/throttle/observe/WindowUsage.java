package dev.throttle.observe;

/** A fixed window: everything comes back at its end. */
final class WindowUsage implements Usage {

    private final long window;
    private final boolean startsWithRequest;
    /** When the window under way began. */
    private long began;

    private double used;
    private boolean hasBegun;

    /**
     * Makes it.
     *
     * @param window its length in nanoseconds
     * @param phase when one of the windows begins, if they follow each other without a gap
     * @param startsWithRequest whether a window begins with the first request after the end of the last one
     */
    WindowUsage(long window, long phase, boolean startsWithRequest) {
        this.window = window;
        this.startsWithRequest = startsWithRequest;
        this.began = phase;
    }

    private void roll(long now) {
        if (startsWithRequest) {
            if (hasBegun && now - began >= window) {
                hasBegun = false;
                used = 0;
            }
            return;
        }
        long passed = Math.floorDiv(now - began, window);
        if (passed != 0) {
            began += passed * window;
            used = 0;
        }
    }

    @Override
    public double used(long now) {
        roll(now);
        return used;
    }

    @Override
    public void add(double amount, long now) {
        roll(now);
        if (startsWithRequest && !hasBegun) {
            hasBegun = true;
            began = now;
        }
        used = Math.max(0, used + amount);
    }

    @Override
    public long untilNanos(double most, long now) {
        return used(now) <= most ? 0 : began + window - now;
    }

    @Override
    public long renewalNanos(long now) {
        roll(now);
        return startsWithRequest && !hasBegun ? window : began + window - now;
    }
}
