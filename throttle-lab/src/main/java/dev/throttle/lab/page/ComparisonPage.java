package dev.throttle.lab.page;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.throttle.lab.chart.ScenarioText;
import dev.throttle.lab.sim.Comparison;
import dev.throttle.lab.sim.FigureColumn;
import dev.throttle.lab.sim.ProcessRecord;
import dev.throttle.lab.sim.RunRecord;
import java.io.IOException;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A comparison as one HTML file: the figures in a table to sort, and charts to look into. */
public final class ComparisonPage {

    /** Where seconds read better than minutes. */
    private static final long SHORT_NANOS = 300_000_000_000L;

    private static final double SECOND_NANOS = 1e9;
    private static final double MINUTE_NANOS = 60e9;

    private static final int MOST_PROCESSES = 24;
    private static final MathContext DIGITS = new MathContext(4);
    private static final MathContext FIGURE_DIGITS = new MathContext(10);

    private final List<Comparison.Result> results;
    private final int runs;
    private final double unitNanos;
    private final double sliceNanos;

    private ComparisonPage(List<Comparison.Result> results, int runs) {
        this.results = results;
        this.runs = runs;
        long end = results.stream()
                .mapToLong(result -> trace(result).endedAt())
                .max()
                .orElse(1);
        this.unitNanos = end < SHORT_NANOS ? SECOND_NANOS : MINUTE_NANOS;
        this.sliceNanos = Math.max(1, (double) end / Timeline.SLICES);
    }

    /**
     * Writes results as a page.
     *
     * @param results one or more, with traces
     * @param runs of how many runs the figures are the means
     * @param file the file to write
     * @throws IOException if it cannot be written
     */
    public static void save(List<Comparison.Result> results, int runs, Path file) throws IOException {
        Files.writeString(file, new ComparisonPage(results, runs).html());
    }

    private static RunRecord trace(Comparison.Result result) {
        return Objects.requireNonNull(result.trace(), "the runs were not traced");
    }

    private String html() throws IOException {
        var scenario = trace(results.get(0)).scenario();
        String means = runs == 1 ? "" : ". Figures are means over " + runs + " runs";
        return PageTemplate.fill(
                "compare.html",
                Map.of(
                        "title", PageTemplate.escaped(ScenarioText.title(scenario.server())),
                        "details", PageTemplate.escaped(ScenarioText.details(scenario) + means + "."),
                        "data", PageTemplate.embedded(data())));
    }

    private String data() throws IOException {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
            boolean minutes = unitNanos == MINUTE_NANOS;
            int processes = results.stream()
                    .mapToInt(result -> trace(result).processes().size())
                    .max()
                    .orElse(0);
            json.writeStartObject();
            json.writeStringField("timeUnit", minutes ? "min" : "s");
            json.writeStringField("rateUnit", minutes ? "min" : "s");
            json.writeNumberField("mostProcesses", MOST_PROCESSES);
            json.writeBooleanField("moreProcesses", processes > MOST_PROCESSES);
            write(json, "x", middles());
            columns(json);
            json.writeArrayFieldStart("strategies");
            for (Comparison.Result result : results) {
                strategy(json, result);
            }
            json.writeEndArray();
            json.writeEndObject();
        }
        return text.toString();
    }

    private double[] middles() {
        double[] middles = new double[Timeline.SLICES];
        Arrays.setAll(middles, i -> (i + 0.5) * sliceNanos / unitNanos);
        return middles;
    }

    private void columns(JsonGenerator json) throws IOException {
        json.writeArrayFieldStart("columns");
        for (FigureColumn column : FigureColumn.values()) {
            if (results.stream().anyMatch(result -> column.isShown(result.figures()))) {
                json.writeStartObject();
                json.writeStringField("key", column.key());
                json.writeStringField("title", column.title());
                json.writeStringField("meaning", column.meaning());
                json.writeNumberField("decimals", column.decimals());
                json.writeNumberField("factor", column.factor());
                json.writeEndObject();
            }
        }
        json.writeEndArray();
    }

    private void strategy(JsonGenerator json, Comparison.Result result) throws IOException {
        RunRecord run = trace(result);
        Timeline timeline = new Timeline(run, sliceNanos);
        json.writeStartObject();
        json.writeStringField("name", result.strategy());
        json.writeObjectFieldStart("figures");
        for (FigureColumn column : FigureColumn.values()) {
            Double value = column.of(result.figures());
            json.writeFieldName(column.key());
            write(json, value == null ? Double.NaN : value, FIGURE_DIGITS);
        }
        json.writeEndObject();
        write(json, "sleep", timeline.sleeps());
        write(json, "remaining", timeline.remaining());
        write(json, "accepted", timeline.accepted(unitNanos));
        write(json, "refused", timeline.refused(unitNanos));
        json.writeArrayFieldStart("processes");
        List<ProcessRecord> processes = run.processes();
        for (ProcessRecord process : processes.subList(0, Math.min(MOST_PROCESSES, processes.size()))) {
            write(json, timeline.sleeps(process));
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void write(JsonGenerator json, String name, double[] values) throws IOException {
        json.writeFieldName(name);
        write(json, values);
    }

    private static void write(JsonGenerator json, double[] values) throws IOException {
        json.writeStartArray();
        for (double value : values) {
            write(json, value, DIGITS);
        }
        json.writeEndArray();
    }

    private static void write(JsonGenerator json, double value, MathContext digits) throws IOException {
        if (Double.isNaN(value)) {
            json.writeNull();
        } else {
            json.writeNumber(new BigDecimal(value).round(digits).stripTrailingZeros());
        }
    }
}
