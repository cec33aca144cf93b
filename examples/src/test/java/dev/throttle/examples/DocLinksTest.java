package dev.throttle.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Every relative link of every Markdown file leads to a file, and to a heading in it if it names one. */
class DocLinksTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Set<String> SKIPPED = Set.of("target", "node_modules", "resources");

    private static final Pattern FENCE = Pattern.compile("^ *```.*?^ *```", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern CODE = Pattern.compile("`[^`\n]+`");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("^#{1,6} +(.*?) *$", Pattern.MULTILINE);

    private static List<Path> pages() throws IOException {
        List<Path> pages = new ArrayList<>();
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                String name = folder.getFileName().toString();
                boolean isSkipped = !folder.equals(ROOT) && (SKIPPED.contains(name) || name.startsWith("."));
                return isSkipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (file.toString().endsWith(".md")) {
                    pages.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return pages;
    }

    private static List<String> links(Path page) throws IOException {
        String text = FENCE.matcher(Files.readString(page)).replaceAll("");
        return LINK.matcher(CODE.matcher(text).replaceAll("x"))
                .results()
                .map(link -> link.group(1))
                .filter(link -> !link.matches("[a-z]+:.*"))
                .toList();
    }

    /** The anchors that GitHub makes of the headings of a page. */
    private static Set<String> anchors(Path page) throws IOException {
        Set<String> anchors = new HashSet<>();
        Matcher heading = HEADING.matcher(FENCE.matcher(Files.readString(page)).replaceAll(""));
        while (heading.find()) {
            String text = heading.group(1).replaceAll("\\]\\([^)]*\\)", "");
            String name = text.toLowerCase(Locale.ROOT)
                    .replaceAll("[^\\p{L}\\p{N}_\\- ]", "")
                    .replace(' ', '-');
            String anchor = name;
            for (int i = 1; !anchors.add(anchor); i++) {
                anchor = name + "-" + i;
            }
        }
        return anchors;
    }

    private static Path target(Path page, String link) {
        String path = link.replaceAll("#.*", "");
        return path.isEmpty() ? page : page.resolveSibling(path).normalize();
    }

    @Test
    void everyLinkLeadsSomewhere() throws IOException {
        List<String> broken = new ArrayList<>();
        int count = 0;
        for (Path page : pages()) {
            for (String link : links(page)) {
                count++;
                Path target = target(page, link);
                int hash = link.indexOf('#');
                boolean leads = target.startsWith(ROOT)
                        && Files.exists(target)
                        && (hash < 0 || anchors(target).contains(link.substring(hash + 1)));
                if (!leads) {
                    broken.add(ROOT.relativize(page) + ": " + link);
                }
            }
        }
        assertThat(broken).isEmpty();
        assertThat(count).isGreaterThan(200);
    }

    /** A page of docs that nothing leads to is a page that nobody reads. */
    @Test
    void everyPageIsReachedFromTheReadme() throws IOException {
        Deque<Path> toVisit = new ArrayDeque<>(List.of(ROOT.resolve("README.md")));
        Set<Path> reached = new HashSet<>(toVisit);
        while (!toVisit.isEmpty()) {
            Path page = toVisit.remove();
            for (String link : links(page)) {
                Path target = target(page, link);
                if (target.toString().endsWith(".md") && Files.exists(target) && reached.add(target)) {
                    toVisit.add(target);
                }
            }
        }
        Set<Path> missing = new TreeSet<>();
        for (Path page : pages()) {
            if (page.startsWith(ROOT.resolve("docs")) && !reached.contains(page)) {
                missing.add(ROOT.relativize(page));
            }
        }
        assertThat(missing).isEmpty();
    }
}
