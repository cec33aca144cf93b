package dev.throttle.control.quota;

import dev.throttle.internal.Nanos;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Whether the quota is a sliding window without other users. Then what remains and what was served in the last window
 * are always the limit together:
 *
 * <pre>
 *   remaining  =  limit - served(t) + served(t - window)
 * </pre>
 *
 * <p>Of the usual lengths, the one is believed for which that has held for a while, with at least half of the window in
 * use. Where the server does not tell the limit, it has to have stayed the same while the count moved. From then on it
 * is known when each own request comes back: one window after its answer. A lower count than that was used by others; a
 * higher one or a refusal ends the belief.
 *
 * <p>What was served by which time is kept in a few hundred points, the finer the newer.
 */
final class SlidingReplica {

    private static final double[] USUAL = {1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1800, 3600};
    private static final int POINTS = 512;
    /** There is room for so many at first, and for twice as many each time that it is used up. */
    private static final int FIRST_POINTS = 8;

    /** Points may be this share of their age apart. */
    private static final double APART = 0.02;

    /** Looks at the lengths with each eighth answer, and where nothing is on the wire after several. */
    private static final int EVERY = 8;

    private static final int SLACK = SlidingLength.SLACK;
    /** What is kept for others never comes back, so it is no more than they need to be noticed. */
    private static final int KEPT = SLACK + 1;

    private long[] times = {};
    private double[] sums = {};
    private int points;
    private double served;
    private int answers;

    /** The usual lengths of which enough time has passed to look at them. */
    private final List<SlidingLength> lengths = new ArrayList<>(0);

    private boolean likely;
    /** The extremes of the count since the last look. */
    private double least = Double.POSITIVE_INFINITY;

    private double most;
    private @Nullable SlidingLength known;
    private double size;
    private boolean wrong;
    private long beganAt;

    void begin(long now) {
        points = 0;
        served = 0;
        answers = 0;
        wrong = false;
        likely = false;
        beganAt = now;
        doubt();
    }

    private void doubt() {
        known = null;
        for (SlidingLength length : lengths) {
            length.forget();
        }
    }

    /** Called when a request was refused. With a known window that does not happen, so the window was wrong. */
    void refused() {
        wrong |= known != null;
        known = null;
    }

    boolean isKnown() {
        return known != null;
    }

    /** {@return whether it may be one: some length has fitted while the count moved} */
    boolean isLikely() {
        return known != null || likely;
    }

    /** Reads the count that is left after a flight of requests, none of which is on the wire any more. */
    void rest(double count, double limit, long now) {
        if (known == null && !wrong) {
            look(count, limit, 0, now);
        }
    }

    /** Own permits have been answered and not refused. */
    void served(int permits, long now) {
        served += permits;
        if (points > 0 && now - times[points - 1] <= 0) { // times grow, or merging could not end
            sums[points - 1] = served;
            return;
        }
        if (points == POINTS) {
            merge(now);
        } else if (points == times.length) {
            int length = Math.max(FIRST_POINTS, 2 * points);
            times = Arrays.copyOf(times, length);
            sums = Arrays.copyOf(sums, length);
        }
        times[points] = now;
        sums[points++] = served;
    }

    /** Leaves out what is too old to matter, and points that are near to each other for their age. */
    private void merge(long now) {
        double oldest = known == null ? USUAL[USUAL.length - 1] : known.seconds;
        for (double apart = APART; points > POINTS / 4 * 3; apart *= 2) {
            int to = 0;
            for (int i = 0; i < points; i++) {
                double age = (now - times[i]) / 1e9;
                boolean near = to > 0 && i + 1 < points && (times[i + 1] - times[to - 1]) / 1e9 < apart * age;
                if (!near && (age <= oldest * (1 + 2 * apart) || i + 1 == points)) {
                    times[to] = times[i];
                    sums[to++] = sums[i];
                }
            }
            points = to;
        }
    }

    /**
     * Reads a count; {@return whether another client has used the window}
     *
     * @param limit the limit as the server told it; NaN if it did not
     * @param wire how many of the own requests may have been counted already
     */
    boolean read(double count, double limit, double wire, long now) {
        if (known == null) {
            least = Math.min(least, count);
            most = Math.max(most, count);
            if (!wrong && ++answers % EVERY == 0) {
                look(count, limit, wire, now);
            }
            return false;
        }
        int at = last(now - Nanos.ofSeconds(known.seconds));
        double lower = count + served - sum(at + 1);
        double upper = count + served - sum(at) + wire;
        boolean others = upper < size - SLACK;
        if (others || lower > size + SLACK + wire) {
            doubt();
        }
        return others;
    }

    private void look(double count, double limit, double wire, long now) {
        double elapsed = (now - beganAt) / 1e9;
        while (lengths.size() < USUAL.length && USUAL[lengths.size()] <= elapsed) {
            lengths.add(new SlidingLength(USUAL[lengths.size()]));
        }
        @Nullable SlidingLength best = null;
        likely = false;
        for (SlidingLength length : lengths) {
            if (length.seconds > elapsed) {
                break;
            }
            int at = last(now - Nanos.ofSeconds(length.seconds));
            length.count(least, most);
            length.look(count, served - sum(at), sum(at + 1) - sum(at), limit, wire, now);
            likely |= length.isLikely();
            if (length.isBelieved(limit, now) && (best == null || length.hits() >= best.hits())) {
                best = length;
                size = length.size(limit);
            }
        }
        known = best;
        least = Double.POSITIVE_INFINITY;
        most = 0;
    }

    /** {@return the last point at or before a time; -1 if there is none} */
    private int last(long time) {
        int low = 0;
        int high = points;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (times[middle] - time <= 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low - 1;
    }

    /** {@return what had been served by a point} */
    private double sum(int at) {
        return at < 0 ? 0 : at < points ? sums[at] : served;
    }

    /** {@return when so many requests may be in use besides those that were served by now} */
    long dueNanos(double more, long now) {
        long window = Nanos.ofSeconds(Objects.requireNonNull(known).seconds);
        double back = served + more + KEPT - size;
        int at = last(now - window);
        if (back <= sum(at)) {
            return now;
        }
        while (++at < points) {
            if (sums[at] >= back) {
                return times[at] + window;
            }
        }
        return now + window;
    }
}
