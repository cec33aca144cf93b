package dev.throttle.lab.server;

import dev.throttle.internal.DurationText;
import dev.throttle.internal.Preconditions;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.ResponseHead;
import java.time.Duration;
import java.util.List;
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
 * @param script what happens to it besides its limit
 * @param tokens its limits of costs; of the kind {@link ServerKind#LLM} alone, which has to have them
 * @param details what else there is to say about its limit
 */
public record ServerSpec(
        ServerKind kind,
        long capacity,
        Duration window,
        @Nullable Long initial,
        HeaderStyle headers,
        boolean retryAfter,
        ServerScript script,
        @Nullable TokenLimits tokens,
        LimitDetails details) {

    static final long MOST = 10_000_000;
    static final Duration LONGEST = Duration.ofDays(366);
    private static final long SECOND = 1_000_000_000L;

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
        script.check(kind, capacity, window);
        Preconditions.check(
                (kind == ServerKind.LLM) == (tokens != null),
                "--token-capacity",
                tokens == null ? "none" : tokens.capacity(),
                "a number if the server is llm, and nothing otherwise");
        SecondLimit second = script.second();
        Preconditions.check(
                second == null
                        || second.shown() != SecondLimit.Shown.REFUSALS
                        || headers == HeaderStyle.LEGACY
                        || headers == HeaderStyle.GITHUB,
                "--second-limit",
                "refusals",
                "nothing of the kind unless the headers are legacy or github");
        Preconditions.check(
                details.windowStart() == WindowStart.GRID
                        || kind == ServerKind.FIXED_WINDOW
                        || (second != null && second.kind() == ServerKind.FIXED_WINDOW),
                "--window-start",
                Words.of(details.windowStart()),
                "nothing unless the server is fixed-window");
    }

    /** A server whose limit has no details. */
    public ServerSpec(
            ServerKind kind,
            long capacity,
            Duration window,
            @Nullable Long initial,
            HeaderStyle headers,
            boolean retryAfter,
            ServerScript script,
            @Nullable TokenLimits tokens) {
        this(kind, capacity, window, initial, headers, retryAfter, script, tokens, LimitDetails.NONE);
    }

    /** A server that does not count costs. */
    public ServerSpec(
            ServerKind kind,
            long capacity,
            Duration window,
            @Nullable Long initial,
            HeaderStyle headers,
            boolean retryAfter,
            ServerScript script) {
        this(kind, capacity, window, initial, headers, retryAfter, script, null);
    }

    ServerSpec announced(Duration scaledWindow, Duration scaledSkew) {
        ServerScript told = new ServerScript(
                Duration.ZERO, List.of(), List.of(), List.of(), 0, scaledSkew, Weight.ONE, script.second());
        return new ServerSpec(kind, capacity, scaledWindow, initial, headers, retryAfter, told, tokens);
    }

    /** A server that tells the truth. */
    public ServerSpec(
            ServerKind kind,
            long capacity,
            Duration window,
            @Nullable Long initial,
            HeaderStyle headers,
            boolean retryAfter) {
        this(kind, capacity, window, initial, headers, retryAfter, ServerScript.NONE);
    }

    /** {@return a server at its start} */
    public SimulatedServer start() {
        return start(0);
    }

    /**
     * {@return a server at its start}
     *
     * @param seed the source of all randomness
     */
    public SimulatedServer start(long seed) {
        long first = initial == null ? kind.defaultInitial(capacity) : initial;
        if (!details.scopes().isEmpty()) {
            return new NamedLimitsServer(details.scopes());
        }
        SimulatedServer server = tokens == null
                ? start(
                        kind,
                        capacity,
                        capacity,
                        window.toNanos(),
                        script.turns(),
                        0,
                        first,
                        script.phase().toNanos())
                : new LlmServer(capacity, window.toNanos(), first, tokens);
        if (!script.weight().equals(Weight.ONE)) {
            server = new WeightedServer(server, script.weight(), Answer.TOO_MANY_REQUESTS, seed);
        }
        SecondLimit second = script.second();
        if (second != null) {
            List<ServerScript.Turn> restarts = script.turns().stream()
                    .filter(ServerScript.Turn::forgets)
                    .map(turn -> new ServerScript.Turn(turn.at(), 1, true))
                    .toList();
            SimulatedServer other = start(
                    second.kind(),
                    second.capacity(),
                    second.capacity(),
                    second.window().toNanos(),
                    restarts,
                    0,
                    second.capacity(),
                    0);
            server = new TwoLimitsServer(server, other, second);
        }
        Lockout lockout = details.lockout();
        if (lockout != null) {
            server = new LockingServer(server, lockout, window.toNanos());
        }
        boolean disturbed = !script.outages().isEmpty() || !script.strays().isEmpty() || script.jitterRemaining() > 0;
        return disturbed ? new DisturbedServer(server, script, seed) : server;
    }

    /**
     * {@return the server that a client that knew everything would meet}
     *
     * @param seed the source of all randomness
     */
    public SimulatedServer startKnowable(long seed) {
        TokenLimits known = tokens == null ? null : tokens.knowable();
        return new ServerSpec(kind, capacity, window, initial, headers, retryAfter, script.knowable(), known, details)
                .start(seed);
    }

    /**
     * A server and those that it becomes at its turns. The windows of a server that has lost all counts begin anew.
     *
     * @param quota its capacity now
     * @param full the capacity of which a turn has a share
     * @param began when it became what it is
     * @param left what is left now
     * @param phase how long its window has lasted
     */
    private SimulatedServer start(
            ServerKind of,
            long quota,
            long full,
            long nanos,
            List<ServerScript.Turn> turns,
            long began,
            long left,
            long phase) {
        SimulatedServer server = limit(of, quota, nanos, left, phase, began);
        if (turns.isEmpty()) {
            return server;
        }
        ServerScript.Turn turn = turns.get(0);
        List<ServerScript.Turn> later = turns.subList(1, turns.size());
        long at = turn.at().toNanos();
        long next = Math.round(full * turn.factor());
        ChangingServer.Successor successor = turn.forgets()
                ? (ignored, reset) -> start(of, next, full, nanos, later, at, next, 0)
                : (initial, reset) -> start(of, next, full, nanos, later, at, initial, nanos - reset);
        return new ChangingServer(server, quota, at - began, next, turn.forgets(), successor);
    }

    /** A limit with so much left, whose window has lasted as long as its phase. */
    private SimulatedServer limit(ServerKind of, long quota, long nanos, long left, long phase, long began) {
        return switch (of) {
            case GCRA -> new Gcra(quota, nanos, left);
            case TOKEN_BUCKET -> new TokenBucket(quota, nanos, left);
            case FIXED_WINDOW -> new FixedWindow(quota, nanos, left, phase, details.windowStart());
            case SLIDING_WINDOW -> new SlidingWindow((int) quota, nanos, left);
            case DECREASE_ONLY -> new DecreaseOnly(left);
            case BUSY -> new BusyServer(quota, nanos);
            case LLM -> throw new IllegalStateException("it has two kinds of limits");
            case NGINX_LIMIT_REQ -> new LimitReq(quota, nanos, details);
            case HAPROXY_RATE -> new PeriodRate(quota, nanos, details.countsRefused());
            case NEST_THROTTLER ->
                new NestThrottler(
                        (int) quota,
                        nanos,
                        left,
                        details.block() == null ? nanos : details.block().toNanos());
            case SECOND_BUCKET -> new SecondBucket(quota, nanos, left, began % SECOND);
            // Bucket4j 8 refills intervally what is a window's quota, and its intervals follow each other.
            case INTERVAL_BUCKET -> new FixedWindow(quota, nanos, left, phase, WindowStart.GRID);
            case VSTHROTTLE -> new VsThrottle(quota, nanos, left);
            case CONCURRENCY -> new ConcurrencyLimit(quota, nanos, details.statusOr(Answer.SERVICE_UNAVAILABLE));
            case PER_CONNECTION -> new PerConnection(quota, nanos, left, details.connections());
        };
    }

    /**
     * Shows the headers of an answer.
     *
     * @param answer the answer
     * @param epochMillis the server's time of day
     * @param to is called once per header
     */
    public void writeHeaders(Answer answer, long epochMillis, ResponseHead.HeaderVisitor to) {
        if (headers.tellsInstants()) {
            to.visit("Date", VendorHeaders.date(epochMillis));
        }
        long limit = answer.limit() == Answer.UNKNOWN ? capacity : answer.limit();
        boolean knowsTime = answer.resetNanos() != Answer.UNKNOWN;
        Answer told = knowsTime
                ? answer.reset(answer.resetNanos() + script.resetSkew().toNanos())
                : answer;
        if (!details.scopes().isEmpty()) {
            answer.limits().forEach(limitOfRoute -> headers.writeNamed(limitOfRoute, epochMillis, to));
        } else if (headers.tellsEachLimit()) {
            VendorHeaders.write(headers, limits(told, limit), epochMillis, to);
        } else {
            long span = (tokens == null ? window : tokens.window()).toNanos();
            headers.write(told, limit, span, epochMillis, to);
        }
        Answer other = answer.other();
        SecondLimit second = script.second();
        if (other != null && second != null) {
            headers.writeSecond(other, second, to);
        }
        if (answer.retryAfterNanos() >= 0) {
            headers.writeRetryAfter(answer.retryAfterNanos(), to);
        } else if (answer.retryAfterNanos() == Answer.UNKNOWN
                && !answer.isAccepted()
                && knowsTime
                && (retryAfter || headers.alwaysTellsRetryAfter())) {
            headers.writeRetryAfter(
                    answer.blockedNanos() == Answer.UNKNOWN ? answer.resetNanos() : answer.blockedNanos(), to);
        }
    }

    /**
     * {@return what the body of an answer tells about limits; the time of a window is that in which a bucket fills}
     *
     * @param answer the answer
     */
    public RateHints body(Answer answer) {
        if (headers != HeaderStyle.SHOPIFY_GRAPHQL || tokens == null || answer.remaining() == Answer.UNKNOWN) {
            return RateHints.NONE;
        }
        Quota points =
                new Quota("graphql", tokens.capacity(), answer.remaining(), null, tokens.window(), tokens.unit(), null);
        return new RateHints(null, List.of(points));
    }

    /** {@return what is known of each limit; nothing if the server has nothing to tell} */
    private static List<Told> limits(Answer answer, long limit) {
        if (!answer.limits().isEmpty() || answer.remaining() == Answer.UNKNOWN) {
            return answer.limits();
        }
        return List.of(new Told(Quota.REQUESTS, limit, answer.remaining(), answer.resetNanos()));
    }

    /**
     * {@return an answer as a response}
     *
     * @param answer the answer
     * @param epochMillis the server's time of day when it answered
     */
    public ResponseHead response(Answer answer, long epochMillis) {
        return new ResponseHead() {
            @Override
            public int status() {
                return answer.status();
            }

            @Override
            public void forEachHeader(HeaderVisitor visitor) {
                writeHeaders(answer, epochMillis, visitor);
            }

            @Override
            public List<String> headers(String name) {
                if (!name.equals("Date")) { // which is looked for in each response
                    return ResponseHead.super.headers(name);
                }
                return headers.tellsInstants() ? List.of(VendorHeaders.date(epochMillis)) : List.of();
            }
        };
    }

    /** Headers count in whole seconds; rounded up, so that no client comes back too early. */
    static long wholeSeconds(long nanos) {
        return nanos / SECOND + (nanos % SECOND == 0 ? 0 : 1);
    }
}
