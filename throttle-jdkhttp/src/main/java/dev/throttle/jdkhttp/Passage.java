package dev.throttle.jdkhttp;

import dev.throttle.CallOptions;
import dev.throttle.Permit;
import dev.throttle.Throttle;
import dev.throttle.client.ThrottledCall;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What one call has to do with throttles: with that of its own key and, once a redirect that the wrapped client
 * followed has led to a refusal by another key, with that one's too. As the request is then sent again from its
 * beginning, each further attempt needs a permit of both.
 *
 * <p>One thread at a time uses a passage; {@link #cancel()} may come from any thread.
 */
final class Passage {

    private final Routes routes;
    private final Throttle ownThrottle;
    private final ThrottledCall own;
    /** Whether it may turn out at the end of an attempt only who has answered it. */
    private volatile boolean mayLeadAway;

    private volatile @Nullable ThrottledCall away;
    private volatile boolean cancelled;
    private volatile @Nullable Permit ownPermit;
    private volatile @Nullable Permit awayPermit;

    Passage(ClientParts parts, HttpRequest request, Throttle throttle) {
        this.routes = parts.routes();
        this.ownThrottle = throttle;
        this.own = throttle.newCall(routes.optionsOf(request));
        this.mayLeadAway = routes.keyed() && parts.followsRedirects();
    }

    /** Ends a wait under way at once, and all waits to come. */
    void cancel() {
        cancelled = true;
        own.cancel();
        ThrottledCall other = away;
        if (other != null) {
            other.cancel();
        }
    }

    /** {@return whose permit the next attempt still lacks; null if it can go} */
    @Nullable ThrottledCall next() {
        ThrottledCall other = away;
        if (other == null) {
            return ownPermit == null ? own : null;
        }
        if (awayPermit == null) {
            return limit(other, own);
        }
        return ownPermit == null ? limit(own, other) : null;
    }

    /** Both together may wait for no longer than one. */
    private ThrottledCall limit(ThrottledCall call, ThrottledCall other) {
        Duration left = longestWait().minus(other.waited());
        call.updateOptions(call.options().maxWait(left.isNegative() ? Duration.ZERO : left));
        return call;
    }

    private Duration longestWait() {
        Duration chosen = routes.maxWait();
        return chosen == null ? ownThrottle.maxWait() : chosen;
    }

    /** Takes the permit that was lacking. */
    void hold(Permit permit) {
        if (away != null && awayPermit == null) {
            awayPermit = permit;
        } else {
            ownPermit = permit;
        }
    }

    /** Gives back what no attempt has used. */
    void release() {
        endAll(Permit::release);
    }

    /** Ends the permits of an attempt that is not to be repeated. */
    void end(Signal signal) {
        endAll(permit -> permit.end(signal));
    }

    private void endAll(Consumer<Permit> ending) {
        for (boolean ofOwn : new boolean[] {true, false}) {
            Permit permit = take(ofOwn);
            if (permit != null) {
                ending.accept(permit);
            }
        }
    }

    private @Nullable Permit take(boolean ofOwn) {
        Permit permit = ofOwn ? ownPermit : awayPermit;
        if (ofOwn) {
            ownPermit = null;
        } else {
            awayPermit = null;
        }
        return permit;
    }

    /** {@return whether it is not known yet who answers} */
    boolean mayLeadAway() {
        return mayLeadAway;
    }

    /** {@return what a response says, of which it is not known who sent it} */
    Signal read(ResponseHead head) {
        return ownThrottle.read(head);
    }

    /** {@return whether the request is going to be sent again, whoever sent the response} */
    boolean previewRetry(Signal said) {
        return said.outcome().isRefusal() && own.previewRetry(said);
    }

    /** Books an attempt on the key that has answered it, as far as is known; {@return whether it is repeated} */
    boolean book(Booking booking) {
        Permit permit = take(true);
        Permit other = take(false);
        if (other != null) {
            if (permit != null) {
                permit.complete(Signal.SUCCESS); // it sent us on
            }
            permit = other;
        }
        return permit != null && booking.on(permit);
    }

    /** How an attempt ended. */
    interface Booking {

        /** Ends the permit; {@return whether the request is to be sent again} */
        boolean on(Permit permit);
    }

    /** Books an attempt on the key that has sent the response, which is known only now. */
    void book(HttpResponse<?> response, Booking booking) {
        Throttle sender = senderOf(response);
        if (sender.key().equals(ownThrottle.key())) {
            book(booking);
        } else {
            HttpResponse<?> first = response;
            while (first.previousResponse().isPresent()) {
                first = first.previousResponse().get();
            }
            Permit permit = take(true);
            if (permit != null) {
                permit.complete(first.equals(response) ? Signal.SUCCESS : read(ResponseInfoHead.of(first)));
            }
            CallOptions options = own.options();
            ThrottledCall other = sender.newCall(options);
            away = other;
            if (cancelled) {
                other.cancel();
            }
            booking.on(other.acquireForced());
        }
        mayLeadAway = false;
    }

    /** {@return the throttle of the one who answered; the call's own where the key function has none} */
    private Throttle senderOf(HttpResponse<?> response) {
        try {
            Throttle sender = routes.throttleOf(response.request());
            return sender == null ? ownThrottle : sender;
        } catch (RuntimeException e) {
            return ownThrottle;
        }
    }
}
