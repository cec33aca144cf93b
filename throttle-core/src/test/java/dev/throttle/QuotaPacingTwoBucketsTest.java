package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.Strategies;
import dev.throttle.signal.ResponseHead;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code quota-pacing} before a server that limits requests and tokens, both with a bucket. */
class QuotaPacingTwoBucketsTest {

    private static final Duration LATENCY = Duration.ofSeconds(2);

    private final Timeline line = new Timeline();
    private final Throttle throttle = line.throttle(Strategies.quotaPacing().build())
            .maxWait(Duration.ofDays(1))
            .build();

    private static ResponseHead head(int requestsLeft, String full) {
        return Heads.status(
                200,
                "x-ratelimit-limit-requests",
                "6000",
                "x-ratelimit-remaining-requests",
                String.valueOf(requestsLeft),
                "x-ratelimit-reset-requests",
                full,
                "x-ratelimit-limit-tokens",
                "30000",
                "x-ratelimit-remaining-tokens",
                "29000",
                "x-ratelimit-reset-tokens",
                "100ms");
    }

    private void alone(int times, int requestsLeft, String full) {
        for (int i = 0; i < times; i++) {
            Permit permit = Objects.requireNonNull(throttle.tryAcquire());
            line.time.advance(LATENCY);
            permit.complete(head(requestsLeft, full));
            line.time.advance(LATENCY);
        }
    }

    /** A hundred requests come back in a second: after each answer the bucket is full again in ten milliseconds. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 20})
    void aBucketThatIsFullBeforeEachAnswerMakesNobodyGoAlone(int answers) {
        alone(answers, 5999, "10ms");
        List<Permit> together = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Permit permit = throttle.tryAcquire();
            assertThat(permit).as("request %s", i).isNotNull();
            together.add(permit);
            line.time.advance(Duration.ofMillis(400));
        }
        together.forEach(permit -> permit.complete(head(5999, "10ms")));
    }

    @Test
    void ofARequestQuotaThatIsAlmostUsedUpNoMoreLeaveAfterAResetThanThereWere() {
        alone(1, 3, "1s");
        int left = 0;
        while (left < 10 && throttle.tryAcquire() != null) {
            left++;
        }
        assertThat(left).isEqualTo(1);
    }
}
