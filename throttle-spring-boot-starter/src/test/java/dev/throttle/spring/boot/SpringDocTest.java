package dev.throttle.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.CallOptions;
import dev.throttle.Priority;
import dev.throttle.ThrottleRegistry;
import java.io.StringWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;

/** docs/spring.md: what it shows can be bound, and compiled. */
class SpringDocTest {

    private static final String IMPORTS = Stream.of(
                    "dev.throttle.*",
                    "dev.throttle.spring.*",
                    "dev.throttle.spring.boot.*",
                    "dev.throttle.testing.*",
                    "java.time.*",
                    "org.springframework.context.annotation.*",
                    "org.springframework.web.bind.annotation.*",
                    "org.springframework.web.client.*",
                    "org.springframework.web.reactive.function.client.*",
                    "org.springframework.web.service.annotation.*",
                    "reactor.core.publisher.*")
            .map(name -> "import " + name + ";")
            .reduce("", String::concat);

    private static List<String> blocks(String language) throws Exception {
        return blocks(Path.of("../docs/spring.md"), language);
    }

    private static List<String> blocks(Path page, String language) throws Exception {
        return Pattern.compile("^ *```" + language + "\n(.*?)^ *```", Pattern.DOTALL | Pattern.MULTILINE)
                .matcher(Files.readString(page))
                .results()
                .map(block -> block.group(1))
                .toList();
    }

    private static ApplicationContextRunner runner() throws Exception {
        List<PropertySource<?>> sources = new ArrayList<>();
        for (String yaml : blocks("yaml")) {
            sources.addAll(new YamlPropertySourceLoader()
                    .load("block " + sources.size(), new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8))));
        }
        assertThat(sources).hasSize(3);
        return new ApplicationContextRunner()
                .withInitializer(context -> {
                    sources.forEach(context.getEnvironment().getPropertySources()::addFirst);
                    context.getEnvironment().setConversionService(new ApplicationConversionService()); // as Boot does
                })
                .withConfiguration(AutoConfigurations.of(
                        ThrottleAutoConfiguration.class,
                        ThrottleActuatorAutoConfiguration.class,
                        EndpointAutoConfiguration.class,
                        WebEndpointAutoConfiguration.class));
    }

    @Test
    void thePropertiesAreBound() throws Exception {
        runner().run(context -> {
            assertThat(context).hasNotFailed().hasSingleBean(ThrottlesEndpoint.class);
            ThrottleRegistry throttles = context.getBean(ThrottleRegistry.class);
            assertThat(throttles.get("https://api.github.com:443").maxWait()).isEqualTo(Duration.ofSeconds(30));
            assertThat(throttles.get("https://eu.search.example.com:443").maxWait())
                    .isEqualTo(Duration.ofSeconds(2));
            ClientRules rules = context.getBean(ClientRules.class);
            assertThat(rules.optionsOf(URI.create("https://api.github.com/zen")).isExempt())
                    .isTrue();
            CallOptions search = rules.optionsOf(URI.create("http://localhost:9200/a"));
            assertThat(search.priority()).isEqualTo(Priority.BATCH);
        });
    }

    @Test
    void everyPropertyThatItNamesExists() throws Exception {
        String page = Files.readString(Path.of("../docs/spring.md"));
        String metadata = new String(
                SpringDocTest.class
                        .getResourceAsStream("/META-INF/spring-configuration-metadata.json")
                        .readAllBytes(),
                StandardCharsets.UTF_8);
        List<String> named = Pattern.compile("^\\| `(throttle\\.[a-z.-]+[a-z])", Pattern.MULTILINE)
                .matcher(page)
                .results()
                .map(match -> match.group(1))
                .filter(name -> !name.equals("throttle.clients"))
                .toList();
        assertThat(named)
                .hasSizeGreaterThan(6)
                .allSatisfy(name -> assertThat(metadata).contains("\"name\": \"" + name + "\""));
    }

    /** In the YAML of all other pages. Those of recipes are files of a project that runs. */
    @Test
    void theYamlOfOtherPagesNamesPropertiesThatExist() throws Exception {
        String metadata = new String(
                SpringDocTest.class
                        .getResourceAsStream("/META-INF/spring-configuration-metadata.json")
                        .readAllBytes(),
                StandardCharsets.UTF_8);
        List<Path> pages = new ArrayList<>(List.of(Path.of("../README.md")));
        try (Stream<Path> docs = Files.walk(Path.of("../docs"))) {
            docs.filter(page -> page.toString().endsWith(".md"))
                    .filter(page -> !page.getParent().endsWith("recipes"))
                    .forEach(pages::add);
        }
        List<String> unknown = new ArrayList<>();
        for (Path page : pages) {
            for (String yaml : blocks(page, "yaml")) {
                for (PropertySource<?> source : new YamlPropertySourceLoader()
                        .load("block", new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)))) {
                    for (String name : ((EnumerablePropertySource<?>) source).getPropertyNames()) {
                        if (name.startsWith("throttle.") && !isKnown(name, metadata)) {
                            unknown.add(page.getFileName() + ": " + name);
                        }
                    }
                }
            }
        }
        assertThat(unknown).isEmpty();
    }

    /** It is a property, or in a map or list that is one. */
    private static boolean isKnown(String name, String metadata) {
        if (metadata.contains("\"name\": \"" + name + "\",")) {
            return true;
        }
        for (String part = name; part.contains("."); part = part.replaceAll("(\\[\\d+]|\\.[^.\\[]*)$", "")) {
            String property = "\"name\": \"" + Pattern.quote(part) + "\",\\s*\"type\": \"java.util.(Map|List)";
            if (Pattern.compile(property).matcher(metadata).find()) {
                return true;
            }
        }
        return false;
    }

    @Test
    void theJavaSnippetsCompile(@TempDir Path out) throws Exception {
        List<JavaFileObject> sources = new ArrayList<>();
        for (String snippet : blocks("java")) {
            String name = "Snippet" + sources.size();
            sources.add(new Source(name, IMPORTS + "\nclass " + name + " {\n" + snippet + "}"));
        }
        assertThat(sources).hasSize(5);
        StringWriter errors = new StringWriter();
        List<String> options = List.of(
                "-proc:none", "-nowarn", "-d", out.toString(), "-cp", System.getProperty("java.class.path", ""));
        assertThat(ToolProvider.getSystemJavaCompiler()
                        .getTask(errors, null, null, options, null, sources)
                        .call())
                .as(errors.toString())
                .isTrue();
    }

    private static final class Source extends SimpleJavaFileObject {

        private final String text;

        Source(String name, String text) {
            super(URI.create("string:///" + name + ".java"), JavaFileObject.Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
