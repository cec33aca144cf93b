package dev.throttle.lab.server;

import dev.throttle.internal.DurationText;
import dev.throttle.internal.Preconditions;
import dev.throttle.signal.ResponseHead;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A server as the command line describes it.
 *
 * @param kind how it limits
 * @param capacity requests per window, or in stock, from 1 to ten millions
 * @param window the window, above zero
 * @param initial what is left at the start, from 0 to the capacity; null for {@link ServerKind#defaultInitial}
 * @param headers what it tells about the quota
 * @param retryAfter whether it sends {@code Retry-After} with a refusal, where it knows when
 * @param lie what it tells wrongly
 */
public record ServerSpec(
        ServerKind kind,
        long capacity,
        Duration window,
        @Nullable Long initial,
        HeaderStyle headers,
        boolean retryAfter,
        HeaderLie lie) {

    private static final long MOST = 10_000_000;
    private static final Duration LONGEST = Duration.ofDays(366);
    private static final long SECOND = 1_000_000_000L;

    /**
     * Checks the values.
     *
     * @param kind how it limits
     * @param capacity requests per window, or in stock, from 1 to ten millions
     * @param window the window, above zero
     * @param initial what is left at the start, from 0 to the capacity; null for {@link ServerKind#defaultInitial}
     * @param headers what it tells about the quota
     * @param retryAfter whether it sends {@code Retry-After} with a refusal, where it knows when
     * @param lie what it tells wrongly
     */
    public ServerSpec {
        Preconditions.between("--capacity", capacity, 1, MOST);
        Preconditions.check(
                !window.isNegative() && !window.isZero() && window.compareTo(LONGEST) <= 0,
                "--window",
                DurationText.format(window),
                "a duration above zero, 366 days at most");
        if (initial != null) {
            Preconditions.check(
                    initial >= 0 && initial <= capacity,
                    "--initial",
                    initial,
                    "a whole number from 0 to the capacity, " + capacity);
        }
    }

    ServerSpec window(Duration value) {
        return new ServerSpec(kind, capacity, value, initial, headers, retryAfter);
    }

    /**
     * A server that tells the truth.
     *
     * @param kind how it limits
     * @param capacity requests per window, or in stock, from 1 to ten millions
     * @param window the window, above zero
     * @param initial what is left at the start, from 0 to the capacity; null for {@link ServerKind#defaultInitial}
     * @param headers what it tells about the quota
     * @param retryAfter whether it sends {@code Retry-After} with a refusal, where it knows when
     */
    public ServerSpec(
            ServerKind kind,
            long capacity,
            Duration window,
            @Nullable Long initial,
            HeaderStyle headers,
            boolean retryAfter) {
        this(kind, capacity, window, initial, headers, retryAfter, HeaderLie.NONE);
    }

    /** {@return a server at its start} */
    public SimulatedServer start() {
        long nanos = window.toNanos();
        long first = initial == null ? kind.defaultInitial(capacity) : initial;
        return switch (kind) {
            case GCRA -> new Gcra(capacity, nanos, first);
            case TOKEN_BUCKET -> new TokenBucket(capacity, nanos, first);
            case FIXED_WINDOW -> new FixedWindow(capacity, nanos, first);
            case SLIDING_WINDOW -> new SlidingWindow((int) capacity, nanos, first);
            case DECREASE_ONLY -> new DecreaseOnly(first);
            case BUSY -> new BusyServer(capacity, nanos);
        };
    }

    /**
     * Shows the headers of an answer.
     *
     * @param answer the answer
     * @param to is called once per header
     */
    public void writeHeaders(Answer answer, ResponseHead.HeaderVisitor to) {
        headers.write(lie.of(answer), capacity, window.toNanos(), to);
        if (retryAfter && !answer.isAccepted() && answer.resetNanos() != Answer.UNKNOWN) {
            to.visit("Retry-After", Long.toString(wholeSeconds(answer.resetNanos())));
        }
    }

    /**
     * {@return an answer as a response}
     *
     * @param answer the answer
     */
    public ResponseHead response(Answer answer) {
        return new ResponseHead() {
            @Override
            public int status() {
                return answer.status();
            }

            @Override
            public void forEachHeader(HeaderVisitor visitor) {
                writeHeaders(answer, visitor);
            }
        };
    }

    /** Headers count in whole seconds; rounded up, so that nobody comes back too early. */
    static long wholeSeconds(long nanos) {
        return nanos / SECOND + (nanos % SECOND == 0 ? 0 : 1);
    }
}
