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
 * Learns what the numbers of one server's resets mean, where one response cannot tell: two responses can. A reset that
 * falls by a thousand seconds in each second is told in milliseconds; one that stands still is that of a rolling quota,
 * and one that goes back up, while nothing came back, is that of a moving window. Until it is known, numbers are
 * seconds. Thread-safe.
 */
final class ResetMeanings {

    /** What the resets of a quota were found to be. */
    enum Meaning {
        SECONDS("told in seconds"),
        MILLIS("told in milliseconds, although its number looks like seconds"),
        ROLLING("always as far away: the quota rolls"),
        MOVING("later with each answer: the window moves");

        private final String text;

        Meaning(String text) {
            this.text = text;
        }
    }

    /** Shorter resets are taken as they are: at worst, they are waited for. */
    private static final Duration SHORTEST = Duration.ofSeconds(60);

    private static final int MOST_QUOTAS = 16;
    private static final long MILLIS_PER_SECOND = 1000;
    /** Answers nearer to each other tell nothing: they may have overtaken each other. */
    private static final long NEAR_MILLIS = 40;

    private static final long FAR_MILLIS = 2_000;
    /** A fall that is so much off, as a share, is no fall of milliseconds. */
    private static final double SLACK = 0.2;

    private static final long SLACK_MILLIS = 30;
    /** So many times in a row it must have been seen. */
    private static final int SURE = 2;

    private static final class Track {
        private @Nullable Long limit;
        private long resetMillis;
        private long atMillis;
        private @Nullable Meaning seen;
        private int times;
        private @Nullable Meaning known;
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Track> tracks = new LinkedHashMap<>(0, 0.75f, true);

    /** {@return the hints with the resets as they are meant; the same object where nothing is ambiguous} */
    RateHints apply(RateHints hints, long nowMillis) {
        List<Quota> quotas = hints.quotas();
        List<Quota> meant = null;
        for (int i = 0; i < quotas.size(); i++) {
            Quota quota = quotas.get(i);
            if (isAmbiguous(quota) && learn(quota, nowMillis) == Meaning.MILLIS) {
                meant = meant == null ? new ArrayList<>(quotas) : meant;
                meant.set(
                        i, quota.withReset(Objects.requireNonNull(quota.reset()).dividedBy(MILLIS_PER_SECOND)));
            }
        }
        return meant == null
                ? hints
                : new RateHints(hints.retryAfter(), meant, hints.floor(), hints.shouldRetry(), hints.cost());
    }

    private static boolean isAmbiguous(Quota quota) {
        Duration reset = quota.reset();
        return reset != null && reset.compareTo(SHORTEST) >= 0 && reset.getNano() == 0;
    }

    private @Nullable Meaning learn(Quota quota, long nowMillis) {
        lock.lock();
        try {
            Track track = tracks.computeIfAbsent(name(quota), name -> new Track());
            if (tracks.size() > MOST_QUOTAS) {
                tracks.remove(tracks.keySet().iterator().next());
            }
            learn(track, quota, Objects.requireNonNull(quota.reset()).toMillis(), nowMillis);
            return track.known;
        } finally {
            lock.unlock();
        }
    }

    private static void learn(Track track, Quota quota, long resetMillis, long nowMillis) {
        long passed = nowMillis - track.atMillis;
        boolean isFirst = track.atMillis == 0 || !Objects.equals(track.limit, quota.limit()) || passed < 0;
        if (!isFirst && passed < NEAR_MILLIS) {
            return;
        }
        Meaning seen = isFirst ? null : meaning(track.resetMillis - resetMillis, passed);
        if (seen != null) {
            track.times = seen == track.seen ? track.times + 1 : 1;
            track.seen = seen;
            if (track.times >= SURE) {
                track.known = seen;
            }
        } else if (resetMillis > track.resetMillis) {
            track.times = 0; // another window, or another quota of the same name
        }
        // What happens slowly is measured from where it began.
        if (isFirst || seen != null || passed >= FAR_MILLIS || resetMillis > track.resetMillis) {
            track.limit = quota.limit();
            track.resetMillis = resetMillis;
            track.atMillis = nowMillis;
        }
    }

    /** {@return what a fall of a reset, read as seconds, within some time means; null if that says nothing} */
    private static @Nullable Meaning meaning(long fellMillis, long passedMillis) {
        long asMillis = fellMillis / MILLIS_PER_SECOND;
        if (Math.abs(asMillis - passedMillis) <= SLACK_MILLIS + SLACK * passedMillis && asMillis >= NEAR_MILLIS / 2) {
            return Meaning.MILLIS;
        }
        if (passedMillis < FAR_MILLIS) {
            return null;
        }
        if (Math.abs(fellMillis - passedMillis) <= MILLIS_PER_SECOND) {
            return Meaning.SECONDS;
        }
        return fellMillis == 0 ? Meaning.ROLLING : fellMillis < 0 ? Meaning.MOVING : null;
    }

    private static String name(Quota quota) {
        return quota.policy() + " " + quota.partition() + " " + quota.unit();
    }

    /** {@return a sentence for each quota whose resets were found to mean something} */
    List<String> explain() {
        lock.lock();
        try {
            List<String> sentences = new ArrayList<>();
            tracks.forEach((name, track) -> {
                if (track.known != null) {
                    String policy = name.substring(0, name.indexOf(' '));
                    sentences.add("The reset of " + (policy.equals("null") ? "the quota" : "'" + policy + "'") + " is "
                            + track.known.text + ".");
                }
            });
            return sentences;
        } finally {
            lock.unlock();
        }
    }
}
