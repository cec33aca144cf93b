package dev.throttle.observe;

import java.time.Duration;
import java.util.Arrays;
import java.util.stream.LongStream;

/** Several replays of the same calls, of which the means are taken. */
final class Replays {

    private long count;
    private long refused;
    private long rejected;
    private boolean areComplete = true;
    private long[] waits = {};

    void add(Replay replay) {
        count++;
        refused += replay.refused();
        rejected += replay.rejected();
        areComplete &= replay.isComplete();
        waits = LongStream.concat(Arrays.stream(waits), Arrays.stream(replay.waits()))
                .sorted()
                .toArray();
    }

    long refused() {
        return mean(refused);
    }

    long rejected() {
        return mean(rejected);
    }

    /** {@return how many calls have waited} */
    long delayed() {
        return mean(Arrays.stream(waits).filter(wait -> wait > 0).count());
    }

    private long mean(long sum) {
        return Math.round((double) sum / count);
    }

    /** {@return the wait that a share of the calls does not exceed} */
    Duration percentile(double share) {
        int index = Math.min(waits.length - 1, (int) (share * waits.length));
        return Duration.ofNanos(waits.length == 0 ? 0 : waits[index]);
    }

    boolean areComplete() {
        return areComplete;
    }
}
