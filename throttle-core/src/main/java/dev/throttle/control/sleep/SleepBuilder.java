package dev.throttle.control.sleep;

import dev.throttle.control.StrategyBuilder;
import dev.throttle.internal.DurationText;
import dev.throttle.internal.Preconditions;
import java.time.Duration;

/**
 * Collects the settings that all strategies with an exponentially growing sleep have. Not thread-safe.
 *
 * @param <B> the builder of one strategy
 */
abstract class SleepBuilder<B extends SleepBuilder<B>> extends StrategyBuilder<B> {

    double multiplier = 1.2;
    Duration minSleep = Duration.ofMillis(800);
    Duration startingSleep = Duration.ZERO;
    Duration maxSleep = Duration.ofMinutes(5);
    double jitter = 0.1;

    SleepBuilder(String name) {
        super(name);
        number("multiplier", () -> multiplier, this::multiplier);
        duration("minSleep", () -> minSleep, this::minSleep);
        duration("startingSleep", () -> startingSleep, this::startingSleep);
    }

    /** Declares the settings that are listed behind those of the strategy itself. */
    final void lastSettings() {
        duration("maxSleep", () -> maxSleep, this::maxSleep);
        number("jitter", () -> jitter, this::jitter);
    }

    /**
     * Sets the factor of the sleep after a refusal. The default is 1.2.
     *
     * @param value above 1, finite
     * @return this builder
     */
    public B multiplier(double value) {
        this.multiplier = Preconditions.above("multiplier", value, 1);
        return self();
    }

    /**
     * Sets the least sleep after a refusal. The default is 0.8 s, the time between two requests at the Heroku API's
     * 4500 per hour.
     *
     * @param value above zero
     * @return this builder
     */
    public B minSleep(Duration value) {
        this.minSleep = Preconditions.positive("minSleep", value);
        return self();
    }

    /**
     * Sets the initial sleep. The default is zero.
     *
     * @param value zero or more
     * @return this builder
     */
    public B startingSleep(Duration value) {
        this.startingSleep = Preconditions.notNegative("startingSleep", value);
        return self();
    }

    /**
     * Sets the longest sleep. The default is five minutes. Keep it, with the jitter, below the throttle's
     * {@link dev.throttle.Throttle.Builder#maxWait maxWait}: a caller that may not wait that long is rejected, and the
     * sleep becomes shorter only when a request succeeds.
     *
     * @param value not below {@code minSleep} and {@code startingSleep}; {@link java.time.temporal.ChronoUnit#FOREVER
     *     ChronoUnit.FOREVER.getDuration()} for no bound, as in the originals
     * @return this builder
     */
    public B maxSleep(Duration value) {
        this.maxSleep = Preconditions.positive("maxSleep", value);
        return self();
    }

    /**
     * Sets the most that is added to a sleep at random, as a share of it. The default is 0.1.
     *
     * @param value from 0 to 1
     * @return this builder
     */
    public B jitter(double value) {
        this.jitter = Preconditions.between("jitter", value, 0, 1);
        return self();
    }

    final void check() {
        checkMaxSleep("minSleep", minSleep);
        checkMaxSleep("startingSleep", startingSleep);
    }

    final void checkMaxSleep(String name, Duration other) {
        Preconditions.check(
                maxSleep.compareTo(other) >= 0, "maxSleep", maxSleep, "a duration not below " + name + ", " + other);
    }

    static double seconds(Duration duration) {
        return duration.getSeconds() + duration.getNano() / 1e9;
    }

    /** {@return the longest sleep in seconds; never infinite, so that sums and products stay numbers} */
    final double maxSleepSeconds() {
        return maxSleep.equals(DurationText.FOREVER) ? Double.MAX_VALUE : seconds(maxSleep);
    }
}
