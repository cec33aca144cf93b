package dev.throttle.site;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.renderer.html.AttributeProvider;

/**
 * Leads the links of one page to pages of the site, and those to anything else to the repository on the web.
 *
 * @param root the root of the repository
 * @param source the file that the links are relative to
 * @param page the Markdown of the page that they are on
 * @param repository where files are that are no part of the site
 */
record Links(Path root, Path source, Path page, String repository) implements AttributeProvider {

    private static final String ENDING = ".md";

    @Override
    public void setAttributes(Node node, String tagName, Map<String, String> attributes) {
        if (node instanceof Link) {
            attributes.computeIfPresent("href", (name, link) -> resolved(link));
        } else if (node instanceof Image) {
            attributes.computeIfPresent("src", (name, link) -> resolved(link));
        }
    }

    private String resolved(String link) {
        if (link.matches("[a-z]+:.*") || link.startsWith("#")) {
            return link;
        }
        int hash = link.indexOf('#');
        String path = hash < 0 ? link : link.substring(0, hash);
        Path target = source.resolveSibling(path).normalize();
        if (isPage(root, target)) {
            return relative(html(root, page), html(root, target)) + (hash < 0 ? "" : link.substring(hash));
        }
        boolean isPart = isCopied(root, target) || target.startsWith(root.resolve(Site.API));
        return isPart ? relative(page, target) : repository + slashes(root.relativize(target));
    }

    /** Whether the site has a page for a file. */
    static boolean isPage(Path root, Path file) {
        boolean isTop = root.equals(file.getParent());
        return file.toString().endsWith(ENDING)
                && (isTop || file.startsWith(root.resolve("docs")))
                && Files.exists(file);
    }

    /** Whether the site has a copy of a file: charts, the dashboard and the like. */
    static boolean isCopied(Path root, Path file) {
        return file.startsWith(root.resolve("docs")) && !file.toString().endsWith(ENDING) && Files.isRegularFile(file);
    }

    /** The page of a Markdown file, as if it were beside it. */
    static Path html(Path root, Path markdown) {
        String name = markdown.getFileName().toString();
        boolean isHome = name.equals("README.md") && root.equals(markdown.getParent());
        return markdown.resolveSibling(isHome ? "index.html" : name.replaceAll("\\.md$", ".html"));
    }

    static String relative(Path from, Path to) {
        return slashes(Objects.requireNonNull(from.getParent()).relativize(to));
    }

    private static String slashes(Path path) {
        return path.toString().replace('\\', '/');
    }
}
