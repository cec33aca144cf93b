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
    private static final int LINE = 19;
    private static final int SWATCH = 10;
    private static final int GAP = 5;
    private static final int BETWEEN_KEYS = 18;
    private static final int BELOW_HEAD = 14;
    private static final int TITLE = 28;
    private static final int CAPTION = 18;
    /** Pixels of the picture for each of the layout, so that it is sharp on fine screens. */
    private static final int SHARPNESS = 2;

    private Sheet() {}

    /** A chart with what stands above it: the title of its column, which may be empty, and what it shows. */
    record Panel(String title, String caption, XYChart chart) {

        int height() {
            return head() + chart.getHeight();
        }

        private int head() {
            return (title.isEmpty() ? 0 : TITLE) + (caption.isEmpty() ? 0 : CAPTION);
        }

        private void paint(Graphics2D graphics) {
            graphics.setColor(Style.TEXT);
            int size = 13;
            graphics.setFont(Style.font(Font.BOLD, size));
            while (size > 9 && graphics.getFontMetrics().stringWidth(title) > chart.getWidth() - 2 * GAP) {
                graphics.setFont(Style.font(Font.BOLD, --size));
            }
            graphics.drawString(title, GAP, TITLE - GAP);
            graphics.setColor(Style.FAINT_TEXT);
            graphics.setFont(Style.font(Font.PLAIN, 12));
            graphics.drawString(caption, GAP, head() - GAP);
            graphics.translate(0, head());
            chart.paint(graphics, chart.getWidth(), chart.getHeight());
        }
    }

    /** An entry of the legend. */
    record Key(String name, Color colour) {}

    static void save(String title, String subtitle, List<Key> legend, List<List<Panel>> rows, Path file)
            throws IOException {
        int width = 0;
        int panels = MARGIN;
        for (List<Panel> row : rows) {
            width = Math.max(
                    width,
                    row.stream().mapToInt(panel -> panel.chart().getWidth()).sum() + 2 * MARGIN);
            panels += row.stream().mapToInt(Panel::height).max().orElse(0);
        }
        Graphics2D scratch = new BufferedImage(1, 1, BufferedImage.TYPE_INT_RGB).createGraphics();
        int head = paintHead(scratch, width, title, subtitle, legend);
        scratch.dispose();
        BufferedImage image =
                new BufferedImage(SHARPNESS * width, SHARPNESS * (head + panels), BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = image.createGraphics();
        try {
            graphics.scale(SHARPNESS, SHARPNESS);
            graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
            graphics.setRenderingHint(RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
            graphics.setColor(Color.WHITE);
            graphics.fillRect(0, 0, image.getWidth(), image.getHeight());
            paintHead(graphics, width, title, subtitle, legend);
            paintRows(graphics, head, rows);
        } finally {
            graphics.dispose();
        }
        write(image, file);
    }

    private static void paintRows(Graphics2D graphics, int top, List<List<Panel>> rows) {
        int y = top;
        for (List<Panel> row : rows) {
            int x = MARGIN;
            int tallest = 0;
            for (Panel panel : row) {
                int width = panel.chart().getWidth();
                Graphics2D part = (Graphics2D) graphics.create(x, y, width, panel.height());
                panel.paint(part);
                part.dispose();
                x += width;
                tallest = Math.max(tallest, panel.height());
            }
            y += tallest;
        }
    }

    /** Breaks lines that are too long for the picture; {@return where the panels begin} */
    private static int paintHead(Graphics2D graphics, int width, String title, String subtitle, List<Key> legend) {
        graphics.setColor(Style.TEXT);
        graphics.setFont(Style.font(Font.BOLD, 15));
        int y = paintText(graphics, width, title, 24) + LINE;
        graphics.setFont(Style.font(Font.PLAIN, 12));
        y = paintText(graphics, width, subtitle, y) + LINE + 1;
        int x = MARGIN;
        for (Key key : legend) {
            int textWidth = graphics.getFontMetrics().stringWidth(key.name());
            if (x > MARGIN && x + SWATCH + GAP + textWidth > width - MARGIN) {
                x = MARGIN;
                y += LINE;
            }
            graphics.setColor(key.colour());
            graphics.fillRect(x, y - SWATCH + 1, SWATCH, SWATCH);
            graphics.setColor(Style.TEXT);
            graphics.drawString(key.name(), x + SWATCH + GAP, y);
            x += SWATCH + GAP + textWidth + BETWEEN_KEYS;
        }
        return y + BELOW_HEAD;
    }

    /** {@return where the last line is} */
    private static int paintText(Graphics2D graphics, int width, String text, int top) {
        int y = top;
        String line = "";
        for (String word : text.split(" ", -1)) {
            String longer = line.isEmpty() ? word : line + " " + word;
            if (!line.isEmpty() && graphics.getFontMetrics().stringWidth(longer) > width - 2 * MARGIN) {
                graphics.drawString(line, MARGIN, y);
                y += LINE;
                line = word;
            } else {
                line = longer;
            }
        }
        graphics.drawString(line, MARGIN, y);
        return y;
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
