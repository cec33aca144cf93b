package dev.throttle.okhttp;

import dev.throttle.Pool;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiFunction;
import okhttp3.Request;

/**
 * The requests of a client whose calls go to the members of a pool.
 *
 * @param pool the pool
 * @param rewrite makes the request to a member of the request that the program has made
 */
record MemberRequests(Pool pool, BiFunction<Request, String, Request> rewrite) {

    Request to(String member, Request request) {
        return Objects.requireNonNull(
                rewrite.apply(request, member), "the request that the function of the pool makes for a member");
    }

    /**
     * {@return a request that OkHttp has made of one to a member, as it may be sent} A redirect may lead to another
     * origin. What the function has set for its member does not go there.
     *
     * @param next the request that is about to be sent
     * @param toMember the request to the member
     * @param original the request that the program has made
     */
    static Request without(Request next, Request toMember, Request original) {
        if (isSameOrigin(next, toMember)) {
            return next;
        }
        Set<String> own = new HashSet<>();
        for (String name : toMember.headers().names()) {
            if (!toMember.headers(name).equals(original.headers(name))) {
                own.add(name);
            }
        }
        if (own.stream().allMatch(name -> next.headers(name).isEmpty())) {
            return next;
        }
        Request.Builder stripped = next.newBuilder();
        own.forEach(stripped::removeHeader);
        return stripped.build();
    }

    private static boolean isSameOrigin(Request one, Request other) {
        return one.url().host().equals(other.url().host())
                && one.url().port() == other.url().port()
                && one.url().scheme().equals(other.url().scheme());
    }
}
