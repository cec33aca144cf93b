package dev.throttle.reality.external;

import dev.throttle.reality.Kind;
import dev.throttle.reality.Limit;
import dev.throttle.reality.external.ExternalProduct.Cell;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** The limiters that npm brings. The names are those of the cells in {@code products/node}. */
final class NpmProducts {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration TEN_SECONDS = Duration.ofSeconds(10);
    private static final Limit PER_SECOND = Limit.window(20, SECOND);
    private static final Limit PER_TEN_SECONDS = Limit.window(100, TEN_SECONDS);

    private static final String NO_LAB = "";
    private static final String WINDOW = "--server fixed-window --window-start first-request --retry-after on ";
    private static final String LAB_SECOND = WINDOW + "--capacity 20 --window 1s --headers ";
    private static final String LAB_TEN_SECONDS = WINDOW + "--capacity 100 --window 10s --headers ";

    private NpmProducts() {}

    static List<NpmProduct> all() {
        return Stream.of(
                        expressRateLimit(), rateLimiterFlexible(), fastify(), koa(), hapi(), hono(), nest(), slowDown())
                .flatMap(cells -> cells)
                .toList();
    }

    private static Stream<NpmProduct> expressRateLimit() {
        return of(
                "express-rate-limit",
                told("erl-d6", "100 in 10 s, draft 6", LAB_TEN_SECONDS + "legacy"),
                told("erl-d7", "100 in 10 s, draft 7", LAB_TEN_SECONDS + "ietf"),
                told("erl-d8", "100 in 10 s, draft 8", LAB_TEN_SECONDS + "ietf"),
                told("erl-legacy", "100 in 10 s, X-RateLimit-*", LAB_TEN_SECONDS + "github"),
                new Cell(
                        "erl-none",
                        "100 in 10 s, no headers",
                        Kind.SILENT,
                        PER_TEN_SECONDS,
                        LAB_TEN_SECONDS.replace("--retry-after on", "--retry-after off") + "none"),
                told("erl-both", "100 in 10 s, draft 6 and X-RateLimit-*", NO_LAB),
                toldSecond("erl-1s", "20 in 1 s, draft 7", LAB_SECOND + "ietf"),
                toldSecond("erl-1s-leg", "20 in 1 s, X-RateLimit-*", LAB_SECOND + "github"),
                new Cell(
                        "erl-60s",
                        "100 in 60 s, draft 7",
                        Kind.TOLD_WINDOW,
                        Limit.window(100, Duration.ofMinutes(1)),
                        LAB_TEN_SECONDS.replace("10s", "60s") + "ietf"),
                told("erl-two", "50 in 1 s and 100 in 10 s, draft 8", NO_LAB),
                told("erl-two-d6", "50 in 1 s and 100 in 10 s, draft 6", NO_LAB),
                told(
                        "erl-two-legacy",
                        "50 in 1 s and 100 in 10 s, X-RateLimit-*",
                        LAB_TEN_SECONDS + "github --second-limit fixed-window:50/1s:refusals"),
                told("erl-503", "100 in 10 s, draft 7, refuses with 503", NO_LAB));
    }

    private static Stream<NpmProduct> rateLimiterFlexible() {
        return of(
                "rate-limiter-flexible",
                told("rlf-readme", "100 in 10 s, headers of the README", LAB_TEN_SECONDS + "github"),
                told("rlf-date", "100 in 10 s, reset as a date of JavaScript", NO_LAB),
                told("rlf-dateonly", "100 in 10 s, the same without Retry-After", NO_LAB),
                told("rlf-iso", "100 in 10 s, reset as an ISO date, no Retry-After", NO_LAB),
                new Cell(
                        "rlf-ra",
                        "100 in 10 s, only Retry-After",
                        Kind.SILENT,
                        PER_TEN_SECONDS,
                        LAB_TEN_SECONDS + "none"),
                new Cell("rlf-block", "20 in 1 s, blocks for 5 s", Kind.LOCK_OUT, PER_SECOND, NO_LAB),
                // At once 60; then 10 a second, and 50 more in ten seconds.
                new Cell(
                        "rlf-bursty",
                        "tells 10 in 1 s, grants 50 more in 10 s",
                        Kind.SILENT,
                        Limit.bucket(60, 150, TEN_SECONDS),
                        NO_LAB));
    }

    private static Stream<NpmProduct> fastify() {
        return of(
                "@fastify/rate-limit",
                told("fastify", "100 in 10 s", LAB_TEN_SECONDS + "legacy"),
                told("fastify-draft", "100 in 10 s, draft", LAB_TEN_SECONDS + "legacy"),
                toldSecond("fastify-1s", "20 in 1 s", LAB_SECOND + "legacy"),
                new Cell("fastify-cont", "100 in 10 s, continueExceeding", Kind.LOCK_OUT, PER_TEN_SECONDS, NO_LAB),
                // The lock-out of the lab is that of the store on Redis. In memory, a window without a request ends it,
                // whatever
                // was told.
                new Cell("fastify-exp", "20 in 1 s, exponentialBackoff", Kind.LOCK_OUT, PER_SECOND, NO_LAB),
                new Cell(
                        "fastify-ban",
                        "100 in 10 s, ban after 5 refusals",
                        Kind.LOCK_OUT,
                        PER_TEN_SECONDS,
                        LAB_TEN_SECONDS + "legacy --lockout ban:5"));
    }

    private static Stream<NpmProduct> koa() {
        return of("koa-ratelimit", told("koa", "100 in 10 s", NO_LAB), toldSecond("koa-1s", "20 in 1 s", NO_LAB));
    }

    private static Stream<NpmProduct> hapi() {
        return of(
                "hapi-rate-limit",
                told("hapi-path", "100 in 10 s of a path", NO_LAB),
                told("hapi-user", "100 in 10 s of a user", NO_LAB),
                told("hapi-two", "50 in 1 s of a path and 100 in 10 s of a user", NO_LAB));
    }

    private static Stream<NpmProduct> hono() {
        return of(
                "hono-rate-limiter",
                told("hono-d6", "100 in 10 s, draft 6", LAB_TEN_SECONDS + "legacy"),
                told("hono-d7", "100 in 10 s, draft 7", LAB_TEN_SECONDS + "ietf"));
    }

    private static Stream<NpmProduct> nest() {
        String lab = "--server nest-throttler --capacity 100 --window 10s --headers legacy";
        return of(
                "@nestjs/throttler",
                told("nest", "100 in 10 s, a refusal blocks for 10 s", lab),
                told("nest-named", "50 in 1 s and 100 in 10 s, named", NO_LAB),
                new Cell(
                        "nest-block",
                        "100 in 10 s, blocks for 20 s",
                        Kind.LOCK_OUT,
                        PER_TEN_SECONDS,
                        lab + " --block 20s"));
    }

    private static Stream<NpmProduct> slowDown() {
        // Nothing is refused, so that a job may take less than this.
        return of(
                "express-slow-down",
                new Cell("slowdown", "delays after 50 in 10 s", Kind.DELAY, PER_TEN_SECONDS, NO_LAB));
    }

    private static Stream<NpmProduct> of(String npmPackage, Cell... cells) {
        return Stream.of(cells).map(cell -> new NpmProduct(npmPackage, cell));
    }

    private static Cell told(String name, String description, String lab) {
        return new Cell(name, description, Kind.TOLD_WINDOW, PER_TEN_SECONDS, lab);
    }

    private static Cell toldSecond(String name, String description, String lab) {
        return new Cell(name, description, Kind.TOLD_SECOND, PER_SECOND, lab);
    }
}
