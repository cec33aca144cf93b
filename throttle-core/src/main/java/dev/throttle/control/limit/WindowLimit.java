package dev.throttle.control.limit;

import dev.throttle.control.NamedStrategy;
import dev.throttle.control.RateController;
import dev.throttle.control.StrategyBuilder;
import dev.throttle.internal.Nanos;
import dev.throttle.internal.Preconditions;
import dev.throttle.signal.Quota;
import java.time.Duration;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/**
 * At most {@code limit} permits per {@code window}. What counts as a window tells the three strategies apart:
 *
 * <ul>
 *   <li>{@code fixed-window}: windows that follow each other, the first one beginning with the first request. Across
 *       the boundary of two up to twice the limit may go within the time of one;
 *   <li>{@code sliding-window-log}: any window whatever, exactly; it remembers the time of each permit;
 *   <li>{@code sliding-window-counter}: an estimate of the last from two counters of fixed windows, for which the
 *       permits of the previous window count by the share of it that the sliding window still covers. A window that
 *       reaches into a fixed one by a share e of it holds at most limit * (1 + e) permits.
 * </ul>
 *
 * <p>Immutable and thread-safe.
 */
public final class WindowLimit extends NamedStrategy {

    private final Window window;
    private final Function<Window, RateController> controller;

    private WindowLimit(Builder builder, Function<Window, RateController> controller) {
        super(builder);
        this.window = new Window(Quota.REQUESTS, builder.limit, Nanos.of(builder.window));
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
    public RateController newController(RandomGenerator random) {
        return controller.apply(window);
    }

    /** Collects the settings. Not thread-safe. */
    public static final class Builder extends StrategyBuilder<Builder> {

        private static final Duration LONGEST = Duration.ofDays(366);

        private final Function<Window, RateController> controller;
        private int limit = 10;
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
         * Sets how many permits go in a window; 10 by default.
         *
         * @param value from 1 to a million; a request cannot take more permits than this
         * @return this builder
         */
        public Builder limit(long value) {
            this.limit = (int) Preconditions.between("limit", value, 1, 1_000_000);
            return this;
        }

        /**
         * Sets the length of a window; one second by default.
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
