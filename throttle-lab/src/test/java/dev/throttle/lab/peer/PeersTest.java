package dev.throttle.lab.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.throttle.lab.sim.Client;
import dev.throttle.lab.sim.Retries;
import dev.throttle.signal.ResponseHead;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PeersTest {

    private final VirtualTime time = new VirtualTime();
    private final long start = time.nanoTime();
    private final List<Double> grants = new ArrayList<>();

    private Client client(String name, @Nullable Duration maxWait) {
        return Objects.requireNonNull(Peers.named(name))
                .newClient(new Client.Surroundings(time, 1, maxWait, Retries.ALL));
    }

    private static ResponseHead response(int status, String... headers) {
        return new ResponseHead() {
            @Override
            public int status() {
                return status;
            }

            @Override
            public void forEachHeader(HeaderVisitor visitor) {
                for (int i = 0; i < headers.length; i += 2) {
                    visitor.visit(headers[i], headers[i + 1]);
                }
            }
        };
    }

    private void ask(Client.Call call) {
        call.ask(() -> grants.add((time.nanoTime() - start) / 1e9), () -> {});
    }

    private double lastGrant() {
        return grants.get(grants.size() - 1);
    }

    @Test
    void backoffWaitsAsLongAsTheServerAsksAndOtherCallsDoNot() {
        Client client = client("backoff-retry-after", null);
        Client.Call refused = client.newCall();
        ask(refused);
        assertThat(refused.answered(response(429, "Retry-After", "5"))).isTrue();
        ask(refused);
        ask(client.newCall());

        assertThat(grants).containsExactly(0.0, 0.0);
        time.advance(Duration.ofSeconds(6));
        assertThat(grants).hasSize(3);
        assertThat(lastGrant()).isBetween(5.0, 5.2);
    }

    @Test
    void backoffWithoutAHintDoublesAtMost() {
        Client.Call call = client("backoff-retry-after", null).newCall();
        double before = 0;
        for (int attempt = 1; attempt <= 8; attempt++) {
            ask(call);
            time.advance(Duration.ofMinutes(2));
            assertThat(lastGrant() - before).isBetween(0.0, 0.1 * Math.pow(2, attempt));
            assertThat(call.answered(response(429))).isTrue();
            before = (time.nanoTime() - start) / 1e9;
        }
    }

    @Test
    void aCallWhoseWaitWouldBeTooLongIsGivenUp() {
        Client.Call call = client("backoff-retry-after", Duration.ofSeconds(4)).newCall();
        ask(call);

        assertThat(call.answered(response(429, "Retry-After", "5"))).isFalse();
    }

    @Test
    void greedyHoldsAllCallsUntilTheReset() {
        Client client = client("greedy-until-reset", null);
        Client.Call refused = client.newCall();
        ask(refused);
        assertThat(refused.answered(response(429, "RateLimit-Remaining", "0", "RateLimit-Reset", "30")))
                .isTrue();
        ask(refused);
        ask(client.newCall());
        time.advance(Duration.ofSeconds(31));

        assertThat(grants).containsExactly(0.0, 30.0, 30.0);
    }

    @Test
    void awsGivesUpAfterThreeAttempts() {
        Client.Call call = client("aws-adaptive", null).newCall();
        for (int attempt = 1; attempt <= 3; attempt++) {
            ask(call);
            time.advance(Duration.ofMinutes(1));
            assertThat(grants).hasSize(attempt);
            assertThat(call.answered(response(429))).isEqualTo(attempt < 3);
        }
    }

    @Test
    void awsSlowsDownAfterAThrottlingAndComesBackCubically() {
        CubicRate rate = new CubicRate(0);
        for (int i = 1; i <= 100; i++) {
            assertThat(rate.acquire(i * 0.1)).isZero();
            rate.update(i * 0.1, false);
        }
        rate.update(10, true); // about ten a second so far: seven from now on

        double until = 10;
        int granted = 0;
        while (until < 20) {
            until += rate.acquire(until);
            granted++;
        }
        assertThat(granted / 10.0).isCloseTo(7, within(1.0));
        for (int i = 0; i < 100; i++) {
            rate.update(20 + i * 0.1, false);
        }
        double later = 30;
        granted = 0;
        while (later < 32) {
            later += rate.acquire(later);
            granted++;
        }
        assertThat(granted / 2.0).isGreaterThan(10);
    }

    @Test
    void gradientLetsTheRestWaitInOrder() {
        Client client = client("gradient2", null);
        List<Client.Call> calls = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            Client.Call call = client.newCall();
            calls.add(call);
            ask(call);
        }
        int first = grants.size();

        assertThat(first).isBetween(1, 49);
        time.advance(Duration.ofMillis(100));
        calls.get(first).cancel();
        assertThat(calls.get(0).answered(response(200))).isFalse();
        assertThat(grants).hasSizeGreaterThan(first);
        assertThat(lastGrant()).isEqualTo(0.1);
    }

    @Test
    void aCancelledCallDoesNotLeave() {
        Client.Call call = client("backoff-retry-after", null).newCall();
        ask(call);
        call.answered(response(429, "Retry-After", "5"));
        ask(call);
        call.cancel();
        time.advance(Duration.ofSeconds(10));

        assertThat(grants).hasSize(1);
    }
}
