package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.signal.ResponseHead;
import dev.throttle.testing.VirtualTime;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A server that says anything at all: its own key may suffer, for as long as it says so, but no other, and what is kept
 * of it stays small.
 */
class HostileServerTest {

    private static final int RESPONSES = 20_000;
    private static final int POLICIES = 1_000_000;
    private static final long MOST_BYTES = 16L << 20;

    private final VirtualTime time = new VirtualTime(1_000_000_000L, 1_700_000_000_000L);
    private final ThrottleRegistry throttles = ThrottleRegistry.builder()
            .time(time)
            .executor(Runnable::run)
            .seed(1)
            .build();

    /** What a server does to those who believe it. */
    enum Hostility {
        HEADER_BOMBS(200) {
            @Override
            ResponseHead answer(int number, Random random) {
                List<String> lines = new ArrayList<>();
                for (int i = 0; i < 2_000; i++) {
                    lines.add("X-RateLimit-Remaining-" + random.nextInt());
                    lines.add(String.valueOf(random.nextInt()));
                }
                return Heads.status(number % 2 == 0 ? 200 : 429, lines.toArray(String[]::new));
            }
        },
        ANOTHER_POLICY_EACH_TIME(RESPONSES) {
            @Override
            ResponseHead answer(int number, Random random) {
                return policy(number);
            }
        },
        JUMPING_RESETS(RESPONSES) {
            @Override
            ResponseHead answer(int number, Random random) {
                String reset = switch (number % 5) {
                    case 0 -> "1";
                    case 1 -> "99999999999999999999";
                    case 2 -> String.valueOf(random.nextLong());
                    case 3 -> "-86400";
                    default -> String.valueOf(random.nextInt(86_400));
                };
                return Heads.status(
                        200, "X-RateLimit-Limit", "5000", "X-RateLimit-Remaining", "4000", "X-RateLimit-Reset", reset);
            }
        },
        COUNTING_BACKWARDS(RESPONSES) {
            @Override
            ResponseHead answer(int number, Random random) {
                return Heads.status(
                        200,
                        "X-RateLimit-Limit",
                        String.valueOf(5_000 - number % 10_000),
                        "X-RateLimit-Remaining",
                        String.valueOf(number % 7_000),
                        "X-RateLimit-Reset",
                        String.valueOf(3_600 - number % 3_600));
            }
        },
        NOW_OR_TOMORROW(RESPONSES) {
            @Override
            ResponseHead answer(int number, Random random) {
                return Heads.status(429, "Retry-After", number % 2 == 0 ? "0" : "86400");
            }
        },
        NOISE(RESPONSES) {
            @Override
            ResponseHead answer(int number, Random random) {
                byte[] noise = new byte[40];
                random.nextBytes(noise);
                String value = new String(noise, StandardCharsets.ISO_8859_1);
                return Heads.status(
                        random.nextInt(600), "RateLimit", value, "RateLimit-Policy", value, "Retry-After", value);
            }
        };

        private final int responses;

        Hostility(int responses) {
            this.responses = responses;
        }

        abstract ResponseHead answer(int number, Random random);
    }

    private static ResponseHead policy(int number) {
        return Heads.status(
                200,
                "RateLimit",
                "\"p" + number + "\";r=" + number % 100 + ";t=60",
                "RateLimit-Policy",
                "\"p" + number + "\";q=100;w=60");
    }

    private void answer(Throttle throttle, ResponseHead head) {
        throttle.newCall().acquireForced().complete(head);
    }

    @ParameterizedTest
    @EnumSource
    void theOtherKeysAreNotAffected(Hostility hostility) {
        Throttle hostile = throttles.get("hostile");
        Throttle other = throttles.get("other");
        Random random = new Random(1);
        for (int i = 0; i < hostility.responses; i++) {
            answer(hostile, hostility.answer(i, random));
            time.advanceNanos(10_000_000);
            if (i % 50 == 0) {
                Permit permit = other.tryAcquire();
                assertThat(permit).as("other key after %s responses", i).isNotNull();
                permit.complete(Heads.status(200));
            }
        }
        assertThat(hostile.snapshot().quotas()).hasSizeLessThanOrEqualTo(64);
        assertThat(hostile.snapshot().inFlight()).isZero();
        assertThat(throttles.all()).hasSize(2);
        assertThat(time.scheduledTasks()).isLessThanOrEqualTo(2);
    }

    /** It may be a long time, but it is told, and it ends. */
    @ParameterizedTest
    @EnumSource
    void theKeyItselfGoesOnWhenItsServerComesToItsSenses(Hostility hostility) {
        Throttle hostile = throttles.get("hostile");
        Random random = new Random(1);
        for (int i = 0; i < 100; i++) {
            answer(hostile, hostility.answer(i, random));
        }
        time.advance(Duration.ofDays(400));
        for (int i = 0; i < 20; i++) {
            Permit permit = time.await(hostile.newCall(CallOptions.DEFAULT.maxWait(Duration.ofMinutes(5)))
                    .acquireAsync());
            permit.complete(Heads.status(200));
        }
    }

    @Test
    void aMillionPoliciesLeaveNothingBehind() {
        Throttle hostile = throttles.get("hostile");
        for (int i = 0; i < 1_000; i++) {
            answer(hostile, policy(i));
        }
        long before = usedHeap();
        for (int i = 0; i < POLICIES; i++) {
            answer(hostile, policy(i));
            time.advanceNanos(1_000_000);
        }
        assertThat(usedHeap() - before).isLessThan(MOST_BYTES);
        assertThat(hostile.snapshot().quotas()).hasSizeLessThanOrEqualTo(64);
    }

    private static long usedHeap() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
