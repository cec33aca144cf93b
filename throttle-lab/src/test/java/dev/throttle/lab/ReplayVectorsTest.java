package dev.throttle.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the originals did with recorded traffic, replayed: every sleep, however long. */
class ReplayVectorsTest {

    private static final double RELATIVE_ERROR = 1e-9;
    private static final Path VECTORS = Path.of("..", "throttle-core", "src", "test", "resources", "vectors");

    private static List<Map<String, Object>> vectors(String name) throws IOException {
        String line = "{\"all\":" + Files.readString(VECTORS.resolve(name)).replace('\n', ' ') + "}\n";
        return maps(new JsonLines(new ByteArrayInputStream(line.getBytes(StandardCharsets.UTF_8)))
                .next()
                .get("all"));
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> maps(Object value) {
        return (List<Map<String, Object>>) value;
    }

    private static Replay.Step next(Replay replay, int status, Object remaining) {
        return replay.next(
                RecordedResponse.of(
                        Map.of("status", status, "headers", Map.of("RateLimit-Remaining", String.valueOf(remaining)))),
                null);
    }

    private static void assertClose(double actual, Object expected, Object where) {
        double value = ((Number) expected).doubleValue();
        assertThat(Math.abs(actual - value))
                .as("%s: %s instead of %s", where, actual, value)
                .isLessThanOrEqualTo(value * RELATIVE_ERROR);
    }

    @Test
    void theHerokuStrategiesSleepAsTheOriginals() throws IOException {
        int checked = 0;
        for (Map<String, Object> vector : vectors("heroku-strategies.json")) {
            String strategy = (String) vector.get("strategy");
            Map<String, String> settings = new LinkedHashMap<>(Map.of("maxSleep", "forever"));
            ((Map<?, ?>) vector.get("config")).forEach((key, value) -> {
                if (value != null) {
                    boolean duration = key.toString().endsWith("Sleep") || key.equals("decrease");
                    settings.put(key.toString(), value + (duration ? "s" : ""));
                }
            });
            Replay replay =
                    new Replay(Contestant.configured(strategy, settings, false).strategy(), false, 1);
            for (Map<String, Object> call : maps(vector.get("calls"))) {
                List<Object> slept = new ArrayList<>((List<?>) call.get("slept"));
                if (strategy.equals("exponential-backoff")) {
                    slept.add(0, 0.0); // there a sleep follows the response that caused it
                }
                int i = 0;
                Replay.Step step = null;
                for (Map<String, Object> response : maps(call.get("responses"))) {
                    step = next(replay, ((Number) response.get("status")).intValue(), response.get("remaining"));
                    assertClose(step.beforeSeconds(), slept.get(i++), vector.get("id"));
                    checked++;
                }
                assertThat(step).isNotNull();
                assertClose(step.sleepSeconds(), call.get("sleepForAfter"), vector.get("id"));
            }
        }
        assertThat(checked).isGreaterThan(24 * 40);
    }

    @Test
    void theResponsiveSleeperSleepsAsTheOriginal() throws IOException {
        for (Map<String, Object> vector : vectors("autosleeper.json")) {
            Map<String, String> settings = new LinkedHashMap<>();
            settings.put("initialInterval", vector.get("initialIntervalNanos") + "ns");
            settings.put("maxInterval", vector.get("maxIntervalNanos") + "ns");
            for (String key : List.of("upMultiplier", "downMultiplier", "downMultiplierThreshold")) {
                settings.put(key, String.valueOf(vector.get(key)));
            }
            Replay replay = new Replay(
                    Contestant.configured("responsive-backoff", settings, false).strategy(), false, 1);
            Object before = 0;
            for (Map<String, Object> step : maps(vector.get("steps"))) {
                Replay.Step replayed = next(replay, step.get("success").equals(true) ? 200 : 429, 0);
                assertClose(replayed.beforeSeconds() * 1e9, before, vector.get("id"));
                assertClose(replayed.sleepSeconds() * 1e9, step.get("intervalNanos"), vector.get("id"));
                before = step.get("sleptNanos");
            }
        }
    }
}
