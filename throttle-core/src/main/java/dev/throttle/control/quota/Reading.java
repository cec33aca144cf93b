package dev.throttle.control.quota;

import dev.throttle.control.RateLimit.Load;
import dev.throttle.internal.Nanos;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What one answer says about one quota, in numbers; NaN stands for what it does not say. Used again and again. */
final class Reading {

    /** All that is known of a quota that an answer does not tell of and that must be used up. */
    private static final Quota USED_UP = new Quota(null, null, 0L, null, null);

    /** What remains, in units. */
    double count;

    double limit;
    /** In seconds from now. */
    double reset;

    /** How long a window is in seconds. */
    double length;

    /** How long a refusal asks to wait, in seconds. */
    double retryAfter;

    /** How the request ended. */
    Outcome outcome = Outcome.SUCCESS;

    /** When the request was admitted that was answered; of a reading from elsewhere, when it came. */
    long admittedAt;

    long id;
    long now;

    /** {@return this, with what an answer says} */
    Reading of(Quota quota, double units, Outcome ending, @Nullable Duration wait, Load load, long at) {
        count = Math.max(0, units);
        limit = quota.limit() == null ? Double.NaN : quota.limit();
        reset = seconds(quota.reset());
        length = seconds(quota.window());
        retryAfter = seconds(wait);
        outcome = ending;
        admittedAt = load.admittedAtNanos();
        id = load.permitId();
        now = at;
        return this;
    }

    /**
     * {@return this, of a refusal that does not tell of a quota which must be used up}
     *
     * @param until when it is reset, in seconds; NaN if that is not known
     */
    Reading ofRefusal(double until, @Nullable Duration wait, Load load, long at) {
        of(USED_UP, 0, Outcome.RATE_LIMITED, wait, load, at);
        reset = until;
        return this;
    }

    boolean isRefused() {
        return outcome.isRefusal();
    }

    /** {@return whether the count surely contains the request} */
    boolean isAccepted() {
        return outcome == Outcome.SUCCESS;
    }

    /** {@return about how long requests are on their way: the server spoke somewhere between request and answer} */
    long way() {
        return (now - admittedAt) / 2;
    }

    /** {@return when the server told it, about} */
    long toldAt() {
        return now - way();
    }

    private static double seconds(@Nullable Duration duration) {
        return duration == null ? Double.NaN : Nanos.toSeconds(Nanos.of(duration));
    }
}
