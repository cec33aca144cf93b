package dev.throttle.lab.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SimulatedServersTest {

    private static final long SECOND = 1_000_000_000L;
    private static final long MILLI = 1_000_000L;

    private static ServerSpec spec(ServerKind kind, long capacity, long windowSeconds, Long initial) {
        return new ServerSpec(kind, capacity, Duration.ofSeconds(windowSeconds), initial, HeaderStyle.IETF, true);
    }

    private static List<String> headers(ServerSpec spec, Answer answer) {
        List<String> headers = new ArrayList<>();
        spec.writeHeaders(answer, 1_700_000_000_500L, (name, value) -> headers.add(name + ": " + value));
        return headers;
    }

    @Test
    void gcraStartsAtItsLevelAndIsRefilledContinuously() {
        SimulatedServer server = spec(ServerKind.GCRA, 10, 10, 2L).start();

        assertThat(server.answer(0)).isEqualTo(new Answer(200, 1, SECOND));
        assertThat(server.answer(0)).isEqualTo(new Answer(200, 0, SECOND));
        assertThat(server.answer(0)).isEqualTo(new Answer(429, 0, SECOND));
        assertThat(server.answer(SECOND - 1)).isEqualTo(new Answer(429, 0, 1));
        assertThat(server.answer(SECOND)).isEqualTo(new Answer(200, 0, SECOND));
        assertThat(server.remaining(3 * SECOND / 2)).isZero();
        assertThat(server.remaining(4 * SECOND)).isEqualTo(3);
        assertThat(server.remaining(1000 * SECOND)).isEqualTo(10);
    }

    @Test
    void gcraOfTheHerokuApiGrantsARequestEvery800Milliseconds() {
        SimulatedServer server = spec(ServerKind.GCRA, 4500, 3600, null).start();
        int accepted = 0;
        for (long now = 0; now <= 1800 * SECOND; now += SECOND / 100) {
            accepted += server.answer(now).isAccepted() ? 1 : 0;
        }

        assertThat(accepted).isEqualTo(2250);
        assertThat(server.grantable(1800 * SECOND)).isEqualTo(2250);
        assertThat(server.sustainedPerSecond()).isCloseTo(1.25, within(1e-9));
    }

    @Test
    void aTokenDripsIntoTheBucketAtFixedTimes() {
        SimulatedServer server = spec(ServerKind.TOKEN_BUCKET, 10, 10, 0L).start();

        assertThat(server.answer(SECOND - 1)).isEqualTo(new Answer(429, 0, 1));
        assertThat(server.answer(SECOND)).isEqualTo(new Answer(200, 0, SECOND));
        assertThat(server.answer(5 * SECOND / 2)).isEqualTo(new Answer(200, 0, SECOND / 2));
        assertThat(server.answer(100 * SECOND)).isEqualTo(new Answer(200, 9, SECOND));
    }

    @Test
    void aFixedWindowGrantsEverythingAnew() {
        SimulatedServer server = spec(ServerKind.FIXED_WINDOW, 2, 10, null).start();

        assertThat(server.answer(0)).isEqualTo(new Answer(200, 1, 10 * SECOND));
        assertThat(server.answer(9 * SECOND)).isEqualTo(new Answer(200, 0, SECOND));
        assertThat(server.answer(10 * SECOND - 1)).isEqualTo(new Answer(429, 0, 1));
        assertThat(server.answer(10 * SECOND)).isEqualTo(new Answer(200, 1, 10 * SECOND));
        assertThat(server.grantable(10 * SECOND)).isEqualTo(2);
        assertThat(server.grantable(10 * SECOND + 1)).isEqualTo(4);
    }

    private static ServerSpec fromFirstRequest(long capacity, @Nullable Long initial, ServerScript script) {
        return new ServerSpec(
                ServerKind.FIXED_WINDOW,
                capacity,
                Duration.ofSeconds(10),
                initial,
                HeaderStyle.LEGACY,
                true,
                script,
                null,
                new LimitDetails(WindowStart.FIRST_REQUEST));
    }

    @Test
    void aWindowBeginsWithTheFirstRequestAfterTheLastOne() {
        ServerSpec spec = fromFirstRequest(2, null, ServerScript.NONE);
        SimulatedServer server = spec.start();

        assertThat(server.remaining(0)).isEqualTo(2);
        assertThat(server.answer(349 * MILLI)).isEqualTo(new Answer(200, 1, 10 * SECOND));
        assertThat(server.answer(9349 * MILLI)).isEqualTo(new Answer(200, 0, SECOND));
        Answer early = server.answer(10_348 * MILLI);
        assertThat(early).isEqualTo(new Answer(429, 0, MILLI));
        assertThat(headers(spec, early))
                .containsExactly(
                        "RateLimit-Remaining: 0", "RateLimit-Limit: 2", "RateLimit-Reset: 1", "Retry-After: 1");
        assertThat(server.answer(10_349 * MILLI)).isEqualTo(new Answer(200, 1, 10 * SECOND));
        // That window ends at 20.349 s, and the next one begins when a request comes.
        assertThat(server.resetNanos(40 * SECOND)).isEqualTo(10 * SECOND);
        Answer late = server.answer(40 * SECOND);
        assertThat(late).isEqualTo(new Answer(200, 1, 10 * SECOND));
        assertThat(server.answer(48_900 * MILLI)).isEqualTo(new Answer(200, 0, 1100 * MILLI));
        assertThat(headers(spec, new Answer(200, 0, 1100 * MILLI))).contains("RateLimit-Reset: 2");
        assertThat(server.answer(50 * SECOND)).isEqualTo(new Answer(200, 1, 10 * SECOND));
        assertThat(server.grantable(10 * SECOND)).isEqualTo(2);
        assertThat(server.grantable(10 * SECOND + 1)).isEqualTo(4);
    }

    @Test
    void aWindowOfWhichSomeIsUsedHasBegun() {
        ServerScript phase = new ServerScript(
                Duration.ofSeconds(3), List.of(), List.of(), List.of(), 0, Duration.ZERO, Weight.ONE, null);
        SimulatedServer used = fromFirstRequest(2, 1L, ServerScript.NONE).start();
        SimulatedServer older = fromFirstRequest(2, null, phase).start();

        assertThat(used.answer(4 * SECOND)).isEqualTo(new Answer(200, 0, 6 * SECOND));
        assertThat(older.answer(4 * SECOND)).isEqualTo(new Answer(200, 1, 3 * SECOND));
        assertThat(older.answer(8 * SECOND)).isEqualTo(new Answer(200, 1, 10 * SECOND));
    }

    @Test
    void aWindowThatBeganWithARequestGoesOnWhenTheCapacityChanges() {
        ServerScript change = new ServerScript(
                Duration.ZERO,
                List.of(),
                List.of(),
                List.of(new CapacityChange(Duration.ofSeconds(5), 2)),
                0,
                Duration.ZERO,
                Weight.ONE,
                null);
        SimulatedServer server = fromFirstRequest(2, null, change).start();

        assertThat(server.answer(3 * SECOND).resetNanos()).isEqualTo(10 * SECOND);
        assertThat(server.answer(5 * SECOND)).isEqualTo(new Answer(200, 2, 8 * SECOND).limit(4));
        assertThat(server.answer(14 * SECOND)).isEqualTo(new Answer(200, 3, 10 * SECOND).limit(4));
    }

    @Test
    void aSlidingWindowGrantsAgainWhatLeavesIt() {
        SimulatedServer server = spec(ServerKind.SLIDING_WINDOW, 2, 10, 2L).start();

        assertThat(server.answer(SECOND).status()).isEqualTo(200);
        assertThat(server.answer(4 * SECOND)).isEqualTo(new Answer(200, 0, 7 * SECOND));
        assertThat(server.answer(11 * SECOND - 1)).isEqualTo(new Answer(429, 0, 1));
        assertThat(server.answer(11 * SECOND)).isEqualTo(new Answer(200, 0, 3 * SECOND));
    }

    @Test
    void aSlidingWindowThatStartsUsedUpComesBackEvenly() {
        SimulatedServer server = spec(ServerKind.SLIDING_WINDOW, 10, 10, 0L).start();

        assertThat(server.answer(SECOND - 1).status()).isEqualTo(429);
        assertThat(server.answer(SECOND).status()).isEqualTo(200);
        assertThat(server.answer(SECOND).status()).isEqualTo(429);
        assertThat(server.remaining(10 * SECOND)).isEqualTo(9);
    }

    private static ServerSpec perConnection(int connections, ServerScript script) {
        return new ServerSpec(
                ServerKind.PER_CONNECTION,
                2,
                Duration.ofSeconds(10),
                null,
                HeaderStyle.LEGACY,
                true,
                script,
                null,
                LimitDetails.NONE.connections(connections));
    }

    @Test
    void eachConnectionHasAWindowOfItsOwn() {
        ServerSpec spec = perConnection(2, ServerScript.NONE);
        SimulatedServer server = spec.start();
        Load first = Load.NONE.over(0);
        Load second = Load.NONE.over(1);
        Load third = Load.NONE.over(7);

        assertThat(server.remaining(0)).isEqualTo(4);
        assertThat(server.answer(SECOND, first)).isEqualTo(new Answer(200, 1, 10 * SECOND));
        assertThat(server.answer(2 * SECOND, first)).isEqualTo(new Answer(200, 0, 9 * SECOND));
        Answer refusal = server.answer(3 * SECOND, first);
        assertThat(refusal).isEqualTo(new Answer(429, 0, 8 * SECOND));
        assertThat(headers(spec, refusal))
                .containsExactly(
                        "RateLimit-Remaining: 0", "RateLimit-Limit: 2", "RateLimit-Reset: 8", "Retry-After: 8");
        assertThat(server.answer(3 * SECOND, second)).isEqualTo(new Answer(200, 1, 10 * SECOND));
        assertThat(server.remaining(3 * SECOND)).isEqualTo(1);
        assertThat(server.answer(4 * SECOND, third)).isEqualTo(new Answer(200, 1, 10 * SECOND));
        assertThat(server.answer(11 * SECOND, first)).isEqualTo(new Answer(200, 1, 10 * SECOND));
        assertThat(server.answer(12 * SECOND, second)).isEqualTo(new Answer(200, 0, SECOND));
    }

    @Test
    void whoKnowsAllConnectionsTakesTheOneWithTheMostRoom() {
        SimulatedServer server = perConnection(2, ServerScript.NONE).start();

        assertThat(server.answer(0, Load.NONE.over(0)).remaining()).isEqualTo(1);
        assertThat(server.answer(0).remaining()).isEqualTo(1);
        assertThat(server.answer(0).remaining()).isZero();
        assertThat(server.waitNanos(SECOND, Load.NONE)).isZero();
        assertThat(server.answer(SECOND)).isEqualTo(new Answer(200, 0, 9 * SECOND));
        assertThat(server.waitNanos(SECOND, Load.NONE)).isEqualTo(9 * SECOND);
        assertThat(server.grantable(10 * SECOND)).isEqualTo(4);
        assertThat(server.grantable(10 * SECOND + 1)).isEqualTo(8);
    }

    @Test
    void aServerThatKnowsNoConnectionsLearnsThem() {
        SimulatedServer server = perConnection(0, ServerScript.NONE).start();

        assertThat(server.remaining(0)).isZero();
        assertThat(server.answer(0, Load.NONE.over(5)).isAccepted()).isTrue();
        assertThat(server.remaining(0)).isEqualTo(1);
    }

    @Test
    void connectionsAreToldApartAfterARestartToo() {
        ServerScript restart = new ServerScript(
                Duration.ZERO,
                List.of(),
                List.of(Outage.restart(Duration.ofSeconds(2), Duration.ofSeconds(1))),
                List.of(),
                0,
                Duration.ZERO,
                Weight.ONE,
                null);
        SimulatedServer server = perConnection(2, restart).start();
        List<Integer> statuses = new ArrayList<>();
        for (int at : new int[] {0, 0, 0, 3, 3, 3}) {
            statuses.add(server.answer(at * SECOND, Load.NONE.over(1)).status());
        }

        assertThat(statuses).containsExactly(200, 200, 429, 200, 200, 429);
        assertThat(server.answer(3 * SECOND, Load.NONE.over(0)).isAccepted()).isTrue();
    }

    @Test
    void aStockIsNeverRefilled() {
        SimulatedServer server = spec(ServerKind.DECREASE_ONLY, 1, 10, null).start();

        assertThat(server.answer(0)).isEqualTo(new Answer(200, 0, Answer.UNKNOWN));
        assertThat(server.answer(1_000_000 * SECOND)).isEqualTo(new Answer(429, 0, Answer.UNKNOWN));
    }

    @Test
    void aBusyServerHasRoomForOneSecond() {
        SimulatedServer server = spec(ServerKind.BUSY, 20, 10, null).start();

        assertThat(server.answer(0).status()).isEqualTo(200);
        assertThat(server.answer(0).status()).isEqualTo(200);
        assertThat(server.answer(0)).isEqualTo(new Answer(503, Answer.UNKNOWN, SECOND / 2));
        assertThat(server.answer(SECOND / 2).status()).isEqualTo(200);
        assertThat(server.grantable(10 * SECOND)).isEqualTo(22);
    }

    @ParameterizedTest
    @EnumSource(
            value = ServerKind.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"LLM", "HAPROXY_RATE", "NEST_THROTTLER", "VSTHROTTLE"}) // those punish it
    void whoAlwaysAsksGetsAllThatIsGrantable(ServerKind kind) {
        SimulatedServer server = spec(kind, 60, 60, null).start();
        long end = 150 * SECOND;
        int accepted = 0;
        for (long now = 0; now < end; now += SECOND / 50) {
            accepted += server.answer(now).isAccepted() ? 1 : 0;
        }

        assertThat((double) accepted).isCloseTo(server.grantable(end), within(1.0));
    }

    @Test
    void headersCountInWholeSecondsRoundedUp() {
        ServerSpec spec = spec(ServerKind.GCRA, 4500, 3600, null);

        assertThat(headers(spec, new Answer(429, 0, SECOND + 1)))
                .containsExactly(
                        "RateLimit-Policy: \"default\";q=4500;w=3600",
                        "RateLimit: \"default\";r=0;t=2",
                        "Retry-After: 2");
        assertThat(headers(spec, new Answer(200, 7, SECOND)))
                .containsExactly("RateLimit-Policy: \"default\";q=4500;w=3600", "RateLimit: \"default\";r=7;t=1");
    }

    @Test
    void eachStyleSendsItsHeaders() {
        Answer answer = new Answer(429, 0, SECOND);
        for (HeaderStyle style : HeaderStyle.values()) {
            ServerSpec spec = new ServerSpec(ServerKind.GCRA, 5, Duration.ofSeconds(5), null, style, false);
            assertThat(headers(spec, answer))
                    .containsExactlyElementsOf(
                            switch (style) {
                                case NONE -> List.of();
                                case REMAINING -> List.of("RateLimit-Remaining: 0");
                                case LEGACY ->
                                    List.of("RateLimit-Remaining: 0", "RateLimit-Limit: 5", "RateLimit-Reset: 1");
                                case IETF ->
                                    List.of("RateLimit-Policy: \"default\";q=5;w=5", "RateLimit: \"default\";r=0;t=1");
                                case GITHUB ->
                                    List.of(
                                            "Date: Tue, 14 Nov 2023 22:13:20 GMT",
                                            "X-RateLimit-Limit: 5",
                                            "X-RateLimit-Remaining: 0",
                                            "X-RateLimit-Used: 5",
                                            "X-RateLimit-Reset: 1700000002",
                                            "Retry-After: 1");
                                case SHOPIFY -> List.of("X-Shopify-Shop-Api-Call-Limit: 5/5", "Retry-After: 1.0");
                                case OPENAI ->
                                    List.of(
                                            "x-ratelimit-limit-requests: 5",
                                            "x-ratelimit-remaining-requests: 0",
                                            "x-ratelimit-reset-requests: 1s",
                                            "retry-after-ms: 1000",
                                            "Retry-After: 1");
                                case AZURE ->
                                    List.of(
                                            "x-ratelimit-limit-requests: 5",
                                            "x-ratelimit-remaining-requests: 0",
                                            "retry-after-ms: 1000",
                                            "Retry-After: 1");
                                case DISCORD ->
                                    List.of(
                                            "X-RateLimit-Limit: 5",
                                            "X-RateLimit-Remaining: 0",
                                            "X-RateLimit-Reset-After: 1.000",
                                            "X-RateLimit-Bucket: default",
                                            "Retry-After: 1");
                                case ANTHROPIC ->
                                    List.of(
                                            "Date: Tue, 14 Nov 2023 22:13:20 GMT",
                                            "anthropic-ratelimit-requests-limit: 5",
                                            "anthropic-ratelimit-requests-remaining: 0",
                                            "anthropic-ratelimit-requests-reset: 2023-11-14T22:13:22Z",
                                            "Retry-After: 1");
                                case SHOPIFY_GRAPHQL -> List.of();
                                case KUCOIN ->
                                    List.of(
                                            "gw-ratelimit-limit: 5",
                                            "gw-ratelimit-remaining: 0",
                                            "gw-ratelimit-reset: 1000");
                                case ANNOUNCED -> List.of("x-rate-limit-limit: 5", "x-rate-limit-interval: 5s");
                                case SP_API -> List.of("x-amzn-RateLimit-Limit: 1.0");
                            });
        }
    }

    @Test
    void valuesAreChecked() {
        assertThatThrownBy(() -> spec(ServerKind.GCRA, 0, 1, null))
                .hasMessageContaining("--capacity must be")
                .hasMessageContaining("but was 0");
        assertThatThrownBy(() -> spec(ServerKind.GCRA, 1, 0, null))
                .hasMessageContaining("--window must be")
                .hasMessageContaining("but was 0s");
        assertThatThrownBy(() -> spec(ServerKind.GCRA, 1, 1, 2L))
                .hasMessageContaining("--initial must be")
                .hasMessageContaining("but was 2");
    }
}
