package dev.throttle.lab.chart;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.util.Locale;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.XYStyler;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** One look for all charts. */
final class Style {

    static final Color ACCEPTED = new Color(0x2F5FD0);
    static final Color REFUSED = new Color(0xD23B3B);
    static final Color QUOTA = new Color(0x1E8A5A);
    static final Color TEXT = new Color(0x20242C);
    static final Color FAINT_TEXT = new Color(0x5C6470);
    static final Color FIRST = ACCEPTED;
    static final Color SECOND = new Color(0xE07B1A);

    private static final Color GRID = new Color(0xE3E6EB);
    private static final int AXIS_WIDTH = 48;
    private static final int FAINT = 48;
    private static final double HEADROOM = 1.06;
    private static final double FOOTROOM = 0.03;

    private Style() {}

    static Font font(int style, int size) {
        return new Font(Font.SANS_SERIF, style, size);
    }

    /** {@return a colour through which others can be seen} */
    static Color faint(Color colour) {
        return new Color(colour.getRed(), colour.getGreen(), colour.getBlue(), FAINT);
    }

    /** A chart without titles: the sheet writes them above it. */
    static XYChart panel(int width, int height, String xTitle) {
        XYChart chart = new XYChartBuilder()
                .width(width)
                .height(height)
                .xAxisTitle(xTitle)
                .theme(Styler.ChartTheme.XChart)
                .build();
        XYStyler styler = chart.getStyler();
        styler.setChartBackgroundColor(Color.WHITE)
                .setChartFontColor(TEXT)
                .setChartTitleVisible(false)
                .setChartPadding(4)
                .setLocale(Locale.ROOT)
                .setLegendVisible(false)
                .setPlotBorderVisible(false)
                .setPlotContentSize(1)
                .setMarkerSize(4)
                .setYAxisLeftWidthHint(AXIS_WIDTH);
        styler.setAxisTitleFont(font(Font.PLAIN, 12))
                .setAxisTickLabelsFont(font(Font.PLAIN, 12))
                .setAxisTickLabelsColor(FAINT_TEXT)
                .setPlotGridLinesColor(GRID)
                .setPlotGridLinesStroke(new BasicStroke(1))
                .setPlotGridVerticalLinesVisible(false)
                .setAxisTicksLineVisible(false)
                .setAxisTicksMarksVisible(false)
                .setXAxisTitleVisible(!xTitle.isEmpty())
                .setYAxisTitleVisible(false)
                .setXAxisTickMarkSpacingHint(70)
                .setYAxisTickMarkSpacingHint(36)
                .setPlotMargin(0)
                .setXAxisMin(0.0);
        return chart;
    }

    /** Shows everything up to an end and a top, and a bit more, so that a line at zero is not hidden by the frame. */
    static void scale(XYChart chart, double end, double top) {
        double shown = top == 0 ? 1 : top;
        chart.getStyler().setXAxisMax(end).setYAxisMin(-FOOTROOM * shown).setYAxisMax(shown * HEADROOM);
        // A panel whose values are all the same would have no ticks without it.
        XYSeries ends = chart.addSeries("scale", new double[] {0, 0}, new double[] {0, shown});
        ends.setXYSeriesRenderStyle(XYSeriesRenderStyle.Scatter);
        ends.setMarker(SeriesMarkers.NONE);
    }
}
