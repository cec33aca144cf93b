package dev.throttle.client;

import dev.throttle.CallOptions;
import dev.throttle.Priority;
import dev.throttle.signal.Cost;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a throttle has to know about one request, with nothing left open.
 *
 * @param cost what it takes for certain
 * @param estimate what it probably takes beside that; null if nobody knows
 * @param profile what requests that cost about the same have in common; null if that is not known
 * @param isIdempotent whether sending it twice does no harm
 * @param isReplayable whether it can be sent twice
 * @param maxWait the longest total wait; null for the throttle's own
 * @param maxAttempts how often it is sent at most; null for the retry policy's own bound
 * @param isExempt whether it passes as if there were no throttle
 * @param priority how much it matters beside others that wait
 */
public record RequestTraits(
        Cost cost,
        @Nullable Cost estimate,
        @Nullable String profile,
        boolean isIdempotent,
        boolean isReplayable,
        @Nullable Duration maxWait,
        @Nullable Integer maxAttempts,
        boolean isExempt,
        Priority priority) {

    /** Of requests without options of their own: many of them may wait at a time. */
    private static final RequestTraits[] USUAL = new RequestTraits[4];

    private static final CallOptions[] USUAL_OPTIONS = new CallOptions[4];

    static {
        for (boolean idempotent : new boolean[] {false, true}) {
            for (boolean replayable : new boolean[] {false, true}) {
                int index = index(idempotent, replayable);
                USUAL[index] = of(idempotent, replayable, CallOptions.DEFAULT);
                USUAL_OPTIONS[index] =
                        CallOptions.DEFAULT.idempotent(idempotent).replayable(replayable);
            }
        }
    }

    /** Those that RFC 9110 and its registry call idempotent and that clients send. */
    private static final Set<String> IDEMPOTENT =
            Set.of("GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "QUERY", "PROPFIND", "REPORT");

    /**
     * {@return the traits of a request}
     *
     * @param method its method
     * @param isBodyReplayable whether its body, if it has one, can be sent twice
     * @param options what the user wants, which goes before method and body; a body that cannot be sent twice is not
     */
    public static RequestTraits of(String method, boolean isBodyReplayable, CallOptions options) {
        boolean idempotent = options.idempotent() == null ? IDEMPOTENT.contains(method) : options.idempotent();
        boolean replayable = isBodyReplayable && !Boolean.FALSE.equals(options.replayable());
        if (options.equals(CallOptions.DEFAULT)) {
            return USUAL[index(idempotent, replayable)];
        }
        return of(idempotent, replayable, options);
    }

    private static RequestTraits of(boolean idempotent, boolean replayable, CallOptions options) {
        return new RequestTraits(
                options.cost(),
                options.estimate(),
                options.profile(),
                idempotent,
                replayable,
                options.maxWait(),
                options.maxAttempts(),
                options.isExempt(),
                options.priority());
    }

    /**
     * {@return these traits with what can be told from the request itself, of which the user's own words are not
     * changed}
     *
     * @param derived what the request probably takes; null if it does not show
     * @param ownProfile what it has in common with requests that cost about the same; null if that is not known
     */
    public RequestTraits withDerived(@Nullable Cost derived, @Nullable String ownProfile) {
        Cost both = estimate == null || derived == null ? derived : estimate.orElse(derived);
        return new RequestTraits(
                cost,
                both == null ? estimate : both,
                profile == null ? ownProfile : profile,
                isIdempotent,
                isReplayable,
                maxWait,
                maxAttempts,
                isExempt,
                priority);
    }

    /** {@return the same for a throttle, after a failure or before it is known how the attempt ends} */
    CallOptions toOptions(@Nullable FailureKind kind, @Nullable Duration longest, @Nullable Integer attempts) {
        boolean isUntouched = kind != null && kind.isUntouched();
        boolean idempotent = isIdempotent || isUntouched;
        boolean replayable = isReplayable && (kind == null || kind.isPassing() || isUntouched);
        int index = index(isIdempotent, isReplayable);
        if (equals(USUAL[index]) && longest == null && attempts == null) {
            return USUAL_OPTIONS[index(idempotent, replayable)];
        }
        return new CallOptions(cost, estimate, profile, idempotent, replayable, longest, attempts, false, priority);
    }

    /** {@return whether it takes nothing but itself, as far as anybody knows} */
    boolean isPlain() {
        return estimate == null && profile == null && cost.equals(Cost.ONE);
    }

    private static int index(boolean idempotent, boolean replayable) {
        return (idempotent ? 1 : 0) + (replayable ? 2 : 0);
    }
}
