package dev.throttle.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** docs/design/architecture.md has one line for each class of the engine, the call and the doors, and for no other. */
class ArchitecturePageTest {

    private static final Pattern ROW = Pattern.compile("^\\| `(\\w+)` \\| (.+) \\|$", Pattern.MULTILINE);

    @ParameterizedTest
    @CsvSource({
        "The engine, throttle-core/src/main/java/dev/throttle/engine",
        "The call and its loop, throttle-core/src/main/java/dev/throttle/client",
        "OkHttp, throttle-okhttp/src/main/java/dev/throttle/okhttp",
        "The JDK's client, throttle-jdkhttp/src/main/java/dev/throttle/jdkhttp",
        "Spring, throttle-spring/src/main/java/dev/throttle/spring",
    })
    void thePageHasOneLineForEachClass(String heading, String folder) throws IOException {
        Map<String, String> lines = linesUnder(heading);
        try (Stream<Path> files = Files.list(Path.of("..", folder))) {
            assertThat(lines.keySet())
                    .containsExactlyInAnyOrderElementsOf(
                            files.map(file -> file.getFileName().toString())
                                    .filter(name -> name.endsWith(".java") && !name.equals("package-info.java"))
                                    .map(name -> name.replace(".java", ""))
                                    .collect(Collectors.toSet()));
        }
        assertThat(lines.values()).doesNotHaveDuplicates();
    }

    private static Map<String, String> linesUnder(String heading) throws IOException {
        String page = Files.readString(Path.of("../docs/design/architecture.md"));
        String section =
                page.split("(?m)^#{2,3} " + Pattern.quote(heading) + "$", 2)[1].split("(?m)^#{2,3} ", 2)[0];
        return ROW.matcher(section)
                .results()
                .collect(Collectors.toMap(row -> row.group(1), row -> row.group(2), (a, b) -> a, TreeMap::new));
    }
}
