package dev.throttle.lab.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.lab.watch.PrometheusText.Reading;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PrometheusTextTest {

    @Test
    void readsNamesLabelsAndValues() {
        String text = """
                # HELP throttle_sleep_seconds The sleep
                # TYPE throttle_sleep_seconds gauge
                throttle_sleep_seconds{key="api.example.com",throttle="shop"} 0.8
                throttle_up 1 1700000000000
                throttle_requests_total{outcome="success"} 1.2e3 # {trace_id="x"} 1.0
                jvm_threads 12
                """;
        assertThat(PrometheusText.parse(text, "throttle_"))
                .containsExactly(
                        new Reading(
                                "throttle_sleep_seconds", Map.of("key", "api.example.com", "throttle", "shop"), 0.8),
                        new Reading("throttle_up", Map.of(), 1),
                        new Reading("throttle_requests_total", Map.of("outcome", "success"), 1200));
    }

    @Test
    void readsWhatIsEscapedInLabels() {
        List<Reading> readings =
                PrometheusText.parse("throttle_x{key=\"a\\\"b\\\\c\\nd} e\",throttle=\"{f}\"} 2\n", "throttle_");
        assertThat(readings)
                .containsExactly(new Reading("throttle_x", Map.of("key", "a\"b\\c\nd} e", "throttle", "{f}"), 2));
    }

    @Test
    void leavesOutWhatIsNoNumberAndWhatIsNoReading() {
        String text = "throttle_a NaN\nthrottle_b +Inf\nthrottle_c{key=\"x\nthrottle_d\nthrottle_e{} one\n<html>\n";
        assertThat(PrometheusText.parse(text, "throttle_")).isEmpty();
    }
}
