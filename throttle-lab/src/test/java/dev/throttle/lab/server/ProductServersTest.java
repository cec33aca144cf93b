package dev.throttle.lab.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Servers that limit as products do, to the nanosecond or to the product's millisecond. */
class ProductServersTest {

    private static final long SECOND = 1_000_000_000L;
    private static final long MILLI = 1_000_000L;

    private static ServerSpec spec(
            ServerKind kind, long capacity, Duration window, @Nullable Long initial, LimitDetails details) {
        return new ServerSpec(
                kind, capacity, window, initial, HeaderStyle.LEGACY, true, ServerScript.NONE, null, details);
    }

    private static SimulatedServer server(ServerKind kind, long capacity, long seconds, LimitDetails details) {
        return spec(kind, capacity, Duration.ofSeconds(seconds), null, details).start();
    }

    private static List<Integer> statuses(SimulatedServer server, long... millis) {
        List<Integer> statuses = new ArrayList<>();
        for (long at : millis) {
            statuses.add(server.answer(at * MILLI).status());
        }
        return statuses;
    }

    private static List<String> headers(ServerSpec spec, Answer answer) {
        List<String> headers = new ArrayList<>();
        spec.writeHeaders(answer, 0, (name, value) -> headers.add(name + ": " + value));
        return headers;
    }

    @Test
    void limitReqWithoutABurstRefusesWhatComesWithinAnInterval() {
        SimulatedServer server = server(ServerKind.NGINX_LIMIT_REQ, 20, 1, LimitDetails.NONE);

        assertThat(statuses(server, 7, 7, 56, 57, 58, 106, 107)).containsExactly(200, 503, 503, 200, 503, 503, 200);
        assertThat(server.answer(110 * MILLI)).isEqualTo(new Answer(503, Answer.UNKNOWN, 47 * MILLI));
        assertThat(server.waitNanos(110 * MILLI, Load.NONE)).isEqualTo(47 * MILLI);
        assertThat(server.waitNanos(157 * MILLI, Load.NONE)).isZero();
        // What is refused changes nothing: the next interval counts from the last accepted request.
        assertThat(statuses(server, 156, 157)).containsExactly(503, 200);
        assertThat(server.sustainedPerSecond()).isEqualTo(20);
    }

    @Test
    void limitReqWithABurstLetsSoManyBeAheadOfTheRate() {
        LimitDetails details = LimitDetails.NONE.burst(2, false).status(429);
        SimulatedServer server = server(ServerKind.NGINX_LIMIT_REQ, 10, 1, details);

        assertThat(server.remaining(0)).isEqualTo(3);
        assertThat(statuses(server, 0, 0, 0, 0, 99, 100, 100, 150, 200))
                .containsExactly(200, 200, 200, 429, 429, 200, 429, 429, 200);
        assertThat(server.remaining(350 * MILLI)).isEqualTo(1);
        assertThat(server.remaining(10 * SECOND)).isEqualTo(3);
        assertThat(server.grantable(SECOND)).isEqualTo(13);
    }

    @Test
    void limitReqWithADelayHoldsBackWhatIsAheadOfTheRate() {
        SimulatedServer server = server(ServerKind.NGINX_LIMIT_REQ, 10, 1, LimitDetails.NONE.burst(2, true));

        assertThat(server.answer(0).heldNanos()).isZero();
        assertThat(server.answer(0).heldNanos()).isEqualTo(100 * MILLI);
        assertThat(server.answer(40 * MILLI).heldNanos()).isEqualTo(160 * MILLI);
        assertThat(server.answer(40 * MILLI).status()).isEqualTo(503);
    }

    /** What nginx 1.22.1 answered with {@code rate=2r/s}. */
    @Test
    void limitReqAnswersAsNginxDid() {
        SimulatedServer alone = server(ServerKind.NGINX_LIMIT_REQ, 2, 1, LimitDetails.NONE);
        SimulatedServer burst = server(ServerKind.NGINX_LIMIT_REQ, 2, 1, LimitDetails.NONE.burst(2, false));

        assertThat(statuses(alone, 0, 100, 400, 560, 700, 1100)).containsExactly(200, 503, 503, 200, 503, 200);
        assertThat(statuses(burst, 0, 10, 20, 30, 450, 530, 600, 1060))
                .containsExactly(200, 200, 200, 503, 503, 200, 503, 200);
    }

    @Test
    void limitReqTellsNothingOfAQuota() {
        ServerSpec spec = spec(ServerKind.NGINX_LIMIT_REQ, 1, Duration.ofSeconds(1), null, LimitDetails.NONE);
        SimulatedServer server = spec.start();

        assertThat(headers(spec, server.answer(0))).isEmpty();
        assertThat(headers(spec, server.answer(0))).containsExactly("Retry-After: 1"); // as it is switched on
    }

    @Test
    void aRateOfAPeriodForgetsTheOneBeforeLittleByLittle() {
        SimulatedServer server = server(ServerKind.HAPROXY_RATE, 4, 2, LimitDetails.NONE.acceptedOnly());

        assertThat(statuses(server, 300, 300, 300, 300, 300)).containsExactly(200, 200, 200, 200, 429);
        // The next period begins at 2.3 s with four; one of them is forgotten just after its beginning.
        assertThat(server.answer(2299 * MILLI)).extracting(Answer::status).isEqualTo(429);
        assertThat(server.waitNanos(2299 * MILLI, Load.NONE)).isEqualTo(2 * MILLI);
        assertThat(statuses(server, 2300, 2301, 2302, 2800, 2801)).containsExactly(429, 200, 429, 429, 200);
        // After two periods without a request nothing is known, and the next period begins with one.
        assertThat(server.remaining(8 * SECOND)).isEqualTo(4);
        assertThat(statuses(server, 8000, 8000, 8000, 8000, 8000)).containsExactly(200, 200, 200, 200, 429);
        assertThat(server.waitNanos(8000 * MILLI, Load.NONE)).isEqualTo(2001 * MILLI);
        assertThat(server.grantable(10 * SECOND)).isEqualTo(20);
    }

    /** As HAProxy 2.6.12 did with {@code http_req_rate(2s)} and {@code gt 4}. */
    @Test
    void refusedRequestsCountForARateThatIsTrackedBefore() {
        for (long[] seen : new long[][] {{2300, 429}, {2550, 200}, {2850, 200}}) {
            SimulatedServer server = server(ServerKind.HAPROXY_RATE, 4, 2, LimitDetails.NONE);
            assertThat(statuses(server, 0, 0, 0, 0, 0)).containsExactly(200, 200, 200, 200, 429);

            assertThat(statuses(server, seen[0])).containsExactly((int) seen[1]);
        }
        SimulatedServer hammered = server(ServerKind.HAPROXY_RATE, 4, 2, LimitDetails.NONE);
        int accepted = 0;
        for (long millis = 0; millis < 60_000; millis += 100) {
            accepted += hammered.answer(millis * MILLI).isAccepted() ? 1 : 0;
        }
        assertThat(accepted).isEqualTo(4); // who never stops is never let in again
    }

    @Test
    void aRetryAfterOfAConfigurationIsAlwaysTheWholeWindow() {
        ServerSpec spec = spec(ServerKind.HAPROXY_RATE, 1, Duration.ofSeconds(10), null, LimitDetails.NONE);
        SimulatedServer server = spec.start();

        assertThat(headers(spec, server.answer(0))).isEmpty();
        assertThat(headers(spec, server.answer(9 * SECOND))).containsExactly("Retry-After: 10");
    }

    @Test
    void hitsEndOneByOneAndARefusalBlocks() {
        ServerSpec spec = spec(ServerKind.NEST_THROTTLER, 2, Duration.ofSeconds(10), null, LimitDetails.NONE);
        SimulatedServer server = spec.start();

        assertThat(server.answer(SECOND)).isEqualTo(new Answer(200, 1, 10 * SECOND));
        assertThat(server.answer(4 * SECOND)).isEqualTo(new Answer(200, 0, 7 * SECOND));
        assertThat(server.waitNanos(5 * SECOND, Load.NONE)).isEqualTo(6 * SECOND);
        // The first hit ends at 11 s, the second at 14 s. The reset that is told belongs to neither.
        assertThat(server.answer(11 * SECOND)).isEqualTo(new Answer(200, 0, 10 * SECOND));
        Answer refusal = server.answer(13_500 * MILLI);
        assertThat(refusal.status()).isEqualTo(429);
        assertThat(headers(spec, refusal)).containsExactly("Retry-After: 10");
        // At 14 s there would be room, but the block lasts until 23.5 s, however often somebody asks.
        assertThat(headers(spec, server.answer(14 * SECOND))).containsExactly("Retry-After: 10");
        assertThat(server.answer(23_499 * MILLI).status()).isEqualTo(429);
        assertThat(server.remaining(23_500 * MILLI)).isEqualTo(2);
        // A refused request began the window whose reset is told.
        assertThat(server.answer(23_500 * MILLI)).isEqualTo(new Answer(200, 1, 9999 * MILLI));
    }

    @Test
    void aBlockMayBeShorterThanAWindowAndThenNothingCountsAnyMore() {
        SimulatedServer server =
                server(ServerKind.NEST_THROTTLER, 2, 10, LimitDetails.NONE.block(Duration.ofSeconds(3)));

        assertThat(statuses(server, 0, 0, 1000, 3999, 4000, 4000, 4000))
                .containsExactly(200, 200, 429, 429, 200, 200, 429);
    }

    @Test
    void theTokensOfASecondComeTogether() {
        SimulatedServer server = server(ServerKind.SECOND_BUCKET, 20, 10, LimitDetails.NONE);

        for (int i = 0; i < 20; i++) {
            assertThat(server.answer(500 * MILLI).isAccepted()).isTrue();
        }
        assertThat(server.answer(999 * MILLI)).isEqualTo(new Answer(429, 0, MILLI));
        assertThat(server.answer(SECOND)).isEqualTo(new Answer(200, 1, SECOND));
        assertThat(server.answer(1900 * MILLI)).isEqualTo(new Answer(200, 0, 100 * MILLI));
        assertThat(server.remaining(4 * SECOND)).isEqualTo(6);
        assertThat(server.remaining(60 * SECOND)).isEqualTo(20);
        assertThat(server.grantable(2 * SECOND)).isEqualTo(22);
    }

    @Test
    void aSlowBucketGetsATokenInSomeSecondsOnly() {
        SimulatedServer server = spec(ServerKind.SECOND_BUCKET, 2, Duration.ofSeconds(5), 0L, LimitDetails.NONE)
                .start();

        assertThat(server.resetNanos(500 * MILLI)).isEqualTo(2500 * MILLI);
        assertThat(statuses(server, 2999, 3000, 4999, 5000)).containsExactly(429, 200, 429, 200);
    }

    @Test
    void anIntervalBucketIsFilledAllAtOnce() {
        SimulatedServer server = server(ServerKind.INTERVAL_BUCKET, 2, 10, LimitDetails.NONE);

        assertThat(statuses(server, 4000, 5000, 9999, 10_000)).containsExactly(200, 200, 429, 200);
        assertThat(server.resetNanos(12 * SECOND)).isEqualTo(8 * SECOND);
    }

    @Test
    void fractionsOfTokensAreLost() {
        SimulatedServer server = server(ServerKind.VSTHROTTLE, 10, 10, LimitDetails.NONE);
        for (int i = 0; i < 10; i++) {
            assertThat(server.answer(0).isAccepted()).isTrue();
        }

        assertThat(server.answer(999 * MILLI)).isEqualTo(new Answer(429, Answer.UNKNOWN, MILLI));
        assertThat(server.answer(2900 * MILLI)).isEqualTo(new Answer(200, 1, SECOND));
        // 0.9 of a token is lost twice; after the third request nothing is left.
        assertThat(server.answer(3800 * MILLI)).isEqualTo(new Answer(200, 0, SECOND));
        assertThat(statuses(server, 4700, 4799, 4800)).containsExactly(429, 429, 200);
        assertThat(server.remaining(60 * SECOND)).isEqualTo(10);
    }

    /** What Varnish 7.1.1 with varnish-modules 0.20.0 answered with {@code is_denied("k", 4, 2s)}. */
    @Test
    void vsthrottleAnswersAsVarnishDid() {
        SimulatedServer server = server(ServerKind.VSTHROTTLE, 4, 2, LimitDetails.NONE);

        assertThat(statuses(server, 0, 10, 20, 30, 40, 300, 450, 1430, 1850, 2250, 2400))
                .containsExactly(200, 200, 200, 200, 429, 429, 429, 200, 200, 429, 200);
    }

    @Test
    void soManyRequestsAtATime() {
        SimulatedServer server = server(ServerKind.CONCURRENCY, 2, 1, LimitDetails.NONE);

        assertThat(server.answer(0).heldNanos()).isEqualTo(SECOND);
        assertThat(statuses(server, 400, 400, 999, 1000, 1000)).containsExactly(200, 503, 503, 200, 503);
        assertThat(server.waitNanos(1000 * MILLI, Load.NONE)).isEqualTo(400 * MILLI);
        assertThat(server.remaining(5 * SECOND)).isEqualTo(2);
        assertThat(server.sustainedPerSecond()).isEqualTo(2);
        assertThat(statuses(server(ServerKind.CONCURRENCY, 1, 1, LimitDetails.NONE.status(429)), 0, 1))
                .containsExactly(200, 429);
    }

    @Test
    void aLockoutDoublesWithEachRefusal() {
        ServerSpec spec = spec(
                ServerKind.FIXED_WINDOW,
                1,
                Duration.ofSeconds(1),
                null,
                new LimitDetails(WindowStart.FIRST_REQUEST).lockout(Lockout.DOUBLE));
        SimulatedServer server = spec.start();

        assertThat(server.answer(0).isAccepted()).isTrue();
        for (int seconds : new int[] {1, 2, 4, 8}) {
            assertThat(headers(spec, server.answer(100 * MILLI)))
                    .containsExactly(
                            "RateLimit-Remaining: 0",
                            "RateLimit-Limit: 1",
                            "RateLimit-Reset: " + seconds,
                            "Retry-After: " + seconds);
        }
        assertThat(server.remaining(8099 * MILLI)).isZero();
        assertThat(server.waitNanos(7100 * MILLI, Load.NONE)).isEqualTo(SECOND);
        assertThat(server.answer(8100 * MILLI)).isEqualTo(new Answer(200, 0, SECOND));
        assertThat(server.answer(8100 * MILLI)).isEqualTo(new Answer(429, 0, SECOND)); // and it is one again
    }

    @Test
    void aLockoutEndsAtSomeTime() {
        SimulatedServer server = server(ServerKind.FIXED_WINDOW, 1, 10, LimitDetails.NONE.lockout(Lockout.DOUBLE));
        for (int i = 0; i < 100; i++) {
            server.answer(0);
        }

        assertThat(server.resetNanos(0)).isEqualTo(ServerSpec.LONGEST.toNanos());
    }

    @Test
    void aBanIsWhatFollowsSoManyRefusals() {
        SimulatedServer server = server(ServerKind.FIXED_WINDOW, 1, 10, LimitDetails.NONE.lockout(new Lockout(2)));

        assertThat(statuses(server, 0, 1, 2, 3, 9999, 10_000, 10_001))
                .containsExactly(200, 429, 429, 403, 403, 200, 429);
        assertThat(server.waitNanos(10_001 * MILLI, Load.NONE)).isEqualTo(9999 * MILLI);
    }

    @Test
    void aRestartForgetsWhatTheyCounted() {
        ServerScript restart = new ServerScript(
                Duration.ZERO,
                List.of(),
                List.of(Outage.restart(Duration.ofSeconds(2), Duration.ofSeconds(1))),
                List.of(),
                0,
                Duration.ZERO,
                Weight.ONE,
                null);
        for (ServerKind kind : ServerKind.values()) {
            if (kind == ServerKind.LLM) {
                continue;
            }
            SimulatedServer server =
                    new ServerSpec(kind, 3, Duration.ofSeconds(100), null, HeaderStyle.NONE, false, restart).start();
            for (int i = 0; i < 4; i++) {
                server.answer(0);
            }
            assertThat(server.answer(SECOND).isAccepted()).as(Words.of(kind)).isFalse();
            assertThat(server.answer(3 * SECOND).isAccepted())
                    .as(Words.of(kind))
                    .isTrue();
        }
    }

    @Test
    void whatIsMoreThanAQuotaIsNotCombined() {
        ServerScript second = new ServerScript(
                Duration.ZERO,
                List.of(),
                List.of(),
                List.of(),
                0,
                Duration.ZERO,
                Weight.ONE,
                new SecondLimit(ServerKind.GCRA, 5, Duration.ofSeconds(1), SecondLimit.Shown.ALWAYS));
        assertThatThrownBy(() -> new ServerSpec(
                        ServerKind.CONCURRENCY, 3, Duration.ofSeconds(1), null, HeaderStyle.NONE, false, second))
                .hasMessageContaining("--second-limit");
        assertThatThrownBy(() ->
                        new SecondLimit(ServerKind.NGINX_LIMIT_REQ, 5, Duration.ofSeconds(1), SecondLimit.Shown.ALWAYS))
                .hasMessageContaining("any kind of server but llm");
    }
}
