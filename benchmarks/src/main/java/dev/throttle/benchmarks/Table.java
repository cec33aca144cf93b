package dev.throttle.benchmarks;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;

/** Prints Markdown. */
final class Table {

    private final PrintStream out;

    /** Prints the heading of a table. */
    Table(PrintStream out, String... columns) {
        this.out = out;
        row(List.of(columns));
        StringBuilder line = new StringBuilder("|---|");
        for (int i = 1; i < columns.length; i++) {
            line.append("---:|");
        }
        out.println(line);
    }

    void row(Object... cells) {
        row(List.of(cells));
    }

    void row(List<?> cells) {
        StringBuilder line = new StringBuilder("|");
        for (Object cell : cells) {
            line.append(' ').append(cell).append(" |");
        }
        out.println(line);
        out.flush();
    }

    /** {@return a number with so many digits after the point} */
    static String number(double value, int digits) {
        return String.format(Locale.ROOT, "%,." + digits + "f", value);
    }

    /** {@return the median in so large units, and in brackets its 95 % interval} */
    static String interval(Stats stats, double unit, int digits) {
        double[] ends = stats.medianInterval();
        return number(stats.median() / unit, digits) + " (" + number(ends[0] / unit, digits) + " to "
                + number(ends[1] / unit, digits) + ")";
    }
}
