package dev.throttle.lab.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Reports as the actuator writes them, as a page. */
class ReportPageTest {

    private static Map<String, Object> entry(double explained) {
        Map<String, Object> limit = new HashMap<>(Map.of(
                "kind", "fixed window", "amount", 100.0, "unit", "requests", "window", "PT10S", "othersShare", 0.25));
        limit.put("quota", null);
        Map<String, Object> report = new HashMap<>(Map.of(
                "label", "https://api.example.com:443 <b>",
                "observed", "PT24H",
                "calls", 86_400,
                "refused", 1_240,
                "replayed", 50_000,
                "replayedRefused", 1_240,
                "repeated", 12,
                "predictedRefused", 50,
                "waitP50", "PT0S",
                "waitP99", 0.4));
        report.putAll(Map.of(
                "waitMax",
                "PT12.5S",
                "delayed",
                900,
                "rejected",
                3,
                "explained",
                explained,
                "isComplete",
                true,
                "limits",
                List.of(limit)));
        return Map.of("summary", "It is <fine>.", "avoided", 1_190, "report", report);
    }

    @Test
    void eachKeyHasASection() {
        String page = ReportPage.html(Map.of("reports", List.of(entry(0.99), entry(0.99))));
        assertThat(page)
                .contains("<h2>https://api.example.com:443 &lt;b&gt;</h2>")
                .contains("It is &lt;fine&gt;.")
                .contains("<td>86400 s</td>")
                .contains("<td>0.40 s</td>")
                .contains("<td>13 s</td>")
                .contains("<td>100 requests</td>")
                .contains("25.0 %")
                .contains(">1190</span>")
                .doesNotContain("Do not rely")
                .doesNotContain("{{")
                .containsPattern("(?s)<section>.*<section>");
    }

    @Test
    void oneKeyCanBeShownAlone() {
        assertThat(ReportPage.html(entry(0.5))).contains("Do not rely on these figures");
    }

    @Test
    void withoutReportsThePageSaysSo() {
        assertThat(ReportPage.html(Map.of("reports", List.of()))).contains("No throttle observes");
    }

    @Test
    void somethingElseIsNoReport() {
        assertThatThrownBy(() -> ReportPage.html(Map.of("status", "UP")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("/actuator/throttlereport");
        Map<String, Object> broken = Map.of("summary", "", "avoided", 1, "report", Map.of("label", "a"));
        assertThatThrownBy(() -> ReportPage.html(broken)).hasMessageContaining("must be a number");
    }
}
