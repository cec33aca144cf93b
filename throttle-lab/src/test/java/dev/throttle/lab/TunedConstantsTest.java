package dev.throttle.lab;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TunedConstantsTest {

    @Test
    void theConstantsOfTheLibraryAreFound() {
        assertThat(TunedConstants.usual())
                .containsKeys("tolerance", "damping")
                .allSatisfy((name, value) -> assertThat(value).as(name).isPositive());
    }

    @Test
    void eachIsSwitchedOffHalvedAndDoubled() {
        assertThat(TunedConstants.alternatives("cut", 0.2)).containsExactly(0.0, 0.1, 0.4);
        assertThat(TunedConstants.alternatives("join", 1.9)).containsExactly(1.0, 0.95, 3.8);
    }
}
