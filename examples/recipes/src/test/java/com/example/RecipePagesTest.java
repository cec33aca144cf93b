package com.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The pages show what is tested: each snippet stands, line by line, in a file of this project or of one beside it,
 * together with its imports, and each dependency in its pom.xml.
 */
class RecipePagesTest {

    private static final Path PAGES = Path.of("../../docs/recipes");
    private static final Path KOTLIN = Path.of("../../docs/kotlin.md");
    private static final Pattern SNIPPET =
            Pattern.compile("^ *```(\\w+)\n(.*?)^ *```$", Pattern.DOTALL | Pattern.MULTILINE);

    @Test
    void everySnippetIsTested() throws IOException {
        List<String> wrong = new ArrayList<>();
        for (Path page : files(PAGES, ".md")) {
            check(page, Path.of(page.endsWith("spring-ai.md") ? "../spring-ai" : "."), wrong);
        }
        check(KOTLIN, Path.of("../kotlin"), wrong);
        assertEquals(List.of(), wrong);
    }

    private static void check(Path page, Path project, List<String> wrong) throws IOException {
        List<MatchResult> snippets =
                SNIPPET.matcher(Files.readString(page)).results().toList();
        assertFalse(snippets.isEmpty(), page::toString);
        for (MatchResult found : snippets) {
            List<String> lines = lines(found.group(2));
            boolean isTested = switch (found.group(1)) {
                case "java", "json" -> isInOneFile(lines, project, ".java");
                case "yaml" -> isInOneFile(lines, project, ".yaml");
                case "kotlin" -> isInOneFile(lines, project, ".kt");
                case "xml" ->
                    lines(Files.readString(project.resolve("pom.xml"))).containsAll(lines);
                default -> false;
            };
            if (!isTested) {
                wrong.add(page.getFileName() + ":\n" + found.group(2));
            }
        }
    }

    @Test
    void everyPageIsInTheList() throws IOException {
        String list = Files.readString(PAGES.resolve("README.md"));
        for (Path page : files(PAGES, ".md")) {
            String name = page.getFileName().toString();
            assertTrue(name.equals("README.md") || list.contains("(" + name + ")"), name);
        }
    }

    private static boolean isInOneFile(List<String> snippet, Path project, String ending) throws IOException {
        List<String> imports =
                snippet.stream().filter(line -> line.startsWith("import ")).toList();
        String code = text(
                snippet.stream().filter(line -> !line.startsWith("import ")).toList());
        assertFalse(code.isBlank(), snippet::toString);
        for (Path file : files(project.resolve("src"), ending)) {
            List<String> lines = lines(Files.readString(file));
            if (new TreeSet<>(lines).containsAll(imports) && text(lines).contains(code)) {
                return true;
            }
        }
        return false;
    }

    private static String text(List<String> lines) {
        return "\n" + String.join("\n", lines) + "\n";
    }

    /** Without indentation and empty lines. */
    private static List<String> lines(String text) {
        return text.lines().map(String::strip).filter(line -> !line.isEmpty()).toList();
    }

    private static List<Path> files(Path folder, String ending) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(ending))
                    .sorted()
                    .toList();
        }
    }
}
