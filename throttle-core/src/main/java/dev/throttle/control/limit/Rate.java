package dev.throttle.control.limit;

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

    /** Reads {@code 4500/1h}, {@code 100/min} or {@code 10/s}. */
    static Rate parse(String text) {
        int slash = text.indexOf('/');
        Preconditions.check(slash > 0, "rate", "'" + text + "'", "permits per period such as 4500/1h, 100/min or 10/s");
        return new Rate(
                Preconditions.whole("rate permits", text.substring(0, slash)), period(text.substring(slash + 1)));
    }

    private static Duration period(String text) {
        return switch (text) {
            case "sec", "second" -> Duration.ofSeconds(1);
            case "min", "minute" -> Duration.ofMinutes(1);
            case "hour" -> Duration.ofHours(1);
            case "day" -> Duration.ofDays(1);
            default -> {
                boolean bare = !text.isEmpty() && Character.isLetter(text.charAt(0));
                yield DurationText.parse("rate period", bare ? "1" + text : text);
            }
        };
    }

    double perSecond() {
        return permits / Nanos.toSeconds(Nanos.of(period));
    }

    @Override
    public String toString() {
        return permits + "/" + DurationText.format(period);
    }
}
