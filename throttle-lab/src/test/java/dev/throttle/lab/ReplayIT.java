package dev.throttle.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.image.BufferedImage;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReplayIT {

    private static final String WINNER = "exponential-increase-proportional-remaining-decrease";
    private static final int MILLION = 1_000_000;

    @Test
    void eachResponseGivesTheSleepsBeforeAndAfter() {
        Jar.Result result = Jar.run("""
                {"status":429,"headers":{"RateLimit-Remaining":"0"}}
                {"status":429,"headers":{"RateLimit-Remaining":"0"}}

                {"status":200,"headers":{"RateLimit-Remaining":"2250"}}
                {"status":200,"headers":{"RateLimit-Remaining":["4500"]}}
                {"status":200}
                """, "replay", "--strategy", WINNER);

        assertThat(result.err()).isEmpty();
        assertThat(result.status()).isZero();
        assertThat(result.lines())
                .containsExactly(
                        "{\"beforeSeconds\":0,\"sleepSeconds\":0.96,\"refused\":true}",
                        "{\"beforeSeconds\":0.8,\"sleepSeconds\":2.112,\"refused\":true}",
                        "{\"beforeSeconds\":1.76,\"sleepSeconds\":1.056,\"refused\":false}",
                        "{\"beforeSeconds\":1.056,\"sleepSeconds\":0,\"refused\":false}",
                        "{\"beforeSeconds\":0,\"sleepSeconds\":0,\"refused\":false}");
    }

    @Test
    void settingsReachTheStrategy() {
        Jar.Result result = Jar.run(
                "{\"status\":429}\n{\"status\":429}\n",
                "replay",
                "--strategy",
                WINNER,
                "--set",
                "multiplier=3",
                "--set",
                "minSleep=1s",
                "--set",
                "startingSleep=500ms");

        assertThat(result.lines())
                .containsExactly(
                        "{\"beforeSeconds\":0.5,\"sleepSeconds\":4.5,\"refused\":true}",
                        "{\"beforeSeconds\":1.5,\"sleepSeconds\":16.5,\"refused\":true}");
    }

    @Test
    void jitterOnlyAddsAndComesFromTheSeed() {
        String input = "{\"status\":429}\n{\"status\":200}\n";
        String[] args = {"replay", "--strategy", WINNER, "--jitter", "on", "--seed", "7"};

        Jar.Result result = Jar.run(input, args);

        String before = result.lines().get(1).replaceAll(".*beforeSeconds\":([0-9.]+),.*", "$1");
        assertThat(Double.parseDouble(before)).isBetween(0.8, 0.88).isNotEqualTo(0.8);
        assertThat(Jar.runWarm(input, args)).isEqualTo(result);
    }

    @Test
    void timesOfTheRecordMoveTheTime() {
        Jar.Result result = Jar.run("""
                {"status":429,"headers":{"Retry-After":"30"},"at":0}
                {"status":200,"at":60.5}
                {"status":429,"headers":[["Retry-After","5"]],"at":70}
                {"status":200,"at":71}
                """, "replay", "--strategy", "none");

        assertThat(result.lines())
                .extracting(line -> line.replaceAll(".*beforeSeconds\":([0-9.]+),.*", "$1"))
                .containsExactly("0", "30", "0", "5");
    }

    @Test
    void nothingComesOfNothing() {
        assertThat(Jar.run("", "replay", "--strategy", WINNER)).isEqualTo(new Jar.Result(0, "", ""));
        assertThat(Jar.runWarm("\n \n", "replay", "--strategy", WINNER)).isEqualTo(new Jar.Result(0, "", ""));
    }

    @Test
    void brokenJsonIsToldByItsLine() {
        for (String broken : new String[] {
            "{\"status\":429",
            "[]",
            "nonsense",
            "{\"status\":200} {}",
            "{\"status\":\"200\"}",
            "{}",
            "{\"status\":7}",
            "{\"status\":200,\"headers\":7}",
            "{\"status\":200,\"headers\":[\"a\"]}",
            "{\"status\":200,\"at\":-1}",
            "{\"status\":200,\"status\":429}",
            "{\"status\":200,\"headers\":{\"a\":{}}}"
        }) {
            Jar.Result result = Jar.runWarm(
                    "{\"status\":200}\n\n" + broken + "\n{\"status\":200}\n", "replay", "--strategy", "none");

            assertThat(result.status()).as(broken).isEqualTo(1);
            assertThat(result.lines()).hasSize(1);
            assertThat(result.err()).contains("line 3").hasLineCount(1);
        }
    }

    @Test
    void aReaderThatHasGoneEndsItQuietly() throws IOException {
        String input = "{\"status\":200,\"headers\":{\"RateLimit-Remaining\":\"10\"}}\n".repeat(50_000);
        Process process = Jar.start("replay", "--strategy", WINNER).start();
        Thread feeder = new Thread(() -> Jar.feed(process, input));
        feeder.start();
        BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));

        assertThat(out.readLine()).startsWith("{\"beforeSeconds\":0,");
        out.close();

        assertThat(Jar.await(process)).isZero();
        assertThat(process.getErrorStream().readAllBytes()).isEmpty();
    }

    @Tag("slow")
    @Test
    void aMillionLinesStreamThroughLittleMemory(@TempDir Path folder) throws Exception {
        Path chart = folder.resolve("replay.png");
        Process process = Jar.start("replay", "--strategy", WINNER, "--chart", chart.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        Thread feeder = new Thread(() -> {
            StringBuilder input = new StringBuilder();
            for (int i = 0; i < MILLION; i++) {
                input.append(i % 50 == 0 ? "{\"status\":429,\"headers\":" : "{\"status\":200,\"headers\":")
                        .append("{\"RateLimit-Remaining\":\"")
                        .append(i % 4500)
                        .append("\"}}\n");
            }
            Jar.feed(process, input.toString());
        });
        feeder.start();
        long lines;
        try (BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            lines = out.lines().count();
        }

        assertThat(Jar.await(process)).isZero();
        assertThat(lines).isEqualTo(MILLION);
        BufferedImage image = ImageIO.read(chart.toFile());
        assertThat(colours(image)).contains(0xFF2F5FD0, 0xFFD23B3B);
    }

    private static java.util.Set<Integer> colours(BufferedImage image) {
        java.util.Set<Integer> colours = new java.util.HashSet<>();
        for (int x = 0; x < image.getWidth(); x++) {
            for (int y = 0; y < image.getHeight(); y++) {
                colours.add(image.getRGB(x, y));
            }
        }
        return colours;
    }
}
