package dev.throttle.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What is called by reflection, and found by its name, is known to a native image: every such use in a published module
 * is listed here, and what it needs is in the module's {@code reachability-metadata.json}. Spring's hints have a test
 * of their own.
 */
class NativeImageTest {

    private static final Path ROOT = Path.of("..");

    private static final Pattern COMMENT = Pattern.compile("/\\*.*?\\*/|//[^\n]*", Pattern.DOTALL);
    private static final Pattern PUBLISHED = Pattern.compile("<artifactId>(throttle-[a-z0-9-]+)</artifactId><version>");

    /** Calls that find something by its name, or make what a native image must have been told of. */
    private static final Pattern REFLECTIVE = Pattern.compile(
            "\\b(Class\\s*(?:\\.|::)\\s*forName|loadClass|get(?:Declared)?(?:Methods|Fields?|Constructors?|RecordComponents)"
                    + "|get(?:Declared)?Method(?!\\(\\s*\\))|unreflect\\w*|find(?:Virtual|Static|Special|Constructor)"
                    + "|find(?:Static)?(?:Getter|Setter|VarHandle)|newUpdater|newInstance|newProxyInstance|setAccessible"
                    + "|ServiceLoader\\s*\\.\\s*load\\w*|getResource(?:AsStream|s)?|getSystemResource\\w*|getBundle"
                    + "|loadLibrary|new Object(?:In|Out)putStream|Caffeine\\s*\\.\\s*newBuilder)\\b");

    /** A file, what it calls, and the classes whose members it needs. */
    private record Use(String file, List<String> calls, List<String> types) {}

    private static final List<Use> USES = List.of(
            // Caffeine has a class for each combination of features and finds it by its name.
            new Use(
                    "throttle-core/src/main/java/dev/throttle/KeyedThrottles.java",
                    List.of("Caffeine.newBuilder"),
                    List.of("com.github.benmanes.caffeine.cache.PSAMS", "com.github.benmanes.caffeine.cache.SSMSA")),
            // Responses and exceptions of the clients that ResultClassifier.standard names.
            new Use(
                    "throttle-core/src/main/java/dev/throttle/KnownResponse.java",
                    List.of("getDeclaredMethod", "unreflect"),
                    List.of(
                            "com.anthropic.core.http.Headers",
                            "com.anthropic.errors.AnthropicServiceException",
                            "com.google.genai.errors.ApiException",
                            "com.openai.core.http.Headers",
                            "com.openai.errors.OpenAIServiceException",
                            "feign.FeignException",
                            "java.net.http.HttpHeaders",
                            "java.net.http.HttpResponse",
                            "okhttp3.Headers",
                            "okhttp3.Response",
                            "org.springframework.http.HttpEntity",
                            "org.springframework.http.HttpHeaders",
                            "org.springframework.http.HttpStatusCode",
                            "org.springframework.http.ResponseEntity",
                            "org.springframework.web.client.RestClientResponseException",
                            "org.springframework.web.reactive.function.client.WebClientResponseException",
                            "retrofit2.HttpException",
                            "retrofit2.Response",
                            "software.amazon.awssdk.core.exception.SdkServiceException")),
            // Of the fields of those who ask it, in whatever module.
            new Use(
                    "throttle-core/src/main/java/dev/throttle/internal/Fields.java",
                    List.of("findVarHandle"),
                    List.of("dev.throttle.client.AsyncCallLoop", "dev.throttle.jdkhttp.CallFuture")),
            new Use(
                    "throttle-jdkhttp/src/main/java/dev/throttle/jdkhttp/ClientBuilderHandler.java",
                    List.of("newProxyInstance"),
                    List.of("proxy java.net.http.HttpClient$Builder", "java.net.http.HttpClient$Builder")),
            new Use(
                    "throttle-jdkhttp/src/main/java/dev/throttle/jdkhttp/JdkLifecycle.java",
                    List.of("findVirtual"),
                    List.of("java.net.http.HttpClient")),
            new Use(
                    "throttle-okhttp/src/main/java/dev/throttle/okhttp/OkHttpVersion.java",
                    List.of("getMethod", "Class.forName", "getField", "Class.forName"),
                    List.of(
                            "okhttp3.Call",
                            "okhttp3.Interceptor$Chain",
                            "okhttp3.OkHttp",
                            "okhttp3.ResponseBody",
                            "okhttp3.internal.connection.RealCall")),
            // The method of a Retrofit interface that a request comes from.
            new Use(
                    "throttle-okhttp/src/main/java/dev/throttle/okhttp/RetrofitTag.java",
                    List.of("Class.forName", "getMethod"),
                    List.of("retrofit2.Invocation")),
            // The table of vendors, which the metadata names as a resource.
            new Use(
                    "throttle-signal/src/main/java/dev/throttle/signal/header/VendorFile.java",
                    List.of("getResourceAsStream"),
                    List.of()),
            // A table that the application names. Its image has to include it.
            new Use(
                    "throttle-spring-boot-starter/src/main/java/dev/throttle/spring/boot/RegistrySettings.java",
                    List.of("getResource"),
                    List.of()));

    @Test
    void allReflectiveCallsAreListed() throws IOException {
        Map<String, List<String>> found = new TreeMap<>();
        for (String module : published()) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/main/java"))) {
                for (Path file :
                        files.filter(path -> path.toString().endsWith(".java")).toList()) {
                    String code = COMMENT.matcher(Files.readString(file)).replaceAll("");
                    List<String> calls = REFLECTIVE
                            .matcher(code)
                            .results()
                            .map(MatchResult::group)
                            .map(call -> call.replaceAll("\\s", ""))
                            .toList();
                    if (!calls.isEmpty()) {
                        found.put(ROOT.relativize(file).toString().replace('\\', '/'), calls);
                    }
                }
            }
        }
        Map<String, List<String>> listed = new TreeMap<>();
        USES.forEach(use -> listed.put(use.file, use.calls));
        assertThat(found)
                .as("reflective calls: list a new one here, and what it needs in reachability-metadata.json")
                .isEqualTo(listed);
    }

    @Test
    void theMetadataOfAModuleHasWhatItsUsesNeedAndNoMore() throws IOException {
        for (String module : published()) {
            List<String> expected = USES.stream()
                    .filter(use -> use.file.startsWith(module + "/"))
                    .flatMap(use -> use.types.stream().map(type -> className(use.file) + ": " + type))
                    .toList();
            assertThat(metadata(module).stream().map(entry -> condition(entry) + ": " + name(entry)))
                    .as(module)
                    .containsExactlyInAnyOrderElementsOf(expected);
        }
    }

    /** A wrong name would say nothing: a native image passes over what it does not find. */
    @Test
    void whatTheMetadataNamesIsThere() throws Exception {
        List<String> unknown = new ArrayList<>();
        int known = 0;
        for (String module : published()) {
            for (Map<String, Object> entry : metadata(module)) {
                if (!(entry.get("type") instanceof String type)) {
                    continue;
                }
                Class<?> found;
                try {
                    found = Class.forName(type, false, getClass().getClassLoader());
                } catch (ClassNotFoundException e) {
                    unknown.add(type);
                    continue;
                }
                known++;
                membersAreThere(found, entry);
            }
        }
        assertThat(known).isPositive();
        assertThat(unknown)
                .as("classes that these tests cannot see")
                .allMatch(type -> Stream.of("anthropic", "google.genai", "openai", "feign", "reactive", "awssdk")
                        .anyMatch(type::contains));
    }

    private static void membersAreThere(Class<?> type, Map<String, Object> entry) throws Exception {
        for (Map<String, Object> field : list(entry, "fields")) {
            type.getDeclaredField((String) field.get("name"));
        }
        for (Map<String, Object> method : list(entry, "methods")) {
            // The JDK's client has the methods of its lifecycle since Java 21.
            if (type == java.net.http.HttpClient.class && Runtime.version().feature() < 21) {
                continue;
            }
            List<?> parameters = (List<?>) method.get("parameterTypes");
            assertThat(type.getDeclaredMethods())
                    .as(type + " " + method)
                    .anyMatch(declared -> declared.getName().equals(method.get("name"))
                            && parametersOf(declared).equals(parameters));
        }
    }

    private static List<String> parametersOf(Method method) {
        return Arrays.stream(method.getParameterTypes()).map(Class::getName).toList();
    }

    private static List<String> published() throws IOException {
        List<String> modules = PUBLISHED
                .matcher(Files.readString(ROOT.resolve("throttle-bom/pom.xml")))
                .results()
                .map(module -> module.group(1))
                .toList();
        assertThat(modules).contains("throttle-core", "throttle-okhttp", "throttle-jdkhttp");
        return modules;
    }

    private static List<Map<String, Object>> metadata(String module) throws IOException {
        Path file = ROOT.resolve(module)
                .resolve("src/main/resources/META-INF/native-image/dev.throttle/" + module)
                .resolve("reachability-metadata.json");
        return Files.exists(file) ? list(JSON.std.mapFrom(Files.readString(file)), "reflection") : List.of();
    }

    @SuppressWarnings("unchecked") // what JSON is read as
    private static List<Map<String, Object>> list(Map<String, Object> object, String name) {
        return (List<Map<String, Object>>) object.getOrDefault(name, List.of());
    }

    private static String condition(Map<String, Object> entry) {
        return (String) ((Map<?, ?>) entry.get("condition")).get("typeReached");
    }

    private static String name(Map<String, Object> entry) {
        return entry.get("type") instanceof Map<?, ?> proxy
                ? "proxy "
                        + String.join(
                                " ",
                                ((List<?>) proxy.get("proxy"))
                                        .stream().map(Object::toString).toList())
                : (String) entry.get("type");
    }

    private static String className(String file) {
        return file.replaceAll("^.*/src/main/java/|\\.java$", "").replace('/', '.');
    }
}
