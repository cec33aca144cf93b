package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.fixtures.OpenController;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Signal;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Controllers can tell requests apart that were admitted at one instant. */
class PermitIdTest {

    private final List<String> told = new ArrayList<>();

    @Test
    void whatBecomesOfARequestIsToldWithTheIdOfItsPermit() throws Exception {
        Throttle throttle = new Timeline()
                .throttle(TestStrategies.named("recorder", Recorder::new))
                .build();
        Permit first = throttle.acquire();
        Permit second = throttle.acquire();
        Permit third = throttle.acquire();
        assertThat(told).hasSize(3).doesNotHaveDuplicates();
        List<String> ids = List.copyOf(told);
        told.clear();
        third.settle(Cost.of("tokens", 3));
        second.end(Signal.SUCCESS);
        first.release();
        third.end(Signal.RATE_LIMITED);
        assertThat(told)
                .containsExactly(
                        "settled " + ids.get(2), "ended " + ids.get(1), "ended " + ids.get(0), "ended " + ids.get(2));
    }

    private final class Recorder extends OpenController {

        @Override
        public void onAdmitted(Cost cost, long permitId, long now) {
            told.add("" + permitId);
        }

        @Override
        public void onSettled(Cost admitted, Cost actual, long permitId, long admittedAt, long now) {
            told.add("settled " + permitId);
        }

        @Override
        public void onSignal(Signal signal, Load load, long now) {
            told.add("ended " + load.permitId());
        }
    }
}
