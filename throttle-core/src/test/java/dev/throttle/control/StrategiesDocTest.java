package dev.throttle.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The page on strategies names each of them, and each setting with its default. */
class StrategiesDocTest {

    /** Told in words. */
    private static final Map<String, Set<String>> RELATIVE =
            Map.of("exponential-increase-gradual-decrease", Set.of("decrease"), "token-bucket", Set.of("burst"));

    static Stream<String> names() {
        return Strategies.names().stream();
    }

    @ParameterizedTest
    @MethodSource("names")
    void eachStrategyIsDocumentedWithItsSettingsAndDefaults(String name) throws IOException {
        String page = Files.readString(Path.of("..", "docs", "strategies.md"));
        assertThat(page).containsPattern("(?m)^###? `" + name + "`$");
        if (name.equals("quota-pacing")) {
            return; // it has a page of its own
        }
        Strategies.named(name).settings().forEach((key, value) -> {
            boolean inWords = RELATIVE.getOrDefault(name, Set.of()).contains(key);
            assertThat(page).containsPattern("\\| `" + key + "` \\| " + (inWords ? "" : "`" + value + "`"));
        });
    }
}
