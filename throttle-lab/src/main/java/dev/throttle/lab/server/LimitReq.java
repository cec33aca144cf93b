package dev.throttle.lab.server;

/**
 * The law of {@code limit_req} of nginx 1.22: each accepted request adds one to an excess that shrinks by the rate, and
 * what would leave more than the burst is refused and changes nothing. Without a burst, a request is refused if the
 * last one came less than an interval before. With a delay, a request is held until its excess is worked off. Times
 * count in milliseconds, requests in thousandths. It knows nothing to tell about a quota.
 */
final class LimitReq implements SimulatedServer {

    private static final long MILLI = 1_000_000L;
    private static final long ONE = 1000;
    private static final double NANOS_TO_RATE = 1e12;
    private static final long NEVER = -1;

    private final long rate;
    private final long burst;
    private final boolean delays;
    private final int refusal;
    private long excess;
    private long lastMillis = NEVER;

    LimitReq(long capacity, long windowNanos, LimitDetails details) {
        this.rate = Math.max(1, Math.round(capacity * NANOS_TO_RATE / windowNanos));
        this.burst = details.burst() * ONE;
        this.delays = details.delays();
        this.refusal = details.statusOr(Answer.SERVICE_UNAVAILABLE);
    }

    @Override
    public Answer answer(long now) {
        long after = excessAfter(now);
        if (after > burst) {
            return new Answer(refusal, Answer.UNKNOWN, resetNanos(now));
        }
        excess = after;
        lastMillis = now / MILLI;
        Answer accepted = new Answer(Answer.OK, Answer.UNKNOWN, Answer.UNKNOWN);
        return delays ? accepted.heldFor(excess * ONE / rate * MILLI) : accepted;
    }

    /** {@return the excess if a request were accepted now; the first one leaves none} */
    private long excessAfter(long now) {
        if (lastMillis == NEVER) {
            return 0;
        }
        double workedOff = Math.floor((double) rate * (now / MILLI - lastMillis) / ONE);
        return (long) Math.max(0, excess + ONE - workedOff);
    }

    @Override
    public long remaining(long now) {
        long after = excessAfter(now);
        return after > burst ? 0 : 1 + (burst - after) / ONE;
    }

    /** If there is room, it comes back a request's interval later. */
    @Override
    public long resetNanos(long now) {
        if (lastMillis == NEVER) {
            return intervalMillis(ONE) * MILLI;
        }
        long tooMuch = excess + ONE - burst;
        long roomAt = (lastMillis + intervalMillis(Math.max(0, tooMuch))) * MILLI;
        return roomAt > now ? roomAt - now : intervalMillis(ONE) * MILLI;
    }

    /** {@return the time in which so many thousandths are worked off} */
    private long intervalMillis(long thousandths) {
        return (long) Math.ceil((double) thousandths * ONE / rate);
    }

    @Override
    public double grantable(long duration) {
        return (double) burst / ONE + 1 + Math.floor((double) rate * duration / NANOS_TO_RATE);
    }

    @Override
    public double sustainedPerSecond() {
        return (double) rate / ONE;
    }
}
