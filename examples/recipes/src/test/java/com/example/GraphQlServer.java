package com.example;

import dev.throttle.time.TimeSource;
import java.time.Instant;
import mockwebserver3.MockResponse;
import mockwebserver3.RecordedRequest;

/** APIs that count points, and refuse with the status 200. */
final class GraphQlServer {

    private GraphQlServer() {}

    /**
     * A bucket of 1,000 points that gets 50 in a second. A query asks for 300, and takes 250. Others have emptied it.
     */
    static final class Shopify extends ApiServer {

        private double available;
        private long last;

        Shopify(TimeSource time) {
            super(time);
            last = time.currentTimeMillis();
        }

        @Override
        boolean answer(RecordedRequest request, long now, MockResponse.Builder response) {
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
    static final class GitHub extends ApiServer {

        private long end;
        private int remaining;

        GitHub(TimeSource time) {
            super(time);
            end = time.currentTimeMillis() / 1000 * 1000 + 60_000;
        }

        @Override
        boolean answer(RecordedRequest request, long now, MockResponse.Builder response) {
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
