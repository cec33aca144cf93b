package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.signal.Signal;
import dev.throttle.time.VirtualTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A caller that comes while its key is being evicted. */
class EvictionRaceTest {

    @Test
    void aCallerThatComesDuringAnEvictionWaitsForTheSuccessor() throws Exception {
        VirtualTime time = new VirtualTime();
        CompletableFuture<Throttle> served = new CompletableFuture<>();
        Throttles throttles = Throttle.builder().time(time).perKey(10, Duration.ofHours(1));
        throttles.addListener(new ThrottleListener() {
            @Override
            public void onEvicted(Throttle throttle) {
                Thread caller = new Thread(() -> served.completeAsync(() -> call(throttles), Runnable::run));
                caller.start();
                try {
                    caller.join(100); // the eviction goes on while the caller asks
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        });
        Throttle evicted = throttles.get("a");
        time.advance(Duration.ofHours(2));
        throttles.get("b");
        assertThat(served.get(10, TimeUnit.SECONDS)).isNotSameAs(evicted);
        assertThat(evicted.isEvicted()).isTrue();
    }

    private static Throttle call(Throttles throttles) {
        try {
            Throttle throttle = throttles.get("a");
            throttle.acquire().complete(Signal.SUCCESS);
            return throttle;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
