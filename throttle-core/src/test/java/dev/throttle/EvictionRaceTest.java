package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.signal.Signal;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A caller that comes while its key is being evicted. */
class EvictionRaceTest {

    @Test
    void aCallerThatComesDuringAnEvictionWaitsForTheSuccessor() throws Exception {
        CompletableFuture<ThrottleListener.Source> evicted = new CompletableFuture<>();
        CompletableFuture<Throttle> served = new CompletableFuture<>();
        ThrottleRegistry throttles = ThrottleRegistry.builder().maxKeys(1).build();
        throttles.addListener(new ThrottleListener() {
            @Override
            public void onEvicted(Source throttle) {
                if (evicted.complete(throttle)) {
                    Thread caller = new Thread(
                            () -> served.completeAsync(() -> call(throttles, throttle.key()), Runnable::run));
                    caller.start();
                    try {
                        caller.join(100); // the eviction goes on while the caller asks
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                }
            }
        });
        call(throttles, "a");
        call(throttles, "b");
        call(throttles, "c");
        assertThat(served.get(10, TimeUnit.SECONDS)).isNotSameAs(evicted.join());
        assertThat(evicted.join().isEvicted()).isTrue();
    }

    private static Throttle call(ThrottleRegistry throttles, String key) {
        try {
            Throttle throttle = throttles.get(key);
            throttle.acquire().complete(Signal.SUCCESS);
            return throttle;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
