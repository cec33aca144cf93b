package dev.throttle.lab.chart;

import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.imageio.ImageIO;
import org.knowm.xchart.XYChart;

/** A picture: a title, a line below it, a legend, and rows of panels. */
final class Sheet {

    private static final int MARGIN = 12;
    private static final int HEAD = 74;
    private static final int SWATCH = 10;

    private Sheet() {}

    /** An entry of the legend. */
    record Key(String name, Color colour) {}

    static void save(String title, String subtitle, List<Key> legend, List<List<XYChart>> rows, Path file)
            throws IOException {
        int width = 0;
        int height = HEAD + MARGIN;
        for (List<XYChart> row : rows) {
            width = Math.max(width, row.stream().mapToInt(XYChart::getWidth).sum() + 2 * MARGIN);
            height += row.stream().mapToInt(XYChart::getHeight).max().orElse(0);
        }
        BufferedImage image = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = image.createGraphics();
        try {
            graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
            graphics.setRenderingHint(RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
            graphics.setColor(Color.WHITE);
            graphics.fillRect(0, 0, width, height);
            paintHead(graphics, title, subtitle, legend);
            int y = HEAD;
            for (List<XYChart> row : rows) {
                int x = MARGIN;
                int tallest = 0;
                for (XYChart chart : row) {
                    Graphics2D part = (Graphics2D) graphics.create(x, y, chart.getWidth(), chart.getHeight());
                    chart.paint(part, chart.getWidth(), chart.getHeight());
                    part.dispose();
                    x += chart.getWidth();
                    tallest = Math.max(tallest, chart.getHeight());
                }
                y += tallest;
            }
        } finally {
            graphics.dispose();
        }
        write(image, file);
    }

    private static void paintHead(Graphics2D graphics, String title, String subtitle, List<Key> legend) {
        graphics.setColor(Style.TEXT);
        graphics.setFont(Style.font(Font.BOLD, 15));
        graphics.drawString(title, MARGIN, 24);
        graphics.setFont(Style.font(Font.PLAIN, 12));
        graphics.drawString(subtitle, MARGIN, 43);
        int x = MARGIN;
        for (Key key : legend) {
            graphics.setColor(key.colour());
            graphics.fillRect(x, 54, SWATCH, SWATCH);
            graphics.setColor(Style.TEXT);
            graphics.drawString(key.name(), x + SWATCH + 5, 63);
            x += SWATCH + 5 + graphics.getFontMetrics().stringWidth(key.name()) + 18;
        }
    }

    private static void write(BufferedImage image, Path file) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ImageIO.write(image, "png", bytes);
        try {
            Path folder = file.toAbsolutePath().getParent();
            if (folder != null) {
                Files.createDirectories(folder);
            }
            Files.write(file, bytes.toByteArray());
        } catch (IOException e) {
            throw new IOException("cannot write the chart: " + e, e);
        }
    }
}
