package dev.throttle.control.quota;

import dev.throttle.control.RateController.Load;
import dev.throttle.internal.Nanos;
import dev.throttle.signal.RateHints;
import java.time.Duration;
import java.util.random.RandomGenerator;

/** What an answer does to the pace: the law that fits, and the way into a limit and out of it. */
final class PaceController {

    /**
     * A quota is plentiful from so many targets on: each answer shrinks the interval this much, until there is none.
     */
    private static final double PLENTY_TARGETS = 25;

    private static final double PLENTY_FACTOR = 0.25;
    private static final double FREE_BELOW = 0.01;
    /** How far below the target, as a logarithm, the count has to fall to end a time without a limit. */
    private static final double BRAKE_ERROR = -0.5;
    /** The interval then, by the mean gap of the requests before. */
    private static final double BRAKE_FACTOR = 4;
    /** And by the requests that all clients together send between two own answers. */
    private static final double BRAKE_PER_SWING = 0.025;

    /** And by the interval when the quota was scarce last, if that was not longer ago than this. */
    private static final double MEMORY_SECONDS = 300;
    /** The shortest interval then, for a client that was limited before, and for one that was not. */
    private static final double SHORTEST_BRAKE = 0.002;

    private static final double NEWCOMER_INTERVAL = 0.04;
    /** The interval of a client whose first answer shows a quota that is scarce: others are at work. */
    private static final double JOIN_INTERVAL = 1.9;
    /** A newcomer shrinks its interval by this factor as long as each answer shows a count that rises by so much. */
    private static final double SEARCH_FACTOR = 0.38;

    private static final double SEARCH_RISE = 4;
    /** After a first request that is refused: the wait, and the interval to begin with. */
    private static final double FIRST_RETRY = 1.6;

    private static final double FIRST_INTERVAL = 1.15;
    /** The retry wait of a client that was never accepted grows by this with each refusal. */
    private static final double SEARCH_GROWTH = 1.45;
    /** The first accepted answer bounds the interval by so many times the time per request since the refusal. */
    private static final double FIRST_READ = 3;
    /** What the first refusal does to the interval of a client that does not know yet whether it is about right. */
    private static final double NEWCOMER_CUT = 6;
    /** What refusals do to an interval that is about right, the first and further ones in a row. */
    private static final double CUT = 1.5;

    private static final double FURTHER_CUT = 1.35;
    /** The retry wait then, in intervals from before the refusal. */
    private static final double RETRY_WAIT = 1.1;
    /** A refused request waits a random part of the retry wait, so that clients do not come back together. */
    private static final double RETRY_FROM = 1;

    private static final double RETRY_TO = 1.8;
    /** Requests on their way have taken this share of a swing each. */
    private static final double IN_FLIGHT_SHARE = 0.9;

    /** What a server asks for is remembered for a day. */
    private static final double LONGEST_RETRY_AFTER = 86_400;

    /** So many accepted answers show that the interval is about right. */
    private static final int ESTABLISHED_AFTER = 4;

    private final QuotaPacing settings;
    private final RandomGenerator random;
    private final Pace pace;
    private final QuotaEstimator quota;

    private long accepted;
    /** Whether the interval is based on accepted answers, not on refusals alone. */
    private boolean established;

    /** Whether the interval of a newcomer may still be far too long. */
    private boolean searching = true;

    private boolean everLimited;
    /** The interval when the quota was scarce last, and when that was. */
    private double congested;

    private long congestedAt;
    /** Refusals in a row. */
    private int refusals;

    private double retryWait;
    private boolean everRefused;
    private long refusedAt;

    PaceController(QuotaPacing settings, Pace pace, QuotaEstimator quota, RandomGenerator random) {
        this.settings = settings;
        this.pace = pace;
        this.quota = quota;
        this.random = random;
    }

    void onSuccess(boolean read, boolean first, double sinceAnswer, Load load, long now) {
        accepted++;
        if (quota.intervalBeforeStuck() > 0) {
            pace.interval(quota.intervalBeforeStuck());
            congested = 0;
        }
        if (refusals > 0 && isNews(load)) {
            refusals = 0;
            if (!established && read) {
                // so many requests have come back since the refusal: that is what the quota allows
                pace.interval(Math.min(pace.interval(), FIRST_READ * sinceAnswer / (quota.remaining() + 1)));
            }
            established = true;
        }
        if (read) {
            steer(first, load, now);
            waitForRenewal(now);
        } else if (quota.isBlind() && !pace.isFree()) {
            feelTheWay(load, now);
        }
    }

    /** A window of which nothing is left is not tried once it has shown that it is renewed. */
    private void waitForRenewal(long now) {
        double wait = quota.isRenewed() ? renewalWait(now) : 0;
        if (wait > 0) {
            pace.hold(wait, now);
        }
    }

    /** {@return seconds until an exhausted window is renewed, and not all at once; 0 if there is none} */
    private double renewalWait(long now) {
        double exhausted = Math.min(quota.exhaustedSeconds(now), settings.maxResetWait);
        return exhausted > 0 ? exhausted + pace.interval() * random.nextDouble() : 0;
    }

    private void feelTheWay(Load load, long now) {
        if (everRefused) {
            double sinceRefusal = Nanos.toSeconds(now - refusedAt);
            pace.interval(RefusalOnlyLaw.accepted(pace.interval(), callers(load), sinceRefusal));
        } else {
            pace.interval(pace.interval() * PLENTY_FACTOR);
        }
        if (pace.interval() < FREE_BELOW / 4) {
            pace.lift(now);
        }
    }

    private void steer(boolean first, Load load, long now) {
        int inFlight = load.inFlight();
        double target = quota.target();
        double usable = Math.max(0, quota.remaining() - IN_FLIGHT_SHARE * quota.swing() * inFlight);
        double error = StrictMath.log((usable + 0.5) / target);
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
                remember(now);
                established |= accepted > ESTABLISHED_AFTER;
            }
            search(error);
            double remaining = Math.max(0, quota.remaining());
            pace.interval(RemainingLaw.next(pace.interval(), error, remaining, quota.change(), inFlight));
        }
    }

    private void search(double error) {
        if (!searching) {
            return;
        }
        if (quota.change() >= SEARCH_RISE || (error > 0 && quota.change() >= 0)) {
            pace.interval(pace.interval() * SEARCH_FACTOR);
        } else {
            searching = accepted < 2;
        }
    }

    /** Ends a time without a limit before the quota is used up. */
    private void brake(boolean first, double gap, long now) {
        if (first) {
            pace.limit(JOIN_INTERVAL, now);
        } else {
            double least = everLimited ? SHORTEST_BRAKE : NEWCOMER_INTERVAL;
            double slower = Math.min(BRAKE_FACTOR * gap, JOIN_INTERVAL);
            double crowd = BRAKE_PER_SWING * quota.swing();
            pace.limit(Math.max(Math.max(slower, crowd), Math.max(least, remembered(now))), now);
        }
        everLimited = true;
    }

    void onRefusal(RateHints hints, boolean first, Load load, long now) {
        if (first || isNews(load)) {
            slowDown(first, load, now);
            refusals++;
            everRefused = true;
            everLimited = true;
            refusedAt = now;
        }
        pace.hold(refusalWait(hints, now), now);
    }

    /** What was let go before the last refusal only tells the same once more, however many requests it was. */
    private boolean isNews(Load load) {
        return !everRefused || load.admittedAtNanos() - refusedAt >= 0;
    }

    private void slowDown(boolean first, Load load, long now) {
        double interval = pace.interval();
        searching = accepted == 0;
        if (first) {
            retryWait = FIRST_RETRY;
            interval = FIRST_INTERVAL;
        } else if (pace.isFree()) {
            interval = Math.max(Math.max(2 * gapSeconds(load), NEWCOMER_INTERVAL), remembered(now));
            retryWait = interval;
            established = accepted > 0;
        } else if (quota.isBlind()) {
            interval = RefusalOnlyLaw.refused(interval, callers(load));
            retryWait = interval;
        } else if (refusals == 0) {
            retryWait = interval * (established ? RETRY_WAIT : NEWCOMER_CUT);
            interval *= established ? CUT : NEWCOMER_CUT;
        } else if (established) {
            interval *= FURTHER_CUT;
        } else {
            retryWait *= SEARCH_GROWTH;
            interval = Math.max(interval, retryWait);
        }
        pace.interval(interval);
        retryWait = pace.bounded(retryWait);
        remember(now);
    }

    private void remember(long now) {
        congested = pace.interval();
        congestedAt = now;
    }

    private double remembered(long now) {
        return Nanos.toSeconds(now - congestedAt) > MEMORY_SECONDS ? 0 : congested;
    }

    private double refusalWait(RateHints hints, long now) {
        double longest = Math.min(retryWait, settings.maxInterval / RETRY_TO);
        double wait = longest * (RETRY_FROM + (RETRY_TO - RETRY_FROM) * random.nextDouble());
        Duration told = hints.retryAfter();
        if (told != null && !told.isZero()) {
            // never earlier, and not all at once
            wait = Math.min(told.getSeconds() + told.getNano() / 1e9, LONGEST_RETRY_AFTER)
                    + Math.min(wait, pace.interval()) * random.nextDouble();
        }
        return Math.max(wait, renewalWait(now));
    }

    private static int callers(Load load) {
        return load.waiting() + load.inFlight() + 1;
    }

    /** {@return the mean time between the requests of the last second} */
    private static double gapSeconds(Load load) {
        return 1 / Math.max(1, load.requestsPerSecond());
    }
}
