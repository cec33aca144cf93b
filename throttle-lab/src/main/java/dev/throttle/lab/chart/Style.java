package dev.throttle.lab.chart;

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

    static final Color ACCEPTED = new Color(0x1F77B4);
    static final Color REFUSED = new Color(0xD62728);
    static final Color QUOTA = new Color(0x2CA02C);
    static final Color TEXT = new Color(0x333333);

    private static final Color GRID = new Color(0xE4E4E4);
    private static final Color FRAME = new Color(0xB0B0B0);
    /** Of processes; none of them is like that of the quota or of refusals. */
    private static final Color[] HUES = {
        new Color(0x1F77B4),
        new Color(0xFF7F0E),
        new Color(0x9467BD),
        new Color(0x8C564B),
        new Color(0xE377C2),
        new Color(0x17BECF),
        new Color(0xBCBD22),
        new Color(0x7F7F7F),
    };

    private static final int AXIS_WIDTH = 56;
    private static final double HEADROOM = 1.06;
    private static final double FOOTROOM = 0.03;

    private Style() {}

    static Font font(int style, int size) {
        return new Font(Font.SANS_SERIF, style, size);
    }

    /** {@return how many processes can be told apart by their colour} */
    static int hues() {
        return HUES.length;
    }

    static Color hue(int index) {
        return HUES[index % HUES.length];
    }

    static XYChart panel(int width, int height, String title, String xTitle, String yTitle) {
        XYChart chart = new XYChartBuilder()
                .width(width)
                .height(height)
                .title(title)
                .xAxisTitle(xTitle)
                .yAxisTitle(yTitle)
                .theme(Styler.ChartTheme.XChart)
                .build();
        XYStyler styler = chart.getStyler();
        styler.setChartBackgroundColor(Color.WHITE)
                .setChartFontColor(TEXT)
                .setChartTitleFont(font(Font.BOLD, 11))
                .setChartTitleBoxVisible(false)
                .setChartTitlePadding(4)
                .setChartPadding(6)
                .setLocale(Locale.ROOT)
                .setLegendVisible(false)
                .setPlotBorderColor(FRAME)
                .setPlotContentSize(1)
                .setMarkerSize(3)
                .setYAxisLeftWidthHint(AXIS_WIDTH);
        styler.setAxisTitleFont(font(Font.PLAIN, 11))
                .setAxisTickLabelsFont(font(Font.PLAIN, 10))
                .setPlotGridLinesColor(GRID)
                .setXAxisTickMarkSpacingHint(55)
                .setYAxisTickMarkSpacingHint(28)
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
