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
 * Learns what one server means by its resets, where one response cannot tell and several can. A reset that falls by a
 * thousand seconds in each second is told in milliseconds; until that is known, numbers are seconds. One that falls
 * with the time is the end of a window, one that stands still the length of a window that rolls, and one that grows
 * moves with the answers: of these nothing depends, but {@link #explain} tells them. Thread-safe.
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
    /** Resets are told in whole seconds, so how they move shows after more. */
    private static final long COMPARED_MILLIS = 4000;

    private static final long SECOND_MILLIS = 1000 + SLACK_MILLIS;

    /** How a reset moves, as a sentence says it behind "The reset of the quota". */
    private enum Motion {
        FALLS("falls with the time: it is the end of a window."),
        STANDS("stands still: it is the length of a window that rolls, or the time until a bucket is full."),
        GROWS("moves ahead with the answers: it is not the end of a window.");

        private final String sentence;

        Motion(String sentence) {
            this.sentence = sentence;
        }
    }

    private record Name(@Nullable String policy, @Nullable String partition, String unit) {}

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

        private @Nullable Motion motion;
        /** The reset that later ones are compared with, when it came, and how many came since. */
        private long firstReset;

        private long firstAtMillis;
        private int since;
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Name, Track> tracks = new LinkedHashMap<>(0, 0.75f, true);

    /** {@return the hints with the resets as they are meant; the same object where nothing is ambiguous} */
    RateHints apply(RateHints hints, long nowMillis) {
        List<Quota> quotas = hints.quotas();
        List<Quota> meant = null;
        for (int i = 0; i < quotas.size(); i++) {
            Quota quota = quotas.get(i);
            Duration reset = quota.reset();
            if (reset != null && learn(quota, reset, nowMillis) && quota.ambiguousReset()) {
                meant = meant == null ? new ArrayList<>(quotas) : meant;
                meant.set(i, quota.withReset(reset.dividedBy(MILLIS_PER_SECOND)));
            }
        }
        return meant == null
                ? hints
                : new RateHints(hints.retryAfter(), meant, hints.floor(), hints.shouldRetry(), hints.cost());
    }

    private boolean learn(Quota quota, Duration reset, long nowMillis) {
        lock.lock();
        try {
            Name key = new Name(quota.policy(), quota.partition(), quota.unit());
            Track track = tracks.computeIfAbsent(key, name -> new Track());
            if (tracks.size() > MOST_QUOTAS) {
                tracks.remove(tracks.keySet().iterator().next());
            }
            learn(track, quota, reset, nowMillis);
            return track.isMillis;
        } finally {
            lock.unlock();
        }
    }

    private static void learn(Track track, Quota quota, Duration reset, long nowMillis) {
        long number = reset.toSeconds();
        long passed = nowMillis - track.atMillis;
        if (passed >= 0 && passed < NEAR_MILLIS) {
            return;
        }
        long remaining = Objects.requireNonNullElse(quota.remaining(), 0L);
        boolean isSameWindow = passed > 0 && Objects.equals(track.limit, quota.limit()) && remaining <= track.remaining;
        compare(track, isSameWindow, reset.toMillis(), nowMillis);
        boolean isFall = quota.ambiguousReset()
                && isSameWindow
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

    private static void compare(Track track, boolean isSameWindow, long reset, long nowMillis) {
        long passed = nowMillis - track.firstAtMillis;
        boolean hasEnded = passed >= track.firstReset - SECOND_MILLIS;
        if (!isSameWindow || hasEnded) {
            track.firstReset = reset;
            track.firstAtMillis = nowMillis;
            track.since = 0;
            return;
        }
        track.since++;
        if (track.since >= SURE && passed >= COMPARED_MILLIS) {
            long fall = track.firstReset - reset;
            if (fall < -SECOND_MILLIS) {
                track.motion = Motion.GROWS;
            } else if (fall <= SECOND_MILLIS) {
                track.motion = Motion.STANDS;
            } else {
                track.motion = Math.abs(fall - passed) <= SECOND_MILLIS ? Motion.FALLS : null;
            }
        }
    }

    /** {@return a sentence for each quota whose resets are understood} */
    List<String> explain() {
        lock.lock();
        try {
            List<String> sentences = new ArrayList<>();
            tracks.forEach((name, track) -> {
                String quota = "The reset of " + (name.policy == null ? "the quota" : "'" + name.policy + "'") + " ";
                if (track.isMillis) {
                    sentences.add(quota + "is told in milliseconds, although its number looks like seconds.");
                } else if (track.motion != null) {
                    sentences.add(quota + track.motion.sentence);
                }
            });
            return sentences;
        } finally {
            lock.unlock();
        }
    }
}
