package dev.throttle.lab.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nothing is left behind: no permit, waiter, slot, thread or connection. See docs/lab.md. */
class TortureRun {

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void nothingIsLeftBehind(long seed) throws Exception {
        TortureResult result = new Torture(seed, null, false).run(Duration.ofHours(1), 5_000, calls -> {});
        assertThat(result.wrong()).isEmpty();
        assertThat(result.left()).isZero();
    }
}
