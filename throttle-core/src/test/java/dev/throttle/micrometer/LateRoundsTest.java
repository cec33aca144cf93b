package dev.throttle.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What happens to rounds that nobody can run. */
class LateRoundsTest {

    @Test
    void aRoundThatFoundNoThreadIsPlannedByWhoeverAsksNext() {
        VirtualTime time = new VirtualTime();
        AtomicInteger refused = new AtomicInteger();
        AtomicInteger rounds = new AtomicInteger();
        LateRounds late = new LateRounds(time, task -> {
            if (refused.getAndIncrement() == 0) {
                throw new RejectedExecutionException("no thread");
            }
            task.run();
        });
        late.ask(rounds::incrementAndGet);
        assertThatThrownBy(() -> time.advance(Duration.ofMinutes(1))).isInstanceOf(RejectedExecutionException.class);
        late.ask(rounds::incrementAndGet);
        time.advance(Duration.ofMinutes(1));
        assertThat(rounds).hasValue(1);
    }
}
