package dev.throttle.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import dev.throttle.CallOptions;
import dev.throttle.ThrottleRegistry;
import dev.throttle.control.Strategies;
import dev.throttle.jdkhttp.ThrottlingHttpClient;
import dev.throttle.lease.Fleet;
import dev.throttle.lease.FleetMetrics;
import dev.throttle.micrometer.ThrottleMetrics;
import dev.throttle.redis.RedisFleet;
import dev.throttle.testing.RateLimitedServer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.File;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The dashboard and the alerts ask only for metrics and labels that a program really has. */
class MonitoringTest {

    private static final Path FILES = Path.of("../docs/monitoring");
    private static final Pattern SERIES = Pattern.compile("(?m)^(throttle_\\w+)(?:\\{(.*)})? ");
    private static final Pattern USE = Pattern.compile("\\b(throttle_\\w+)(?:\\{([^}]*)})?");
    private static final Pattern LABEL = Pattern.compile("(\\w+)\\s*(?:=~|!~|!=|=)\\s*\"");
    private static final Pattern GROUPING = Pattern.compile("\\b(?:by|on|without|ignoring)\\s*\\(([^)]*)\\)");

    /** The labels of each metric of a real scrape. */
    private static final Map<String, Set<String>> METRICS = new HashMap<>();

    @BeforeAll
    static void scrape() throws Exception {
        Matcher series = SERIES.matcher(scrapeOfALimitedClient());
        while (series.find()) {
            Set<String> labels = METRICS.computeIfAbsent(series.group(1), name -> new HashSet<>());
            Matcher label = LABEL.matcher(series.group(2) == null ? "" : series.group(2));
            while (label.find()) {
                labels.add(label.group(1));
            }
        }
    }

    private static String scrapeOfALimitedClient() throws IOException, InterruptedException {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        ThrottleRegistry throttles = ThrottleRegistry.builder()
                .name("api")
                .limit(Strategies.tokenBucket()
                        .rate(1000, Duration.ofSeconds(1))
                        .burst(10)
                        .build())
                .limit(Strategies.inFlight().limit(4).build())
                .build();
        new ThrottleMetrics(throttles).bindTo(registry);
        try (Fleet fleet = RedisFleet.builder("shop", "redis://127.0.0.1:1")
                .startTimeout(Duration.ZERO)
                .build()) { // its gauges are there without a store too
            new FleetMetrics(fleet).bindTo(registry);
            fleet.tokenBucket(1000, Duration.ofSeconds(1)).build();
            return scrapeOf(registry, throttles);
        }
    }

    private static String scrapeOf(PrometheusMeterRegistry registry, ThrottleRegistry throttles)
            throws IOException, InterruptedException {
        try (RateLimitedServer server =
                RateLimitedServer.builder().window(100, Duration.ofMinutes(1)).start()) {
            server.refuseNext(1, 429, Duration.ZERO);
            HttpClient client = ThrottlingHttpClient.newBuilder(HttpClient.newHttpClient())
                    .throttles(throttles)
                    .options(request -> CallOptions.DEFAULT)
                    .build();
            for (int i = 0; i < 3; i++) {
                client.send(HttpRequest.newBuilder(server.uri("/")).build(), BodyHandlers.discarding());
            }
            return registry.scrape();
        }
    }

    @Test
    void theDashboardAsksForMetricsThatExist() throws IOException {
        Map<String, Object> dashboard = JSON.std.mapFrom(Files.readString(FILES.resolve("dashboard.json")));
        List<String> expressions = new ArrayList<>();
        collect(dashboard, "expr", expressions);
        assertThat(expressions).hasSizeGreaterThan(15);
        assertThat(expressions).allSatisfy(MonitoringTest::exists);
        List<String> sources = new ArrayList<>();
        collect(dashboard, "uid", sources);
        assertThat(sources).containsOnly("throttle", "${DS_PROMETHEUS}");
        List<String> queries = new ArrayList<>();
        collect(dashboard, "definition", queries);
        assertThat(queries).hasSize(2).allSatisfy(MonitoringTest::exists);
    }

    @Test
    void theAlertsAskForMetricsThatExist() throws IOException {
        String rules = Files.readString(FILES.resolve("alerts.yml"));
        assertThat(rules.split("- alert:")).hasSizeGreaterThan(6);
        exists(rules.replaceAll("(?m)^ *(summary|description|- alert|severity|#).*$", ""));
    }

    @Test
    void everyAlertIsTriedWithTwoInstances() throws IOException {
        String rules = Files.readString(FILES.resolve("alerts.yml"));
        String tests = Files.readString(FILES.resolve("alerts-test.yml"));
        assertThat(matches(rules, "- alert: (\\w+)"))
                .isEqualTo(matches(tests, "alertname: (\\w+)\\s+exp_alerts:\\s+- exp_labels"));
        Set<String> first = matches(tests, "- series: (.*instance=\"10\\.0\\.0\\.1:8080\".*)");
        assertThat(first).hasSizeGreaterThan(8);
        assertThat(matches(tests, "- series: (.*)"))
                .hasSize(2 * first.size())
                .containsAll(first)
                .containsAll(first.stream()
                        .map(series -> series.replace("10.0.0.1", "10.0.0.2"))
                        .toList());
    }

    private static Set<String> matches(String text, String pattern) {
        Set<String> found = new HashSet<>();
        Pattern.compile(pattern).matcher(text).results().forEach(match -> found.add(match.group(1)));
        return found;
    }

    /** So that a line can be told from that of another instance, and series of two instances can be divided. */
    @Test
    void theDashboardTellsInstancesApart() throws IOException {
        Map<String, Object> dashboard = JSON.std.mapFrom(Files.readString(FILES.resolve("dashboard.json")));
        List<String> expressions = new ArrayList<>();
        List<String> legends = new ArrayList<>();
        collect(dashboard, "expr", expressions);
        collect(dashboard, "legendFormat", legends);
        assertThat(legends).hasSameSizeAs(expressions);
        for (int i = 0; i < legends.size(); i++) {
            boolean isOverAll = expressions.get(i).matches(".*\\b(sum|max|min) by .*");
            assertThat(legends.get(i).contains("{{instance}}"))
                    .as(expressions.get(i))
                    .isNotEqualTo(isOverAll);
            assertThat(expressions.get(i)).doesNotContain(" on (");
        }
    }

    @Test
    void promtoolAcceptsTheRulesWhereItIsInstalled() throws Exception {
        if (!isInstalled("promtool")) {
            return;
        }
        Path rules = Files.createTempFile("dashboard", ".yml");
        StringBuilder text = new StringBuilder("groups:\n  - name: dashboard\n    rules:\n");
        List<String> expressions = new ArrayList<>();
        collect(JSON.std.mapFrom(Files.readString(FILES.resolve("dashboard.json"))), "expr", expressions);
        for (String expression : expressions) {
            text.append("      - record: a\n        expr: '")
                    .append(expression
                            .replace("$__rate_interval", "1m")
                            .replaceAll("\\$\\w+", ".*")
                            .replace("'", "''"))
                    .append("'\n");
        }
        Files.writeString(rules, text);
        run("promtool", "check", "rules", rules.toString());
        run("promtool", "check", "rules", "alerts.yml");
        run("promtool", "test", "rules", "alerts-test.yml");
        Files.delete(rules);
    }

    private static void exists(String expressions) {
        Matcher use = USE.matcher(expressions);
        Set<String> known = new HashSet<>();
        while (use.find()) {
            assertThat(METRICS).as(expressions).containsKey(use.group(1));
            Set<String> labels = METRICS.get(use.group(1));
            known.addAll(labels);
            Matcher label = LABEL.matcher(use.group(2) == null ? "" : use.group(2));
            while (label.find()) {
                assertThat(labels).as(use.group(1)).contains(label.group(1));
            }
        }
        assertThat(known).as(expressions).isNotEmpty();
        Matcher grouping = GROUPING.matcher(expressions);
        while (grouping.find()) {
            assertThat(known).as(expressions).contains(grouping.group(1).split("\\s*,\\s*"));
        }
    }

    private static void collect(Object node, String name, List<String> into) {
        if (node instanceof Map<?, ?> map) {
            map.forEach((key, value) -> {
                if (key.equals(name) && value instanceof String text) {
                    into.add(text);
                } else {
                    collect(value, name, into);
                }
            });
        } else if (node instanceof List<?> list) {
            list.forEach(each -> collect(each, name, into));
        }
    }

    private static boolean isInstalled(String command) {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, command)));
    }

    private static void run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .directory(FILES.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor()).as(output).isZero();
    }
}
