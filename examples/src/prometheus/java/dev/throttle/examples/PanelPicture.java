package dev.throttle.examples;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;

/** Panels of time series as SVG, three in a row, on one scale of time. Series that are always zero are left out. */
final class PanelPicture {

    private static final int COLUMNS = 3;
    private static final int WIDTH = 320;
    private static final int PLOT_HEIGHT = 130;
    private static final int TOP = 34;
    private static final int LEFT = 46;
    private static final int RIGHT = 12;
    private static final int LEGEND_LINE = 15;
    private static final int GAP = 10;
    private static final long LONG = 60;
    private static final String[] COLOURS = {
        "#1f60c4", "#e0752d", "#2a8f4f", "#b83a9b", "#8a6d00", "#008c99", "#c4162a", "#6c50b8", "#555555"
    };

    private final long start;
    private final long end;
    private final List<Drawn> panels = new ArrayList<>();

    /** A line of a panel, its points in seconds and the panel's unit. */
    record Line(String legend, List<double[]> points) {}

    private record Drawn(String svg, int height) {}

    PanelPicture(long start, long end) {
        this.start = start;
        this.end = end;
    }

    void add(String title, String unit, boolean isStacked, List<Line> all) {
        List<Line> nonZero = all.stream()
                .filter(line -> line.points().stream().anyMatch(point -> point[1] != 0))
                .toList();
        List<Line> lines = nonZero.isEmpty() ? all : nonZero;
        List<Line> drawn = isStacked ? stacked(lines) : lines;
        double highest = drawn.stream()
                .flatMap(line -> line.points().stream())
                .mapToDouble(point -> point[1])
                .max()
                .orElse(0);
        double step = step(unit.equals("percentunit") ? Math.min(1, highest) : highest);
        double top = Math.max(step, Math.ceil(highest / step - 1e-9) * step);
        StringBuilder svg = new StringBuilder();
        text(svg, 10, 20, "font-weight='600' font-size='13'", title);
        for (double value = 0; value <= top + step / 2; value += step) {
            double y = y(value, top);
            svg.append(
                    format("<line x1='%d' x2='%d' y1='%.1f' y2='%.1f' stroke='#e4e6eb'/>", LEFT, WIDTH - RIGHT, y, y));
            text(svg, LEFT - 6, y + 4, "text-anchor='end' fill='#555'", label(value, step, unit));
        }
        long tick = end - start > LONG ? 30 : 5;
        for (long seconds = 0; seconds <= end - start; seconds += tick) {
            text(
                    svg,
                    x(start + seconds),
                    TOP + PLOT_HEIGHT + 15,
                    "text-anchor='middle' fill='#555'",
                    format("%d:%02d", seconds / 60, seconds % 60));
        }
        for (int i = drawn.size() - 1; i >= 0; i--) {
            svg.append(line(drawn.get(i), top, COLOURS[i % COLOURS.length], isStacked));
        }
        int y = TOP + PLOT_HEIGHT + 34;
        for (int i = 0; i < lines.size(); i++) {
            svg.append(format(
                    "<rect x='%d' y='%d' width='12' height='3' fill='%s'/>", LEFT, y - 5, COLOURS[i % COLOURS.length]));
            text(svg, LEFT + 18, y, "fill='#333'", lines.get(i).legend());
            y += LEGEND_LINE;
        }
        panels.add(new Drawn(svg.toString(), y));
    }

    /** Each line on top of those before it. */
    private static List<Line> stacked(List<Line> lines) {
        List<Line> all = new ArrayList<>();
        TreeMap<Double, Double> below = new TreeMap<>();
        for (Line line : lines) {
            List<double[]> points = new ArrayList<>();
            for (double[] point : line.points()) {
                points.add(new double[] {point[0], below.merge(point[0], point[1], Double::sum)});
            }
            all.add(new Line(line.legend(), points));
        }
        return all;
    }

    private String line(Line line, double top, String colour, boolean isFilled) {
        StringBuilder points = new StringBuilder();
        for (double[] point : line.points()) {
            points.append(format("%.1f,%.1f ", x(point[0]), y(point[1], top)));
        }
        String fill = "none";
        if (isFilled && !line.points().isEmpty()) {
            double first = x(line.points().get(0)[0]);
            double last = x(line.points().get(line.points().size() - 1)[0]);
            points.insert(0, format("%.1f,%.1f ", first, y(0, top)));
            points.append(format("%.1f,%.1f", last, y(0, top)));
            fill = lightened(colour);
        }
        return format(
                "<polyline points='%s' fill='%s' stroke='%s' stroke-width='1.5'/>",
                points.toString().strip(), fill, colour);
    }

    /** So light that lines show, and opaque, since what is stacked lies over what is below it. */
    private static String lightened(String colour) {
        int rgb = Integer.parseInt(colour.substring(1), 16);
        int light = 0;
        for (int shift = 0; shift <= 16; shift += 8) {
            int part = rgb >> shift & 0xff;
            light |= part + (0xff - part) * 3 / 4 << shift;
        }
        return format("#%06x", light);
    }

    private double x(double seconds) {
        return LEFT + (seconds - start) / Math.max(1, end - start) * (WIDTH - LEFT - RIGHT);
    }

    private static double y(double value, double top) {
        return TOP + PLOT_HEIGHT * (1 - value / top);
    }

    /** {@return 1, 2 or 5 times a power of ten, so that there are two to five steps} */
    private static double step(double highest) {
        double power = highest <= 0 ? 1 : Math.pow(10, Math.floor(Math.log10(highest)));
        for (double factor : new double[] {0.2, 0.5, 1}) {
            if (highest <= 5 * factor * power) {
                return factor * power;
            }
        }
        return 2 * power;
    }

    private static String label(double value, double step, String unit) {
        if (unit.equals("percentunit")) {
            return format("%.0f %%", 100 * value);
        }
        String number = step >= 1 ? format("%.0f", value) : format(step >= 0.1 ? "%.1f" : "%.2f", value);
        return unit.equals("s") ? number + " s" : unit.equals("reqps") ? number + "/s" : number;
    }

    private static void text(StringBuilder svg, double x, double y, String style, String text) {
        svg.append(format("<text x='%.1f' y='%.1f' %s>", x, y, style))
                .append(text.replace("&", "&amp;").replace("<", "&lt;"))
                .append("</text>\n");
    }

    private static String format(String pattern, Object... values) {
        return String.format(Locale.ROOT, pattern, values);
    }

    String svg() {
        StringBuilder all = new StringBuilder();
        int y = GAP;
        for (int row = 0; row < panels.size(); row += COLUMNS) {
            List<Drawn> inRow = panels.subList(row, Math.min(panels.size(), row + COLUMNS));
            int height = inRow.stream().mapToInt(Drawn::height).max().orElse(0);
            for (int i = 0; i < inRow.size(); i++) {
                all.append(format("<g transform='translate(%d %d)'>\n", GAP + i * (WIDTH + GAP), y))
                        .append(format(
                                "<rect width='%d' height='%d' rx='3' fill='#fff' stroke='#d5d8de'/>\n", WIDTH, height))
                        .append(inRow.get(i).svg())
                        .append("</g>\n");
            }
            y += height + GAP;
        }
        int width = GAP + Math.min(COLUMNS, panels.size()) * (WIDTH + GAP);
        return format(
                        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' width='%d' height='%d'"
                                + " font-family='system-ui, sans-serif' font-size='11'>\n<rect width='100%%' height='100%%' fill='#f4f5f7'/>\n",
                        width, y, width, y)
                + all + "</svg>\n";
    }
}
