package dev.throttle.lab;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class TortureIT {

    @Test
    void aShortRunTellsWhatItFound() {
        Jar.Result result = Jar.run("", "torture", "--minutes", "0.03", "--seed", "5");

        assertThat(result.out().lines().reduce((line, next) -> next).orElseThrow())
                .matches("calls \\d+, refused \\d+, cancelled \\d+, faults \\d+, left behind \\d+");
    }
}
