package com.example;

import dev.throttle.time.TimeSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.function.Function;
import mockwebserver3.Dispatcher;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;

/**
 * An API that accepts five requests in a minute of a time which passes when the client waits. The first is refused,
 * whatever is left, and so is who comes back earlier than a refusal has said. The vendor's words are its
 * {@link Vendor}'s. Its answers are a function of the request: JSON, or a stream of events; an empty one has the status
 * 202, and null stands for what is not allowed.
 */
final class RecipeServer extends Dispatcher implements AutoCloseable {

    static final int LIMIT = 5;
    static final Duration WINDOW = Duration.ofMinutes(1);

    private static final Duration STAY_AWAY = Duration.ofSeconds(7);
    private static final String JSON = "application/json";
    private static final String EVENTS = "text/event-stream";

    private final MockWebServer server = new MockWebServer();
    private final TimeSource time;
    private final Vendor vendor;
    private final Function<RecordedRequest, String> answers;
    private long refusesUntil = -1;
    private long windowEnd;
    private int used;
    private int accepted;
    private int refused;

    RecipeServer(TimeSource time, Vendor vendor, Function<RecordedRequest, String> answers) {
        this.time = time;
        this.vendor = vendor;
        this.answers = answers;
        server.setDispatcher(this);
        try {
            server.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@return the address, without a slash at its end} */
    String url() {
        return "http://localhost:" + server.getPort();
    }

    synchronized int accepted() {
        return accepted;
    }

    synchronized int refused() {
        return refused;
    }

    @Override
    public synchronized MockResponse dispatch(RecordedRequest request) {
        long now = time.currentTimeMillis();
        if (now >= windowEnd) {
            windowEnd = (now / 1000 + WINDOW.toSeconds()) * 1000; // to the second, as some tell it
            used = 0;
        }
        String date = DateTimeFormatter.RFC_1123_DATE_TIME.format(
                Instant.ofEpochMilli(now).atOffset(ZoneOffset.UTC));
        MockResponse.Builder response =
                new MockResponse.Builder().setHeader("Date", date).setHeader("Content-Type", JSON);
        if (refusesUntil < 0 || now < refusesUntil || used == LIMIT) {
            refused++;
            vendor.refuse(response, STAY_AWAY.toSeconds());
            refusesUntil = now + STAY_AWAY.toMillis();
        } else {
            accepted++;
            used++;
            String answer = answers.apply(request);
            response.code(answer == null ? 405 : answer.isEmpty() ? 202 : 200);
            response.setHeader("Content-Type", answer != null && answer.startsWith("data:") ? EVENTS : JSON);
            response.body(answer == null ? "" : answer);
        }
        vendor.tell(response, LIMIT - used, windowEnd, now);
        return response.build();
    }

    @Override
    public void close() {
        server.close();
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
