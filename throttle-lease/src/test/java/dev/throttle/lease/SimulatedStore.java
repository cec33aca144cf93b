package dev.throttle.lease;

import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
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
    private final Map<Integer, Long> untold = new HashMap<>();
    private final Set<Integer> cutOff = new HashSet<>();
    private final Map<Integer, Integer> knownTo = new HashMap<>();
    private double emptyUntil;
    private int expected;
    private long expectedUntil;
    private long countedUntil;
    boolean away;
    int questions;
    long givenBack;

    SimulatedStore(VirtualTime time, double perSecond, long burst, Duration latency) {
        this.time = time;
        this.interval = 1e9 / perSecond;
        this.tolerance = Math.max(0, (burst - 1) * interval - VALID);
        this.latencyNanos = latency.toNanos();
    }

    /** One process reaches it no more, or again. */
    void cutOff(int process, boolean isCutOff) {
        if (isCutOff) {
            cutOff.add(process);
        } else {
            cutOff.remove(process);
        }
    }

    /** What it knew is gone. */
    void forget() {
        emptyUntil = 0;
        expected = 0;
        sharers.clear();
    }

    LeaseSource of(int process) {
        return new LeaseSource() {
            @Override
            public CompletionStage<Lease> lease(String key, long least, long wanted) {
                questions++;
                CompletableFuture<Lease> answer = new CompletableFuture<>();
                if (away || cutOff.contains(process)) {
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

            @Override
            public void spent(String key, long permits, int known) {
                untold.merge(process, permits, Long::sum);
                knownTo.put(process, known);
            }
        };
    }

    private Lease grant(int process, long least, long wanted) {
        long now = time.nanoTime();
        sharers.put(process, now);
        sharers.values().removeIf(seen -> now - seen > 2e9 + 2 * sharers.size() * interval);
        Long own = untold.remove(process);
        if (own != null) {
            countedUntil = now < expectedUntil ? countedUntil : now;
            expected = Math.max(now < expectedUntil ? expected : 0, knownTo.getOrDefault(process, 1));
            expectedUntil = now + 2_000_000_000L;
        }
        int all = sharers.size();
        double others = 0;
        if (now < expectedUntil) { // who is not back goes by its share
            double there =
                    sharers.values().stream().filter(seen -> now - seen < 2e9).count();
            others = (now - countedUntil) * Math.max(0, 1 - there / expected);
            countedUntil = now;
            all = Math.max(all, expected);
        }
        double base = Math.max(emptyUntil, now) + others;
        if (own != null) {
            base = Math.max(base, Math.min(base + own * interval, now + tolerance + interval));
        }
        long free = now + tolerance >= base ? (long) ((now + tolerance - base) / interval) + 1 : 0;
        long fair = Math.max(1, (long) (TURN / interval / all));
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
                all,
                "");
    }
}
