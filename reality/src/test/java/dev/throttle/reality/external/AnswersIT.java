package dev.throttle.reality.external;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.reality.Kind;
import dev.throttle.reality.Limit;
import dev.throttle.reality.Product;
import dev.throttle.reality.ProductServer;
import dev.throttle.reality.answers.RawAnswer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each product answers as it did when its figures were measured. A new version that answers otherwise is noticed here.
 */
@Tag("external")
class AnswersIT {

    private static final Map<String, ExpectedAnswers> EXPECTED = ExpectedAnswers.all();
    private static final Set<Kind> OTHERS = EnumSet.of(Kind.DELAY, Kind.CONCURRENCY);
    private static final int TRIES = 4;

    static Stream<Product> refusing() {
        return ExternalProducts.all().stream().filter(product -> !OTHERS.contains(product.kind()));
    }

    static Stream<Product> concurrent() {
        return ExternalProducts.all().stream().filter(product -> product.kind() == Kind.CONCURRENCY);
    }

    @Test
    void eachProductThatRefusesHasExpectedAnswers() {
        assertThat(EXPECTED.keySet())
                .containsExactlyInAnyOrderElementsOf(
                        refusing().map(Product::name).toList());
    }

    @ParameterizedTest
    @MethodSource("refusing")
    void answers(Product product) throws Exception {
        assertThat(product.missing()).isNull();
        ExpectedAnswers expected = EXPECTED.get(product.name());
        Script script = Script.run(product, expected.refused().size());
        assertThat(script.accepted.size())
                .as(product.name())
                .isBetween(expected.grants(), expected.grants() + script.mayHaveComeMeanwhile(product.limit()));
        WindowEnd end = new WindowEnd(script.accepted.get(0), product.limit().per());
        assertAnswer(product, end, expected.first(), script.accepted.get(0));
        assertAnswer(product, end, expected.last(), script.accepted.get(script.accepted.size() - 1));
        for (int i = 0; i < expected.refused().size(); i++) {
            assertAnswer(product, end, expected.refused().get(i), script.refused.get(i));
        }
    }

    private static void assertAnswer(Product product, WindowEnd end, String expected, RawAnswer answer) {
        assertThat(end.difference(expected, answer))
                .as("%s%nexpected %s%nbut was  %s", product.name(), expected, answer.aboutLimits())
                .isEmpty();
    }

    @ParameterizedTest
    @MethodSource("concurrent")
    void aRequestMoreThanTheNumberAtATimeIsRefused(Product product) throws Exception {
        assertThat(product.missing()).isNull();
        int status = Integer.parseInt(product.name().substring(product.name().length() - 3));
        int granted = product.limit().calls();
        try (ProductServer server = ProductServer.start(product, 0)) {
            List<Integer> statuses = List.of();
            for (int i = 0; i < TRIES && !statuses.contains(status); i++) {
                statuses = atOnce(server, granted + 1);
            }
            assertThat(statuses)
                    .containsOnly(200, status)
                    .filteredOn(each -> each == 200)
                    .hasSizeGreaterThanOrEqualTo(granted);
            assertThat(RawAnswer.get(server.uri()).aboutLimits()).isEqualTo("200 OK");
        }
    }

    /** {@return the statuses of so many requests that are sent at the same time} */
    private static List<Integer> atOnce(ProductServer server, int requests) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(requests);
        try {
            CountDownLatch together = new CountDownLatch(requests);
            List<Future<Integer>> answers = new ArrayList<>();
            for (int i = 0; i < requests; i++) {
                answers.add(threads.submit(() -> {
                    together.countDown();
                    together.await();
                    return RawAnswer.get(server.uri()).status();
                }));
            }
            List<Integer> statuses = new ArrayList<>();
            for (Future<Integer> answer : answers) {
                statuses.add(answer.get());
            }
            return statuses;
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void nginxDelaysWhatExceedsTheRate() throws Exception {
        assertDelays("nginx-delay429", 0, 4, Duration.ofMillis(290));
    }

    @Test
    void expressSlowDownDelaysWhatExceedsTheNumber() throws Exception {
        // 20, 40 and 60 ms, after 50 requests at once.
        assertDelays("slowdown", 50, 3, Duration.ofMillis(115));
    }

    private static void assertDelays(String name, int before, int requests, Duration least) throws Exception {
        Product product = ExternalProducts.all().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
        assertThat(product.missing()).isNull();
        try (ProductServer server = ProductServer.start(product, 0)) {
            for (int i = 0; i < before; i++) {
                RawAnswer.get(server.uri());
            }
            long startedAt = System.nanoTime();
            for (int i = 0; i < requests; i++) {
                assertThat(RawAnswer.get(server.uri()).aboutLimits()).isEqualTo("200 OK");
            }
            assertThat(Duration.ofNanos(System.nanoTime() - startedAt)).isGreaterThanOrEqualTo(least);
        }
    }

    /** Requests one after the other. */
    private record Script(List<RawAnswer> accepted, List<RawAnswer> refused) {

        /** Repeats them on a new server if the machine was so slow that the window might have ended meanwhile. */
        static Script run(Product product, int refusals) throws Exception {
            for (int i = 1; ; i++) {
                try (ProductServer server = ProductServer.start(product, 0)) {
                    Script script = once(server, refusals);
                    if (script.millis() < 500 || i == TRIES) {
                        return script;
                    }
                }
            }
        }

        private static Script once(ProductServer server, int refusals) throws IOException {
            List<RawAnswer> accepted = new ArrayList<>();
            List<RawAnswer> refused = new ArrayList<>();
            while (refused.size() < refusals && accepted.size() < 1000) {
                RawAnswer answer = RawAnswer.get(server.uri());
                (answer.isAccepted() ? accepted : refused).add(answer);
            }
            return new Script(accepted, refused);
        }

        private long millis() {
            return refused.get(refused.size() - 1).receivedMillis()
                    - accepted.get(0).sentMillis();
        }

        /** {@return how many tokens a bucket may have got since the first request} */
        int mayHaveComeMeanwhile(Limit limit) {
            return limit.shape() == Limit.Shape.BUCKET
                    ? (int) Math.ceil(millis() / 1000.0 * limit.callsPerSecond())
                    : 0;
        }
    }
}
