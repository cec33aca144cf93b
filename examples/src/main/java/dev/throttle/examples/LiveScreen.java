package dev.throttle.examples;

import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * A line for each client that is written over as things change, with a bar for the quota. The server never says how
 * much there could be, so the bar is full at the most that was ever left.
 */
final class LiveScreen implements DemoScreen {

    private static final int BAR = 16;
    private static final long LEAST_SCALE = 10;
    private static final String CLEAR_REST = "\u001b[K";
    private static final String GREEN = "\u001b[32m";
    private static final String RED = "\u001b[31m";
    private static final String PLAIN = "\u001b[0m";

    private final PrintStream out;
    private long mostLeft = LEAST_SCALE;
    private int above;

    LiveScreen(PrintStream out) {
        this.out = out;
    }

    @Override
    public Duration every() {
        return Duration.ofMillis(200);
    }

    @Override
    public void begin(String phase, List<Reading> readings) {
        above = 0;
        mostLeft = LEAST_SCALE;
        out.printf("%n%s%n", phase);
    }

    @Override
    public void show(Duration elapsed, List<Reading> readings) {
        StringBuilder frame = new StringBuilder();
        if (above > 0) {
            frame.append("\u001b[").append(above).append('A');
        }
        for (Reading each : readings) {
            frame.append(line(each)).append(CLEAR_REST).append(System.lineSeparator());
        }
        above = readings.size();
        out.print(frame);
        out.flush();
    }

    private String line(Reading reading) {
        mostLeft = Math.max(mostLeft, reading.remaining());
        int filled = (int) (BAR * reading.remaining() / mostLeft);
        String colour = reading.remaining() == 0 ? RED : GREEN;
        return String.format(
                Locale.ROOT,
                "%-7s %s[%s%s]%s %4d left  sleep %4d ms %5d refused %3d waiting",
                reading.client(),
                colour,
                "#".repeat(filled),
                ".".repeat(BAR - filled),
                PLAIN,
                reading.remaining(),
                reading.sleep().toMillis(),
                reading.refused(),
                reading.waiting());
    }
}
