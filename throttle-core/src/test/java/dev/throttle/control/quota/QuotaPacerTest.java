package dev.throttle.control.quota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.Strategies;
import dev.throttle.signal.Cost;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class QuotaPacerTest {

    @Test
    void moreRequestsThanCanBeCountedAreNotTakenForLessThanNone() {
        QuotaPacer pacer = (QuotaPacer) Strategies.quotaPacing().build().newController(new SplittableRandom(1));
        for (int i = 0; i < 4; i++) {
            pacer.onAdmitted(Cost.requests(Cost.MAX_AMOUNT), i);
            assertThat(pacer.wire()).isPositive();
        }
    }
}
