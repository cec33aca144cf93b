package dev.throttle.signal;

/**
 * Timestamps of RFC 3339, such as {@code 2023-11-14T22:13:30Z}. A zone is required; seconds are not, as the Atlassian
 * products leave them out.
 */
final class Rfc3339 {

    private static final long MILLIS_PER_MINUTE = 60_000;
    private static final int MINUTES_PER_HOUR = 60;
    private static final int LAST_HOUR = 23;
    private static final int LAST_MINUTE = 59;

    private Rfc3339() {}

    /** {@return the instant in milliseconds since the epoch, rounded up; {@link Millis#NONE} if the text is none} */
    static long millis(String text) {
        Cursor cursor = new Cursor(text);
        int year = cursor.digits(4);
        boolean ok = cursor.skip('-');
        int month = cursor.digits(2);
        ok &= cursor.skip('-');
        int day = cursor.digits(2);
        ok &= cursor.skip("T");
        int hour = cursor.digits(2);
        ok &= cursor.skip(':');
        int minute = cursor.digits(2);
        int second = cursor.skip(':') ? cursor.digits(2) : 0;
        long fraction = cursor.skip('.') ? cursor.fractionMillis() : 0;
        long offset = offset(cursor);
        long instant = Cursor.instant(year, month, day, hour, minute, second);
        ok &= cursor.isAtEnd() && fraction >= 0 && offset != Millis.NONE && instant != Millis.NONE;
        return ok ? instant + fraction - offset : Millis.NONE;
    }

    private static long offset(Cursor cursor) {
        if (cursor.skip("Z")) {
            return 0;
        }
        boolean ahead = cursor.skip('+');
        if (!ahead && !cursor.skip('-')) {
            return Millis.NONE;
        }
        int hours = cursor.digits(2);
        boolean ok = cursor.skip(':');
        int minutes = cursor.digits(2);
        if (!ok || hours < 0 || hours > LAST_HOUR || minutes < 0 || minutes > LAST_MINUTE) {
            return Millis.NONE;
        }
        long millis = (hours * MINUTES_PER_HOUR + minutes) * MILLIS_PER_MINUTE;
        return ahead ? millis : -millis;
    }
}
