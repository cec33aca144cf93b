package dev.throttle.lease;

import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A token bucket of a fleet, as a store keeps it: it promises permits ahead of their time. */
final class SimulatedStore {

    private static final double VALID = 200e6;
    private static final double TURN = 100e6;

    private final VirtualTime time;
    private final double interval;
    private final double tolerance;
    private final long latencyNanos;
    private final Map<Integer, Long> sharers = new HashMap<>();
    private double emptyUntil;
    boolean away;
    int questions;
    long givenBack;

    SimulatedStore(VirtualTime time, double perSecond, long burst, Duration latency) {
        this.time = time;
        this.interval = 1e9 / perSecond;
        this.tolerance = Math.max(0, (burst - 1) * interval - VALID);
        this.latencyNanos = latency.toNanos();
    }

    LeaseSource of(int process) {
        return new LeaseSource() {
            @Override
            public CompletionStage<Lease> lease(String key, long least, long wanted) {
                questions++;
                CompletableFuture<Lease> answer = new CompletableFuture<>();
                if (away) {
                    answer.completeExceptionally(new IllegalStateException("away"));
                } else {
                    time.schedule(latencyNanos, () -> {
                        Lease lease = grant(process, least, wanted);
                        time.schedule(latencyNanos, () -> answer.complete(lease));
                    });
                }
                return answer;
            }

            @Override
            public void giveBack(String key, Lease lease) {
                givenBack += lease.permits();
            }
        };
    }

    private Lease grant(int process, long least, long wanted) {
        long now = time.nanoTime();
        sharers.put(process, now);
        sharers.values().removeIf(seen -> now - seen > 2e9 + 2 * sharers.size() * interval);
        double base = Math.max(emptyUntil, now);
        long free = now + tolerance >= base ? (long) ((now + tolerance - base) / interval) + 1 : 0;
        long fair = Math.max(1, (long) (TURN / interval / sharers.size()));
        long permits = Math.max(least, Math.min(wanted, free > 0 ? free : fair));
        emptyUntil = base + permits * interval;
        double first = Math.max(0, base - tolerance - now);
        double last = Math.max(0, base + (permits - 1) * interval - tolerance - now);
        boolean isOne = least > 1 || permits <= free;
        return new Lease(
                permits,
                Duration.ofNanos((long) Math.ceil(isOne ? last : first)),
                Duration.ofNanos(isOne ? 0 : (long) interval),
                Duration.ofNanos((long) VALID),
                sharers.size(),
                "");
    }
}
