package dev.throttle.engine;

import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Learns which of one server's resets are told in milliseconds, where one response cannot tell: several can, as such a
 * reset falls by a thousand seconds in each second. Until it is known, numbers are seconds. Thread-safe.
 */
final class ResetMeanings {

    private static final int MOST_QUOTAS = 16;
    private static final long MILLIS_PER_SECOND = 1000;
    /** Answers nearer to each other tell nothing: they may have overtaken each other. */
    private static final long NEAR_MILLIS = 40;
    /** Read as milliseconds, resets of one window end together, but for so much of delay. */
    private static final long SLACK_MILLIS = 30;
    /** So many times in a row, and for so long, it must have been seen: quotas with one name may look alike. */
    private static final int SURE = 5;

    private static final long SURE_MILLIS = 1000;

    private static final class Track {
        private @Nullable Long limit;
        private long remaining;
        /** The number of the last reset, and when it came. */
        private long number;

        private long atMillis;
        /** When the window ends, if the number is milliseconds, and since when that has been told. */
        private long endMillis;

        private long sinceMillis;
        private int times;
        private boolean isMillis;
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Track> tracks = new LinkedHashMap<>(0, 0.75f, true);

    /** {@return the hints with the resets as they are meant; the same object where nothing is ambiguous} */
    RateHints apply(RateHints hints, long nowMillis) {
        List<Quota> quotas = hints.quotas();
        List<Quota> meant = null;
        for (int i = 0; i < quotas.size(); i++) {
            Quota quota = quotas.get(i);
            Duration reset = quota.ambiguousReset() ? quota.reset() : null;
            if (reset != null && learn(quota, reset.toSeconds(), nowMillis)) {
                meant = meant == null ? new ArrayList<>(quotas) : meant;
                meant.set(i, quota.withReset(reset.dividedBy(MILLIS_PER_SECOND)));
            }
        }
        return meant == null
                ? hints
                : new RateHints(hints.retryAfter(), meant, hints.floor(), hints.shouldRetry(), hints.cost());
    }

    private boolean learn(Quota quota, long number, long nowMillis) {
        lock.lock();
        try {
            Track track = tracks.computeIfAbsent(name(quota), name -> new Track());
            if (tracks.size() > MOST_QUOTAS) {
                tracks.remove(tracks.keySet().iterator().next());
            }
            learn(track, quota, number, nowMillis);
            return track.isMillis;
        } finally {
            lock.unlock();
        }
    }

    private static void learn(Track track, Quota quota, long number, long nowMillis) {
        long passed = nowMillis - track.atMillis;
        if (passed >= 0 && passed < NEAR_MILLIS) {
            return;
        }
        long remaining = Objects.requireNonNullElse(quota.remaining(), 0L);
        boolean isFall = passed > 0
                && Objects.equals(track.limit, quota.limit())
                && remaining <= track.remaining
                && Math.abs(nowMillis + number - track.endMillis) <= SLACK_MILLIS;
        if (isFall) {
            track.times++;
            track.isMillis |= track.times >= SURE && nowMillis - track.sinceMillis >= SURE_MILLIS;
        } else {
            track.isMillis &= passed > track.number - SLACK_MILLIS; // then another window has begun
            track.times = 0;
            track.sinceMillis = nowMillis;
            track.endMillis = nowMillis + number;
        }
        track.limit = quota.limit();
        track.remaining = remaining;
        track.number = number;
        track.atMillis = nowMillis;
    }

    private static String name(Quota quota) {
        return quota.policy() + " " + quota.partition() + " " + quota.unit();
    }

    /** {@return a sentence for each quota whose resets are told in milliseconds} */
    List<String> explain() {
        lock.lock();
        try {
            List<String> sentences = new ArrayList<>();
            tracks.forEach((name, track) -> {
                if (track.isMillis) {
                    String policy = name.substring(0, name.indexOf(' '));
                    sentences.add("The reset of " + (policy.equals("null") ? "the quota" : "'" + policy + "'")
                            + " is told in milliseconds, although its number looks like seconds.");
                }
            });
            return sentences;
        } finally {
            lock.unlock();
        }
    }
}
