package dev.throttle.engine;

import dev.throttle.control.Scope;
import dev.throttle.internal.Nanos;
import dev.throttle.signal.Quota;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How many requests the server still grants before a reset, where what it told makes that certain. Calls behind those
 * can be told at once that they cannot go before the reset.
 *
 * <p>It is certain when at least two answers have named the same limit with the same instant of its reset, and each of
 * them has lowered the count by at least what it cost: a bucket moves its reset with each request, servers that count
 * each for itself lower the count too little, and an answer that names another quota shows that not every call is
 * counted by the same. What was used before the first answer may come back before the reset, as in a sliding window,
 * and counts as granted. Guarded by the engine's lock.
 */
final class ToldWindow {

    /** Resets are told in whole seconds, and answers take their time. */
    private static final long TOLERANCE_NANOS = Duration.ofSeconds(5).toNanos();

    /** The quota as the first answer told it; null before that. */
    private @Nullable Quota quota;

    private long limit;
    private long resetAt;
    private long highest;
    private long lowest;
    /** What the answers since the first have cost. */
    private long answered;

    private long firstCost;
    /** Until when answers that contradict each other make all of it uncertain, if they did. */
    private long doubtfulUntil;

    private boolean isDoubtful;

    /**
     * An attempt has ended.
     *
     * @param requests how many requests it counts as
     */
    void learn(Signal signal, long requests, long now) {
        Quota told = longest(signal.hints().quotas());
        if (told == null) {
            return;
        }
        long reset = now + Nanos.of(Objects.requireNonNull(told.reset()));
        long left = Objects.requireNonNull(told.remaining());
        boolean isRefused = signal.outcome().isRefusal();
        if (!isUnderWay(now)) {
            if (!isRefused) {
                begin(told, left, reset, requests);
            }
        } else if (!isSame(told, reset)) {
            isDoubtful = true;
            doubtfulUntil = Math.max(reset - now, resetAt - now) + now;
            begin(told, left, reset, requests);
        } else {
            lowest = Math.min(lowest, left);
            highest = Math.max(highest, left);
            answered += isRefused ? 0 : requests;
        }
    }

    private void begin(Quota told, long left, long reset, long requests) {
        quota = told;
        limit = Objects.requireNonNull(told.limit());
        resetAt = reset;
        highest = left;
        lowest = left;
        answered = 0;
        firstCost = requests;
    }

    private boolean isUnderWay(long now) {
        return quota != null && resetAt - now > 0;
    }

    private boolean isSame(Quota told, long reset) {
        return quota != null
                && told.isSameAs(quota)
                && Objects.equals(told.limit(), limit)
                && Math.abs(reset - resetAt) <= TOLERANCE_NANOS;
    }

    /**
     * {@return the quota of requests whose reset comes last, of those about which all is told; null if there is none}
     */
    private static @Nullable Quota longest(List<Quota> quotas) {
        Quota longest = null;
        Duration last = null;
        for (Quota next : quotas) {
            Duration reset = next.reset();
            boolean isLater = reset != null && (last == null || reset.compareTo(last) > 0);
            if (isLater && next.limit() != null && next.remaining() != null && next.countsRequests()) {
                longest = next;
                last = reset;
            }
        }
        return longest;
    }

    /** {@return whether it is certain how much is granted at most before the reset} */
    boolean isCertain(long now) {
        isDoubtful = isDoubtful && doubtfulUntil - now > 0;
        return isUnderWay(now) && !isDoubtful && answered > 0 && highest - lowest >= answered;
    }

    /** {@return whether the calls of a scope are counted by what was told, as far as is known} */
    boolean counts(Scope scope) {
        return quota == null || scope.counts(quota.policy());
    }

    /** {@return how many requests are granted at most before the reset} */
    long grantsAtMost() {
        return lowest + Math.max(0, limit - highest - firstCost);
    }

    /** {@return how long it is until calls may be granted again that are not now, at the earliest} */
    long resetNanos(long now) {
        return Math.max(0, resetAt - TOLERANCE_NANOS - now);
    }
}
