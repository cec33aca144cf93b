package com.example;

import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.function.Function;
import mockwebserver3.MockResponse;
import mockwebserver3.RecordedRequest;

/**
 * An API that accepts five requests in a minute of a time which passes when the client waits. The first is refused,
 * whatever is left, and so is who comes back earlier than a refusal has said. The vendor's words are its
 * {@link Vendor}'s. Its answers are a function of the request: JSON, or a stream of events; an empty one has the status
 * 202, and null stands for what is not allowed.
 */
final class RecipeServer extends ApiServer {

    static final int LIMIT = 5;
    static final Duration WINDOW = Duration.ofMinutes(1);

    private static final Duration STAY_AWAY = Duration.ofSeconds(7);
    private static final String EVENTS = "text/event-stream";

    private final Vendor vendor;
    private final Function<RecordedRequest, String> answers;
    private long refusesUntil = -1;
    private long windowEnd;
    private int used;

    RecipeServer(TimeSource time, Vendor vendor, Function<RecordedRequest, String> answers) {
        super(time);
        this.vendor = vendor;
        this.answers = answers;
    }

    @Override
    boolean answer(RecordedRequest request, long now, MockResponse.Builder response) {
        if (now >= windowEnd) {
            windowEnd = (now / 1000 + WINDOW.toSeconds()) * 1000; // to the second, as some tell it
            used = 0;
        }
        String date = DateTimeFormatter.RFC_1123_DATE_TIME.format(
                Instant.ofEpochMilli(now).atOffset(ZoneOffset.UTC));
        response.setHeader("Date", date);
        boolean isAccepted = refusesUntil >= 0 && now >= refusesUntil && used < LIMIT;
        if (isAccepted) {
            used++;
            String answer = answers.apply(request);
            response.code(answer == null ? 405 : answer.isEmpty() ? 202 : 200);
            if (answer != null && answer.startsWith("data:")) {
                response.setHeader("Content-Type", EVENTS);
            }
            response.body(answer == null ? "" : answer);
        } else {
            vendor.refuse(response, STAY_AWAY.toSeconds());
            refusesUntil = now + STAY_AWAY.toMillis();
        }
        vendor.tell(response, LIMIT - used, windowEnd, now);
        return isAccepted;
    }

    /** How a vendor refuses, and tells of its limit. */
    enum Vendor {
        /** {@code X-RateLimit-Reset} in seconds since 1970, as GitHub has it. */
        GITHUB {
            @Override
            void tell(MockResponse.Builder response, int remaining, long reset, long now) {
                response.setHeader("X-RateLimit-Limit", LIMIT);
                response.setHeader("X-RateLimit-Remaining", remaining);
                response.setHeader("X-RateLimit-Reset", reset / 1000);
            }
        },
        /** Requests and tokens, of which the tokens are plenty. */
        OPENAI {
            @Override
            void tell(MockResponse.Builder response, int remaining, long reset, long now) {
                response.setHeader("x-ratelimit-limit-requests", LIMIT);
                response.setHeader("x-ratelimit-remaining-requests", remaining);
                response.setHeader("x-ratelimit-reset-requests", (reset - now) + "ms");
                response.setHeader("x-ratelimit-limit-tokens", 30_000);
                response.setHeader("x-ratelimit-remaining-tokens", 29_971);
                response.setHeader("x-ratelimit-reset-tokens", "58ms");
            }
        },
        /** The same for input and output, with instants. */
        ANTHROPIC {
            @Override
            void tell(MockResponse.Builder response, int remaining, long reset, long now) {
                response.setHeader("anthropic-ratelimit-requests-limit", LIMIT);
                response.setHeader("anthropic-ratelimit-requests-remaining", remaining);
                response.setHeader("anthropic-ratelimit-requests-reset", Instant.ofEpochMilli(reset));
                response.setHeader("anthropic-ratelimit-output-tokens-limit", 8_000);
                response.setHeader("anthropic-ratelimit-output-tokens-remaining", 7_990);
                response.setHeader("anthropic-ratelimit-output-tokens-reset", Instant.ofEpochMilli(now + 75));
            }
        },
        /** Nothing but what the body of a refusal says. */
        GEMINI {
            @Override
            void tell(MockResponse.Builder response, int remaining, long reset, long now) {}

            @Override
            void refuse(MockResponse.Builder response, long seconds) {
                response.code(429).body("""
                                {"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "Too many.", "details": [
                                  {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "%d.000000001s"}]}}
                                """.formatted(seconds));
            }
        };

        abstract void tell(MockResponse.Builder response, int remaining, long reset, long now);

        void refuse(MockResponse.Builder response, long seconds) {
            response.code(429).setHeader("Retry-After", seconds).body("{\"error\": {\"message\": \"Too many.\"}}");
        }
    }
}
