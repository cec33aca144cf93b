package dev.throttle.lab.fleet;

import dev.throttle.internal.DurationText;
import dev.throttle.internal.Preconditions;
import dev.throttle.lab.server.Outage;
import java.time.Duration;
import java.util.List;

/**
 * How the store of a fleet behaves.
 *
 * @param latency the time from a command to its answer; a message takes as long from its sender to its receivers
 * @param loss the share of answers, and of messages, that never arrive, from 0 to 1
 * @param outages when it cannot be reached
 */
public record StoreSpec(Duration latency, double loss, List<Outage> outages) {

    private static final Duration LONGEST = Duration.ofSeconds(10);

    public StoreSpec {
        Preconditions.check(
                !latency.isNegative() && latency.compareTo(LONGEST) <= 0,
                "--store-latency",
                DurationText.format(latency),
                "a duration from 0s to 10s");
        Preconditions.check(loss >= 0 && loss <= 1, "--store-loss", loss * 100 + "%", "a share from 0% to 100%");
        outages = List.copyOf(outages);
    }

    boolean isAway(long nanos) {
        return outages.stream().anyMatch(outage -> {
            long since = nanos - outage.from().toNanos();
            return since >= 0 && since < outage.length().toNanos();
        });
    }
}
