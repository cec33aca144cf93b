package dev.throttle.signal.clock;

import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.header.Millis;
import dev.throttle.signal.header.SentDate;
import java.util.List;

/**
 * The time of day by a server's clock, more exactly than the whole seconds of a {@code Date}.
 *
 * <p>A date is rounded down, and the response takes its time. So the server's clock is ahead of this machine's by the
 * date minus the time of arrival, or by more. The largest difference of the last minute or two is close to the truth,
 * and never above it. Thread-safe.
 */
public final class ServerClock {

    /** Clocks drift, and are set. Differences are kept for as long as this, or twice as long. */
    private static final long REMEMBERED_MILLIS = 60_000;
    /** Rounding takes up to a second, and the way up to another. A date that is earlier by more is of another clock. */
    private static final long APART_MILLIS = 2_000;

    private static final long UNKNOWN = Long.MIN_VALUE;

    /**
     * By how much the server's clock is ahead at least.
     *
     * @param millis as the dates since {@code sinceMillis} tell, and {@code before} as those of the time before
     */
    private record Ahead(long millis, long before, long sinceMillis) {

        long most() {
            return Math.max(millis, before);
        }
    }

    /** Threads that write at the same time may lose a difference, and a later one takes its place. */
    private volatile Ahead ahead = new Ahead(UNKNOWN, UNKNOWN, 0);

    /** Makes a clock that has seen no date. */
    public ServerClock() {}

    /**
     * {@return the server's time of day at a time of this machine's clock, or a little earlier} As long as no date was
     * seen, it is the time of this machine.
     *
     * @param nowMillis the time by this machine's clock, in milliseconds since the epoch
     */
    public long at(long nowMillis) {
        long most = ahead.most();
        return most == UNKNOWN ? nowMillis : nowMillis + most;
    }

    /** {@return whether a date was seen} */
    public boolean isKnown() {
        return ahead.most() != UNKNOWN;
    }

    /**
     * Learns from the {@code Date} of a response, if it has one.
     *
     * @param response the response
     * @param receivedAtMillis when it was received, by this machine's clock
     */
    public void read(ResponseHead response, long receivedAtMillis) {
        List<String> dates = response.headers("Date");
        long date = dates.isEmpty() ? Millis.NONE : SentDate.millis(dates.get(0), receivedAtMillis);
        if (date == Millis.NONE) {
            return;
        }
        Ahead known = ahead;
        long least = date - receivedAtMillis;
        long since = receivedAtMillis - known.sinceMillis;
        boolean isFresh = since >= 0 && since < REMEMBERED_MILLIS;
        boolean isOther = known.most() == UNKNOWN || known.most() - least >= APART_MILLIS;
        boolean isNews = isOther || !isFresh || least > known.millis;
        if (!isNews || isFromCache(response)) {
            return;
        }
        if (isOther) {
            ahead = new Ahead(least, UNKNOWN, receivedAtMillis);
        } else if (!isFresh) {
            ahead = new Ahead(least, since < 2 * REMEMBERED_MILLIS ? known.millis : UNKNOWN, receivedAtMillis);
        } else {
            ahead = new Ahead(least, known.before, known.sinceMillis);
        }
    }

    private static boolean isFromCache(ResponseHead response) {
        List<String> ages = response.headers("Age");
        return !ages.isEmpty() && !ages.get(0).equals("0");
    }
}
