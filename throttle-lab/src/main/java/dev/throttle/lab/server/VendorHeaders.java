package dev.throttle.lab.server;

import dev.throttle.signal.ResponseHead;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;

/** Headers of servers that tell about each of several limits. */
final class VendorHeaders {

    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long MILLIS_PER_SECOND = 1_000;
    private static final long SECONDS_PER_MINUTE = 60;
    private static final long MINUTES_PER_HOUR = 60;
    /** Anthropic rounds what is left of tokens to whole thousands. */
    private static final long ROUNDING = 1_000;

    private VendorHeaders() {}

    static void write(HeaderStyle style, List<Told> limits, long epochMillis, ResponseHead.HeaderVisitor to) {
        if (style == HeaderStyle.ANTHROPIC) {
            writeAnthropic(limits, epochMillis, to);
            return;
        }
        for (Told told : limits) {
            to.visit("x-ratelimit-limit-" + told.unit(), Long.toString(told.limit()));
            to.visit("x-ratelimit-remaining-" + told.unit(), Long.toString(told.remaining()));
            if (style == HeaderStyle.OPENAI && told.resetNanos() >= 0) {
                to.visit("x-ratelimit-reset-" + told.unit(), goDuration(told.resetNanos()));
            }
        }
    }

    /** Where input and output are counted apart, their sum is told too. */
    private static void writeAnthropic(List<Told> limits, long epochMillis, ResponseHead.HeaderVisitor to) {
        for (int i = 0; i < limits.size(); i++) {
            Told told = limits.get(i);
            writeAnthropic(told, i > 0, epochMillis, to);
            if (told.unit().equals(TokenLimits.OUTPUT)) {
                writeAnthropic(limits.get(i - 1).plus(told, "tokens"), true, epochMillis, to);
            }
        }
    }

    private static void writeAnthropic(Told told, boolean rounded, long epochMillis, ResponseHead.HeaderVisitor to) {
        String name = "anthropic-ratelimit-" + told.unit();
        long remaining = rounded ? (told.remaining() + ROUNDING / 2) / ROUNDING * ROUNDING : told.remaining();
        to.visit(name + "-limit", Long.toString(told.limit()));
        to.visit(name + "-remaining", Long.toString(Math.min(told.limit(), remaining)));
        if (told.resetNanos() >= 0) {
            long at = epochMillis * NANOS_PER_MILLI + told.resetNanos();
            to.visit(
                    name + "-reset",
                    Instant.ofEpochSecond(ServerSpec.wholeSeconds(at)).toString());
        }
    }

    /** {@return an instant as HTTP writes dates: whole seconds, rounded down} */
    static String date(long epochMillis) {
        return DateTimeFormatter.RFC_1123_DATE_TIME.format(
                Instant.ofEpochMilli(epochMillis).atOffset(ZoneOffset.UTC));
    }

    /** {@return a duration as Go writes it, such as {@code 1m2.345s}, rounded up to milliseconds} */
    static String goDuration(long nanos) {
        long millis = nanos / NANOS_PER_MILLI + (nanos % NANOS_PER_MILLI == 0 ? 0 : 1);
        if (millis < MILLIS_PER_SECOND) {
            return millis == 0 ? "0s" : millis + "ms";
        }
        long seconds = millis / MILLIS_PER_SECOND;
        long minutes = seconds / SECONDS_PER_MINUTE;
        long hours = minutes / MINUTES_PER_HOUR;
        String fraction = "";
        if (millis % MILLIS_PER_SECOND != 0) {
            String digits = Long.toString(MILLIS_PER_SECOND + millis % MILLIS_PER_SECOND)
                    .substring(1);
            fraction = "." + digits.replaceAll("0+$", "");
        }
        return (hours > 0 ? hours + "h" : "")
                + (minutes > 0 ? minutes % MINUTES_PER_HOUR + "m" : "")
                + seconds % SECONDS_PER_MINUTE
                + fraction
                + "s";
    }
}
