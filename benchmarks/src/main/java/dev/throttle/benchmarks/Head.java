package dev.throttle.benchmarks;

import dev.throttle.signal.ResponseHead;
import java.util.ArrayList;
import java.util.List;

/**
 * A response with so many headers about limits among twenty.
 *
 * @param lines names and values by turns
 */
record Head(List<String> lines) implements ResponseHead {

    private static final int LINES = 20;
    /** Stands for what is left of the requests. */
    private static final String LEFT = "?";

    private static final List<String> OTHERS = List.of(
            "Date: Fri, 20 Nov 2026 10:00:00 GMT",
            "Content-Type: application/json; charset=utf-8",
            "Content-Length: 1482",
            "Connection: keep-alive",
            "Server: nginx",
            "Cache-Control: private, max-age=60, s-maxage=60",
            "Vary: Accept, Authorization, Cookie, Accept-Encoding",
            "ETag: W/\"c6a1e2b0d9f84e7f\"",
            "Last-Modified: Fri, 20 Nov 2026 09:58:12 GMT",
            "X-Request-Id: 5f1d0c9e-7c60-4f0e-9d7d-3f6f0a9c1b2e",
            "Access-Control-Allow-Origin: *",
            "Access-Control-Expose-Headers: ETag, Link, Location",
            "Strict-Transport-Security: max-age=31536000; includeSubdomains; preload",
            "X-Frame-Options: deny",
            "X-Content-Type-Options: nosniff",
            "X-XSS-Protection: 0",
            "Referrer-Policy: origin-when-cross-origin",
            "Content-Security-Policy: default-src 'none'",
            "Content-Encoding: gzip",
            "Via: 1.1 varnish");

    private static final List<String> THREE =
            List.of("X-RateLimit-Limit: 50000", "X-RateLimit-Remaining: " + LEFT, "X-RateLimit-Reset: 1795172400");

    private static final List<String> TWELVE = List.of(
            "anthropic-ratelimit-requests-limit: 50000",
            "anthropic-ratelimit-requests-remaining: " + LEFT,
            "anthropic-ratelimit-requests-reset: 2026-11-20T10:00:01Z",
            "anthropic-ratelimit-tokens-limit: 480000",
            "anthropic-ratelimit-tokens-remaining: 479000",
            "anthropic-ratelimit-tokens-reset: 2026-11-20T10:00:02Z",
            "anthropic-ratelimit-input-tokens-limit: 400000",
            "anthropic-ratelimit-input-tokens-remaining: 399000",
            "anthropic-ratelimit-input-tokens-reset: 2026-11-20T10:00:02Z",
            "anthropic-ratelimit-output-tokens-limit: 80000",
            "anthropic-ratelimit-output-tokens-remaining: 80000",
            "anthropic-ratelimit-output-tokens-reset: 2026-11-20T10:00:00Z");

    /** {@return a response with 0, 3 or 12 headers about limits, which say how many of 50,000 requests are left} */
    static Head of(int relevant, int left) {
        List<String> limits = switch (relevant) {
            case 0 -> List.of();
            case 3 -> THREE;
            case 12 -> TWELVE;
            default -> throw new IllegalArgumentException("no such response: " + relevant);
        };
        List<String> all = new ArrayList<>(OTHERS.subList(0, LINES - limits.size()));
        all.addAll(all.size() / 2, limits);
        List<String> split = new ArrayList<>();
        for (String line : all) {
            int colon = line.indexOf(": ");
            split.add(line.substring(0, colon));
            String value = line.substring(colon + 2);
            split.add(value.equals(LEFT) ? Integer.toString(left) : value);
        }
        return new Head(List.copyOf(split));
    }

    @Override
    public int status() {
        return 200;
    }

    @Override
    public void forEachHeader(HeaderVisitor visitor) {
        for (int i = 0; i < lines.size(); i += 2) {
            visitor.visit(lines.get(i), lines.get(i + 1));
        }
    }
}
