package dev.throttle.jdkhttp;

import dev.throttle.CallOptions;
import dev.throttle.client.CallLoop;
import dev.throttle.client.CallStarter;
import dev.throttle.client.KeyedCall;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What a client is made of, as its calls need it.
 *
 * @param delegate sends the requests
 * @param starter begins the calls
 * @param rewrite makes the request to a member of the pool; null if there is no pool
 * @param options what the caller of a request wants
 * @param mayLeadAway whether another key than that of the request may turn out to have answered it
 * @param loop runs the calls
 * @param bodies how bodies are looked at and discarded
 * @param executor where asynchronous calls go on after a wait
 * @param calls those under way
 */
record ClientParts(
        HttpClient delegate,
        CallStarter<HttpRequest> starter,
        @Nullable BiFunction<HttpRequest, String, HttpRequest> rewrite,
        Function<HttpRequest, CallOptions> options,
        boolean mayLeadAway,
        CallLoop loop,
        BodyPolicy bodies,
        Executor executor,
        Calls calls) {

    /** {@return the request of the attempt for which a call holds the permits} */
    HttpRequest requestOf(KeyedCall call, HttpRequest request) {
        if (rewrite == null) {
            return request;
        }
        HttpRequest toMember = Objects.requireNonNull(
                rewrite.apply(request, call.member()), "the request that the function of the pool makes for a member");
        starter.sentAs(call, toMember);
        return toMember;
    }

    /**
     * {@return a call with a request; null if it is not throttled}
     *
     * @param given what its caller wants; null to go by the client's options
     */
    @Nullable KeyedCall newCall(HttpRequest request, @Nullable CallOptions given) {
        return starter.begin(request, given == null ? options.apply(request) : given);
    }
}
