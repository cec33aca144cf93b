package dev.throttle.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DemoScreenTest {

    private static final String ESCAPE = "\u001b[";

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);

    private String next(DemoScreen screen, int second, long remaining) {
        printed.reset();
        screen.show(
                Duration.ofSeconds(second),
                List.of(
                        new DemoScreen.Reading("okhttp", remaining, Duration.ofMillis(80), 3, 4),
                        new DemoScreen.Reading("jdk", 0, Duration.ofMillis(90), 5, 5)));
        return printed.toString(StandardCharsets.UTF_8);
    }

    @Test
    void onATerminalEachClientHasALineThatIsWrittenOver() {
        DemoScreen screen = new LiveScreen(out);
        screen.begin("throttled", List.of());
        assertThat(next(screen, 1, 5)).hasLineCount(2).doesNotContain(ESCAPE + "2A");
        assertThat(next(screen, 2, 6)).hasLineCount(2).startsWith(ESCAPE + "2Aokhttp");
        screen.begin("next", List.of());
        assertThat(next(screen, 1, 5)).doesNotContain(ESCAPE + "2A");
    }

    @Test
    void theBarIsFullAtTheMostThatWasEverLeft() {
        DemoScreen screen = new LiveScreen(out);
        screen.begin("throttled", List.of());
        assertThat(next(screen, 1, 40)).contains("[" + "#".repeat(16) + "]").contains("[" + ".".repeat(16) + "]");
        assertThat(next(screen, 2, 20)).contains("[" + "#".repeat(8) + ".".repeat(8) + "]");
        assertThat(next(screen, 3, 80)).contains("[" + "#".repeat(16) + "]");
        assertThat(next(screen, 4, 40)).contains("[" + "#".repeat(8) + ".".repeat(8) + "]");
    }

    @Test
    void aLineFitsInEightyColumns() {
        DemoScreen screen = new LiveScreen(out);
        assertThat(next(screen, 1200, 4500)
                        .replaceAll("\u001b\\[[0-9]*[A-Zm]", "")
                        .lines())
                .allSatisfy(line -> assertThat(line.strip()).hasSizeLessThan(80));
    }

    @Test
    void elsewhereThereAreLinesWithoutAnythingSpecial() {
        DemoScreen screen = new PlainScreen(out);
        assertThat(next(screen, 1, 5)).hasLineCount(1).doesNotContain("\u001b").doesNotContain("\r");
    }

    @Test
    void linesAreWrittenOverOnlyWhereThatWorksAndIsLiked() {
        assertThat(DemoScreen.movesTheCursor(true, Map.of("TERM", "xterm"))).isTrue();
        assertThat(DemoScreen.movesTheCursor(true, Map.of("TERM", "xterm", "NO_COLOR", "")))
                .isTrue();
        assertThat(DemoScreen.movesTheCursor(false, Map.of("TERM", "xterm"))).isFalse();
        assertThat(DemoScreen.movesTheCursor(true, Map.of("TERM", "dumb"))).isFalse();
        assertThat(DemoScreen.movesTheCursor(true, Map.of())).isFalse();
        assertThat(DemoScreen.movesTheCursor(true, Map.of("TERM", "xterm", "NO_COLOR", "1")))
                .isFalse();
    }
}
