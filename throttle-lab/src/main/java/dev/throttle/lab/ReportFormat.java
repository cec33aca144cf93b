package dev.throttle.lab;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.throttle.lab.sim.Comparison;
import dev.throttle.lab.sim.FigureColumn;
import dev.throttle.lab.sim.Figures;
import dev.throttle.lab.sim.JobFigures;
import dev.throttle.lab.sim.ScopeFigures;
import java.io.IOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** How the figures of a comparison are written. */
enum ReportFormat {
    TABLE {
        @Override
        void write(List<Comparison.Result> results, Writer out) throws IOException {
            List<List<String>> rows = rows(results);
            int[] widths = new int[rows.get(0).size()];
            for (List<String> row : rows) {
                for (int i = 0; i < widths.length; i++) {
                    widths[i] = Math.max(widths[i], row.get(i).length());
                }
            }
            for (List<String> row : rows) {
                StringBuilder line = new StringBuilder(pad(row.get(0), -widths[0]));
                for (int i = 1; i < widths.length; i++) {
                    line.append("  ").append(pad(row.get(i), widths[i]));
                }
                out.write(line.append('\n').toString());
            }
        }
    },
    MARKDOWN {
        @Override
        void write(List<Comparison.Result> results, Writer out) throws IOException {
            List<List<String>> rows = rows(results);
            List<String> rule = new ArrayList<>();
            rule.add("---");
            while (rule.size() < rows.get(0).size()) {
                rule.add("---:");
            }
            rows.add(1, rule);
            for (List<String> row : rows) {
                out.write("| " + String.join(" | ", row) + " |\n");
            }
        }
    },
    CSV {
        @Override
        void write(List<Comparison.Result> results, Writer out) throws IOException {
            List<String> names = new ArrayList<>(List.of("strategy"));
            for (FigureColumn column : FigureColumn.values()) {
                names.add(column.key());
            }
            names.add(BY_PROCESS);
            out.write(String.join(",", names) + "\n");
            for (Comparison.Result result : results) {
                List<String> cells = new ArrayList<>(List.of(result.strategy()));
                for (FigureColumn column : FigureColumn.values()) {
                    Double value = column.of(result.figures());
                    cells.add(
                            value == null
                                    ? ""
                                    : Numbers.rounded(value, DECIMALS).toPlainString());
                }
                JobFigures jobs = result.figures().jobs();
                cells.add(
                        jobs == null
                                ? ""
                                : jobs.byProcess().stream()
                                        .map(seconds -> seconds == null
                                                ? ""
                                                : Numbers.rounded(seconds, DECIMALS)
                                                        .toPlainString())
                                        .collect(Collectors.joining(";")));
                out.write(String.join(",", cells) + "\n");
            }
        }
    },
    JSON {
        @Override
        void write(List<Comparison.Result> results, Writer out) throws IOException {
            try (JsonGenerator json = JsonLines.generator(out)) {
                json.writeStartArray();
                for (Comparison.Result result : results) {
                    json.writeRaw('\n');
                    writeResult(result, json);
                }
                json.writeRaw('\n');
                json.writeEndArray();
                json.writeRaw('\n');
            }
        }

        private void writeResult(Comparison.Result result, JsonGenerator json) throws IOException {
            json.writeStartObject();
            json.writeStringField("strategy", result.strategy());
            for (FigureColumn column : FigureColumn.values()) {
                writeNumber(column.key(), column.of(result.figures()), json);
            }
            writeByProcess(result.figures().jobs(), json);
            if (!result.figures().byScope().isEmpty()) {
                writeByScope(result.figures().byScope(), json);
            }
            json.writeEndObject();
        }

        private void writeByScope(Map<String, ScopeFigures> byScope, JsonGenerator json) throws IOException {
            json.writeObjectFieldStart("byScope");
            for (Map.Entry<String, ScopeFigures> entry : byScope.entrySet()) {
                ScopeFigures figures = entry.getValue();
                json.writeObjectFieldStart(entry.getKey());
                writeNumber("accepted", figures.accepted(), json);
                writeNumber("refused", figures.refused(), json);
                writeNumber("jobSeconds", figures.jobSeconds(), json);
                writeNumber("idealSeconds", figures.idealSeconds(), json);
                writeNumber("slowdown", figures.slowdown(), json);
                json.writeEndObject();
            }
            json.writeEndObject();
        }

        private void writeNumber(String name, @Nullable Double value, JsonGenerator json) throws IOException {
            if (value == null) {
                json.writeNullField(name);
            } else {
                json.writeNumberField(name, Numbers.rounded(value, DECIMALS));
            }
        }

        private void writeByProcess(@Nullable JobFigures jobs, JsonGenerator json) throws IOException {
            json.writeFieldName(BY_PROCESS);
            if (jobs == null) {
                json.writeNull();
                return;
            }
            json.writeStartArray();
            for (Double seconds : jobs.byProcess()) {
                if (seconds == null) {
                    json.writeNull();
                } else {
                    json.writeNumber(Numbers.rounded(seconds, DECIMALS));
                }
            }
            json.writeEndArray();
        }
    };

    private static final String BY_PROCESS = "jobSecondsByProcess";

    private static final int DECIMALS = 6;

    abstract void write(List<Comparison.Result> results, Writer out) throws IOException;

    private static List<List<String>> rows(List<Comparison.Result> results) {
        List<List<String>> rows = new ArrayList<>();
        List<String> titles = new ArrayList<>(List.of("strategy"));
        List<FigureColumn> columns = Arrays.stream(FigureColumn.values())
                .filter(column -> results.stream().anyMatch(result -> column.isShown(result.figures())))
                .toList();
        for (FigureColumn column : columns) {
            titles.add(column.title());
        }
        rows.add(titles);
        for (Comparison.Result result : results) {
            List<String> row = new ArrayList<>(List.of(result.strategy()));
            for (FigureColumn column : columns) {
                row.add(text(column, result.figures()));
            }
            rows.add(row);
        }
        return rows;
    }

    /** Pads on the left, or on the right if the width is negative. */
    private static String pad(String text, int width) {
        String blanks = " ".repeat(Math.max(0, Math.abs(width) - text.length()));
        return width < 0 ? text + blanks : blanks + text;
    }

    private static String text(FigureColumn column, Figures figures) {
        Double value = column.of(figures);
        return value == null ? "-" : Numbers.fixed(value * column.factor(), column.decimals());
    }
}
