package dev.throttle.pages;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What a reader makes of a page: a program of its snippets. The file begins with comments about its project, and has a
 * comment "snippet 2" where the page's second snippet goes, or "snippet with text" for the only one that has that text:
 *
 * <pre>
 * // page: docs/recipes/feign.md       which page
 * // lists: 2                          which of its lists of dependencies; all without it
 * // instead of A: B                   where the page says that another artifact does the same
 * // and: GROUP:ARTIFACT:VERSION       what the page's text names beside its lists, or what its reader has already
 * // import: GROUP:ARTIFACT:VERSION    a BOM that its reader has already
 * // file: PATH                         a class that the page tells to copy
 * // needs: redis                      its address is the second argument; the first is that of the API
 * // calls: nothing                    it does not call the API
 * </pre>
 *
 * <p>{@code ${spring-boot.version}} in a setting is that property of this project's pom.xml.
 */
record Program(String name, Page page, String template) {

    private static final Path FOLDER = Path.of("src/test/resources/programs");
    private static final Pattern SETTING = Pattern.compile("(?m)^// ([a-z][^:\n]*): (.*)$");
    private static final Pattern SNIPPET = Pattern.compile("(?m)^ *// snippet (?:(\\d+)|with (.+))$");
    private static final Pattern PROPERTY = Pattern.compile("\\$\\{([^}]+)}");
    private static final Pattern IMPORT = Pattern.compile("(?m)^import .*$\n?");

    static List<Program> all() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            List<Program> programs = new ArrayList<>();
            for (Path file : files.sorted().toList()) {
                String template = Files.readString(file);
                programs.add(new Program(file.getFileName().toString(), Page.read(first(template, "page")), template));
            }
            return programs;
        }
    }

    boolean isKotlin() {
        return name.endsWith(".kt");
    }

    boolean needsRedis() {
        return settings("needs").contains("redis");
    }

    boolean callsTheApi() {
        return !settings("calls").contains("nothing");
    }

    /** {@return the classes that the page tells to copy} */
    List<Path> files() {
        return settings("file").stream().map(Page.ROOT::resolve).toList();
    }

    /** {@return the numbers of the page's snippets in it} */
    Set<Integer> snippets() {
        Set<Integer> numbers = new TreeSet<>();
        SNIPPET.matcher(template).results().forEach(found -> numbers.add(number(found)));
        return numbers;
    }

    private int number(MatchResult marker) {
        if (marker.group(1) != null) {
            return Integer.parseInt(marker.group(1));
        }
        List<String> having = page.snippets().stream()
                .filter(snippet -> snippet.contains(marker.group(2)))
                .toList();
        if (having.size() != 1) {
            throw new IllegalStateException(
                    having.size() + " snippets of " + page.name() + " contain: " + marker.group(2));
        }
        return page.snippets().indexOf(having.get(0)) + 1;
    }

    /** {@return the code, with all imports at the top} */
    String source() {
        Set<String> imports = new TreeSet<>();
        String body = SNIPPET.matcher(template).replaceAll(found -> {
            String snippet = page.snippets().get(number(found) - 1);
            IMPORT.matcher(snippet)
                    .results()
                    .map(MatchResult::group)
                    .map(String::strip)
                    .forEach(imports::add);
            return Matcher.quoteReplacement(IMPORT.matcher(snippet).replaceAll(""));
        });
        IMPORT.matcher(body)
                .results()
                .map(MatchResult::group)
                .map(String::strip)
                .forEach(imports::add);
        return "package com.example" + (isKotlin() ? "" : ";") + "\n\n" + String.join("\n", imports) + "\n\n"
                + IMPORT.matcher(body).replaceAll("");
    }

    /** {@return the dependencies of its project, as the page lists them} */
    String dependencies() {
        StringBuilder all = new StringBuilder();
        List<String> lists = settings("lists");
        for (int i = 1; i <= page.dependencies().size(); i++) {
            if (lists.isEmpty() || lists.contains(String.valueOf(i))) {
                all.append(page.dependencies().get(i - 1));
            }
        }
        settings("and").forEach(each -> all.append(dependency(each, "")));
        String dependencies = all.toString();
        for (MatchResult setting : SETTING.matcher(template).results().toList()) {
            if (setting.group(1).startsWith("instead of ")) {
                String artifact = setting.group(1).substring("instead of ".length());
                dependencies =
                        dependencies.replace("<artifactId>" + artifact + "<", "<artifactId>" + setting.group(2) + "<");
            }
        }
        return dependencies.replace("<scope>test</scope>", ""); // a program is no test
    }

    /** {@return the BOMs that the page tells to import, and those that its reader has} */
    String imports() throws IOException {
        StringBuilder all = new StringBuilder();
        if (Pattern.compile("dev.throttle</groupId>\\s*<artifactId>[^<]*</artifactId>\\s*</dep")
                .matcher(dependencies())
                .find()) {
            all.append(Page.bom("README.md", "throttle-bom"));
        }
        if (page.text().matches("(?s).*\\[\\s*import\\s+OkHttp's\\s+BOM\\s*].*")) {
            all.append(Page.bom("docs/recipes/README.md", "okhttp-bom"));
        }
        settings("import").forEach(each -> all.append(dependency(each, "<type>pom</type><scope>import</scope>")));
        return all.toString();
    }

    private static String dependency(String coordinates, String rest) {
        String[] parts = coordinates.split(":", -1);
        return "<dependency><groupId>" + parts[0] + "</groupId><artifactId>" + parts[1] + "</artifactId>"
                + (parts.length > 2 ? "<version>" + parts[2] + "</version>" : "") + rest + "</dependency>\n";
    }

    private List<String> settings(String name) {
        return SETTING.matcher(template)
                .results()
                .filter(found -> found.group(1).equals(name))
                .map(found -> PROPERTY.matcher(found.group(2).strip()).replaceAll(Program::ofThisProject))
                .toList();
    }

    private static String ofThisProject(MatchResult property) {
        try {
            Matcher value = Pattern.compile("<" + Pattern.quote(property.group(1)) + ">([^<]*)<")
                    .matcher(Files.readString(Page.ROOT.resolve("pom.xml")));
            if (!value.find()) {
                throw new IllegalStateException("pom.xml has no " + property.group(1));
            }
            return Matcher.quoteReplacement(value.group(1));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String first(String template, String name) {
        return SETTING.matcher(template)
                .results()
                .filter(found -> found.group(1).equals(name))
                .map(found -> found.group(2).strip())
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no " + name + " in " + template));
    }

    @Override
    public String toString() {
        return name;
    }
}
