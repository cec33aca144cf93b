package dev.throttle.lab;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.throttle.lab.sim.Comparison;
import dev.throttle.lab.sim.Figures;
import java.io.IOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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
            for (Column column : Column.values()) {
                names.add(column.key());
            }
            out.write(String.join(",", names) + "\n");
            for (Comparison.Result result : results) {
                List<String> cells = new ArrayList<>(List.of(result.strategy()));
                for (Column column : Column.values()) {
                    Double value = column.of(result.figures());
                    cells.add(
                            value == null
                                    ? ""
                                    : Numbers.rounded(value, DECIMALS).toPlainString());
                }
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
            for (Column column : Column.values()) {
                Double value = column.of(result.figures());
                if (value == null) {
                    json.writeNullField(column.key());
                } else {
                    json.writeNumberField(column.key(), Numbers.rounded(value, DECIMALS));
                }
            }
            json.writeEndObject();
        }
    };

    private static final int DECIMALS = 6;

    abstract void write(List<Comparison.Result> results, Writer out) throws IOException;

    String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    private static List<List<String>> rows(List<Comparison.Result> results) {
        List<List<String>> rows = new ArrayList<>();
        List<String> titles = new ArrayList<>(List.of("strategy"));
        for (Column column : Column.values()) {
            titles.add(column.title());
        }
        rows.add(titles);
        for (Comparison.Result result : results) {
            List<String> row = new ArrayList<>(List.of(result.strategy()));
            for (Column column : Column.values()) {
                row.add(column.text(result.figures()));
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

    /** The figures in the order they are shown. */
    private enum Column {
        REQUESTS("requests", "requests", 0, 1),
        ACCEPTED("accepted", "accepted", 0, 1),
        RETRY_RATE("retryRate", "retry %", 2, 100),
        MAX_SLEEP("maxSleepSeconds", "max sleep s", 2, 1),
        STDEV("requestCountStdev", "stdev requests", 2, 1),
        JAIN("jain", "jain", 3, 1),
        UTILISATION("utilisation", "used %", 2, 100),
        ELAPSED("elapsedSeconds", "clear s", 2, 1),
        P50_WAIT("p50WaitSeconds", "p50 wait s", 2, 1),
        P99_WAIT("p99WaitSeconds", "p99 wait s", 2, 1),
        SETTLE("settleSeconds", "settle s", 0, 1);

        private final String key;
        private final String title;
        private final int decimals;
        private final int factor;

        Column(String key, String title, int decimals, int factor) {
            this.key = key;
            this.title = title;
            this.decimals = decimals;
            this.factor = factor;
        }

        String key() {
            return key;
        }

        String title() {
            return title;
        }

        @Nullable Double of(Figures figures) {
            return switch (this) {
                case REQUESTS -> figures.requests();
                case ACCEPTED -> figures.accepted();
                case RETRY_RATE -> figures.retryRate();
                case MAX_SLEEP -> figures.maxSleepSeconds();
                case STDEV -> figures.requestCountStdev();
                case JAIN -> figures.jain();
                case UTILISATION -> figures.utilisation();
                case ELAPSED -> figures.elapsedSeconds();
                case P50_WAIT -> figures.p50WaitSeconds();
                case P99_WAIT -> figures.p99WaitSeconds();
                case SETTLE -> figures.settleSeconds();
            };
        }

        String text(Figures figures) {
            Double value = of(figures);
            return value == null ? "-" : Numbers.fixed(value * factor, decimals);
        }
    }
}
