package dev.throttle.pages;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A page of the documents: its lists of dependencies, and the code below the first of them. */
record Page(String name, String text, List<String> dependencies, List<String> snippets, int firstSnippet) {

    static final Path ROOT = Path.of("../..");

    private static final Pattern BLOCK =
            Pattern.compile("^ *```(java|kotlin|xml)\n(.*?)^ *```", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern BOM = Pattern.compile("<scope>import</scope>");

    static Page read(String name) throws IOException {
        String text = Files.readString(ROOT.resolve(name));
        String language = name.equals("docs/kotlin.md") ? "kotlin" : "java"; // elsewhere Kotlin is Gradle's
        List<String> dependencies = new ArrayList<>();
        List<String> snippets = new ArrayList<>();
        int firstSnippet = 0;
        for (MatchResult block : BLOCK.matcher(text).results().toList()) {
            if (block.group(1).equals("xml")) {
                if (!BOM.matcher(block.group(2)).find()) {
                    dependencies.add(block.group(2));
                    firstSnippet = dependencies.size() == 1 ? snippets.size() + 1 : firstSnippet;
                }
            } else if (block.group(1).equals(language)) {
                snippets.add(block.group(2));
            }
        }
        return new Page(name, text, List.copyOf(dependencies), List.copyOf(snippets), firstSnippet);
    }

    /** {@return all pages that list dependencies} */
    static List<Page> withDependencies() throws IOException {
        List<Page> pages = new ArrayList<>(List.of(read("README.md")));
        try (Stream<Path> files = Files.walk(ROOT.resolve("docs"))) {
            for (Path file : files.filter(file -> file.toString().endsWith(".md"))
                    .sorted()
                    .toList()) {
                pages.add(read(ROOT.relativize(file).toString()));
            }
        }
        pages.removeIf(page -> page.dependencies().isEmpty());
        return pages;
    }

    /** {@return the dependency of a page that imports a BOM} */
    static String bom(String page, String artifact) throws IOException {
        for (MatchResult block :
                BLOCK.matcher(Files.readString(ROOT.resolve(page))).results().toList()) {
            if (BOM.matcher(block.group(2)).find() && block.group(2).contains("<artifactId>" + artifact + "<")) {
                return block.group(2);
            }
        }
        throw new IllegalStateException(page + " does not import " + artifact);
    }
}
