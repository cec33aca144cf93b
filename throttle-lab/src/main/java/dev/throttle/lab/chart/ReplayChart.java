package dev.throttle.lab.chart;

import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import org.knowm.xchart.style.markers.SeriesMarkers;

/**
 * The sleep before each request, accepted ones blue, refused ones red. However long the record, it keeps a limited
 * number of points: neighbours are merged, of which the longest sleeps stay.
 */
public final class ReplayChart {

    private static final int POINTS = 2048;
    private static final double NONE = -1;
    private static final int WIDTH = 900;
    private static final int HEIGHT = 360;

    private final double[] accepted = new double[POINTS];
    private final double[] refused = new double[POINTS];
    private long merged = 1;
    private long requests;

    /** A chart without points. */
    public ReplayChart() {
        Arrays.fill(accepted, NONE);
        Arrays.fill(refused, NONE);
    }

    /**
     * Adds a request.
     *
     * @param sleepSeconds the sleep before it
     * @param wasRefused whether it was refused
     */
    public void add(double sleepSeconds, boolean wasRefused) {
        if (requests == merged * POINTS) {
            merge(accepted);
            merge(refused);
            merged *= 2;
        }
        double[] to = wasRefused ? refused : accepted;
        int point = (int) (requests / merged);
        to[point] = Math.max(to[point], sleepSeconds);
        requests++;
    }

    private static void merge(double[] points) {
        for (int i = 0; i < POINTS / 2; i++) {
            points[i] = Math.max(points[2 * i], points[2 * i + 1]);
        }
        Arrays.fill(points, POINTS / 2, POINTS, NONE);
    }

    /**
     * Draws what was added.
     *
     * @param strategy the name of the strategy
     * @param file the PNG file to write
     * @throws IOException if it cannot be written
     */
    public void save(String strategy, Path file) throws IOException {
        XYChart chart = Style.panel(WIDTH, HEIGHT, "request");
        double top = Math.max(
                plot(chart, "accepted", accepted, Style.ACCEPTED), plot(chart, "refused", refused, Style.REFUSED));
        chart.getStyler().setXAxisDecimalPattern("#,##0");
        Style.scale(chart, (double) Math.max(1, requests), top);
        List<Sheet.Key> legend =
                List.of(new Sheet.Key("accepted", Style.ACCEPTED), new Sheet.Key("refused", Style.REFUSED));
        String note = merged == 1 ? "" : "; each point is the longest of " + merged;
        List<List<Sheet.Panel>> rows =
                List.of(List.of(new Sheet.Panel("", "sleep before the request, in seconds", chart)));
        Sheet.save("Replay: " + strategy, requests + " requests" + note, legend, rows, file);
    }

    private double plot(XYChart chart, String name, double[] points, Color colour) {
        double[] x = new double[POINTS];
        double[] y = new double[POINTS];
        int count = 0;
        double top = 0;
        for (int i = 0; i < POINTS; i++) {
            if (points[i] != NONE) {
                x[count] = (double) i * merged + 1;
                y[count++] = points[i];
                top = Math.max(top, points[i]);
            }
        }
        if (count > 0) {
            XYSeries series = chart.addSeries(name, Arrays.copyOf(x, count), Arrays.copyOf(y, count));
            series.setXYSeriesRenderStyle(XYSeriesRenderStyle.Scatter);
            series.setMarker(SeriesMarkers.CIRCLE);
            series.setMarkerColor(colour);
        }
        return top;
    }
}
