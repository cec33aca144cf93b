package dev.throttle.lab.watch;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.throttle.lab.watch.PrometheusText.Reading;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What a scrape said of the throttles, as JSON for the page: of each key the lines of each chart. */
final class Sample {

    /** A page with more of them would show nothing any more. */
    private static final int MOST_KEYS = 50;

    private static final JsonFactory FACTORY = new JsonFactory();

    private Sample() {}

    private record Key(String throttle, String key) {}

    /** Where a metric is drawn: in which chart, and as which line; null for a line of each value of a label. */
    private record Place(
            String chart, @Nullable String line, @Nullable String label) {

        String line(Map<String, String> labels) {
            return line != null ? line : labels.getOrDefault(label, "unnamed");
        }
    }

    private static final Map<String, Place> PLACES = Map.of(
            "throttle_quota_remaining_units", new Place("quota", null, "policy"),
            "throttle_sleep_seconds", new Place("sleep", "sleep", null),
            "throttle_blocked_seconds", new Place("sleep", "gate closed", null),
            "throttle_waiting_callers", new Place("queue", "waiting", null),
            "throttle_inflight_requests", new Place("queue", "on the wire", null),
            "throttle_requests_total", new Place("requests", null, "outcome"));

    /** {@return a scrape that succeeded} */
    static String of(long epochMillis, String metrics) {
        Map<Key, Map<String, Map<String, Double>>> throttles = new LinkedHashMap<>();
        for (Reading reading : PrometheusText.parse(metrics, "throttle_")) {
            Place place = PLACES.get(reading.name());
            if (place != null) {
                Map<String, String> labels = reading.labels();
                Key key = new Key(labels.getOrDefault("throttle", ""), labels.getOrDefault("key", ""));
                if (throttles.size() < MOST_KEYS || throttles.containsKey(key)) {
                    throttles
                            .computeIfAbsent(key, unused -> new TreeMap<>())
                            .computeIfAbsent(place.chart(), unused -> new TreeMap<>())
                            .merge(place.line(labels), reading.value(), Double::sum);
                }
            }
        }
        return json(epochMillis, null, throttles);
    }

    /** {@return a scrape that failed} */
    static String failed(long epochMillis, String why) {
        return json(epochMillis, why, Map.of());
    }

    private static String json(
            long epochMillis, @Nullable String error, Map<Key, Map<String, Map<String, Double>>> throttles) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = FACTORY.createGenerator(text)) {
            json.writeStartObject();
            json.writeNumberField("at", epochMillis / 1000.0);
            json.writeStringField("error", error);
            json.writeArrayFieldStart("throttles");
            for (Map.Entry<Key, Map<String, Map<String, Double>>> each : throttles.entrySet()) {
                json.writeStartObject();
                json.writeStringField("throttle", each.getKey().throttle());
                json.writeStringField("key", each.getKey().key());
                charts(json, each.getValue());
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e); // text in memory
        }
        return text.toString();
    }

    private static void charts(JsonGenerator json, Map<String, Map<String, Double>> charts) throws IOException {
        for (Map.Entry<String, Map<String, Double>> chart : charts.entrySet()) {
            json.writeObjectFieldStart(chart.getKey());
            for (Map.Entry<String, Double> line : chart.getValue().entrySet()) {
                json.writeNumberField(line.getKey(), line.getValue());
            }
            json.writeEndObject();
        }
    }
}
