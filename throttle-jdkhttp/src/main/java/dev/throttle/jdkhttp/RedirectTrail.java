package dev.throttle.jdkhttp;

import dev.throttle.client.Attempt;
import dev.throttle.client.KeyedCall;
import dev.throttle.signal.Signal;
import java.net.http.HttpResponse;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;

/**
 * Who has answered an attempt, where the wrapped client may have followed redirects: it tells only with the response,
 * and each response on the way is booked on the key of the request that it answers.
 */
final class RedirectTrail {

    /** What the last response said, for whoever turns out to have sent it. */
    interface Said {

        /** {@return what the response says} */
        Signal by(Attempt.Hop sender, ResponseInfoHead head, boolean isRedirected);
    }

    private final KeyedCall call;
    private final Attempt attempt;
    private final Attempt.Hop first;
    private final Routes routes;

    RedirectTrail(KeyedCall call, Attempt attempt, Attempt.Hop first, Routes routes) {
        this.call = call;
        this.attempt = attempt;
        this.first = first;
        this.routes = routes;
    }

    /** {@return whether a response is likely to be repeated, before it is known who sent it} */
    boolean previewRetry(Signal signal) {
        if (!signal.outcome().isRefusal()) {
            return false;
        }
        String detour = routes.detours().of(call.key());
        if (detour != null) {
            try {
                call.mayBeAnsweredBy(detour);
            } catch (RuntimeException e) {
                return false; // it could not pay for another attempt there
            }
        }
        return call.previewRetry(signal);
    }

    /** Books every response of the attempt. */
    void book(HttpResponse<?> last, Said said) {
        Deque<HttpResponse<?>> trail = new ArrayDeque<>();
        for (HttpResponse<?> each = last;
                each != null;
                each = each.previousResponse().orElse(null)) {
            trail.addFirst(each);
        }
        boolean isRedirected = trail.size() > 1;
        Attempt.Hop sender = first;
        String key = call.key();
        while (trail.size() > 1) {
            sender.end(ResponseInfoHead.of(trail.removeFirst()));
            key = senderKeyOf(trail.getFirst());
            sender = hopTo(key);
        }
        ResponseInfoHead head = ResponseInfoHead.of(last);
        Signal signal = said.by(sender, head, isRedirected);
        noteDetour(key, signal);
        sender.end(head, signal);
    }

    private void noteDetour(String sender, Signal signal) {
        if (sender.equals(call.key())) {
            routes.detours().remove(sender);
        } else if (signal.outcome().isRefusal()) {
            routes.detours().put(call.key(), sender);
        }
    }

    /**
     * The request was sent already, so that a key resolver that fails for it, or exempts it, must not fail the call.
     */
    private String senderKeyOf(HttpResponse<?> response) {
        try {
            String key = routes.keyOf(response.request());
            return key == null ? call.key() : key;
        } catch (RuntimeException e) {
            return call.key(); // such as one that expects the caller's own type of request
        }
    }

    private Attempt.Hop hopTo(String key) {
        Attempt.Hop other = null;
        try {
            other = attempt.beginHop(key);
        } catch (RuntimeException e) {
            // such as a throttle that could never have let it go
        }
        return other == null ? Objects.requireNonNull(attempt.beginHop(call.key())) : other;
    }
}
