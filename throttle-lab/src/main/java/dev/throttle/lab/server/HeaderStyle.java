package dev.throttle.lab.server;

import dev.throttle.signal.ResponseHead;
import java.math.BigDecimal;

/** Which headers a simulated server sends about its quota. */
public enum HeaderStyle {
    /** None. */
    NONE,
    /** {@code RateLimit-Remaining} alone, as the Heroku API does. */
    REMAINING,
    /** {@code RateLimit-Remaining}, {@code RateLimit-Limit} and {@code RateLimit-Reset}. */
    LEGACY,
    /** {@code RateLimit} and {@code RateLimit-Policy}. */
    IETF,
    /** {@code X-RateLimit-*} with what is used, the reset as an epoch, as the GitHub API does. */
    GITHUB,
    /** What is used of the limit in one header, as Shopify's API does. */
    SHOPIFY,
    /** {@code x-ratelimit-*} for each limit, resets as durations of Go, and {@code retry-after-ms}, as OpenAI's API. */
    OPENAI,
    /** As {@link #OPENAI}, without resets, as Azure's API. */
    AZURE,
    /** {@code anthropic-ratelimit-*} for each limit, resets as points in time, as Anthropic's API. */
    ANTHROPIC,
    /** None: the body of the answer tells what is left, as Shopify's GraphQL API does. */
    SHOPIFY_GRAPHQL,
    /** {@code X-RateLimit-*} with the time until the reset and a bucket, as the Discord API does. */
    DISCORD,
    /** {@code gw-ratelimit-*} with the reset in milliseconds, as KuCoin's API does. */
    KUCOIN,
    /** The limit and its window, and never what is left, as Crossref's API does. */
    ANNOUNCED,
    /** The rate per second, and never what is left, as Amazon's API for sellers does. */
    SP_API;

    private static final long NANOS_PER_MILLI = 1_000_000L;
    private static final int MILLI_DIGITS = 3;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final String POLICY = "\"default\"";
    private static final String SECOND = "\"second\"";

    void write(Answer answer, long capacity, long windowNanos, long epochMillis, ResponseHead.HeaderVisitor to) {
        if (answer.remaining() == Answer.UNKNOWN) {
            return;
        }
        String remaining = Long.toString(answer.remaining());
        boolean resets = answer.resetNanos() != Answer.UNKNOWN;
        String reset = Long.toString(ServerSpec.wholeSeconds(Math.max(0, answer.resetNanos())));
        switch (this) {
            case NONE, OPENAI, AZURE, ANTHROPIC, SHOPIFY_GRAPHQL -> {}
            case DISCORD -> writeNamed(new Told("default", capacity, answer.remaining(), answer.resetNanos()), 0, to);
            case REMAINING -> to.visit("RateLimit-Remaining", remaining);
            case LEGACY -> {
                to.visit("RateLimit-Remaining", remaining);
                to.visit("RateLimit-Limit", Long.toString(capacity));
                if (resets) {
                    to.visit("RateLimit-Reset", reset);
                }
            }
            case IETF -> {
                String window = resets ? ";w=" + ServerSpec.wholeSeconds(windowNanos) : "";
                to.visit("RateLimit-Policy", POLICY + ";q=" + capacity + window);
                to.visit("RateLimit", POLICY + ";r=" + remaining + (resets ? ";t=" + reset : ""));
            }
            case GITHUB -> {
                to.visit("X-RateLimit-Limit", Long.toString(capacity));
                to.visit("X-RateLimit-Remaining", remaining);
                to.visit("X-RateLimit-Used", Long.toString(Math.max(0, capacity - answer.remaining())));
                if (resets) {
                    long at = epochMillis * NANOS_PER_MILLI + Math.max(0, answer.resetNanos());
                    to.visit("X-RateLimit-Reset", Long.toString(ServerSpec.wholeSeconds(at)));
                }
            }
            case SHOPIFY ->
                to.visit("X-Shopify-Shop-Api-Call-Limit", Math.max(0, capacity - answer.remaining()) + "/" + capacity);
            case KUCOIN -> {
                to.visit("gw-ratelimit-limit", Long.toString(capacity));
                to.visit("gw-ratelimit-remaining", remaining);
                if (resets) {
                    to.visit("gw-ratelimit-reset", Long.toString(Math.max(0, answer.resetNanos()) / NANOS_PER_MILLI));
                }
            }
            case ANNOUNCED -> {
                to.visit("x-rate-limit-limit", Long.toString(capacity));
                to.visit("x-rate-limit-interval", ServerSpec.wholeSeconds(windowNanos) + "s");
            }
            case SP_API ->
                to.visit("x-amzn-RateLimit-Limit", Double.toString(capacity * NANOS_PER_SECOND / windowNanos));
        }
    }

    /** Tells about a quota that has a name. The other styles do not tell names. */
    void writeNamed(Told told, long epochMillis, ResponseHead.HeaderVisitor to) {
        String remaining = Long.toString(told.remaining());
        switch (this) {
            case GITHUB -> {
                Answer answer = new Answer(Answer.OK, told.remaining(), told.resetNanos());
                write(answer, told.limit(), 0, epochMillis, to);
                to.visit("X-RateLimit-Resource", told.unit());
            }
            case IETF -> {
                String reset = ";t=" + ServerSpec.wholeSeconds(told.resetNanos());
                to.visit("RateLimit", '"' + told.unit() + "\";r=" + remaining + reset);
            }
            case DISCORD -> {
                to.visit("X-RateLimit-Limit", Long.toString(told.limit()));
                to.visit("X-RateLimit-Remaining", remaining);
                long millis = (told.resetNanos() + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI;
                to.visit(
                        "X-RateLimit-Reset-After",
                        BigDecimal.valueOf(millis, MILLI_DIGITS).toPlainString());
                to.visit("X-RateLimit-Bucket", told.unit());
            }
            default ->
                write(new Answer(Answer.OK, told.remaining(), told.resetNanos()), told.limit(), 0, epochMillis, to);
        }
    }

    /** {@return whether requests and costs have headers of their own} */
    boolean tellsEachLimit() {
        return this == OPENAI || this == AZURE || this == ANTHROPIC;
    }

    /** {@return whether answers say what is left} */
    public boolean tellsRemaining() {
        return this != NONE && this != ANNOUNCED && this != SP_API;
    }

    /** {@return whether resets are points in time, which a client compares with the server's {@code Date}} */
    boolean tellsInstants() {
        return this == GITHUB || this == ANTHROPIC;
    }

    boolean alwaysTellsRetryAfter() {
        return this == GITHUB || this == SHOPIFY || this == DISCORD || tellsEachLimit();
    }

    void writeRetryAfter(long nanos, ResponseHead.HeaderVisitor to) {
        if (this == OPENAI || this == AZURE) {
            long millis = nanos / NANOS_PER_MILLI + (nanos % NANOS_PER_MILLI == 0 ? 0 : 1);
            to.visit("retry-after-ms", Long.toString(millis));
        }
        to.visit("Retry-After", ServerSpec.wholeSeconds(nanos) + (this == SHOPIFY ? ".0" : ""));
    }

    /** Only the style that can name several policies tells about a second one. */
    void writeSecond(Answer answer, SecondLimit limit, ResponseHead.HeaderVisitor to) {
        if (this == IETF) {
            String window = ";w=" + ServerSpec.wholeSeconds(limit.window().toNanos());
            to.visit("RateLimit-Policy", SECOND + ";q=" + limit.capacity() + window);
            String reset = ";t=" + ServerSpec.wholeSeconds(Math.max(0, answer.resetNanos()));
            to.visit("RateLimit", SECOND + ";r=" + answer.remaining() + reset);
        }
    }
}
