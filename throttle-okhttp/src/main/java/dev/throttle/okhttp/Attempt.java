package dev.throttle.okhttp;

import dev.throttle.Permit;
import dev.throttle.retry.RetryDecision;
import dev.throttle.signal.Signal;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of a journey, with all the hops that OkHttp makes by itself: redirects, authentication, its own retries.
 * The first hop uses the permit that was waited for, each further one is charged to the key of its own URL. The last
 * hop decides whether there is another attempt.
 */
final class Attempt {

    private final Journey journey;
    private final boolean isObserved;
    private int hops;
    private boolean isHopUnderWay;
    private @Nullable Hop lastHop;

    Attempt(Journey journey, boolean isObserved) {
        this.journey = journey;
        this.isObserved = isObserved;
    }

    /**
     * A request goes out on the wire.
     *
     * @return null if it is not throttled, or noticed already by another observer
     */
    @Nullable Hop beginHop(Request sent) {
        if (isHopUnderWay) {
            return null;
        }
        hops++;
        settle(null);
        lastHop = null;
        String key = journey.keyOf(sent);
        if (key == null) {
            return null;
        }
        Leg leg = journey.leg(key);
        Hop hop = new Hop(leg, leg.take());
        isHopUnderWay = true;
        lastHop = hop;
        return hop;
    }

    /** {@return who refused, if there is to be another attempt} */
    @Nullable Leg end(Response response) {
        if (hops == 0) {
            lookBack(response);
        }
        settle(response);
        Hop last = lastHop;
        // Where the status is not the server's, an interceptor in between has dealt with the answer already.
        return last != null && last.isToBeRepeated() && last.status == response.code() ? last.leg : null;
    }

    /** {@return who failed, if there is to be another attempt} */
    @SuppressWarnings("ReferenceEquality") // the very exception that the hop ended with, and not one like it
    @Nullable Leg end(Throwable failure, boolean isCallCanceled) {
        boolean isUnsent = isObserved && isCallCanceled;
        if (hops == 0 && !isUnsent) {
            Hop hop = beginHop(journey.request());
            if (hop != null) {
                hop.fail(failure, isCallCanceled, false);
            }
        }
        settle(null);
        Hop last = lastHop;
        if (last == null || last.failure != failure || isCallCanceled || !(failure instanceof IOException)) {
            return null;
        }
        return last.isToBeRepeated() ? last.leg : null;
    }

    /**
     * Ends the last hop if it waits for a look at the body.
     *
     * @param response the response that the user would see; null if there is none
     */
    private void settle(@Nullable Response response) {
        Hop last = lastHop;
        if (last != null && last.unsettled != null) {
            last.settle(response != null && response.code() == last.status ? response : null);
        }
    }

    /** Without an observer the hops are found afterwards, in the trail of responses that led to the last one. */
    private void lookBack(Response response) {
        Deque<Response> trail = new ArrayDeque<>();
        for (Response r = response; r != null; r = r.priorResponse()) {
            trail.push(r);
        }
        for (Response r : trail) {
            Response network = r.networkResponse();
            Hop hop = network == null ? null : beginHop(r.request());
            if (network != null && hop != null) {
                // A response merged with a stored one has the stored one's headers about limits.
                hop.end(r.cacheResponse() == null ? r : network);
            }
        }
    }

    /** One request on the wire. It ends exactly once. */
    final class Hop {

        private final Leg leg;
        private final Permit permit;
        private @Nullable RetryDecision decision;
        private int status;
        /** The response that is to be looked into. */
        private @Nullable OkHttpHead unsettled;
        /** What its head says. */
        private Signal said = Signal.SUCCESS;

        private @Nullable Throwable failure;

        private Hop(Leg leg, Permit permit) {
            this.leg = leg;
            this.permit = permit;
        }

        /**
         * Ends it with the head of a response. If the body may tell more it ends a little later, where the body can be
         * read: on the wire it may be compressed.
         */
        void end(Response response) {
            isHopUnderWay = false;
            status = response.code();
            OkHttpHead head = new OkHttpHead(response);
            Signal signal = leg.read(head);
            if (BodyPeek.isWanted(journey.config(), head, signal)) {
                unsettled = head;
                said = signal;
            } else {
                complete(head, signal);
            }
        }

        private void settle(@Nullable Response readable) {
            OkHttpHead head = Objects.requireNonNull(unsettled);
            unsettled = null;
            complete(head, readable == null ? said : BodyPeek.look(journey.config(), head, said, readable));
        }

        private void complete(OkHttpHead head, Signal signal) {
            journey.updateOptions(leg, journey.terms());
            decision = permit.complete(head, signal);
        }

        /**
         * Ends it with an exception.
         *
         * @param isOnWire whether it is known to come from the exchange with the server
         */
        void fail(Throwable cause, boolean isCallCanceled, boolean isOnWire) {
            isHopUnderWay = false;
            failure = cause;
            FailureKind verdict = FailureKind.of(cause, isCallCanceled, isOnWire);
            journey.updateOptions(leg, verdict.apply(journey.terms(), journey.mayRepeatFaults()));
            decision = permit.complete(verdict.signal());
        }

        private boolean isToBeRepeated() {
            return decision != null && decision.isRetry();
        }
    }
}
