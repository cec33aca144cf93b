package dev.throttle.control.limit;

import dev.throttle.control.config.Option;
import dev.throttle.internal.DurationText;
import dev.throttle.internal.Nanos;
import dev.throttle.internal.Preconditions;
import java.time.Duration;

/**
 * So many permits in each period.
 *
 * @param permits the permits
 * @param period the period
 */
record Rate(long permits, Duration period) {

    private static final long MOST_PERMITS = 1_000_000_000;
    private static final Duration LONGEST = Duration.ofDays(366);

    Rate {
        Preconditions.between("rate permits", permits, 1, MOST_PERMITS);
        Preconditions.positive("rate period", period);
        Preconditions.check(period.compareTo(LONGEST) <= 0, "rate period", period, "at most " + LONGEST);
        Preconditions.check(
                permits <= Nanos.of(period), "rate", permits + "/" + period, "at most one permit per nanosecond");
    }

    /** Reads {@code 4500/1h}, or {@code 10/s}. */
    static Rate parse(String text) {
        int slash = text.indexOf('/');
        Preconditions.check(slash > 0, "rate", text, "permits per period such as 4500/1h or 10/s");
        String period = text.substring(slash + 1);
        boolean bare = !period.isEmpty() && Character.isLetter(period.charAt(0));
        return new Rate(
                Option.parseWhole("rate permits", text.substring(0, slash)),
                DurationText.parse("rate period", bare ? "1" + period : period));
    }

    double perSecond() {
        return permits / Nanos.toSeconds(Nanos.of(period));
    }

    @Override
    public String toString() {
        return permits + "/" + DurationText.format(period);
    }
}
