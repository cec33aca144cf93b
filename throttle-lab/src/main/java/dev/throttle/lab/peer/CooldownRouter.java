package dev.throttle.lab.peer;

import dev.throttle.signal.ResponseHead;
import dev.throttle.time.TimeSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A router as gateways for language models have it. Each request goes to any server that is not cooling down. A server
 * that refuses, or that does not answer, cools down for as long as its {@code Retry-After} says, and otherwise for five
 * seconds. A call that finds all of them cooling down fails, or tries again a few times: at once if another server is
 * there, and otherwise after a pause that doubles.
 */
public final class CooldownRouter {

    private static final long COOLDOWN_NANOS = 5_000_000_000L;
    private static final long FIRST_PAUSE_NANOS = 500_000_000L;
    private static final long LONGEST_PAUSE_NANOS = 8_000_000_000L;
    private static final double JITTER = 0.25;
    private static final long SECOND = 1_000_000_000L;

    private final int retries;
    private final TimeSource time;
    private final SplittableRandom random;
    private final long[] coolUntil;

    /**
     * Makes a router.
     *
     * @param servers how many servers there are
     * @param retries how often a call tries again
     * @param time the time
     * @param random chooses
     */
    public CooldownRouter(int servers, int retries, TimeSource time, SplittableRandom random) {
        this.retries = retries;
        this.time = time;
        this.random = random;
        this.coolUntil = new long[servers];
        Arrays.fill(coolUntil, time.nanoTime());
    }

    /**
     * Makes a call.
     *
     * @param wire sends a request to a server
     * @return completes with whether it was accepted
     */
    public CompletableFuture<Boolean> call(IntFunction<CompletableFuture<ResponseHead>> wire) {
        CompletableFuture<Boolean> call = new CompletableFuture<>();
        attempt(wire, 0, call);
        return call;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // its action sees to both ways it may end
    private void attempt(
            IntFunction<CompletableFuture<ResponseHead>> wire, int before, CompletableFuture<Boolean> call) {
        List<Integer> warm = warm();
        if (warm.isEmpty()) {
            again(wire, before, call);
            return;
        }
        int server = warm.get(random.nextInt(warm.size()));
        wire.apply(server).whenComplete((head, failure) -> {
            if (head != null && head.status() < 300) {
                call.complete(true);
                return;
            }
            coolUntil[server] = time.nanoTime() + cooldownNanos(head);
            again(wire, before, call);
        });
    }

    private void again(IntFunction<CompletableFuture<ResponseHead>> wire, int before, CompletableFuture<Boolean> call) {
        if (before == retries) {
            call.complete(false);
            return;
        }
        long pause = Math.min(LONGEST_PAUSE_NANOS, FIRST_PAUSE_NANOS << before);
        long nanos = warm().isEmpty() ? (long) (pause * (1 + JITTER * random.nextDouble())) : 0;
        time.schedule(nanos, () -> attempt(wire, before + 1, call));
    }

    private List<Integer> warm() {
        List<Integer> warm = new ArrayList<>();
        for (int i = 0; i < coolUntil.length; i++) {
            if (time.nanoTime() - coolUntil[i] >= 0) {
                warm.add(i);
            }
        }
        return warm;
    }

    private static long cooldownNanos(@Nullable ResponseHead head) {
        long[] nanos = {COOLDOWN_NANOS};
        if (head != null) {
            head.forEachHeader((name, value) -> {
                if (name.equalsIgnoreCase("Retry-After")) {
                    nanos[0] = (long) (Double.parseDouble(value) * SECOND);
                }
            });
        }
        return nanos[0];
    }
}
