package dev.throttle.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The demo of two JVMs, shortened. */
@Timeout(900)
@Tag("slow")
class FleetDemoTest {

    @Test
    void twoJvmsFindEachOtherAndBothSend() throws Exception {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
        List<FleetDemoJvm.Row> rows = FleetDemo.runWithOwnRedis(Duration.ZERO, Duration.ofMillis(500), out);
        assertThat(rows).extracting(FleetDemoJvm.Row::name).containsExactly("first", "second");
        assertThat(rows).allSatisfy(row -> {
            assertThat(row.requests()).isPositive();
            assertThat(row.refused()).isLessThan(row.requests());
        });
        assertThat(printed.toString(StandardCharsets.UTF_8).lines())
                .anyMatch(line -> line.startsWith("first") && line.contains(FleetDemoProcess.TWO))
                .anyMatch(line -> line.startsWith("second") && line.contains(FleetDemoProcess.TWO));
    }
}
