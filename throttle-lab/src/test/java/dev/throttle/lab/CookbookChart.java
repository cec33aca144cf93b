package dev.throttle.lab;

import java.util.Locale;

/** The picture of the README: requests that are sent for every 100 that are served. */
final class CookbookChart {

    private static final int LEFT = 170;
    private static final int TOP = 84;
    private static final int BAR = 14;
    private static final int GROUP = 42;
    private static final int WIDTH = 880;
    private static final double SCALE = (WIDTH - LEFT - 70) / 530.0;

    private static final String SERVED = "#2a7ab9";
    private static final String REFUSED = "#d9402f";

    private final StringBuilder groups = new StringBuilder();
    private int count;

    /**
     * Adds the two bars of an API.
     *
     * @param title what it is called
     * @param without requests for each one that is served, with clients that retry
     * @param with the same with clients that are throttled
     */
    void add(String title, double without, double with) {
        int y = TOP + count++ * GROUP;
        text(LEFT - 66, y + 20, "end", 14, "#1f2328", title);
        bar(y, "retries", without);
        bar(y + BAR + 2, "Throttle", with);
    }

    private void bar(int y, String name, double sent) {
        double served = 100 * SCALE;
        text(LEFT - 8, y + 11, "end", 11, "#59636e", name);
        rectangle(LEFT, y, served, SERVED);
        rectangle(LEFT + served, y, (sent - 1) * served, REFUSED);
        text(LEFT + sent * served + 6, y + 11, "start", 11, "#1f2328", Long.toString(Math.round(100 * sent)));
    }

    private void text(double x, int y, String anchor, int size, String colour, String text) {
        groups.append(String.format(
                Locale.ROOT,
                "<text x=\"%.1f\" y=\"%d\" text-anchor=\"%s\" font-size=\"%d\" fill=\"%s\">%s</text>\n",
                x,
                y,
                anchor,
                size,
                colour,
                text));
    }

    private void rectangle(double x, int y, double width, String colour) {
        groups.append(String.format(
                Locale.ROOT,
                "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n",
                x,
                y,
                width,
                BAR,
                colour));
    }

    /** {@return the picture, readable on a light and on a dark page} */
    String svg() {
        int height = TOP + count * GROUP + 8;
        String bars = groups.toString();
        groups.setLength(0);
        text(24, 34, "start", 18, "#1f2328", "Requests sent for every 100 that are served");
        rectangle(24, 48, BAR, SERVED);
        text(44, 60, "start", 12, "#59636e", "served");
        rectangle(104, 48, BAR, REFUSED);
        text(124, 60, "start", 12, "#59636e", "refused");
        text(
                200,
                60,
                "start",
                12,
                "#59636e",
                "Retries: exponential backoff that obeys Retry-After. Same server, same work.");
        String heading = groups.toString();
        groups.setLength(0);
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\""
                        .formatted(WIDTH, height, WIDTH, height)
                + " font-family=\"system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif\">\n"
                + "<title>Requests sent for every 100 that are served, with retries and with Throttle</title>\n"
                + "<rect x=\"0.5\" y=\"0.5\" width=\"%d\" height=\"%d\" rx=\"8\" fill=\"#ffffff\" stroke=\"#d1d9e0\"/>\n"
                        .formatted(WIDTH - 1, height - 1)
                + heading
                + bars
                + "</svg>\n";
    }
}
