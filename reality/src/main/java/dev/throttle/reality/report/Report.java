package dev.throttle.reality.report;

import static java.util.stream.Collectors.groupingBy;

import dev.throttle.reality.Cell;
import dev.throttle.reality.Kind;
import dev.throttle.reality.Product;
import dev.throttle.reality.Result;
import dev.throttle.reality.Result.Figure;
import dev.throttle.reality.load.ClientKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Results as Markdown: a chapter for each kind of product, a row for each product and cell, and its bar. */
public final class Report {

    /** The tables of a chapter: which cells are in it, and what a result looks like there. */
    private enum Table {
        JOBS("Jobs: refused % / × ideal / calls without success"),
        OPEN("Random calls: p50 / p99 in ms / refused % / calls without success"),
        SHARED("Several processes: Jain's index / refused % / used %"),
        DISTURBED(
                "A server that is away: calls without success / first success after s / rest × / in vain of in flight");

        private final String title;

        Table(String title) {
            this.title = title;
        }

        static Table of(Cell cell) {
            if (cell.isOpen()) {
                return OPEN;
            }
            if (cell.isShared()) {
                return SHARED;
            }
            return cell.isDisturbed() ? DISTURBED : JOBS;
        }

        String text(Result result) {
            return switch (this) {
                case JOBS -> join(number(result.refusedPercent()), two(result.slowdown()), number(result.lost()));
                case OPEN ->
                    join(
                            number(Math.rint(result.get(Figure.P50_MS))),
                            number(Math.rint(result.get(Figure.P99_MS))),
                            number(result.refusedPercent()),
                            number(result.lost()));
                case SHARED ->
                    join(
                            String.format(Locale.ROOT, "%.3f", result.get(Figure.JAIN)),
                            number(result.refusedPercent()),
                            number(Math.rint(result.get(Figure.USED_PERCENT))));
                case DISTURBED ->
                    join(
                            number(result.lost()),
                            number(result.get(Figure.FIRST_SUCCESS_SECONDS)),
                            two(result.get(Figure.REST_SLOWDOWN)),
                            number(result.get(Figure.IN_VAIN)) + " of " + number(result.get(Figure.IN_FLIGHT)));
            };
        }

        private static String join(String... parts) {
            return String.join(" / ", parts);
        }
    }

    private static final double MEAN_SLOWDOWN_OF_TOLD_WINDOWS = 1.05;

    /** Product and cell. */
    private record Row(Product product, Cell cell) {}

    private final List<Product> products;
    private final Map<Row, Map<ClientKind, Result>> rows = new LinkedHashMap<>();
    private final List<Result> results;
    private final StringBuilder out = new StringBuilder();
    private int met;
    private int missed;

    private Report(List<Product> products, List<Result> results) {
        this.products = products;
        this.results = results;
    }

    /**
     * {@return the page}
     *
     * @param products the catalogue, in its order
     * @param results of any of them
     */
    public static String markdown(List<Product> products, List<Result> results) {
        return new Report(products, results).markdown();
    }

    private String markdown() {
        for (Product product : products) {
            for (Cell cell : Cell.values()) {
                Map<ClientKind, Result> clients = new EnumMap<>(ClientKind.class);
                results.stream()
                        .filter(each -> each.product().equals(product.name())
                                && each.cell().equals(cell.text()))
                        .collect(groupingBy(Result::client))
                        .forEach((client, runs) ->
                                clients.put(ClientKind.valueOf(client.toUpperCase(Locale.ROOT)), Means.of(runs)));
                if (!clients.isEmpty()) {
                    rows.put(new Row(product, cell), clients);
                }
            }
        }
        StringBuilder chapters = new StringBuilder();
        for (Kind kind : Kind.values()) {
            List<Row> ofKind = rows.keySet().stream()
                    .filter(row -> row.product().kind() == kind)
                    .toList();
            if (!ofKind.isEmpty()) {
                chapter(kind, ofKind);
            }
        }
        chapters.append(out);
        out.setLength(0);
        head();
        out.append(chapters);
        versions();
        return out.toString();
    }

    private void head() {
        line("# Real servers");
        line("");
        line("What Throttle does against rate limiters that other people wrote, with default settings, and what other"
                + " clients do there. [How to run it, and what the words mean](../reality.md). This page is written by"
                + " the command that is named there.");
        line("");
        line("Measured on " + distinct(Result::date) + ", on a machine with " + machines() + ". " + results.size()
                + " runs. Bars are met in " + met + " of " + (met + missed) + " rows.");
        line("");
        line("- **OkHttp** and **JDK** are Throttle. A bar is met if both of them meet it. Where a cell ran more than"
                + " once, figures are means.");
        line(
                "- **backoff**: full jitter from 200 ms to 60 s, `Retry-After` obeyed, 8 retries. **greedy**: at full speed"
                        + " until nothing remains, then waits for the reset. **resilience4j**: its RateLimiter, which is told the"
                        + " server's limit, and retries.");
        line("- **× ideal** is the time of a job over the least time that the limit allows.");
        line("");
    }

    private String distinct(Function<Result, String> part) {
        return results.stream().map(part).distinct().sorted().collect(Collectors.joining(", "));
    }

    private String machines() {
        TreeSet<String> cores = results.stream()
                .map(result -> result.machine().replaceAll(",.*", ""))
                .collect(Collectors.toCollection(TreeSet::new));
        double[] loads = results.stream()
                .mapToDouble(result -> Double.parseDouble(result.machine().replaceAll(".*load ", "")))
                .sorted()
                .toArray();
        return String.join(", ", cores)
                + String.format(
                        Locale.ROOT,
                        " and a load average of %.1f to %.1f (median %.1f)",
                        loads[0],
                        loads[loads.length - 1],
                        loads[loads.length / 2]);
    }

    private void chapter(Kind kind, List<Row> ofKind) {
        line("## " + kind.title());
        line("");
        for (Table table : Table.values()) {
            List<Row> ofTable = ofKind.stream()
                    .filter(row -> Table.of(row.cell()) == table)
                    .sorted(Comparator.comparing(Row::cell))
                    .toList();
            if (ofTable.isEmpty()) {
                continue;
            }
            line(table.title + "\n");
            List<ClientKind> clients = Arrays.stream(ClientKind.values())
                    .filter(client ->
                            ofTable.stream().anyMatch(row -> results(row).containsKey(client)))
                    .toList();
            line("| | server | " + clients.stream().map(Report::name).collect(Collectors.joining(" | "))
                    + " | bar | |");
            line("|---|---|" + "---:|".repeat(clients.size()) + "---|---|");
            for (Row row : ofTable) {
                row(table, row, clients);
            }
            boolean hasMean = ofTable.stream().anyMatch(row -> row.cell() == Cell.JOB_8);
            if (kind == Kind.TOLD_WINDOW && table == Table.JOBS && hasMean) {
                mean(ofTable, clients);
            }
            line("");
        }
    }

    private static String name(ClientKind client) {
        return switch (client) {
            case OKHTTP -> "OkHttp";
            case JDK -> "JDK";
            default -> client.text();
        };
    }

    private Map<ClientKind, Result> results(Row row) {
        return rows.getOrDefault(row, Map.of());
    }

    private void row(Table table, Row row, List<ClientKind> clients) {
        Bar bar = Bar.of(row.product().kind(), row.cell());
        List<String> cells =
                new ArrayList<>(List.of(row.cell().title(), "`" + row.product().name() + "`"));
        List<String> wrong = new ArrayList<>();
        boolean judged = false;
        for (ClientKind client : clients) {
            Result result = results(row).get(client);
            cells.add(result == null ? "" : table.text(result));
            if (result != null && client.isThrottle()) {
                judged = true;
                bar.wrong(result).forEach(each -> wrong.add(each + " (" + name(client) + ")"));
            }
        }
        cells.add(bar.text());
        cells.add(judged ? verdict(wrong) : "");
        line("| " + String.join(" | ", cells) + " |");
    }

    private String verdict(List<String> wrong) {
        if (wrong.isEmpty()) {
            met++;
            return "met";
        }
        missed++;
        return "**missed**: " + String.join(", ", wrong);
    }

    /** Of the jobs of 8 callers over all servers: each alone may be slower than the mean. */
    private void mean(List<Row> ofTable, List<ClientKind> clients) {
        List<String> cells = new ArrayList<>(List.of(Cell.JOB_8.title(), "mean"));
        List<String> wrong = new ArrayList<>();
        for (ClientKind client : clients) {
            List<Result> all = ofTable.stream()
                    .filter(row -> row.cell() == Cell.JOB_8)
                    .map(row -> results(row).get(client))
                    .filter(Objects::nonNull)
                    .toList();
            double slowdown =
                    all.stream().mapToDouble(Result::slowdown).average().orElse(Double.NaN);
            double refused =
                    all.stream().mapToDouble(Result::refusedPercent).average().orElse(Double.NaN);
            cells.add(all.isEmpty() ? "" : number(refused) + " / " + two(slowdown));
            if (client.isThrottle() && slowdown > MEAN_SLOWDOWN_OF_TOLD_WINDOWS) {
                wrong.add("× " + two(slowdown) + " (" + name(client) + ")");
            }
        }
        cells.add("× ≤ " + number(MEAN_SLOWDOWN_OF_TOLD_WINDOWS));
        cells.add(verdict(wrong));
        line("| " + String.join(" | ", cells) + " |");
    }

    private void versions() {
        line("## The servers");
        line("");
        line("| server | what it is | version |");
        line("|---|---|---|");
        List<String> without = new ArrayList<>();
        for (Product product : products) {
            String version = results.stream()
                    .filter(result -> result.product().equals(product.name()))
                    .map(Result::version)
                    .distinct()
                    .collect(Collectors.joining(", "));
            if (version.isEmpty()) {
                without.add("`" + product.name() + "`");
            } else {
                line("| `" + product.name() + "` | " + product.description() + " | " + version + " |");
            }
        }
        if (!without.isEmpty()) {
            line("");
            line("Not measured: " + String.join(", ", without) + ".");
        }
    }

    private static String number(double value) {
        return Double.isNaN(value) ? "–" : Bar.number(value);
    }

    private static String two(double value) {
        return Double.isNaN(value) ? "–" : String.format(Locale.ROOT, "%.2f", value);
    }

    private void line(String text) {
        out.append(text).append('\n');
    }
}
