package dev.throttle.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import org.junit.jupiter.api.Test;

/** Each program, on a server that refuses its first request. */
class ExamplesTest {

    @Test
    void springsRestClientGetsTheAnswerDespiteARefusal() throws Exception {
        assertThat(ExampleServer.onOwnServer(SpringRestClientExample::run)).isEqualTo("the answer of /items/42");
    }

    @Test
    void retrofitGetsTheAnswerDespiteARefusal() throws Exception {
        assertThat(ExampleServer.onOwnServer(RetrofitExample::run)).isEqualTo("the answer of /items/42");
    }

    @Test
    void aCircuitBreakerOpensAfterFiveFaultsAndTellsWhenToComeBack() throws Exception {
        assertThat(CircuitBreakerExample.run(URI.create("http://127.0.0.1:1/")))
                .matches("after 5 faults: circuit-breaker, come back in (2\\d|30) s");
        assertThat(ExampleServer.onOwnServer(CircuitBreakerExample::run)).startsWith("answered with ");
    }

    @Test
    void aBulkheadGivesAPlaceBackOnCancel() {
        assertThat(BulkheadExample.run()).isEqualTo("10 answered, 15 refused, 1 cancelled; 10 places free");
    }

    @Test
    void prometheusSeesTheRefusalAndTheWait() throws Exception {
        assertThat(ExampleServer.onOwnServer(PrometheusExample::run))
                .containsPattern("throttle_requests_total\\{key=\"[^\"]+\",outcome=\"throttled\",throttle=\"items\"} 1")
                .containsPattern("throttle_requests_total\\{key=\"[^\"]+\",outcome=\"success\",throttle=\"items\"} 1")
                .containsPattern(
                        "throttle_quota_remaining_units\\{key=\"[^\"]+\",policy=\"unnamed\",throttle=\"items\"} 4499")
                .containsPattern("throttle_wait_seconds_count\\{[^}]*reason=\"[a-z-]+\"[^}]*} 1")
                .contains(
                        "throttle_sleep_seconds{",
                        "throttle_blocked_seconds{",
                        "throttle_rate_current_requests_per_second{")
                .contains("throttle_waiting_callers{", "throttle_inflight_requests{", "throttle_retries_total{");
    }
}
