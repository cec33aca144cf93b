package dev.throttle.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What users can name is little, and docs/design/decisions.md gives a reason for each. */
class PublicTypesTest {

    @Test
    void everyPublicTypeHasAReason() throws Exception {
        Path classes = Path.of(ThrottleCustomizer.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        List<String> types = new ArrayList<>();
        for (File file : Objects.requireNonNull(
                classes.resolve("dev/throttle/spring/boot").toFile().listFiles())) {
            String name = file.getName().replace(".class", "");
            Class<?> type = Class.forName("dev.throttle.spring.boot." + name);
            if (Modifier.isPublic(type.getModifiers()) && !name.contains("$")) {
                types.add(name);
            }
        }
        assertThat(types).containsExactly("ThrottleCustomizer");
        String page = Files.readString(Path.of("../docs/design/decisions.md"));
        String section = page.substring(page.indexOf("`dev.throttle.spring.boot`"));
        assertThat(types).allSatisfy(type -> assertThat(section).contains("`" + type + "`"));
    }
}
