package dev.throttle.site;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.commonmark.Extension;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.ext.heading.anchor.HeadingAnchorExtension;
import org.commonmark.node.Node;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;

/** The pages of the site, and the files that they show. */
final class Site {

    private static final List<Extension> EXTENSIONS =
            List.of(TablesExtension.create(), HeadingAnchorExtension.create());
    /** The folder of the Javadoc. */
    static final String API = "api";

    private final Path root;
    private final Path out;
    private final String repository;
    private final Parser parser = Parser.builder().extensions(EXTENSIONS).build();

    Site(Path root, Path out, String repository) {
        this.root = root;
        this.out = out;
        this.repository = repository;
    }

    /** {@return how many pages were written} */
    int write() throws IOException {
        List<String> modules = copyJavadoc();
        String template = resource("page.html");
        Node navigation = parser.parse(navigation(modules));
        SearchIndex index = new SearchIndex();
        List<Path> pages = pages();
        for (Path page : pages) {
            String text = Files.readString(page);
            Path html = Links.html(root, page);
            String body = renderer(page, page).render(parser.parse(text));
            index.add(title(text), Links.relative(root.resolve("index.html"), html), body);
            write(
                    html,
                    template.replace("${title}", title(text))
                            .replace("${style}", Links.relative(html, root.resolve("style.css")))
                            .replace("${script}", Links.relative(html, root.resolve("site.js")))
                            .replace(
                                    "${root}",
                                    "../".repeat(root.relativize(html).getNameCount() - 1))
                            .replace("${home}", Links.relative(html, root.resolve("index.html")))
                            .replace(
                                    "${navigation}",
                                    renderer(root.resolve("README.md"), page)
                                            .render(navigation)
                                            .replace(link(html), link(html) + " aria-current=\"page\""))
                            .replace(
                                    "${body}",
                                    body.replace("<table>", "<div class=\"table\"><table>")
                                            .replace("</table>", "</table></div>")));
        }
        write(root.resolve("style.css"), resource("style.css"));
        write(root.resolve("site.js"), resource("site.js"));
        write(root.resolve("search.js"), index.script());
        for (Path file : files(root.resolve("docs"))) {
            if (Links.isCopied(root, file)) {
                copy(file, out.resolve(root.relativize(file)));
            }
        }
        return pages.size();
    }

    /** {@return how the navigation of a page links to that page} */
    private static String link(Path html) {
        return "<a href=\"" + Links.relative(html, html) + "\"";
    }

    private List<Path> pages() throws IOException {
        List<Path> pages = new ArrayList<>(files(root.resolve("docs")));
        try (Stream<Path> top = Files.list(root)) {
            top.forEach(pages::add);
        }
        return pages.stream().filter(page -> Links.isPage(root, page)).sorted().toList();
    }

    /** The sections of docs/README.md that are tables of pages, as lists, with links from the root. */
    private String navigation(List<String> modules) throws IOException {
        StringBuilder navigation = new StringBuilder();
        for (String line : Files.readAllLines(root.resolve("docs/README.md"))) {
            if (line.startsWith("## ") && !line.startsWith("## About")) {
                navigation.append('\n').append(line.replace("## ", "**")).append("**\n\n");
            } else if (line.startsWith("| [")) {
                String link = line.substring(2, line.indexOf(")") + 1);
                navigation
                        .append("- ")
                        .append(link.contains("](../") ? link.replace("](../", "](") : link.replace("](", "](docs/"))
                        .append('\n');
            }
        }
        if (!modules.isEmpty()) {
            navigation.append("\n**Javadoc**\n\n");
            modules.forEach(module -> navigation.append("- [" + module + "](" + API + "/" + module + "/index.html)\n"));
        }
        return navigation.toString();
    }

    private HtmlRenderer renderer(Path source, Path page) {
        return HtmlRenderer.builder()
                .extensions(EXTENSIONS)
                .attributeProviderFactory(context -> new Links(root, source, page, repository))
                .build();
    }

    private static String title(String text) {
        return text.lines()
                .filter(line -> line.startsWith("# "))
                .findFirst()
                .map(line -> line.substring(2).replace("`", ""))
                .orElse("Throttle");
    }

    private List<String> copyJavadoc() throws IOException {
        List<String> modules = new ArrayList<>();
        List<Path> folders;
        try (Stream<Path> all = Files.list(root)) {
            folders = all.sorted().toList();
        }
        for (Path folder : folders) {
            Path javadoc = folder.resolve("target/reports/apidocs");
            if (Files.isRegularFile(javadoc.resolve("index.html"))) {
                String module = folder.getFileName().toString();
                modules.add(module);
                for (Path file : files(javadoc)) {
                    copy(file, out.resolve(API).resolve(module).resolve(javadoc.relativize(file)));
                }
            }
        }
        return modules;
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).toList();
        }
    }

    private void write(Path asIfBeside, String text) throws IOException {
        Path file = out.resolve(root.relativize(asIfBeside));
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to.getParent());
        Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING);
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = Objects.requireNonNull(Site.class.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
