package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.fixtures.OtherTime;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * A key that was kept beyond the bound, because somebody waits there, comes back while all keys are asked for
 * something.
 */
class ReturningKeyTest {

    private static final int MOMENTS = 40;

    private final Timeline line = new Timeline();
    /** How often the time is read until the key comes back; below zero for never. */
    private int readsLeft = -1;

    private ThrottleRegistry registry() {
        return line.registry(TestStrategies.free())
                .maxKeys(1)
                .time(new OtherTime(line.time) {
                    @Override
                    public long nanoTime() {
                        if (readsLeft >= 0 && readsLeft-- == 0) {
                            comesBack.run();
                        }
                        return super.nanoTime();
                    }
                })
                .build();
    }

    private Runnable comesBack = () -> {};

    /** {@return somebody who waits at a key that is kept, as another one took its place} */
    private CompletableFuture<Permit> waits(ThrottleRegistry throttles) {
        throttles.pause();
        CompletableFuture<Permit> waiter = line.ask(throttles.get("k"), "k");
        for (int i = 0; i < 20; i++) {
            throttles.get("other" + i);
        }
        return waiter;
    }

    @Test
    void itGoesOnWhenAllGoOn() {
        for (int moment = 0; moment < MOMENTS; moment++) {
            ThrottleRegistry throttles = registry();
            CompletableFuture<Permit> waiter = waits(throttles);
            comesBack = () -> throttles.get("k");
            readsLeft = moment;
            throttles.resume();
            readsLeft = -1;
            assertThat(waiter).as("come back at moment %d", moment).isCompleted();
        }
    }

    @Test
    void itIsAmongAll() {
        for (int moment = 0; moment < MOMENTS; moment++) {
            ThrottleRegistry throttles = registry();
            waits(throttles);
            comesBack = () -> throttles.get("k");
            readsLeft = moment;
            List<Throttle> all = throttles.all();
            readsLeft = -1;
            assertThat(all)
                    .as("come back at moment %d", moment)
                    .contains(throttles.get("k"))
                    .doesNotHaveDuplicates();
        }
    }
}
