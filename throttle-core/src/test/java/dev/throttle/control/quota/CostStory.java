package dev.throttle.control.quota;

import static dev.throttle.control.quota.Moment.nanos;

import dev.throttle.control.RateLimit.Load;
import dev.throttle.fixtures.Traffic;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import java.time.Duration;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The law of a quota of 1,000 tokens: what answers tell it, and when it lets a request go. Times are in seconds. The
 * answers are those to requests that the law has not seen leave, so nothing is learned from them but what is left.
 */
final class CostStory {

    static final double NOT_TOLD = Double.NaN;

    final PacedQuota law;
    /** How long the answers take that are told. */
    double roundTrip;
    /** The limit that answers tell; null if they do not. */
    @Nullable Long limit = 1_000L;
    /** What the answers say about the length of a window. */
    double length = NOT_TOLD;

    int waiting;
    /** How many requests are on the wire when the next one asks, and what those take that wait before it. */
    int wire;

    Cost ahead = Cost.NONE;

    private final Reading reading = new Reading();
    private double now;

    CostStory() {
        this(120);
    }

    CostStory(double maxInterval) {
        PacingSettings settings = new PacingSettings(0, 0.2, maxInterval, 120, nanos(5), 0);
        Quota quota = new Quota(null, 1_000L, 0L, null, null, Quota.TOKENS, null);
        law = new PacedQuota(new Surroundings(settings, new SplittableRandom(1)), Tuning.USUAL, quota);
    }

    /** {@return a bucket that gets 10 a second, which is known after four answers at 0, 1, 2, and 3 s} */
    CostStory bucket(long atFirst) {
        double full = (1_000 - atFirst) / 10.0;
        read(-roundTrip, 0, tokens(100), atFirst, full, true, NOT_TOLD); // what is refused is not learned from
        for (int i = 1; i <= 3; i++) {
            tells(i, atFirst + 10 * i);
        }
        return this;
    }

    /** {@return the same with 250 at first} */
    CostStory bucket() {
        return bucket(250);
    }

    /** {@return a window that ends at 60 s, of which 500 are left at 12 s} */
    CostStory window() {
        tells(0, 1_000, 60);
        tells(10, 800, 50);
        tells(11, 600, 49);
        tells(12, 500, 48);
        return this;
    }

    static Cost tokens(long amount) {
        return Cost.of(Quota.TOKENS, amount);
    }

    void at(double seconds) {
        now = seconds;
    }

    void leaves(double seconds, Cost cost) {
        now = seconds;
        law.admitted(cost, 1, nanos(seconds), nanos(seconds));
    }

    /** Tells what is left of a bucket that gets 10 a second. */
    void tells(double at, long remaining) {
        tells(at, remaining, (1_000 - remaining) / 10.0);
    }

    void tells(double at, long remaining, double reset) {
        answer(at - roundTrip, at, tokens(100), remaining, reset);
    }

    /** A request that left at a time is answered. */
    void answers(double sentAt, double at, Cost cost, long remaining) {
        law.ended(Outcome.SUCCESS, Moment.sentAt(sentAt), nanos(at));
        answer(sentAt, at, cost, remaining, (1_000 - remaining) / 10.0);
    }

    void answer(double sentAt, double at, Cost cost, long remaining, double reset) {
        read(sentAt, at, cost, remaining, reset, false, NOT_TOLD);
    }

    void refuses(double sentAt, double at, Cost cost, long remaining, double retryAfter) {
        law.ended(Outcome.RATE_LIMITED, Moment.sentAt(sentAt), nanos(at));
        read(sentAt, at, cost, remaining, (1_000 - remaining) / 10.0, true, retryAfter);
    }

    void read(double sentAt, double at, Cost cost, long remaining, double reset, boolean refused, double retryAfter) {
        now = at;
        Quota quota = new Quota(null, limit, remaining, duration(reset), duration(length), Quota.TOKENS, null);
        Load load = Traffic.QUIET
                .cost(cost)
                .admittedAt(nanos(sentAt))
                .inFlight(wire)
                .waiting(waiting);
        reading.of(
                quota,
                remaining,
                refused ? Outcome.RATE_LIMITED : Outcome.SUCCESS,
                duration(retryAfter),
                load,
                nanos(at));
        law.read(reading, true, load, wire);
    }

    static @Nullable Duration duration(double seconds) {
        return seconds >= 0 ? Duration.ofNanos(nanos(seconds)) : null;
    }

    /** {@return when a request may go that asks for so many} */
    double due(long tokens) {
        return due(tokens(tokens));
    }

    double due(Cost cost) {
        return Moment.seconds(law.dueNanos(ahead, cost, wire, nanos(now)));
    }
}
