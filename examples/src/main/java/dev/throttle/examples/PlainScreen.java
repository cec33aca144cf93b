package dev.throttle.examples;

import java.io.PrintStream;
import java.time.Duration;
import java.util.List;

/** A line every second, with a column for each client. */
record PlainScreen(PrintStream out) implements DemoScreen {

    @Override
    public Duration every() {
        return Duration.ofSeconds(1);
    }

    @Override
    public void begin(String phase, List<Reading> readings) {
        out.printf("%n%-12s", phase);
        readings.forEach(each -> out.printf("  | %-7s sleep remaining refused waiting", each.client()));
        out.println();
    }

    @Override
    public void show(Duration elapsed, List<Reading> readings) {
        out.printf("%10d s", (elapsed.toMillis() + 999) / 1000);
        for (Reading each : readings) {
            out.printf(
                    "  | %10d ms %9d %7d %7d",
                    each.sleep().toMillis(), each.remaining(), each.refused(), each.waiting());
        }
        out.println();
    }
}
