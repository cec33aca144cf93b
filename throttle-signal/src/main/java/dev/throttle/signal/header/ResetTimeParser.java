package dev.throttle.signal.header;

import dev.throttle.signal.ResetUnit;

/**
 * Turns what a server wrote about a time into milliseconds from its response on: a number, a Go duration, a timestamp
 * or a date. All methods return {@link Millis#NONE} for what they do not understand, and otherwise at least 0 and at
 * most {@link Millis#MAX}.
 *
 * <p>An instant is compared with the server's own clock if the response has a {@code Date}, so that a client whose
 * clock is wrong waits no longer and no shorter.
 */
final class ResetTimeParser {

    private static final long FIRST_EPOCH_SECOND = 1_000_000_000L;
    private static final long FIRST_EPOCH_MILLI = 100_000_000_000L;
    private static final long FIRST_EPOCH_MICRO = 100_000_000_000_000L;
    private static final long FIRST_EPOCH_NANO = 100_000_000_000_000_000L;
    private static final long MICROS_PER_MILLI = 1_000L;
    private static final long NANOS_PER_MILLI = 1_000_000L;
    /** Far beyond any date that headers can hold, near enough that sums with it do not overflow. */
    private static final long FARTHEST = Long.MAX_VALUE / 4;

    private final String date;
    private final long receivedAtMillis;
    private final ResetUnit resetUnit;
    /** The server's clock; {@link Millis#NONE} until an instant is compared with it. */
    private long nowMillis = Millis.NONE;

    private ResetTimeParser(String date, long receivedAtMillis, ResetUnit resetUnit) {
        this.date = date;
        this.receivedAtMillis = receivedAtMillis;
        this.resetUnit = resetUnit;
    }

    /**
     * {@return a reader for one response}
     *
     * @param date the response's {@code Date}; empty if it has none
     * @param receivedAtMillis when it was received, by the server's clock if that is known
     * @param resetUnit how numbers of resets are to be read
     */
    static ResetTimeParser of(String date, long receivedAtMillis, ResetUnit resetUnit) {
        return new ResetTimeParser(date, Math.max(-FARTHEST, Math.min(receivedAtMillis, FARTHEST)), resetUnit);
    }

    /**
     * {@return the server's time of day} Few responses name an instant, so the {@code Date} is read when one does. It
     * is rounded down. If the time of arrival agrees with it, that says which part of the second has passed.
     */
    private long now() {
        if (nowMillis == Millis.NONE) {
            long sent = sent();
            long later = receivedAtMillis - sent;
            boolean agree = later >= 0 && later < 2 * Millis.PER_SECOND;
            nowMillis = sent + (agree ? Math.min(later, Millis.LAST_OF_SECOND) : 0);
        }
        return nowMillis;
    }

    /** {@return the {@code Date}, or when the response was received if it has none} */
    private long sent() {
        long sent = SentDate.millis(date, receivedAtMillis);
        return sent == Millis.NONE ? receivedAtMillis : sent;
    }

    /** {@return the time until a moment in any form, the numbers of it read by their size} */
    long until(String text) {
        return until(text, ResetUnit.AUTO);
    }

    /** {@return the time until a quota is renewed, the numbers of it read as this origin is known to mean them} */
    long untilReset(String text) {
        return until(text, resetUnit);
    }

    /** {@return whether a text is a number of seconds as far as one can tell, which may be milliseconds} */
    boolean isAmbiguous(String text) {
        Decimal number = resetUnit == ResetUnit.AUTO ? Decimal.parse(text) : null;
        return number != null && number.nanos() == 0 && number.whole() < FIRST_EPOCH_SECOND;
    }

    /** {@return the time until an instant, told in seconds, or less, since the epoch} */
    long untilEpoch(String text) {
        return until(text, ResetUnit.EPOCH);
    }

    private long until(String text, ResetUnit unit) {
        Decimal number = Decimal.parse(text);
        if (number != null) {
            return until(number, unit);
        }
        if (!Text.isAscii(text)) {
            return GoDurations.millis(text);
        }
        long duration = GoDurations.millis(text);
        if (duration != Millis.NONE) {
            return duration;
        }
        long instant = Dates.timestamp(text);
        if (instant == Millis.NONE) {
            instant = Dates.javaScript(text);
        }
        return instant == Millis.NONE ? untilDate(Dates.httpDate(text, receivedAtMillis)) : untilInstant(instant);
    }

    /** {@return the time until a date of HTTP} Like the {@code Date}, it is rounded down. */
    private long untilDate(long millis) {
        return millis == Millis.NONE ? Millis.NONE : Millis.bounded(millis - sent());
    }

    private long until(Decimal number, ResetUnit unit) {
        return switch (unit) {
            case AUTO ->
                number.whole() < FIRST_EPOCH_SECOND ? number.secondsToMillis() : untilInstant(epochMillis(number));
            case SECONDS -> number.secondsToMillis();
            case MILLIS -> Millis.bounded(number.ceil());
            case EPOCH -> untilInstant(epochMillis(number));
        };
    }

    /** {@return the time until a quota is renewed, told in milliseconds from now, or as an instant since the epoch} */
    long untilMillis(String text) {
        Decimal number = Decimal.parse(text);
        if (number == null) {
            return until(text);
        }
        return number.whole() < FIRST_EPOCH_SECOND ? Millis.bounded(number.ceil()) : untilInstant(epochMillis(number));
    }

    /** {@return the time that a number of milliseconds takes} */
    static long millis(String text) {
        Decimal number = Decimal.parse(text);
        return number == null ? Millis.NONE : Millis.bounded(number.ceil());
    }

    /** {@return the time that a number of seconds or a Go duration takes, however large} */
    static long delta(String text) {
        Decimal number = Decimal.parse(text);
        return number == null ? GoDurations.millis(text) : number.secondsToMillis();
    }

    private long untilInstant(long millis) {
        return millis == Millis.NONE ? Millis.NONE : Millis.bounded(millis - now());
    }

    private static long epochMillis(Decimal number) {
        long whole = number.whole();
        if (whole < FIRST_EPOCH_MILLI) {
            return whole * Millis.PER_SECOND + Decimal.ceilDiv(number.nanos(), NANOS_PER_MILLI);
        }
        if (whole < FIRST_EPOCH_MICRO) {
            return number.ceil();
        }
        if (whole < FIRST_EPOCH_NANO) {
            return Decimal.ceilDiv(number.ceil(), MICROS_PER_MILLI);
        }
        return whole == Long.MAX_VALUE ? FARTHEST : Decimal.ceilDiv(number.ceil(), NANOS_PER_MILLI);
    }
}
