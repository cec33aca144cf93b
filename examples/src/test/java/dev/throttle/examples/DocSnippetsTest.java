package dev.throttle.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every Java snippet of the documents compiles. A snippet is a list of statements. The README's snippets show all their
 * imports; those of the other pages are given {@link #IMPORTS}, and each page the names that its text speaks of.
 */
class DocSnippetsTest {

    private static final Path ROOT = Path.of("..");

    private static final Pattern SNIPPET =
            Pattern.compile("^ *```java\n(.*?)^ *```", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern IMPORT = Pattern.compile("^import .*;$", Pattern.MULTILINE);

    /** The imports that the pages of docs leave out, as docs/README.md says. */
    private static final String IMPORTS = Stream.of(
                    "com.netflix.concurrency.limits.limit.*",
                    "dev.throttle.*",
                    "dev.throttle.bucket4j.*",
                    "dev.throttle.concurrencylimits.*",
                    "dev.throttle.control.*",
                    "dev.throttle.jdkhttp.*",
                    "dev.throttle.micrometer.*",
                    "dev.throttle.lease.*",
                    "dev.throttle.okhttp.*",
                    "dev.throttle.redis.*",
                    "dev.throttle.resilience4j.*",
                    "dev.throttle.retry.*",
                    "dev.throttle.signal.*",
                    "dev.throttle.testing.*",
                    "io.github.resilience4j.bulkhead.*",
                    "io.github.resilience4j.circuitbreaker.*",
                    "io.github.resilience4j.core.*",
                    "io.micrometer.core.instrument.*",
                    "io.micrometer.core.instrument.config.*",
                    "io.micrometer.core.instrument.distribution.*",
                    "io.micrometer.observation.*",
                    "io.opentelemetry.api.*",
                    "java.net.http.*",
                    "java.net.http.HttpResponse.*",
                    "java.net.*",
                    "java.time.*",
                    "java.util.*",
                    "java.util.concurrent.*",
                    "java.util.random.*",
                    "okhttp3.*")
            .map(name -> "import " + name + ";")
            .reduce("", String::concat);

    private static final Map<String, String> CONTEXT = Map.ofEntries(
            Map.entry("README.md", """
            static class QuotaExceededException extends Exception {}
            String callTheApi() { return ""; }
            dev.throttle.signal.Signal send() { return dev.throttle.signal.Signal.SUCCESS; }
            """),
            Map.entry("docs/api.md", """
            ThrottleRegistry throttles; Throttle throttle; OkHttpClient client; Request request; MeterRegistry registry;
            String callTheApi() { return ""; }
            CompletableFuture<String> callTheApiAsync() { return new CompletableFuture<>(); }
            Signal send() { return Signal.SUCCESS; }
            """),
            Map.entry("docs/batch.md", """
            ThrottleRegistry throttles; HttpClient client; URI api; List<String> items; Queue<String> done; Queue<String> failed;
            java.util.concurrent.atomic.AtomicBoolean ending;
            """),
            Map.entry("docs/command-line.md", "URI api;"),
            Map.entry("docs/pool.md", """
            ThrottleRegistry throttles; Pool pool; String question;
            String ask(String member, String question) { return ""; }
            String addressOf(String member) { return ""; }
            String keyOf(String member) { return ""; }
            """),
            Map.entry("docs/services.md", """
            ThrottleRegistry throttles; String answer; int status; long retryAfterSeconds;
            String callTheApi() { return ""; }
            """),
            Map.entry("docs/context.md", """
            ObservationRegistry observations; OkHttpClient traced; OpenTelemetry telemetry; ThrottlingInterceptor throttling;
            """),
            Map.entry("docs/costs.md", """
            record Answer(int tokens) {}
            Answer callTheApi() { return new Answer(0); }
            int tokensOf(Request request) { return 0; }
            ThrottleRegistry throttles; HttpClient delegate;
            """),
            Map.entry("docs/okhttp.md", """
            ThrottleRegistry throttles; Request request;
            String account(Request request) { return ""; }
            """),
            Map.entry("docs/jdkhttp.md", """
            HttpClient delegate; HttpRequest request; ThrottlingHttpClient client; ThrottleRegistry throttles;
            boolean isLocal(HttpRequest request) { return false; }
            boolean isSearch(HttpRequest request) { return false; }
            String account(HttpRequest request) { return ""; }
            """),
            Map.entry("docs/control.md", """
            ThrottleRegistry throttles; Throttle github; Signal refusal;
            """),
            Map.entry(
                    "docs/fleet.md",
                    "Fleet fleet; MeterRegistry registry; io.github.bucket4j.distributed.proxy.AsyncProxyManager<String> manager;"),
            Map.entry("docs/metrics.md", "MeterRegistry registry;"),
            Map.entry("docs/observe.md", "ThrottleRegistry throttles;"),
            Map.entry("docs/headers.md", "int status; Map<String, List<String>> headers;"),
            Map.entry("docs/keys.md", "ThrottleRegistry throttles;"),
            Map.entry(
                    "docs/start.md",
                    "MeterRegistry registry; ThrottleRegistry throttles; HttpClient client; HttpRequest request;"
                            + "void show(String text) {}"),
            Map.entry(
                    "docs/strategies.md",
                    "CircuitBreaker breaker; Bulkhead bulkhead; CircuitBreakerRegistry registry;"),
            Map.entry("docs/tuning.md", """
            record Answer(int code, int secondsToWait) {}
            static class QuotaExceededException extends Exception {}
            Answer callTheApi() { return new Answer(0, 0); }
            boolean servesARequest() { return true; }
            """),
            Map.entry("docs/testing.md", "ThrottleRegistry registry; int status; long accepted;"));

    /** All pages of docs, but for those that another test looks at. */
    private static List<String> pages() throws IOException {
        try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            return Stream.concat(
                            Stream.of("README.md"),
                            docs.map(page -> ROOT.relativize(page).toString().replace('\\', '/')))
                    .filter(page -> page.endsWith(".md"))
                    .filter(page -> !page.equals("docs/spring.md")) // the starter's tests have what it takes
                    .filter(page -> !page.startsWith("docs/recipes/")) // a project of its own has the libraries
                    .sorted()
                    .toList();
        }
    }

    private static List<Source> sources() throws IOException {
        List<Source> sources = new ArrayList<>();
        for (String page : pages()) {
            int number = 0;
            for (MatchResult found : SNIPPET.matcher(Files.readString(ROOT.resolve(page)))
                    .results()
                    .toList()) {
                sources.add(source(page, ++number, found.group(1)));
            }
        }
        return sources;
    }

    private static Source source(String page, int number, String snippet) {
        String name = page.replaceAll("\\W", "_") + "_" + number;
        String imports = page.equals("README.md") ? "" : IMPORTS;
        for (MatchResult found : IMPORT.matcher(snippet).results().toList()) {
            imports += found.group() + "\n";
        }
        return new Source(
                name,
                imports + "\nclass " + name + " {\n" + CONTEXT.getOrDefault(page, "")
                        + "void snippet() throws Exception {\n"
                        + IMPORT.matcher(snippet).replaceAll("") + "}}");
    }

    @Test
    void everySnippetCompiles(@TempDir Path out) throws IOException {
        List<Source> sources = sources();
        assertThat(sources).hasSizeGreaterThan(25);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter errors = new StringWriter();
        List<String> options = List.of(
                "-proc:none", "-nowarn", "-d", out.toString(), "-cp", System.getProperty("java.class.path", ""));
        boolean isCompiled =
                compiler.getTask(errors, null, null, options, null, sources).call();
        assertThat(isCompiled).as(errors.toString()).isTrue();
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
