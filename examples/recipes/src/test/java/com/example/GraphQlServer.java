package com.example;

import dev.throttle.time.TimeSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import mockwebserver3.Dispatcher;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;

/** An API that counts points, and refuses with the status 200. */
abstract class GraphQlServer extends Dispatcher implements AutoCloseable {

    private final MockWebServer server = new MockWebServer();
    private final TimeSource time;
    private int accepted;
    private int refused;

    GraphQlServer(TimeSource time) {
        this.time = time;
        server.setDispatcher(this);
        try {
            server.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

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
        MockResponse.Builder response = new MockResponse.Builder().setHeader("Content-Type", "application/json");
        boolean isAccepted = answer(time.currentTimeMillis(), response);
        accepted += isAccepted ? 1 : 0;
        refused += isAccepted ? 0 : 1;
        return response.build();
    }

    /** Writes the answer to a query, and says whether it was accepted. */
    abstract boolean answer(long now, MockResponse.Builder response);

    @Override
    public void close() {
        server.close();
    }

    /**
     * A bucket of 1,000 points that gets 50 in a second. A query asks for 300, and takes 250. Others have emptied it.
     */
    static final class Shopify extends GraphQlServer {

        private double available;
        private long last;

        Shopify(TimeSource time) {
            super(time);
            last = time.currentTimeMillis();
        }

        @Override
        boolean answer(long now, MockResponse.Builder response) {
            available = Math.min(1000, available + (now - last) * 0.05);
            last = now;
            boolean isAccepted = available >= 300;
            available -= isAccepted ? 250 : 0;
            response.body("""
                    {%s, "extensions": {"cost": {"requestedQueryCost": 300, "actualQueryCost": %s, "throttleStatus":
                      {"maximumAvailable": 1000.0, "currentlyAvailable": %d, "restoreRate": 50.0}}}}
                    """.formatted(
                            isAccepted
                                    ? "\"data\": {\"answer\": \"Fine.\"}"
                                    : "\"errors\": [{\"extensions\": {\"code\": \"THROTTLED\"}}]",
                            isAccepted ? "250" : "null",
                            (long) available));
            return isAccepted;
        }
    }

    /**
     * A hundred points in five minutes, of which a query takes nine. The first window lasts a minute, and has none
     * left.
     */
    static final class GitHub extends GraphQlServer {

        private long end;
        private int remaining;

        GitHub(TimeSource time) {
            super(time);
            end = time.currentTimeMillis() / 1000 * 1000 + 60_000;
        }

        @Override
        boolean answer(long now, MockResponse.Builder response) {
            if (now >= end) {
                end = (now / 1000 + 300) * 1000;
                remaining = 100;
            }
            boolean isAccepted = remaining >= 9;
            remaining -= isAccepted ? 9 : 0;
            response.setHeader("x-ratelimit-limit", 100)
                    .setHeader("x-ratelimit-remaining", remaining)
                    .setHeader("x-ratelimit-reset", end / 1000)
                    .setHeader("x-ratelimit-resource", "graphql")
                    .body(
                            isAccepted
                                    ? """
                                      {"data": {"answer": "Fine.", "rateLimit":
                                        {"cost": 9, "limit": 100, "remaining": %d, "resetAt": "%s"}}}
                                      """.formatted(remaining, Instant.ofEpochMilli(end))
                                    : "{\"errors\": [{\"type\": \"RATE_LIMITED\", \"message\": \"Too many.\"}]}");
            return isAccepted;
        }
    }
}
