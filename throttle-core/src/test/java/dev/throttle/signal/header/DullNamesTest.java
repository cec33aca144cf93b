package dev.throttle.signal.header;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DullNamesTest {

    @Test
    void aNameThatWasRememberedIsFoundAgain() {
        DullNames.remember("X-Dull-Name");

        assertThat(DullNames.contains(new String("X-Dull-Name"))).isTrue();
        assertThat(DullNames.contains("x-dull-name")).isFalse();
    }

    @Test
    void namesThatTakeEachOthersPlaceAreNeverMixedUp() {
        for (int i = 0; i < 20_000; i++) {
            DullNames.remember("X-Dull-Name-" + i);
            assertThat(DullNames.contains("X-Dull-Name-" + i)).isTrue();
            assertThat(DullNames.contains("X-RateLimit-" + i)).isFalse();
        }
    }

    @Test
    void namesThatAreMadeUpToBeLongAreNotKept() {
        String name = "X-".repeat(64);
        DullNames.remember(name);

        assertThat(DullNames.contains(name)).isFalse();
    }
}
