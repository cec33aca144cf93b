package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Counts are exact when all is quiet, and never run backwards. */
class CountersTest {

    private static final int THREADS = 4;
    private static final int CALLS = 20_000;

    @Test
    void successesNeverRunBackwardsAndAreNeverTooMany() throws Exception {
        Throttle throttle = Throttle.create();
        ExecutorService pool = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<?>> callers = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                callers.add(pool.submit(() -> {
                    for (int call = 0; call < CALLS; call++) {
                        throttle.acquire().complete(call % 2 == 0 ? Signal.SUCCESS : Signal.FAILED);
                    }
                    return null;
                }));
            }
            long last = 0;
            while (!callers.stream().allMatch(Future::isDone)) {
                long now = throttle.count(Outcome.SUCCESS);
                assertThat(now).isBetween(last, (long) THREADS * CALLS / 2);
                last = now;
            }
            for (Future<?> caller : callers) {
                caller.get();
            }
        } finally {
            pool.shutdownNow();
        }
        assertThat(throttle.count(Outcome.SUCCESS)).isEqualTo(THREADS * CALLS / 2);
        assertThat(throttle.count(Outcome.FAILED)).isEqualTo(THREADS * CALLS / 2);
    }
}
