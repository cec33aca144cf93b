package dev.throttle.lab.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LlmServerTest {

    private static final long SECOND = 1_000_000_000L;
    private static final long MILLI = 1_000_000L;

    private static TokenLimits limits(boolean isWindow, @Nullable Long output, Charge charge) {
        return new TokenLimits("tokens", 3000, Duration.ofSeconds(3), isWindow, output, charge);
    }

    private static ServerSpec spec(HeaderStyle style, TokenLimits limits) {
        return new ServerSpec(ServerKind.LLM, 10, Duration.ofSeconds(1), null, style, false, ServerScript.NONE, limits);
    }

    private static SimulatedServer server(boolean isWindow, Charge charge) {
        return spec(HeaderStyle.OPENAI, limits(isWindow, null, charge)).start();
    }

    private static Load load(long tokens) {
        return new Load(tokens, 0, 1, false);
    }

    private static List<Long> left(Answer answer) {
        return answer.limits().stream().map(Told::remaining).toList();
    }

    private static List<String> headers(ServerSpec spec, Answer answer) {
        List<String> headers = new ArrayList<>();
        spec.writeHeaders(answer, 1_700_000_000_000L, (name, value) -> headers.add(name + ": " + value));
        return headers;
    }

    @Test
    void aRequestThatDoesNotFitTakesNothingAndIsToldTheExactWait() {
        SimulatedServer server = server(false, Charge.ARRIVAL);

        Answer first = server.answer(0, load(2500));
        assertThat(first.isAccepted()).isTrue();
        assertThat(left(first)).containsExactly(9L, 500L);

        Answer second = server.answer(0, load(700));
        assertThat(second.status()).isEqualTo(429);
        assertThat(second.blockedNanos()).isEqualTo(SECOND / 5);
        assertThat(left(second)).containsExactly(9L, 500L);

        assertThat(server.answer(SECOND / 5 - MILLI, load(700)).isAccepted()).isFalse();
        assertThat(server.answer(SECOND / 5, load(700)).isAccepted()).isTrue();
        assertThat(server.waitNanos(SECOND / 5, load(1))).isEqualTo(MILLI);
    }

    @Test
    void requestsAreLimitedToo() {
        SimulatedServer server = server(false, Charge.ARRIVAL);
        for (int i = 0; i < 10; i++) {
            assertThat(server.answer(0, load(1)).isAccepted()).isTrue();
        }

        assertThat(server.answer(0, load(1)).blockedNanos()).isEqualTo(SECOND / 10);
        assertThat(server.remaining(0)).isZero();
        assertThat(server.remaining(SECOND)).isEqualTo(10);
    }

    @Test
    void whatExceedsTheLimitNeedsAllOfIt() {
        SimulatedServer server = server(false, Charge.ARRIVAL);

        assertThat(server.answer(0, load(5000)).isAccepted()).isTrue();
        assertThat(server.waitNanos(0, load(5000))).isEqualTo(3 * SECOND);
    }

    @Test
    void aWindowGrantsAllAtOnce() {
        SimulatedServer server = server(true, Charge.ARRIVAL);

        assertThat(server.answer(SECOND, load(2900)).isAccepted()).isTrue();
        assertThat(server.answer(SECOND, load(200)).blockedNanos()).isEqualTo(2 * SECOND);
        assertThat(server.answer(3 * SECOND, load(3000)).isAccepted()).isTrue();
        assertThat(server.grantableCost(0, 3 * SECOND)).isEqualTo(3000);
        assertThat(server.grantableCost(0, 3 * SECOND + 1)).isEqualTo(6000);
        assertThat(server.grantableCost(1, SECOND)).isNaN();
    }

    @Test
    void whatWasHeldIsCorrectedAtTheEnd() {
        SimulatedServer server = server(false, Charge.HELD);
        Load tooMuch = new Load(400, 0, 5, true);
        Load tooLittle = new Load(2000, 0, 0.5, true);

        assertThat(left(server.answer(0, tooMuch))).containsExactly(9L, 1000L);
        assertThat(left(server.answer(0, tooLittle))).containsExactly(8L, 0L);
        server.ended(0, 0, tooMuch);
        assertThat(server.waitNanos(0, load(1600))).isZero();
        server.ended(0, 0, tooLittle);
        assertThat(server.waitNanos(0, load(1600))).isEqualTo(SECOND);
    }

    @Test
    void atTheEndThereMayBeADebt() {
        SimulatedServer server = server(false, Charge.END);
        Load streamed = new Load(2000, 0, 1, true);

        assertThat(left(server.answer(0, streamed))).containsExactly(9L, 3000L);
        assertThat(left(server.answer(0, streamed))).containsExactly(8L, 3000L);
        server.ended(SECOND, 0, streamed);
        server.ended(SECOND, 0, streamed);
        assertThat(server.answer(SECOND, streamed).blockedNanos()).isEqualTo(SECOND + MILLI);
    }

    @Test
    void whatWasHeldInAnEarlierWindowDoesNotComeBackInThisOne() {
        SimulatedServer server = server(true, Charge.HELD);
        Load early = new Load(500, 0, 2, true);
        Load late = new Load(1000, 0, 1, true);

        server.answer(0, early);
        assertThat(left(server.answer(4 * SECOND, late))).containsExactly(9L, 2000L);
        server.ended(4 * SECOND, 0, early);
        assertThat(left(server.answer(4 * SECOND, late))).containsExactly(8L, 1000L);
    }

    @Test
    void openAiTellsEachLimitAndTheExactWait() {
        ServerSpec spec = spec(HeaderStyle.OPENAI, limits(false, null, Charge.ARRIVAL));
        SimulatedServer server = spec.start();
        server.answer(0, load(2500));

        assertThat(headers(spec, server.answer(0, load(701))))
                .containsExactly(
                        "x-ratelimit-limit-requests: 10",
                        "x-ratelimit-remaining-requests: 9",
                        "x-ratelimit-reset-requests: 100ms",
                        "x-ratelimit-limit-tokens: 3000",
                        "x-ratelimit-remaining-tokens: 500",
                        "x-ratelimit-reset-tokens: 2.5s",
                        "retry-after-ms: 201",
                        "Retry-After: 1");
    }

    @Test
    void azureTellsNoResets() {
        ServerSpec spec = spec(HeaderStyle.AZURE, limits(true, null, Charge.ARRIVAL));

        assertThat(headers(spec, spec.start().answer(0, load(2500))))
                .containsExactly(
                        "x-ratelimit-limit-requests: 10",
                        "x-ratelimit-remaining-requests: 9",
                        "x-ratelimit-limit-tokens: 3000",
                        "x-ratelimit-remaining-tokens: 500");
    }

    @Test
    void anthropicTellsInputAndOutputAndTheirSumInThousands() {
        ServerSpec spec = spec(HeaderStyle.ANTHROPIC, limits(false, 1000L, Charge.ARRIVAL));

        assertThat(headers(spec, spec.start().answer(0, new Load(1400, 600, 1, false))))
                .containsExactly(
                        "Date: Tue, 14 Nov 2023 22:13:20 GMT",
                        "anthropic-ratelimit-requests-limit: 10",
                        "anthropic-ratelimit-requests-remaining: 9",
                        "anthropic-ratelimit-requests-reset: 2023-11-14T22:13:21Z",
                        "anthropic-ratelimit-input-tokens-limit: 3000",
                        "anthropic-ratelimit-input-tokens-remaining: 2000",
                        "anthropic-ratelimit-input-tokens-reset: 2023-11-14T22:13:22Z",
                        "anthropic-ratelimit-output-tokens-limit: 1000",
                        "anthropic-ratelimit-output-tokens-remaining: 0",
                        "anthropic-ratelimit-output-tokens-reset: 2023-11-14T22:13:22Z",
                        "anthropic-ratelimit-tokens-limit: 4000",
                        "anthropic-ratelimit-tokens-remaining: 2000",
                        "anthropic-ratelimit-tokens-reset: 2023-11-14T22:13:22Z");
    }

    @Test
    void stylesOfOneLimitTellTheCosts() {
        ServerSpec spec = spec(HeaderStyle.LEGACY, limits(true, null, Charge.ARRIVAL));

        assertThat(headers(spec, spec.start().answer(SECOND, load(2500))))
                .containsExactly("RateLimit-Remaining: 500", "RateLimit-Limit: 3000", "RateLimit-Reset: 2");
    }

    @ParameterizedTest
    @CsvSource({
        "0,0s",
        "1,1ms",
        "17000000,17ms",
        "1000000000,1s",
        "8640000000,8.64s",
        "3723004000000,1h2m3.004s",
        "360000000000,6m0s"
    })
    void durationsAreThoseOfGo(long nanos, String text) {
        assertThat(VendorHeaders.goDuration(nanos)).isEqualTo(text);
    }

    @Test
    void aServerThatCountsCostsHasLimitsOfThem() {
        assertThatThrownBy(
                        () -> new ServerSpec(ServerKind.LLM, 10, Duration.ofSeconds(1), null, HeaderStyle.NONE, false))
                .hasMessageContaining("--token-capacity must be a number");
        assertThatThrownBy(() -> new TokenLimits("tokens", 0, Duration.ofSeconds(1), false, null, Charge.END))
                .hasMessageContaining("--token-capacity must be a whole number from 1 to");
    }
}
