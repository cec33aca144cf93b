package dev.throttle;

import dev.throttle.signal.ResponseHead;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

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
    ANOTHER_POLICY_EACH_TIME(Hostility.MANY) {
        @Override
        ResponseHead answer(int number, Random random) {
            return policy(number);
        }
    },
    JUMPING_RESETS(Hostility.MANY) {
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
    COUNTING_BACKWARDS(Hostility.MANY) {
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
    NOW_OR_TOMORROW(Hostility.MANY) {
        @Override
        ResponseHead answer(int number, Random random) {
            return Heads.status(429, "Retry-After", number % 2 == 0 ? "0" : "86400");
        }
    },
    NOISE(Hostility.MANY) {
        @Override
        ResponseHead answer(int number, Random random) {
            byte[] noise = new byte[40];
            random.nextBytes(noise);
            String value = new String(noise, StandardCharsets.ISO_8859_1);
            return Heads.status(
                    random.nextInt(600), "RateLimit", value, "RateLimit-Policy", value, "Retry-After", value);
        }
    };

    static final int MANY = 20_000;

    private final int responses;

    Hostility(int responses) {
        this.responses = responses;
    }

    /** {@return how many answers are enough to see what comes of them} */
    int responses() {
        return responses;
    }

    abstract ResponseHead answer(int number, Random random);

    static ResponseHead policy(int number) {
        return Heads.status(
                200,
                "RateLimit",
                "\"p" + number + "\";r=" + number % 100 + ";t=60",
                "RateLimit-Policy",
                "\"p" + number + "\";q=100;w=60");
    }
}
