package dev.throttle.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.lab.BusyRpsSimulation.Pattern;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BusyRpsSimulationTest {

    @ParameterizedTest
    @CsvSource({
        "STEADY, busy-steady.txt",
        "FLAPPY, busy-flappy.txt",
        "LINEAR_GROW, busy-linear-grow.txt",
        "LINEAR_DECREASE, busy-linear-decrease.txt"
    })
    void theTablesOfTheOriginalComeOutToTheLetter(Pattern pattern, String vector) throws IOException {
        List<String> lines = new ArrayList<>();
        lines.addAll(BusyRpsSimulation.of(BusyLaw.recoverRate(3), pattern).table());
        lines.addAll(BusyRpsSimulation.of(BusyLaw.recoverValue(200), pattern).table());
        try (InputStream in = BusyRpsSimulationTest.class.getResourceAsStream("/vectors/" + vector)) {
            String published = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            assertThat(String.join("\n", lines) + "\n").isEqualTo(published);
        }
    }
}
