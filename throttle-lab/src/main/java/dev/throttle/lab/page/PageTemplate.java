package dev.throttle.lab.page;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Puts a page together from its parts, so that it needs nothing else: no file beside it, and no network. */
public final class PageTemplate {

    private static final Pattern PLACE = Pattern.compile("\\{\\{([a-z.]+)}}");

    private static final Map<String, String> PARTS = Map.of(
            "uplot.css", "uplot/uPlot.min.css",
            "uplot.js", "uplot/uPlot.iife.min.js",
            "uplot.licence", "uplot/LICENSE",
            "page.css", "page.css",
            "charts.js", "charts.js",
            "compare.js", "compare.js",
            "watch.js", "watch.js");

    private PageTemplate() {}

    /**
     * {@return a page} What is put in is not looked at again, so text may contain whatever it likes.
     *
     * @param name the template
     * @param values what is to be put in its places, ready for HTML
     */
    public static String fill(String name, Map<String, String> values) {
        return PLACE.matcher(resource(name))
                .replaceAll(place -> Matcher.quoteReplacement(part(place.group(1), values)));
    }

    private static String part(String place, Map<String, String> values) {
        String file = PARTS.get(place);
        String value = file == null ? values.get(place) : resource(file);
        if (value == null) {
            throw new IllegalArgumentException("nothing to put in " + place);
        }
        return value;
    }

    /**
     * {@return text for an element of HTML}
     *
     * @param text any text
     */
    public static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    /** {@return JSON for a script element, which ends at the first thing that looks like an end tag} */
    static String embedded(String json) {
        return json.replace("<", "\\u003c");
    }

    private static String resource(String name) {
        try (InputStream in = PageTemplate.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("missing in the jar: " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
