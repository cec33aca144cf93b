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
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The pages show what is tested: each snippet in Java stands, line by line, in a class of this project together with its
 * imports, and each dependency in its pom.xml.
 */
class RecipePagesTest {

    private static final Path PAGES = Path.of("../../docs/recipes");
    private static final Path CLASSES = Path.of("src/main/java");
    private static final Pattern SNIPPET =
            Pattern.compile("^ *```(\\w+)\n(.*?)^ *```$", Pattern.DOTALL | Pattern.MULTILINE);

    @Test
    void everySnippetIsTested() throws IOException {
        List<String> wrong = new ArrayList<>();
        int snippets = 0;
        for (Path page : files(PAGES, ".md")) {
            for (var found : SNIPPET.matcher(Files.readString(page)).results().toList()) {
                snippets++;
                List<String> lines = lines(found.group(2));
                boolean isTested =
                        switch (found.group(1)) {
                            case "java", "json" -> isInOneClass(lines);
                            case "xml" -> lines(Files.readString(Path.of("pom.xml"))).containsAll(lines);
                            default -> false;
                        };
                if (!isTested) {
                    wrong.add(page.getFileName() + ":\n" + found.group(2));
                }
            }
        }
        assertTrue(snippets > 0);
        assertEquals(List.of(), wrong);
    }

    @Test
    void everyPageIsInTheList() throws IOException {
        String list = Files.readString(PAGES.resolve("README.md"));
        for (Path page : files(PAGES, ".md")) {
            String name = page.getFileName().toString();
            assertTrue(name.equals("README.md") || list.contains("(" + name + ")"), name);
        }
    }

    private static boolean isInOneClass(List<String> snippet) throws IOException {
        List<String> imports =
                snippet.stream().filter(line -> line.startsWith("import ")).toList();
        String code = text(snippet.stream().filter(line -> !line.startsWith("import ")).toList());
        assertFalse(code.isBlank(), snippet::toString);
        for (Path file : files(CLASSES, ".java")) {
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
            return files.filter(file -> file.toString().endsWith(ending)).sorted().toList();
        }
    }
}
