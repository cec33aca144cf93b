package dev.throttle.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real Prometheus with two JVMs: it answers each query of the dashboard, the alerts and the page on metrics. Needs
 * {@code prometheus}, and runs in the profile of this name. With {@code -Ddashboard.pictures=FOLDER} it runs for
 * {@code -Ddashboard.seconds} and then draws the dashboard.
 */
class PrometheusCheck {

    private static final Path DOCS = Path.of("../docs");
    private static final Path RULES = DOCS.resolve("monitoring/alerts.yml");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| [^|]+ \\| `((?:[^`])*throttle_[^`]*)`");
    private static final int SECONDS = Integer.getInteger("dashboard.seconds", 20);

    @TempDir
    private static Path folder;

    private static MonitoredShop shop;
    private static Prometheus prometheus;
    private static Dashboard dashboard;

    @BeforeAll
    static void run() throws Exception {
        dashboard = Dashboard.read(DOCS.resolve("monitoring/dashboard.json"));
        shop = new MonitoredShop();
        prometheus = new Prometheus(folder, RULES, shop.ports());
        prometheus.awaitReady();
        for (int i = 1; i <= SECONDS; i++) {
            TimeUnit.SECONDS.sleep(1);
            if (i == SECONDS / 3) {
                shop.overloadSearch();
            }
            if (i == SECONDS / 2) {
                shop.refuseOrders(Duration.ofSeconds(Math.max(2, SECONDS / 12)));
            }
        }
    }

    @AfterAll
    static void end() throws IOException {
        prometheus.close();
        shop.close();
    }

    @Test
    void eachQueryOfTheDashboardReturnsData() throws Exception {
        List<String> expressions = dashboard.expressions("10s");
        assertThat(expressions).hasSizeGreaterThan(15);
        for (String expression : expressions) {
            assertThat(awaited(expression, 1)).as(expression).isNotEmpty();
        }
    }

    @Test
    void whatIsLeftIsShownForEachInstance() throws Exception {
        assertThat(awaited("throttle_quota_remaining_units / throttle_quota_limit_units", 2))
                .hasSize(2);
    }

    @Test
    void noAlertHasAnError() throws Exception {
        TimeUnit.SECONDS.sleep(2); // each is evaluated once a second
        List<Map<String, Object>> rules = new ArrayList<>();
        for (Map<String, Object> group :
                maps(map(prometheus.rules().get("data")).get("groups"))) {
            rules.addAll(maps(group.get("rules")));
        }
        assertThat(rules).hasSize((int) Files.readString(RULES)
                .lines()
                .filter(line -> line.contains("- alert:"))
                .count());
        assertThat(rules).allSatisfy(rule -> assertThat(rule).containsEntry("health", "ok"));
    }

    @Test
    void eachQueryOfThePageOnMetricsIsAnswered() throws Exception {
        Matcher row = ROW.matcher(Files.readString(DOCS.resolve("metrics.md")));
        List<String> expressions = new ArrayList<>();
        while (row.find()) {
            expressions.add(row.group(1).replace("\\|", "|"));
        }
        assertThat(expressions).hasSizeGreaterThan(8);
        for (String expression : expressions) {
            answered(expression);
        }
    }

    @Test
    void draws() throws Exception {
        String pictures = System.getProperty("dashboard.pictures");
        Path into = pictures == null ? folder : Path.of(pictures);
        long now = System.currentTimeMillis() / 1000;
        List<Path> drawn = dashboard.draw(prometheus, now - SECONDS + 2, now, into);
        assertThat(drawn)
                .hasSize(4)
                .allSatisfy(file ->
                        assertThat(Files.readString(file)).contains("<polyline").doesNotContain("{{"));
    }

    /** {@return the answer as soon as it has so many series, or the last one after a minute} */
    private static List<Map<String, Object>> awaited(String expression, int series) throws Exception {
        long began = System.nanoTime();
        List<Map<String, Object>> answer = answered(expression);
        while (answer.size() < series && System.nanoTime() - began < TimeUnit.MINUTES.toNanos(1)) {
            TimeUnit.MILLISECONDS.sleep(500);
            answer = answered(expression);
        }
        return answer;
    }

    private static List<Map<String, Object>> answered(String expression) throws Exception {
        Map<String, Object> answer = prometheus.query(expression);
        assertThat(answer).as(expression).containsEntry("status", "success");
        return maps(map(answer.get("data")).get("result"));
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> map(Object value) {
        return (Map<String, Object>) value;
    }

    static List<Map<String, Object>> maps(Object value) {
        return ((List<?>) value).stream().map(PrometheusCheck::map).toList();
    }
}
