package dev.throttle.lab.chart;

import dev.throttle.lab.sim.Comparison;
import dev.throttle.lab.sim.ProcessRecord;
import dev.throttle.lab.sim.RunRecord;
import dev.throttle.lab.sim.Scenario;
import dev.throttle.lab.sim.ThreadRecord;
import java.awt.BasicStroke;
import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import org.knowm.xchart.style.markers.SeriesMarkers;

/**
 * Strategies side by side: what threads slept over time, below that the remaining quota and the refusals. All panels of
 * a row have one scale, unless one strategy would flatten the others.
 */
public final class ComparisonChart {

    private static final int PANEL_WIDTH = 400;
    private static final int[] HEIGHTS = {210, 120, 145};
    private static final int PANELS_A_ROW = 3;
    /** With more of them, their colours would tell nothing, and their lines would hide each other. */
    private static final int MOST_APART = 2;
    /** How much higher than the lowest one the highest panel may be before each gets its own scale. */
    private static final double COMPARABLE = 6;

    private static final double SECOND = 1e9;
    private static final double MINUTE = 60e9;
    private static final long SHORT = 300_000_000_000L;

    private final List<Comparison.Result> results;
    private final List<RunRecord> runs;
    private final double timeUnit;
    private final String timeTitle;
    private final String rateTitle;
    private final double longest;

    private ComparisonChart(List<Comparison.Result> results) {
        this.results = results;
        this.runs = results.stream()
                .map(result -> Objects.requireNonNull(result.trace(), "the runs were not traced"))
                .toList();
        long end = runs.stream().mapToLong(RunRecord::endedAt).max().orElse(1);
        boolean brief = end < SHORT;
        this.timeUnit = brief ? SECOND : MINUTE;
        this.timeTitle = brief ? "time (s)" : "time (min)";
        this.rateTitle = brief ? "refused requests per second" : "refused requests per minute";
        this.longest = end / timeUnit;
    }

    /**
     * Draws results.
     *
     * @param results one or more, with traces
     * @param file the PNG file to write
     * @throws IOException if it cannot be written
     */
    public static void save(List<Comparison.Result> results, Path file) throws IOException {
        new ComparisonChart(results).draw(file);
    }

    private void draw(Path file) throws IOException {
        List<Sheet.Panel> sleeps = new ArrayList<>();
        List<Sheet.Panel> quotas = new ArrayList<>();
        List<Sheet.Panel> refusals = new ArrayList<>();
        double[] sleepTops = new double[runs.size()];
        double[] quotaTops = new double[runs.size()];
        double[] refusalTops = new double[runs.size()];
        for (int i = 0; i < runs.size(); i++) {
            String strategy = shortened(results.get(i).strategy());
            sleeps.add(new Sheet.Panel(strategy, "sleep, in seconds", sleeps(i, sleepTops)));
            quotas.add(new Sheet.Panel("", "remaining quota", quota(i, quotaTops)));
            refusals.add(new Sheet.Panel("", rateTitle, refusals(i, refusalTops)));
        }
        boolean common = true;
        common &= scale(sleeps, sleepTops, COMPARABLE);
        common &= scale(quotas, quotaTops, COMPARABLE);
        scale(refusals, refusalTops, Double.MAX_VALUE); // few shall look few beside many
        List<List<Sheet.Panel>> rows = new ArrayList<>();
        for (int from = 0; from < runs.size(); from += PANELS_A_ROW) {
            int to = Math.min(runs.size(), from + PANELS_A_ROW);
            rows.add(sleeps.subList(from, to));
            rows.add(quotas.subList(from, to));
            rows.add(refusals.subList(from, to));
        }
        Scenario scenario = runs.get(0).scenario();
        Sheet.save(ScenarioText.title(scenario.server()), subtitle(scenario, common), legend(), rows, file);
    }

    private XYChart sleeps(int index, double[] tops) {
        RunRecord run = runs.get(index);
        XYChart chart = Style.panel(PANEL_WIDTH, HEIGHTS[0], "");
        List<ProcessRecord> processes = run.processes();
        if (processes.size() <= MOST_APART) {
            for (int i = 0; i < processes.size(); i++) {
                Color colour = i == 0 ? Style.FIRST : Style.SECOND;
                tops[index] = Math.max(
                        tops[index],
                        plot(chart, "process " + i, processes.get(i).threads(), run, colour));
            }
        } else {
            List<ThreadRecord> threads = processes.stream()
                    .flatMap(process -> process.threads().stream())
                    .toList();
            tops[index] = plot(chart, "all", threads, run, Style.FIRST);
        }
        return chart;
    }

    /** Draws a line for the median of some threads, and a band from the shortest to the longest; {@return the top} */
    private double plot(XYChart chart, String name, List<ThreadRecord> threads, RunRecord run, Color colour) {
        Trace.Sleeps sleeps = Trace.sleeps(threads, run.endedAt(), timeUnit);
        if (sleeps.median().isEmpty()) {
            return 0;
        }
        double[] times = sleeps.median().x();
        int length = times.length;
        double[] x = new double[2 * length];
        double[] y = new double[2 * length];
        for (int i = 0; i < length; i++) {
            x[i] = times[i];
            y[i] = sleeps.longest().y()[i];
            x[2 * length - 1 - i] = times[i];
            y[2 * length - 1 - i] = sleeps.shortest().y()[i];
        }
        XYSeries band = chart.addSeries(name + " band", x, y);
        band.setXYSeriesRenderStyle(XYSeriesRenderStyle.PolygonArea).setFillColor(Style.faint(colour));
        band.setLineColor(Style.faint(colour));
        band.setLineStyle(new BasicStroke(0.5f));
        band.setMarker(SeriesMarkers.NONE);
        XYSeries line = chart.addSeries(name + " median", times, sleeps.median().y());
        line.setXYSeriesRenderStyle(XYSeriesRenderStyle.Line).setLineStyle(new BasicStroke(1.8f));
        line.setLineColor(colour);
        line.setMarker(SeriesMarkers.NONE);
        return sleeps.longest().highest();
    }

    private XYChart quota(int index, double[] tops) {
        RunRecord run = runs.get(index);
        XYChart chart = Style.panel(PANEL_WIDTH, HEIGHTS[1], "");
        Curve curve = Trace.remaining(run, timeUnit);
        if (!curve.isEmpty()) {
            XYSeries series = chart.addSeries("remaining", curve.x(), curve.y());
            series.setXYSeriesRenderStyle(XYSeriesRenderStyle.Step).setLineStyle(new BasicStroke(1.6f));
            series.setLineColor(Style.QUOTA);
            series.setMarker(SeriesMarkers.NONE);
        }
        tops[index] = curve.highest();
        return chart;
    }

    private XYChart refusals(int index, double[] tops) {
        RunRecord run = runs.get(index);
        XYChart chart = Style.panel(PANEL_WIDTH, HEIGHTS[2], timeTitle);
        Curve curve = Trace.refusals(run, timeUnit);
        XYSeries series = chart.addSeries("refused", curve.x(), curve.y());
        series.setXYSeriesRenderStyle(XYSeriesRenderStyle.StepArea).setFillColor(Style.REFUSED);
        series.setLineStyle(new BasicStroke(0.5f));
        series.setLineColor(Style.REFUSED);
        series.setMarker(SeriesMarkers.NONE);
        tops[index] = curve.highest();
        return chart;
    }

    private boolean scale(List<Sheet.Panel> panels, double[] tops, double comparable) {
        double highest = 0;
        double lowest = Double.MAX_VALUE;
        for (double top : tops) {
            highest = Math.max(highest, top);
            lowest = Math.min(lowest, Math.max(top, 1e-9));
        }
        boolean common = highest <= comparable * lowest;
        for (int i = 0; i < tops.length; i++) {
            double top = common ? highest : tops[i];
            Style.scale(panels.get(i).chart(), longest, top);
        }
        return common;
    }

    private static String shortened(String strategy) {
        return strategy.substring(strategy.lastIndexOf('.') + 1);
    }

    private static String subtitle(Scenario scenario, boolean common) {
        return ScenarioText.details(scenario)
                + ". A line is the median of the threads' sleeps, and its band goes from the shortest to the longest."
                + (common ? "" : " The scales of sleeps and of quotas differ.");
    }

    private List<Sheet.Key> legend() {
        List<Sheet.Key> keys = new ArrayList<>();
        switch (runs.stream().mapToInt(run -> run.processes().size()).max().orElse(0)) {
            case 1 -> keys.add(new Sheet.Key("sleep", Style.FIRST));
            case MOST_APART -> {
                keys.add(new Sheet.Key("sleep in process 1", Style.FIRST));
                keys.add(new Sheet.Key("in process 2", Style.SECOND));
            }
            default -> keys.add(new Sheet.Key("sleep in all processes", Style.FIRST));
        }
        keys.add(new Sheet.Key("remaining quota", Style.QUOTA));
        keys.add(new Sheet.Key("refused", Style.REFUSED));
        return keys;
    }
}
