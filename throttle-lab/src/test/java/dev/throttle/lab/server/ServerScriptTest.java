package dev.throttle.lab.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ServerScriptTest {

    private static final long SECOND = 1_000_000_000L;

    private static ServerSpec spec(ServerKind kind, ServerScript script) {
        return new ServerSpec(kind, 10, Duration.ofSeconds(10), 10L, HeaderStyle.LEGACY, true, script);
    }

    private static ServerScript script(
            List<Stray> strays,
            List<Outage> outages,
            List<CapacityChange> changes,
            long jitter,
            Duration skew,
            Weight weight,
            @Nullable SecondLimit second) {
        return new ServerScript(Duration.ZERO, strays, outages, changes, jitter, skew, weight, second);
    }

    private static ServerScript strays(Stray... strays) {
        return script(List.of(strays), List.of(), List.of(), 0, Duration.ZERO, Weight.ONE, null);
    }

    private static List<String> headers(ServerSpec spec, Answer answer) {
        List<String> headers = new ArrayList<>();
        spec.writeHeaders(answer, 0, (name, value) -> headers.add(name + ": " + value));
        return headers;
    }

    @Test
    void aStrayRefusalTakesNothingAndAsksForASecond() {
        ServerSpec spec = spec(ServerKind.FIXED_WINDOW, strays(new Stray(429, 2, null, 0, true)));
        SimulatedServer server = spec.start(1);

        assertThat(server.answer(0)).isEqualTo(new Answer(200, 9, 10 * SECOND));
        Answer refusal = server.answer(0);
        assertThat(refusal.status()).isEqualTo(429);
        assertThat(headers(spec, refusal))
                .containsExactly(
                        "RateLimit-Remaining: 9", "RateLimit-Limit: 10", "RateLimit-Reset: 10", "Retry-After: 1");
        assertThat(server.answer(0)).isEqualTo(new Answer(200, 8, 10 * SECOND));
    }

    @Test
    void aBareOneDoesNotAskForAnything() {
        ServerSpec spec = spec(ServerKind.FIXED_WINDOW, strays(new Stray(503, 1, null, 0, false)));

        assertThat(headers(spec, spec.start(1).answer(0)))
                .containsExactly("RateLimit-Remaining: 10", "RateLimit-Limit: 10", "RateLimit-Reset: 10");
    }

    @Test
    void oneEachHalfMinuteIsTheFirstAfterIt() {
        SimulatedServer server = spec(ServerKind.GCRA, strays(new Stray(429, 0, Duration.ofSeconds(30), 0, true)))
                .start(1);

        assertThat(server.answer(29 * SECOND).isAccepted()).isTrue();
        assertThat(server.answer(31 * SECOND).isAccepted()).isFalse();
        assertThat(server.answer(32 * SECOND).isAccepted()).isTrue();
        assertThat(server.answer(95 * SECOND).isAccepted()).isFalse();
        assertThat(server.answer(96 * SECOND).isAccepted()).isTrue();
    }

    @Test
    void aShareOfAllIsDrawnFromTheSeed() {
        ServerSpec spec = new ServerSpec(
                ServerKind.DECREASE_ONLY,
                10_000,
                Duration.ofSeconds(10),
                null,
                HeaderStyle.NONE,
                false,
                strays(new Stray(429, 0, null, 0.1, true)));
        List<Integer> first = refusedOf(spec.start(7));

        assertThat(first)
                .hasSizeBetween(60, 140)
                .isEqualTo(refusedOf(spec.start(7)))
                .isNotEqualTo(refusedOf(spec.start(8)));
    }

    private static List<Integer> refusedOf(SimulatedServer server) {
        List<Integer> refused = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            if (!server.answer(i).isAccepted()) {
                refused.add(i);
            }
        }
        return refused;
    }

    @Test
    void anOutageMayBeOfAnotherKind() {
        Outage gateway = new Outage(Duration.ofSeconds(1), Duration.ofSeconds(1), 502, false);
        Outage refused = new Outage(Duration.ofSeconds(3), Duration.ofSeconds(1), Answer.REFUSED, false);
        SimulatedServer server = spec(
                        ServerKind.FIXED_WINDOW,
                        script(List.of(), List.of(gateway, refused), List.of(), 0, Duration.ZERO, Weight.ONE, null))
                .start(1);

        assertThat(server.answer(SECOND)).isEqualTo(new Answer(502, Answer.UNKNOWN, Answer.UNKNOWN));
        assertThat(server.answer(2 * SECOND).isAccepted()).isTrue();
        assertThat(server.answer(3 * SECOND).isConnectionRefused()).isTrue();
        assertThat(server.answer(4 * SECOND)).isEqualTo(new Answer(200, 8, 6 * SECOND));
    }

    private static ServerScript restart(@Nullable SecondLimit second, CapacityChange... changes) {
        Outage restart = Outage.restart(Duration.ofSeconds(4), Duration.ofSeconds(2));
        return script(List.of(), List.of(restart), List.of(changes), 0, Duration.ZERO, Weight.ONE, second);
    }

    @Test
    void aRestartForgetsAllCounts() {
        SimulatedServer server = spec(ServerKind.FIXED_WINDOW, restart(null)).start(1);

        assertThat(server.answer(SECOND).remaining()).isEqualTo(9);
        assertThat(server.answer(4 * SECOND).isConnectionRefused()).isTrue();
        assertThat(server.waitNanos(4 * SECOND, Load.NONE)).isEqualTo(2 * SECOND);
        assertThat(server.answer(6 * SECOND - 1).isConnectionRefused()).isTrue();
        assertThat(server.answer(6 * SECOND)).isEqualTo(new Answer(200, 9, 10 * SECOND).limit(10));
        assertThat(server.grantable(10 * SECOND)).isEqualTo(20);
    }

    @Test
    void aRestartKeepsTheCapacityAndForgetsTheSecondLimitToo() {
        SecondLimit second = new SecondLimit(ServerKind.FIXED_WINDOW, 2, Duration.ofHours(1), SecondLimit.Shown.ALWAYS);
        SimulatedServer server = spec(ServerKind.GCRA, restart(second, new CapacityChange(Duration.ofSeconds(2), 2)))
                .start(1);

        assertThat(server.answer(0).isAccepted()).isTrue();
        assertThat(server.answer(0).isAccepted()).isTrue();
        assertThat(server.answer(0).isAccepted()).isFalse();
        Answer back = server.answer(6 * SECOND);
        assertThat(back.remaining()).isEqualTo(19);
        assertThat(back.limit()).isEqualTo(20);
        assertThat(Objects.requireNonNull(back.other()).remaining()).isEqualTo(1);
    }

    @Test
    void anOutageTellsNothingAndEnds() {
        Outage outage = new Outage(Duration.ofSeconds(5), Duration.ofSeconds(2));
        ServerSpec spec = spec(
                ServerKind.FIXED_WINDOW,
                script(List.of(), List.of(outage), List.of(), 0, Duration.ZERO, Weight.ONE, null));
        SimulatedServer server = spec.start(1);

        assertThat(server.answer(5 * SECOND - 1).isAccepted()).isTrue();
        Answer down = server.answer(5 * SECOND);
        assertThat(down.status()).isEqualTo(503);
        assertThat(headers(spec, down)).isEmpty();
        assertThat(server.remaining(6 * SECOND)).isZero();
        assertThat(server.resetNanos(6 * SECOND)).isEqualTo(SECOND);
        assertThat(server.answer(7 * SECOND)).isEqualTo(new Answer(200, 8, 3 * SECOND));
    }

    @Test
    void halfTheCapacityTakesHalfOfWhatIsLeft() {
        CapacityChange change = new CapacityChange(Duration.ofSeconds(4), 0.5);
        ServerSpec spec = spec(
                ServerKind.FIXED_WINDOW,
                script(List.of(), List.of(), List.of(change), 0, Duration.ZERO, Weight.ONE, null));
        SimulatedServer server = spec.start(1);

        assertThat(server.answer(0).remaining()).isEqualTo(9);
        assertThat(server.resetNanos(SECOND)).isEqualTo(3 * SECOND);
        Answer answer = server.answer(4 * SECOND);
        assertThat(answer.remaining()).isEqualTo(3); // of 9 left before, 5 are gone, and this one
        assertThat(answer.resetNanos()).isEqualTo(6 * SECOND); // the window goes on
        assertThat(headers(spec, answer)).contains("RateLimit-Limit: 5");
        assertThat(server.remaining(10 * SECOND)).isEqualTo(5);
        assertThat(server.grantable(30 * SECOND)).isEqualTo(10 + 2 * 5);
    }

    @Test
    void replicasDisagreeByNoMoreThanTheyMay() {
        SimulatedServer server = spec(
                        ServerKind.GCRA, script(List.of(), List.of(), List.of(), 3, Duration.ZERO, Weight.ONE, null))
                .start(1);
        List<Long> errors = new ArrayList<>();
        for (long second = 0; second < 300; second++) {
            errors.add(server.answer(20 * SECOND * second).remaining() - 9);
        }

        assertThat(errors).allMatch(error -> Math.abs(error) <= 3).contains(-3L, 0L, 3L);
    }

    @Test
    void aSkewedResetIsLaterInHeadersOnly() {
        ServerSpec spec = spec(
                ServerKind.FIXED_WINDOW,
                script(List.of(), List.of(), List.of(), 0, Duration.ofSeconds(90), Weight.ONE, null));

        assertThat(headers(spec, new Answer(429, 0, 2 * SECOND))).contains("RateLimit-Reset: 92", "Retry-After: 2");
    }

    @Test
    void aWindowThatBeganEarlierEndsEarlier() {
        ServerScript script = new ServerScript(
                Duration.ofSeconds(4), List.of(), List.of(), List.of(), 0, Duration.ZERO, Weight.ONE, null);
        SimulatedServer server = spec(ServerKind.FIXED_WINDOW, script).start();

        assertThat(server.answer(0)).isEqualTo(new Answer(200, 9, 6 * SECOND));
        assertThat(server.remaining(6 * SECOND)).isEqualTo(10);
        assertThat(server.grantable(6 * SECOND)).isEqualTo(10);
        assertThat(server.grantable(6 * SECOND + 1)).isEqualTo(20);
    }

    @Test
    void aHeavyRequestTakesSeveralUnitsOrNone() {
        SimulatedServer server = spec(
                        ServerKind.FIXED_WINDOW,
                        script(List.of(), List.of(), List.of(), 0, Duration.ZERO, new Weight(4, 4), null))
                .start();

        assertThat(server.answer(0)).isEqualTo(new Answer(200, 6, 10 * SECOND));
        assertThat(server.answer(0)).isEqualTo(new Answer(200, 2, 10 * SECOND));
        assertThat(server.answer(0)).isEqualTo(new Answer(429, 2, 10 * SECOND));
        assertThat(server.remaining(0)).isZero();
        assertThat(server.answer(10 * SECOND)).isEqualTo(new Answer(200, 6, 10 * SECOND));
        assertThat(server.grantable(10 * SECOND)).isEqualTo(2.5);
    }

    @Test
    void bothLimitsHaveToHaveRoom() {
        SecondLimit second =
                new SecondLimit(ServerKind.FIXED_WINDOW, 2, Duration.ofSeconds(1), SecondLimit.Shown.HIDDEN);
        ServerSpec spec = spec(
                ServerKind.FIXED_WINDOW, script(List.of(), List.of(), List.of(), 0, Duration.ZERO, Weight.ONE, second));
        SimulatedServer server = spec.start();

        assertThat(server.answer(0).isAccepted()).isTrue();
        assertThat(server.answer(0).isAccepted()).isTrue();
        Answer refusal = server.answer(0);
        assertThat(headers(spec, refusal))
                .containsExactly(
                        "RateLimit-Remaining: 8", "RateLimit-Limit: 10", "RateLimit-Reset: 10", "Retry-After: 1");
        assertThat(server.answer(SECOND).remaining()).isEqualTo(7);
    }

    @Test
    void whatASecondLimitRefusesMayTellOfItInPlaceOfTheFirst() {
        SecondLimit second =
                new SecondLimit(ServerKind.FIXED_WINDOW, 2, Duration.ofSeconds(1), SecondLimit.Shown.REFUSALS);
        ServerScript script = script(List.of(), List.of(), List.of(), 0, Duration.ZERO, Weight.ONE, second);
        ServerSpec spec = spec(ServerKind.FIXED_WINDOW, script);
        SimulatedServer server = spec.start();

        assertThat(headers(spec, server.answer(0))).contains("RateLimit-Limit: 10", "RateLimit-Remaining: 9");
        assertThat(headers(spec, server.answer(0))).contains("RateLimit-Limit: 10", "RateLimit-Remaining: 8");
        assertThat(headers(spec, server.answer(0)))
                .contains("RateLimit-Limit: 2", "RateLimit-Remaining: 0", "Retry-After: 1");
        assertThat(headers(spec, server.answer(SECOND))).contains("RateLimit-Limit: 10", "RateLimit-Remaining: 7");

        assertThatThrownBy(() -> new ServerSpec(
                        ServerKind.FIXED_WINDOW, 10, Duration.ofSeconds(10), null, HeaderStyle.IETF, false, script))
                .hasMessageContaining("--second-limit");
    }

    @Test
    void aSecondLimitThatIsToldIsAPolicyOfItsOwn() {
        SecondLimit second =
                new SecondLimit(ServerKind.FIXED_WINDOW, 2, Duration.ofSeconds(1), SecondLimit.Shown.ALWAYS);
        ServerSpec spec = new ServerSpec(
                ServerKind.FIXED_WINDOW,
                10,
                Duration.ofSeconds(10),
                null,
                HeaderStyle.IETF,
                false,
                script(List.of(), List.of(), List.of(), 0, Duration.ZERO, Weight.ONE, second));

        assertThat(headers(spec, spec.start().answer(0)))
                .containsExactly(
                        "RateLimit-Policy: \"default\";q=10;w=10",
                        "RateLimit: \"default\";r=9;t=10",
                        "RateLimit-Policy: \"second\";q=2;w=1",
                        "RateLimit: \"second\";r=1;t=1");
    }

    @Test
    void whoKnowsEverythingMeetsNoErrorsAndOnlyStraysThatAskToWait() {
        ServerScript script = script(
                List.of(new Stray(429, 1, null, 0, false), new Stray(429, 3, null, 0, true)),
                List.of(new Outage(Duration.ofSeconds(5), Duration.ofSeconds(2))),
                List.of(),
                3,
                Duration.ofSeconds(90),
                Weight.ONE,
                null);
        SimulatedServer server = spec(ServerKind.FIXED_WINDOW, script).startKnowable(1);

        assertThat(server.answer(0)).isEqualTo(new Answer(200, 9, 10 * SECOND));
        assertThat(server.answer(5 * SECOND).status()).isEqualTo(503);
        assertThat(server.answer(8 * SECOND).status()).isEqualTo(429);
        assertThat(server.answer(8 * SECOND).status()).isEqualTo(200);
    }
}
