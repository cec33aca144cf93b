package dev.throttle.okhttp;

import dev.throttle.CallOptions;
import dev.throttle.Permit;
import dev.throttle.ThrottledCall;
import dev.throttle.Throttles;
import dev.throttle.retry.RetryDecision;
import dev.throttle.time.TimeSource;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * One call on its way through one set of throttles, with all its attempts, and with all the hops of each attempt that
 * OkHttp makes by itself: redirects, authentication, its own retries.
 *
 * <p>Before an attempt it holds a permit for the key of its request; the first hop uses it. Each further hop is charged
 * to the key of its own URL. The last hop of an attempt decides whether there is another. One thread at a time uses a
 * journey; {@link #cancel()} may come from any thread.
 */
final class Journey {

    private static final Set<String> IDEMPOTENT =
            Set.of("GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "QUERY", "PROPFIND", "REPORT");

    /** An attempt that needs longer than this from the factory to its thread was kept waiting. */
    private static final long OVERDUE_NANOS = 100_000_000;

    private final Config config;
    private final Request request;
    private final ThrottleOptions options;
    private final String key;
    private final boolean isEscorted;
    private final long startedAt = TimeSource.system().nanoTime();
    /** Added to by the thread of the journey, read by any that cancels it. */
    private final List<Leg> legs = new CopyOnWriteArrayList<>();

    private volatile boolean isCanceled;

    private Duration timeout = Duration.ZERO;
    private boolean mayRepeatFaults = true;
    private int attempts;

    /** The key whose server refused the last attempt, if it is another than the request's own. */
    private @Nullable String refusedBy;

    /** When the call factory handed the attempt over, with its permits. */
    private long handedOverAt;

    private boolean isClaimed;

    private boolean isToBeRepeated;
    private int hops;
    private boolean isHopUnderWay;
    private @Nullable Hop lastHop;

    private Journey(Config config, Request request, ThrottleOptions options, String key, boolean isEscorted) {
        this.config = config;
        this.request = request;
        this.options = options;
        this.key = key;
        this.isEscorted = isEscorted;
    }

    /**
     * Sets out with a request.
     *
     * @param isEscorted whether a {@link ThrottlingCall} waits and repeats, so that the interceptor must not
     * @return null if the request is not throttled
     */
    static @Nullable Journey of(Config config, Request request, boolean isEscorted) {
        ThrottleOptions options = ThrottleOptions.of(request, config.options());
        if (options.isExempt()) {
            return null;
        }
        String key = config.keyOf(request);
        return key == null ? null : new Journey(config, request, options, key, isEscorted);
    }

    Throttles throttles() {
        return config.throttles();
    }

    String key() {
        return key;
    }

    /** The call factory has all permits, and passes the attempt to OkHttp. */
    void handOver() {
        handedOverAt = TimeSource.system().nanoTime();
        isClaimed = false;
        isToBeRepeated = false;
    }

    /** {@return whether this interceptor is the first to see an attempt of the call factory} */
    boolean claim() {
        boolean first = isEscorted && !isClaimed;
        isClaimed = true;
        return first;
    }

    /**
     * {@return whether the attempt stood in the dispatcher's queue, so that its permits are no longer worth anything}
     */
    boolean isOverdue() {
        return TimeSource.system().nanoTime() - handedOverAt > OVERDUE_NANOS;
    }

    /** {@return whether the attempt that ended last is to be followed by another} */
    boolean isToBeRepeated() {
        return isToBeRepeated;
    }

    boolean isCanceled() {
        return isCanceled;
    }

    /** Ends a wait under way at once, and all waits to come. */
    void cancel() {
        isCanceled = true;
        legs.forEach(leg -> leg.call().cancel());
    }

    /**
     * Takes over what the client says: the call's timeout, zero for none, and whether faults may be repeated at all.
     */
    void comply(Duration callTimeout, boolean retryOnConnectionFailure) {
        timeout = callTimeout;
        mayRepeatFaults = retryOnConnectionFailure;
    }

    /** {@return a key whose permit the next attempt still lacks; null if it can go} */
    @Nullable String nextKey() {
        if (refusedBy != null && !leg(refusedBy).isHolding()) {
            return refusedBy;
        }
        return leg(key).isHolding() ? null : key;
    }

    /** {@return what to ask for the permit of a key} */
    ThrottledCall callOf(String legKey) {
        Leg leg = leg(legKey);
        leg.call().revise(terms(leg, true, false));
        return leg.call();
    }

    void hold(String legKey, Permit permit) {
        leg(legKey).hold(permit);
    }

    /** Gives back every permit that no hop has used. */
    void giveBack() {
        legs.forEach(Leg::giveBack);
    }

    private Leg leg(String legKey) {
        for (Leg leg : legs) {
            if (leg.key().equals(legKey)) {
                return leg;
            }
        }
        Leg leg = new Leg(legKey, throttles().get(legKey), new CallOptions(options.permits(), false, true, null, null));
        legs.add(leg);
        passOnCancel(leg);
        return leg;
    }

    private void passOnCancel(Leg leg) {
        if (isCanceled) {
            leg.call().cancel();
        }
    }

    /** {@return what the throttle has to know now} */
    private CallOptions terms(Leg leg, boolean mayRepeat, boolean isUntouched) {
        Integer retries = options.retries();
        RequestBody body = request.body();
        Boolean idempotent = options.idempotent();
        return new CallOptions(
                options.permits(),
                isUntouched || (idempotent == null ? IDEMPOTENT.contains(request.method()) : idempotent),
                mayRepeat
                        && (body == null || !(body.isOneShot() || body.isDuplex()))
                        && (retries == null || attempts <= retries),
                longestWait(leg),
                retries == null ? null : retries + 1);
    }

    /**
     * {@return the longest total wait at this key, what was waited at others and what the timeout leaves considered}
     */
    private Duration longestWait(Leg leg) {
        Duration longest = options.maxWait() == null ? leg.maxWait() : options.maxWait();
        for (Leg other : legs) {
            longest = other == leg ? longest : longest.minus(other.call().waited());
        }
        if (!timeout.isZero()) {
            longest = min(longest, timeout.minus(spent()).plus(leg.call().waited()));
        }
        return longest.isNegative() ? Duration.ZERO : longest;
    }

    private Duration spent() {
        return Duration.ofNanos(TimeSource.system().nanoTime() - startedAt);
    }

    /** {@return whether the call's own timeout is over} */
    boolean isTimedOut() {
        return !timeout.isZero() && spent().compareTo(timeout) >= 0;
    }

    private static Duration min(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }

    /** Begins an attempt, for which all permits are held. */
    void beginAttempt() {
        attempts++;
        hops = 0;
        lastHop = null;
    }

    /**
     * A request of this call goes out on the wire.
     *
     * @return null if it is not throttled, or noticed already by another observer
     */
    @Nullable Hop beginHop(Request sent) {
        if (isHopUnderWay) {
            return null;
        }
        hops++;
        String hopKey = sent.url().equals(request.url()) ? key : config.keyOf(sent);
        if (hopKey == null) {
            lastHop = null;
            return null;
        }
        Leg leg = leg(hopKey);
        lastHop = new Hop(leg, leg.take());
        isHopUnderWay = true;
        return lastHop;
    }

    /**
     * Ends an attempt with the response that the user would see.
     *
     * @return whether there is to be another attempt; the response is then to be closed
     */
    boolean endAttempt(Response response) {
        if (hops == 0) {
            lookBack(response);
        }
        giveBack();
        Hop last = lastHop;
        // Where the status is not the server's, an interceptor in between has dealt with the answer already.
        return last != null && last.isToBeRepeated() && last.status == response.code() && repeat(last);
    }

    /**
     * Ends an attempt with an exception.
     *
     * @return whether there is to be another attempt
     */
    boolean endAttempt(Throwable failure, boolean isCallCanceled) {
        boolean isUnsent = hops == 0 && isEscorted && isCallCanceled; // an escorted attempt is always observed
        if (hops == 0 && !isUnsent) {
            Hop hop = beginHop(request);
            if (hop != null) {
                hop.fail(failure, isCallCanceled, false);
            }
        }
        giveBack();
        Hop last = lastHop;
        return last != null
                && last.isToBeRepeated()
                && last.failure == failure
                && failure instanceof IOException
                && !isCallCanceled
                && repeat(last);
    }

    private boolean repeat(Hop last) {
        isToBeRepeated = true;
        refusedBy = last.leg.key().equals(key) ? null : last.leg.key();
        if (refusedBy != null) {
            leg(key).renew();
            passOnCancel(leg(key));
        }
        return true;
    }

    /** Without an observer the hops are found afterwards, in the trail of responses that led to the last one. */
    private void lookBack(Response response) {
        Deque<Response> trail = new ArrayDeque<>();
        for (Response r = response; r != null; r = r.priorResponse()) {
            trail.push(r);
        }
        for (Response r : trail) {
            Response network = r.networkResponse();
            if (network != null) {
                Hop hop = beginHop(r.request());
                if (hop != null) {
                    // A response merged with a stored one has the stored one's headers about limits.
                    hop.end(r.cacheResponse() == null ? r : network);
                }
            }
        }
    }

    /** One request on the wire. It ends exactly once. */
    final class Hop {

        private final Leg leg;
        private final Permit permit;
        private @Nullable RetryDecision decision;
        private int status;
        private @Nullable Throwable failure;

        private Hop(Leg leg, Permit permit) {
            this.leg = leg;
            this.permit = permit;
        }

        /** Ends it with the head of a response. */
        void end(Response response) {
            isHopUnderWay = false;
            status = response.code();
            leg.call().revise(terms(leg, true, false));
            decision = permit.complete(new OkHttpHead(response));
        }

        /** Ends it with an exception. */
        void fail(Throwable cause, boolean isCallCanceled, boolean isOnWire) {
            isHopUnderWay = false;
            failure = cause;
            Verdict verdict = Verdict.of(cause, isCallCanceled, isOnWire);
            boolean mayRepeat = verdict.isPassing() && (mayRepeatFaults || verdict.isUntouched());
            leg.call().revise(terms(leg, mayRepeat, verdict.isUntouched()));
            decision = permit.complete(verdict.signal());
        }

        private boolean isToBeRepeated() {
            return decision != null && decision.isRetry();
        }
    }
}
