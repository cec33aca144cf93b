package dev.throttle.control.limit;

import dev.throttle.control.ControllerHost;
import dev.throttle.control.RateController;
import dev.throttle.control.StrategyBuilder;
import dev.throttle.internal.Nanos;
import dev.throttle.internal.Preconditions;
import java.time.Duration;
import java.util.function.Function;

/**
 * Limits requests to {@code limit} permits per {@code window}. The three strategies differ in what a window is:
 *
 * <ul>
 *   <li>{@code fixed-window}: consecutive windows; the first one begins with the first request. Around the boundary of
 *       two windows, up to twice the limit may be sent within the length of one;
 *   <li>{@code sliding-window-log}: any window of that length, exactly. It remembers the time of each request;
 *   <li>{@code sliding-window-counter}: an estimate of the sliding window from the counters of two fixed windows. The
 *       permits of the previous window count by the share of it that the sliding window still covers. A window that
 *       reaches into a fixed one by a share e of it holds at most limit * (1 + e) permits.
 * </ul>
 *
 * <p>If a request turns out to have cost more, the difference counts from the time when that is known.
 *
 * <p>Immutable and thread-safe.
 */
public final class WindowLimit extends StrategyBuilder.Built {

    private final Window window;
    private final Function<Window, RateController> controller;

    private WindowLimit(Builder builder, Function<Window, RateController> controller) {
        super(builder);
        this.window = new Window(builder.unit(), builder.limit, Nanos.of(builder.window));
        this.controller = controller;
    }

    /** {@return a builder of {@code fixed-window}} */
    public static Builder fixedWindow() {
        return new Builder("fixed-window", FixedWindow::new);
    }

    /** {@return a builder of {@code sliding-window-log}} */
    public static Builder slidingWindowLog() {
        return new Builder("sliding-window-log", SlidingWindowLog::new);
    }

    /** {@return a builder of {@code sliding-window-counter}} */
    public static Builder slidingWindowCounter() {
        return new Builder("sliding-window-counter", SlidingWindowCounter::new);
    }

    @Override
    public RateController newController(ControllerHost host) {
        return controller.apply(window);
    }

    /** Collects the settings. Not thread-safe. */
    public static final class Builder extends LimitBuilder<Builder> {

        private static final Duration LONGEST = Duration.ofDays(366);

        private final Function<Window, RateController> controller;
        private long limit = 10;
        private Duration window = Duration.ofSeconds(1);

        private Builder(String name, Function<Window, RateController> controller) {
            super(name);
            this.controller = controller;
            whole("limit", () -> limit, this::limit);
            duration("window", () -> window, this::window);
        }

        @Override
        protected Builder self() {
            return this;
        }

        /**
         * Sets how many permits a window has. The default is 10.
         *
         * @param value from 1 to a billion; a request cannot take more than this
         * @return this builder
         */
        public Builder limit(long value) {
            this.limit = Preconditions.between("limit", value, 1, 1_000_000_000);
            return this;
        }

        /**
         * Sets the length of a window. The default is one second.
         *
         * @param value above zero, at most 366 days
         * @return this builder
         */
        public Builder window(Duration value) {
            Preconditions.positive("window", value);
            Preconditions.check(value.compareTo(LONGEST) <= 0, "window", value, "at most " + LONGEST);
            this.window = value;
            return this;
        }

        @Override
        public WindowLimit build() {
            return new WindowLimit(this, controller);
        }
    }
}
