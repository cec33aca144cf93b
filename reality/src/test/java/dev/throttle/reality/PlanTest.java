package dev.throttle.reality;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.reality.load.ClientKind;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlanTest {

    private static List<String> plan(String product, List<Cell> cells, List<ClientKind> clients) {
        return Plan.of(List.of(Products.named(product)), cells, clients).stream()
                .map(Plan.Entry::toString)
                .toList();
    }

    @Test
    void everyProductHasJobsOfBothClients() {
        assertThat(plan("erl-d6", List.of(), List.of()))
                .containsExactly(
                        "erl-d6 job-1 okhttp",
                        "erl-d6 job-1 jdk",
                        "erl-d6 job-8 okhttp",
                        "erl-d6 job-8 jdk",
                        "erl-d6 job-8 backoff",
                        "erl-d6 job-64 okhttp",
                        "erl-d6 job-64 jdk",
                        "erl-d6 flood okhttp",
                        "erl-d6 flood jdk");
    }

    @Test
    void someHaveAllCellsAndPeers() {
        assertThat(plan("erl-d8", List.of(), List.of()))
                .contains("erl-d8 processes-5 backoff", "erl-d8 outage jdk", "erl-d8 job-8 resilience4j")
                .doesNotContain("erl-d8 bad-gateway jdk");
    }

    @Test
    void whatIsSelectedRuns() {
        assertThat(plan("erl-d6", List.of(Cell.OUTAGE), List.of(ClientKind.GREEDY)))
                .containsExactly("erl-d6 outage greedy");
    }

    @Test
    void onlyNginxAnswers502ForAnApplicationThatIsAway() {
        assertThat(plan("gateway", List.of(Cell.BAD_GATEWAY), List.of())).isEmpty();
        assertThat(plan("erl-d8", List.of(Cell.BAD_GATEWAY), List.of())).isEmpty();
        assertThat(plan("nginx-burst429", List.of(), List.of())).contains("nginx-burst429 bad-gateway jdk");
    }

    @Test
    void everyExampleExists() {
        assertThat(Products.all().stream().map(Product::name))
                .containsAll(Plan.EXAMPLES)
                .doesNotHaveDuplicates();
    }
}
