package dev.throttle.site;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** The text of all sections of all pages, as a script that the search of the site reads. */
final class SearchIndex {

    private static final Pattern HEADING = Pattern.compile("<h[1-3] id=\"([^\"]+)\">(.*?)</h[1-3]>", Pattern.DOTALL);

    private final List<String> sections = new ArrayList<>();

    /**
     * Adds a page.
     *
     * @param title its title
     * @param url its address, from the top of the site
     * @param body its HTML, whose headings have ids
     */
    void add(String title, String url, String body) {
        List<MatchResult> headings = HEADING.matcher(body).results().toList();
        for (int i = 0; i < headings.size(); i++) {
            MatchResult heading = headings.get(i);
            int end = i + 1 < headings.size() ? headings.get(i + 1).start() : body.length();
            sections.add(
                    "{\"page\":" + quoted(title) + ",\"heading\":" + quoted(i == 0 ? title : text(heading.group(2)))
                            + ",\"url\":" + quoted(i == 0 ? url : url + "#" + heading.group(1))
                            + ",\"text\":" + quoted(text(body.substring(heading.end(), end))) + "}");
        }
    }

    /** {@return a script that sets {@code searchIndex}} */
    String script() {
        return "const searchIndex = [\n" + String.join(",\n", sections) + "\n];\n";
    }

    private static String text(String html) {
        return html.replaceAll("<[^>]*>", " ")
                .replace("&lt;", "<")
                .replace("&gt;", ">")
                .replace("&quot;", "\"")
                .replace("&amp;", "&")
                .replaceAll("\\s+", " ")
                .strip();
    }

    private static String quoted(String text) {
        return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }
}
