package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.Strategies;
import dev.throttle.signal.ResponseHead;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What {@code quota-pacing} learned of another policy, or long ago, holds nobody up. */
class QuotaPacingMemoryTest {

    private final Timeline line = new Timeline();

    private final long start = line.time.nanoTime();

    /** {@return whole seconds until a time} */
    private long secondsUntil(long second) {
        return second - (line.time.nanoTime() - start) / 1_000_000_000;
    }

    /** What the server answers, by the number of the answer. */
    private interface Script {
        ResponseHead answer(int number);
    }

    private Callers caller(Script script) {
        Throttle throttle = line.throttle(Strategies.quotaPacing().build())
                .maxWait(Duration.ofDays(1))
                .seed(1)
                .build();
        int[] answers = {0};
        return new Callers(line.time, throttle, Duration.ofMillis(100), () -> script.answer(answers[0]++)).untiring(1);
    }

    /** The longest time from a refusal to the next request. */
    private static double longestAfterRefusal(Callers callers) {
        double longest = 0;
        for (int i = 1; i < callers.sent.size(); i++) {
            if (!callers.sent.get(i - 1).accepted()) {
                longest = Math.max(
                        longest,
                        callers.sent.get(i).at() - callers.sent.get(i - 1).at());
            }
        }
        return longest;
    }

    @Test
    void aCountThatIsNoLongerToldIsNotExhausted() {
        Callers callers = caller(number -> {
            if (number < 13) {
                String reset = Long.toString(secondsUntil(80_000));
                return Heads.status(
                        200,
                        "RateLimit-Limit",
                        "1000",
                        "RateLimit-Remaining",
                        "" + (12 - number),
                        "RateLimit-Reset",
                        reset);
            }
            return Heads.status(number == 60 ? 429 : 200);
        });
        line.time.advance(Duration.ofHours(2));

        assertThat(callers.refused()).isEqualTo(1);
        assertThat(longestAfterRefusal(callers)).isBetween(0.01, 60.0);
    }

    @Test
    void anExhaustedPolicyDoesNotWaitForTheResetOfAnother() {
        Callers callers = caller(number -> {
            if (number < 100) {
                return Heads.status(
                        200,
                        "RateLimit-Policy",
                        "\"hour\";q=1000;w=3600",
                        "RateLimit",
                        "\"hour\";r=" + (900 - number) + ";t=" + secondsUntil(3_000));
            }
            return Heads.status(
                    number < 103 ? 429 : 200,
                    "RateLimit-Policy",
                    "\"burst\";q=10;w=1",
                    "RateLimit",
                    "\"burst\";r=" + (number < 103 ? 0 : 9));
        });
        line.time.advance(Duration.ofHours(1));

        assertThat(callers.refused()).isEqualTo(3);
        assertThat(longestAfterRefusal(callers)).isBetween(0.01, 60.0);
    }

    @Test
    void aCrowdIsForgottenWhileTheQuotaIsPlentiful() {
        double[] scarceAgainAt = {Double.NaN};
        Callers callers = caller(number -> {
            if (number < 12) {
                return Heads.status(429, "RateLimit-Remaining", "0");
            }
            if (number < 6_000) {
                return Heads.status(200, "RateLimit-Remaining", "100000");
            }
            if (number == 6_000) {
                scarceAgainAt[0] = line.time.nanoTime();
            }
            return Heads.status(200, "RateLimit-Remaining", "" + Math.max(7, 6_008 - number));
        });
        line.time.advance(Duration.ofMinutes(10));
        assertThat(scarceAgainAt[0]).as("the crowd must be over by then").isNaN();
        line.time.advance(Duration.ofMinutes(30));

        assertThat(scarceAgainAt[0]).isNotNaN();
        double longest = 0;
        for (int i = callers.sent.size() - 1; i > 0 && callers.sent.get(i).at() > 1_200; i--) {
            longest = Math.max(
                    longest, callers.sent.get(i).at() - callers.sent.get(i - 1).at());
        }
        assertThat(longest).as("longest gap after the crowd").isLessThan(10);
    }
}
