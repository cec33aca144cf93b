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
 * Strategies side by side: the sleeps of each thread over time, below them the remaining quota and the refusals. All
 * panels of a row have one scale, unless one strategy would flatten the others.
 */
public final class ComparisonChart {

    private static final int PANEL_WIDTH = 440;
    private static final int[] HEIGHTS = {270, 160, 170};
    private static final int PANELS_A_ROW = 4;
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
        this.rateTitle = brief ? "refused per s" : "refused per min";
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
        List<XYChart> sleeps = new ArrayList<>();
        List<XYChart> quotas = new ArrayList<>();
        List<XYChart> refusals = new ArrayList<>();
        double[] sleepTops = new double[runs.size()];
        double[] quotaTops = new double[runs.size()];
        double[] refusalTops = new double[runs.size()];
        for (int i = 0; i < runs.size(); i++) {
            sleeps.add(sleeps(i, sleepTops));
            quotas.add(quota(i, quotaTops));
            refusals.add(refusals(i, refusalTops));
        }
        boolean common = true;
        common &= scale(sleeps, sleepTops);
        common &= scale(quotas, quotaTops);
        common &= scale(refusals, refusalTops);
        List<List<XYChart>> rows = new ArrayList<>();
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
        XYChart chart = Style.panel(
                PANEL_WIDTH, HEIGHTS[0], shortened(results.get(index).strategy()), timeTitle, "sleep (s)");
        int process = 0;
        for (ProcessRecord of : run.processes()) {
            int thread = 0;
            for (ThreadRecord each : of.threads()) {
                Curve curve = Trace.waits(each, run.endedAt(), timeUnit);
                if (!curve.isEmpty()) {
                    XYSeries series = chart.addSeries(process + "." + thread, curve.x(), curve.y());
                    series.setXYSeriesRenderStyle(XYSeriesRenderStyle.Line).setLineStyle(new BasicStroke(0.9f));
                    series.setLineColor(translucent(Style.hue(process)));
                    series.setMarker(SeriesMarkers.NONE);
                    tops[index] = Math.max(tops[index], curve.highest());
                }
                thread++;
            }
            process++;
        }
        return chart;
    }

    private static Color translucent(Color colour) {
        return new Color(colour.getRed(), colour.getGreen(), colour.getBlue(), 170);
    }

    private XYChart quota(int index, double[] tops) {
        RunRecord run = runs.get(index);
        XYChart chart = Style.panel(PANEL_WIDTH, HEIGHTS[1], "", timeTitle, "remaining");
        Curve curve = Trace.remaining(run, timeUnit);
        if (!curve.isEmpty()) {
            XYSeries series = chart.addSeries("remaining", curve.x(), curve.y());
            series.setXYSeriesRenderStyle(XYSeriesRenderStyle.Step).setLineStyle(new BasicStroke(1.2f));
            series.setLineColor(Style.QUOTA);
            series.setMarker(SeriesMarkers.NONE);
        }
        tops[index] = curve.highest();
        return chart;
    }

    private XYChart refusals(int index, double[] tops) {
        RunRecord run = runs.get(index);
        XYChart chart = Style.panel(PANEL_WIDTH, HEIGHTS[2], "", timeTitle, rateTitle);
        Curve curve = Trace.refusals(run, timeUnit);
        XYSeries series = chart.addSeries("refused", curve.x(), curve.y());
        series.setXYSeriesRenderStyle(XYSeriesRenderStyle.StepArea).setFillColor(Style.REFUSED);
        series.setLineStyle(new BasicStroke(0.5f));
        series.setLineColor(Style.REFUSED);
        series.setMarker(SeriesMarkers.NONE);
        tops[index] = curve.highest();
        return chart;
    }

    private boolean scale(List<XYChart> charts, double[] tops) {
        double highest = 0;
        double lowest = Double.MAX_VALUE;
        for (double top : tops) {
            highest = Math.max(highest, top);
            lowest = Math.min(lowest, Math.max(top, 1e-9));
        }
        boolean common = highest <= COMPARABLE * lowest;
        for (int i = 0; i < tops.length; i++) {
            double top = common ? highest : tops[i];
            Style.scale(charts.get(i), longest, top);
        }
        return common;
    }

    private static String shortened(String strategy) {
        return strategy.substring(strategy.lastIndexOf('.') + 1);
    }

    private static String subtitle(Scenario scenario, boolean common) {
        return ScenarioText.details(scenario)
                + ". Each line is one thread: its longest sleep in each slice of time."
                + (common ? "" : " Vertical scales differ.");
    }

    private List<Sheet.Key> legend() {
        List<Sheet.Key> keys = new ArrayList<>();
        int processes = runs.get(0).processes().size();
        for (int i = 0; i < Math.min(processes, Style.hues()); i++) {
            String more = i + 1 == Style.hues() && processes > Style.hues() ? " (colours repeat)" : "";
            keys.add(new Sheet.Key("process " + (i + 1) + more, Style.hue(i)));
        }
        keys.add(new Sheet.Key("remaining quota", Style.QUOTA));
        keys.add(new Sheet.Key("refused", Style.REFUSED));
        return keys;
    }
}
