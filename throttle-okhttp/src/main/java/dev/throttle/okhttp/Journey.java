package dev.throttle.okhttp;

import dev.throttle.Permit;
import dev.throttle.ThrottleRegistry;
import dev.throttle.client.ThrottledCall;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * One call on its way through one set of throttles, with all its attempts. Before an attempt it holds a permit for the
 * key of its request, and for the key whose server refused the last one. One thread at a time uses a journey;
 * {@link #cancel()} may come from any thread.
 */
final class Journey {

    /** An attempt that needs longer than this from the factory to its thread was kept waiting. */
    private static final long OVERDUE_NANOS = 100_000_000;

    private final Config config;
    private final Request request;
    private final RequestTraits terms;
    private final @Nullable Duration maxWait;
    private final String key;
    private final boolean isEscorted;
    private final long startedAt = TimeSource.system().nanoTime();
    /** Added to by the thread of the journey, read by any that cancels it. */
    private final List<Leg> legs = new CopyOnWriteArrayList<>();

    private volatile boolean isCanceled;

    private Duration timeout = Duration.ZERO;
    private boolean mayRepeatFaults = true;
    private int attempts;
    private Attempt attempt = new Attempt(this, false);
    /** The key whose server refused the last attempt, if it is another than the request's own. */
    private @Nullable String refusedBy;

    private long handedOverAt;
    private boolean isClaimed;
    private boolean isToBeRepeated;

    private Journey(Config config, Request request, ThrottleOptions options, String key, boolean isEscorted) {
        this.config = config;
        this.request = request;
        this.terms = RequestTraits.of(request, options);
        this.maxWait = options.maxWait();
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

    ThrottleRegistry throttles() {
        return config.throttles();
    }

    Config config() {
        return config;
    }

    String key() {
        return key;
    }

    Request request() {
        return request;
    }

    RequestTraits terms() {
        return terms;
    }

    boolean isCanceled() {
        return isCanceled;
    }

    /** Ends a wait under way at once, and all waits to come. */
    void cancel() {
        isCanceled = true;
        legs.forEach(leg -> leg.call().cancel());
    }

    private void passCancelTo(Leg leg) {
        if (isCanceled) {
            leg.call().cancel();
        }
    }

    /**
     * Takes over what the client says: the call's timeout, zero for none, and whether faults may be repeated at all.
     */
    void comply(Duration callTimeout, boolean retryOnConnectionFailure) {
        timeout = callTimeout;
        mayRepeatFaults = retryOnConnectionFailure;
    }

    boolean mayRepeatFaults() {
        return mayRepeatFaults;
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
        updateOptions(leg, terms);
        return leg.call();
    }

    void hold(String legKey, Permit permit) {
        leg(legKey).hold(permit);
    }

    /** Gives back every permit that no hop has used. */
    void release() {
        legs.forEach(Leg::release);
    }

    /** {@return the dealings with a key} */
    Leg leg(String legKey) {
        for (Leg leg : legs) {
            if (leg.key().equals(legKey)) {
                return leg;
            }
        }
        Leg leg = new Leg(legKey, throttles().get(legKey), terms);
        legs.add(leg);
        passCancelTo(leg);
        return leg;
    }

    /** {@return the key of a request that goes out; null if it is not throttled} */
    @Nullable String keyOf(Request sent) {
        return sent.url().equals(request.url()) ? key : config.keyOf(sent);
    }

    /** Tells the throttle of a key what holds for its next decision or wait. */
    void updateOptions(Leg leg, RequestTraits current) {
        leg.call().updateOptions(current.toCallOptions(longestWait(leg), attempts));
    }

    /**
     * {@return the longest total wait at this key, what was waited at others and what the timeout leaves considered}
     */
    private Duration longestWait(Leg leg) {
        Duration longest = maxWait == null ? leg.maxWait() : maxWait;
        for (Leg other : legs) {
            longest = other == leg ? longest : longest.minus(other.call().waited());
        }
        if (!timeout.isZero()) {
            Duration left = timeout.minus(spent()).plus(leg.call().waited());
            longest = left.compareTo(longest) < 0 ? left : longest;
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

    /** Begins an attempt, for which all permits are held. */
    void beginAttempt() {
        attempts++;
        attempt = new Attempt(this, isEscorted);
    }

    Attempt attempt() {
        return attempt;
    }

    /**
     * Ends an attempt with the response that the user would see.
     *
     * @return whether there is to be another attempt; the response is then to be closed
     */
    boolean endAttempt(Response response) {
        return conclude(attempt.end(response));
    }

    /**
     * Ends an attempt with an exception.
     *
     * @return whether there is to be another attempt
     */
    boolean endAttempt(Throwable failure, boolean isCallCanceled) {
        return conclude(attempt.end(failure, isCallCanceled));
    }

    private boolean conclude(@Nullable Leg refused) {
        release();
        isToBeRepeated = refused != null;
        refusedBy = refused == null || refused.key().equals(key) ? null : refused.key();
        if (refusedBy != null) {
            Leg own = leg(key);
            own.renew();
            passCancelTo(own);
        }
        return isToBeRepeated;
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
}
