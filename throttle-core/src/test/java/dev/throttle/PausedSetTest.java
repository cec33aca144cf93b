package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A key that comes into being while its set is paused is paused from the first moment on. */
class PausedSetTest {

    private final List<@Nullable Permit> taken = new ArrayList<>();

    @Test
    void whoHearsOfANewKeyCannotSlipPastThePause() {
        ThrottleRegistry[] made = new ThrottleRegistry[1];
        made[0] = new Timeline()
                .registry(TestStrategies.free())
                .listener(new ThrottleListener() {
                    @Override
                    public void onCreated(Source throttle) {
                        taken.add(made[0].get(throttle.key()).tryAcquire());
                    }
                })
                .build();
        made[0].pause();
        made[0].get("new");
        assertThat(taken).hasSize(1).containsOnlyNulls();
        made[0].resume();
        made[0].get("newer");
        assertThat(taken).hasSize(2).last().isNotNull();
    }
}
