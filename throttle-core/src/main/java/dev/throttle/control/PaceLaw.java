package dev.throttle.control;

import dev.throttle.control.RateController.Load;
import dev.throttle.internal.Nanos;
import dev.throttle.signal.RateHints;
import java.time.Duration;
import java.util.random.RandomGenerator;

/** What an answer does to the pace: the law that fits, and the way into a limit and out of it. */
final class PaceLaw {

    /**
     * A quota is plentiful from so many targets on: each answer shrinks the interval this much, until there is none.
     */
    private static final double PLENTY_TARGETS = 25;

    private static final double PLENTY_FACTOR = 0.23;
    private static final double FREE_BELOW = 0.01;
    /** How far below the target, as a logarithm, the count has to fall to end a time without a limit. */
    private static final double BRAKE_ERROR = -0.5;
    /** The interval then: per request that all clients together spend between two own answers; or of the last time. */
    private static final double BRAKE_PER_SWING = 0.057;

    private static final double REMEMBERED = 0.7;
    private static final double SHORTEST_BRAKE = 0.002;
    private static final double NEWCOMER_INTERVAL = 0.063;
    /** The interval of a client whose first answer shows a quota that is scarce but not empty: others are at work. */
    private static final double JOIN_INTERVAL = 5;
    /** After a first request that is refused: the wait, and the interval to begin with. */
    private static final double FIRST_RETRY = 1.4;

    private static final double FIRST_INTERVAL = 1.25;
    /** A refused request waits a random part of the retry wait, so that clients do not come back together. */
    private static final double RETRY_FROM = 0.75;

    private static final double RETRY_TO = 1.5;
    /** What a refusal does to the interval, and further ones to the retry wait. */
    private static final double REFUSAL_CUT = 2.2;

    private static final double RETRY_GROWTH = 1.25;
    private static final double SEARCH_GROWTH = 1.5;
    /** The first accepted answer bounds the interval by so many times the time per request since the refusal. */
    private static final double FIRST_READ = 6;
    /** Requests on their way have taken this share of a swing each. */
    private static final double IN_FLIGHT_SHARE = 0.9;

    /** What a server asks for is remembered for a day. */
    private static final double LONGEST_RETRY_AFTER = 86_400;

    /** So many accepted answers show that the interval is about right. */
    private static final int ESTABLISHED_AFTER = 4;

    private final QuotaPacing settings;
    private final RandomGenerator random;
    private final Pace pace;
    private final QuotaView quota;

    private long accepted;
    /** Whether the interval is based on accepted answers, not on refusals alone. */
    private boolean established;

    private boolean everLimited;
    /** The interval when the quota was scarce last. */
    private double congested;
    /** Refusals in a row. */
    private int refusals;

    private double retryWait;
    private boolean everRefused;
    private long refusedAt;

    PaceLaw(QuotaPacing settings, Pace pace, QuotaView quota, RandomGenerator random) {
        this.settings = settings;
        this.pace = pace;
        this.quota = quota;
        this.random = random;
    }

    void onSuccess(boolean read, boolean first, double sinceAnswer, Load load, long now) {
        accepted++;
        if (quota.intervalBeforeStuck() > 0) {
            pace.interval(quota.intervalBeforeStuck());
        }
        if (refusals > 0) {
            refusals = 0;
            if (!established && read && quota.remaining() > 0) {
                // so many requests have come back since the refusal: that is what the quota allows
                pace.interval(Math.min(pace.interval(), FIRST_READ * sinceAnswer / (quota.remaining() + 1)));
            }
            established = true;
        }
        if (read) {
            steer(first, load, now);
        } else if (quota.isBlind() && everRefused && !pace.isFree()) {
            pace.interval(BlindLaw.accepted(pace.interval(), sinceAnswer, Nanos.toSeconds(now - refusedAt)));
            if (pace.interval() < FREE_BELOW / 4) {
                pace.lift(now);
            }
        }
    }

    private void steer(boolean first, Load load, long now) {
        int inFlight = load.inFlight();
        double target = quota.target();
        double usable = Math.max(0, quota.remaining() - IN_FLIGHT_SHARE * quota.swing() * inFlight);
        double error = Math.log((usable + 0.5) / target);
        if (pace.isFree()) {
            if (error < BRAKE_ERROR && quota.change() <= 0) {
                brake(first, gapSeconds(load), now);
            }
        } else if (quota.remaining() > PLENTY_TARGETS * target) {
            pace.interval(pace.interval() * PLENTY_FACTOR);
            if (pace.interval() < FREE_BELOW) {
                pace.lift(now);
            }
        } else {
            if (error < 0) {
                congested = pace.interval();
                established |= accepted > ESTABLISHED_AFTER;
            }
            pace.interval(RemainingLaw.next(
                    pace.interval(), error, Math.max(0, quota.remaining()), quota.change(), inFlight));
        }
    }

    /** Ends a time without a limit before the quota is used up. */
    private void brake(boolean first, double gap, long now) {
        double least = everLimited ? SHORTEST_BRAKE : NEWCOMER_INTERVAL;
        if (first) {
            least = quota.remaining() >= 2 ? JOIN_INTERVAL : NEWCOMER_INTERVAL;
        }
        double found = Math.max(BRAKE_PER_SWING * quota.swing(), REMEMBERED * congested);
        pace.limit(Math.max(Math.max(gap, least), found), now);
        everLimited = true;
    }

    void onRefusal(RateHints hints, boolean first, Load load, long now) {
        double interval = pace.interval();
        if (first) {
            retryWait = FIRST_RETRY;
            interval = FIRST_INTERVAL;
        } else if (pace.isFree()) {
            interval = Math.max(Math.max(2 * gapSeconds(load), NEWCOMER_INTERVAL), congested);
            retryWait = interval;
            established = true;
        } else if (quota.isBlind()) {
            if (load.admittedAtNanos() - refusedAt >= 0) { // otherwise it was let go before the last cut: no news
                int callers = load.waiting() + load.inFlight() + 1;
                interval = BlindLaw.refused(interval, callers, established ? 1 : SEARCH_GROWTH);
            }
            retryWait = interval;
        } else if (refusals == 0) {
            interval *= REFUSAL_CUT;
            retryWait = interval;
        } else {
            retryWait *= established ? RETRY_GROWTH : SEARCH_GROWTH;
            interval = established ? interval : Math.max(interval, retryWait);
        }
        pace.interval(interval);
        retryWait = pace.bounded(retryWait);
        congested = pace.interval();
        refusals++;
        everRefused = true;
        everLimited = true;
        refusedAt = now;
        pace.hold(refusalWait(hints, now), now);
    }

    private double refusalWait(RateHints hints, long now) {
        double wait = retryWait * (RETRY_FROM + (RETRY_TO - RETRY_FROM) * random.nextDouble());
        Duration told = hints.retryAfter();
        if (told != null && !told.isZero()) {
            // never earlier, and not all at once
            wait = Math.min(told.getSeconds() + told.getNano() / 1e9, LONGEST_RETRY_AFTER)
                    + Math.min(wait, pace.interval()) * random.nextDouble();
        }
        double exhausted = Math.min(quota.exhaustedSeconds(now), settings.maxResetWait);
        return exhausted > 0 ? Math.max(wait, exhausted + pace.interval() * random.nextDouble()) : wait;
    }

    /** {@return the mean time between the requests of the last second} */
    private static double gapSeconds(Load load) {
        return 1 / Math.max(1, load.requestsPerSecond());
    }
}
