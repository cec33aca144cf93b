package dev.throttle.reality.report;

import dev.throttle.reality.Cell;
import dev.throttle.reality.Kind;
import dev.throttle.reality.Result;
import dev.throttle.reality.Result.Figure;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What must hold for a kind of product in a cell. In all of them no call may fail.
 *
 * @param checks what else
 */
record Bar(List<Check> checks) {

    private static final double LONGEST_FIRST_SUCCESS = 2;
    private static final double MOST_IN_VAIN = 8;

    private static final double LARGEST_P99_MS = 1500;
    private static final double LEAST_JAIN = 0.95;

    /** One condition. */
    interface Check {

        /** {@return the condition in a few words} */
        String text();

        /** {@return what is wrong with a result in a few words, empty if nothing is} */
        String wrong(Result result);
    }

    private record AtMost(String name, double bound, Value value, String unit) implements Check {

        @Override
        public String text() {
            return name + " ≤ " + number(bound) + unit;
        }

        @Override
        public String wrong(Result result) {
            double actual = value.of(result);
            // Where a figure is missing, calls were lost, which is wrong already.
            return Double.isNaN(actual) || actual <= bound ? "" : name + " " + number(actual) + unit;
        }
    }

    private interface Value {
        double of(Result result);
    }

    /** {@return the bar of a kind in a cell} */
    static Bar of(Kind kind, Cell cell) {
        List<Check> checks = new ArrayList<>();
        if (cell.isDisturbed()) {
            checks.add(new AtMost(
                    "first success after",
                    LONGEST_FIRST_SUCCESS,
                    result -> result.get(Figure.FIRST_SUCCESS_SECONDS) - result.get(Figure.TOLD_WAIT_SECONDS),
                    " s"));
            checks.add(new AtMost("rest ×", 1.05, result -> result.get(Figure.REST_SLOWDOWN), ""));
            checks.add(new AtMost(
                    "in vain beyond those in flight",
                    MOST_IN_VAIN,
                    result -> result.get(Figure.IN_VAIN) - result.get(Figure.IN_FLIGHT),
                    ""));
        } else if (cell.isShared()) {
            if (kind == Kind.TOLD_WINDOW || kind == Kind.TOLD_SECOND) {
                checks.add(new AtMost("1 - Jain", 1 - LEAST_JAIN, result -> 1 - result.get(Figure.JAIN), ""));
                checks.add(refused(cell == Cell.PROCESSES_2 ? 2 : 4));
            }
        } else if (cell.isOpen()) {
            if (kind == Kind.TOLD_SECOND) {
                checks.add(refused(0.5));
                if (cell == Cell.OPEN_90) {
                    checks.add(new AtMost("p99", LARGEST_P99_MS, result -> result.get(Figure.P99_MS), " ms"));
                }
            }
        } else {
            job(kind, cell, checks);
        }
        return new Bar(checks);
    }

    private static void job(Kind kind, Cell cell, List<Check> checks) {
        boolean many = cell == Cell.JOB_64 || cell == Cell.FLOOD;
        switch (kind) {
            case TOLD_WINDOW -> {
                checks.add(refused(many ? 0.5 : 0.3));
                checks.add(slowdown(1.12));
            }
            case TOLD_SECOND -> {
                checks.add(refused(0.5));
                checks.add(slowdown(1.15));
            }
            case TELLING_BUCKET -> {
                checks.add(refused(1));
                checks.add(slowdown(1.08));
            }
            case SILENT -> {
                checks.add(refused(many ? 8 : 4));
                checks.add(slowdown(1.2));
            }
            case SPACED -> {
                checks.add(refused(many ? 8 : 4));
                checks.add(slowdown(2));
            }
            case LOCK_OUT ->
                checks.add(
                        new AtMost("refused after the first look", 0, result -> result.get(Figure.REFUSED_LATER), ""));
            case CONCURRENCY, DELAY -> {
                // Nothing but that no call fails.
            }
        }
    }

    private static Check refused(double percent) {
        return new AtMost("refused", percent, Result::refusedPercent, " %");
    }

    private static Check slowdown(double bound) {
        return new AtMost("×", bound, Result::slowdown, "");
    }

    /** {@return all conditions} */
    String text() {
        List<String> all = new ArrayList<>(List.of("0 lost"));
        checks.forEach(check -> all.add(check.text()));
        return String.join(", ", all);
    }

    /** {@return what is wrong with a result, empty if it meets the bar} */
    List<String> wrong(Result result) {
        List<String> all = new ArrayList<>();
        if (result.lost() > 0) {
            all.add(number(result.lost()) + " lost");
        }
        for (Check check : checks) {
            String wrong = check.wrong(result);
            if (!wrong.isEmpty()) {
                all.add(wrong);
            }
        }
        return all;
    }

    /** {@return a number with at most three digits after the point, as far as they say something} */
    static String number(double value) {
        String text = String.format(Locale.ROOT, Math.abs(value) >= 100 ? "%.0f" : "%.2f", value);
        return text.contains(".") ? text.replaceAll("\\.?0+$", "") : text;
    }
}
