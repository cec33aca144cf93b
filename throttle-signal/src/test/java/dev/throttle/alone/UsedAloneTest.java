package dev.throttle.alone;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.signal.HintReader;
import java.io.StringWriter;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleDescriptor.Requires;
import java.lang.module.ModuleFinder;
import java.lang.reflect.Method;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program that has this artifact and nothing else reads responses with it. */
class UsedAloneTest {

    private static final Path CLASSES = classes();

    private static Path classes() {
        try {
            return Path.of(HintReader.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void itNeedsNoOtherLibraryToRun() {
        ModuleDescriptor module = ModuleFinder.of(CLASSES)
                .find("dev.throttle.signal")
                .orElseThrow()
                .descriptor();
        assertThat(module.requires().stream()
                        .filter(required -> !required.modifiers().contains(Requires.Modifier.STATIC))
                        .map(Requires::name))
                .containsExactly("java.base");
    }

    @Test
    void theExampleOfTheDocumentsCompilesAndRuns(@TempDir Path directory) throws Exception {
        String page = Files.readString(Path.of("../docs/headers.md"));
        Matcher example = Pattern.compile("## Headers without a throttle\n.*?```java\n(.*?)```", Pattern.DOTALL)
                .matcher(page);
        assertThat(example.find()).isTrue();
        compile("""
                import dev.throttle.signal.*; import java.time.*; import java.util.*;
                public class Example {
                    public static Duration waitAfter(int status, Map<String, List<String>> headers) {
                        %s
                        return wait;
                    }
                }
                """.formatted(example.group(1)), directory);
        URL[] path = {directory.toUri().toURL(), CLASSES.toUri().toURL()};
        try (URLClassLoader loader = new URLClassLoader(path, ClassLoader.getPlatformClassLoader())) {
            Method waitAfter = loader.loadClass("Example").getMethod("waitAfter", int.class, Map.class);
            assertThat(waitAfter.invoke(null, 429, Map.of("Retry-After", List.of("7"))))
                    .isEqualTo(Duration.ofSeconds(7));
            assertThat(waitAfter.invoke(null, 200, Map.of("Retry-After", List.of("7"))))
                    .isEqualTo(Duration.ZERO);
        }
    }

    private static void compile(String text, Path directory) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        JavaFileObject source =
                new SimpleJavaFileObject(URI.create("string:///Example.java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return text;
                    }
                };
        StringWriter messages = new StringWriter();
        // -proc:none: the annotations of nullness are not there, and need not be.
        List<String> options =
                List.of("-d", directory.toString(), "-classpath", CLASSES.toString(), "-proc:none", "--release", "17");
        boolean compiled = compiler.getTask(messages, null, null, options, null, List.of(source))
                .call();
        assertThat(compiled).as(messages.toString()).isTrue();
    }
}
