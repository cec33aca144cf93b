package dev.throttle.okhttp;

import dev.throttle.CallOptions;
import dev.throttle.ThrottleRegistry;
import dev.throttle.client.CallLoop;
import dev.throttle.client.CallStarter;
import dev.throttle.client.KeyedCall;
import dev.throttle.client.Layer;
import dev.throttle.internal.Faults;
import dev.throttle.internal.Misuse;
import dev.throttle.signal.BodyClassifier;
import dev.throttle.signal.Cost;
import java.io.IOException;
import java.util.function.Function;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import org.jspecify.annotations.Nullable;

/**
 * The checked settings that all doors of one throttle share.
 *
 * @param starter begins the calls
 * @param loop runs the calls
 * @param faults reports a body classifier that failed
 * @param misuse warns of what looks like a mistake in the set-up of the client
 * @param expectsObserver whether a missing observer looks like a mistake
 * @param members makes the requests to the members of a pool; null if calls go where the program sends them
 */
record Config(
        ThrottleRegistry throttles,
        KeyResolver keyResolver,
        CallOptions options,
        BodyClassifier bodyClassifier,
        Function<Request, @Nullable String> tenantResolver,
        Function<Request, @Nullable Cost> costEstimator,
        CallStarter<Request> starter,
        CallLoop loop,
        Faults faults,
        Misuse misuse,
        boolean expectsObserver,
        @Nullable MemberRequests members) {

    private static final String NEEDS_OBSERVER = "an interceptor with a pool needs its observer(): without it, a"
            + " redirect could take the credentials of a member to another origin";

    Config(
            ThrottleRegistry throttles,
            KeyResolver keyResolver,
            CallOptions options,
            BodyClassifier bodyClassifier,
            Function<Request, @Nullable String> tenantResolver,
            Function<Request, @Nullable Cost> costEstimator,
            @Nullable MemberRequests members,
            Faults faults) {
        this(
                throttles,
                keyResolver,
                options,
                bodyClassifier,
                tenantResolver,
                costEstimator,
                new CallStarter<>(
                        throttles,
                        throttles::get,
                        keyResolver::keyOf,
                        tenantResolver,
                        costEstimator,
                        new OkHttpRequests(),
                        members == null ? null : members.pool()),
                new CallLoop(bodyClassifier, faults),
                faults,
                new Misuse(),
                true,
                members);
    }

    /** The observer takes off what is meant for a member where a redirect leads elsewhere. */
    Config withoutObserver() {
        if (members != null) {
            throw new IllegalStateException(NEEDS_OBSERVER);
        }
        return new Config(
                throttles,
                keyResolver,
                options,
                bodyClassifier,
                tenantResolver,
                costEstimator,
                starter,
                loop,
                faults,
                misuse,
                false,
                members);
    }

    /**
     * Makes sure that no redirect takes the credentials of a member of a pool to another origin.
     *
     * @param client makes the calls; null if it is not known, and has no observer
     * @throws IOException if it follows redirects and has no observer
     */
    void checkObserver(@Nullable OkHttpClient client) throws IOException {
        boolean isSafe = members == null
                || (client != null
                        && (!client.followRedirects()
                                || client.networkInterceptors().stream()
                                        .anyMatch(one ->
                                                one instanceof NetworkObserver observer && observer.isOf(throttles))));
        if (!isSafe) {
            throw ThrottlingInterceptor.misplaced(this, NEEDS_OBSERVER);
        }
    }

    /**
     * {@return the request's key; null if it is not throttled}
     *
     * @throws IOException with what the resolver threw as its cause
     */
    @Nullable String keyOf(Request request) throws IOException {
        try {
            return starter.keyOf(request);
        } catch (Throwable e) {
            throw mistake(e);
        }
    }

    /**
     * Begins a call.
     *
     * @param above the layer that is known to send this request; null to look for it on the thread
     * @return null if the request is not throttled, or not here
     * @throws IOException if its key cannot be told, or no throttle can ever let it go
     */
    @Nullable KeyedCall begin(Request request, @Nullable Layer above) throws IOException {
        CallOptions own = request.tag(CallOptions.class);
        try {
            return starter.begin(request, own == null ? options : own, above);
        } catch (Throwable e) {
            throw mistake(e);
        }
    }

    /**
     * {@return the request of the attempt under way, as it is sent}
     *
     * @throws IOException with what the user's function threw as its cause
     */
    Request requestOf(KeyedCall call, Request request) throws IOException {
        if (members == null) {
            return request;
        }
        try {
            Request rewritten = members.to(call.member(), request);
            starter.sentAs(call, rewritten);
            return rewritten;
        } catch (Throwable e) {
            throw mistake(e);
        }
    }

    /** {@return the caller's own exception in the only form that OkHttp hands on} */
    static IOException mistake(Throwable cause) {
        return new IOException("the call was not sent because it cannot be throttled: " + cause, cause);
    }
}
