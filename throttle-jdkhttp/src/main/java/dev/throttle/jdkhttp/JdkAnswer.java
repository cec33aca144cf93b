package dev.throttle.jdkhttp;

import dev.throttle.client.Attempt;
import dev.throttle.client.BodyCosts;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What an attempt is answered with. The JDK's client asks at the headers who reads the body, so that is decided there:
 * the caller's handler or, if the request is sent again, nothing. So the caller's handler sees one response at most,
 * the one that the caller gets.
 *
 * <p>If the wrapped client may have followed a redirect to another key, the headers do not tell who has sent them, and
 * the response does. A response that may have to be repeated is then {@linkplain PeekingSubscriber#holding held}: it is
 * delivered at its headers, and the loop decides.
 */
final class JdkAnswer<T> {

    private final JdkExchange<T> exchange;
    private final Attempt attempt;
    private final AttemptHandler<T> handler;

    /** Null until the headers are there. */
    private volatile @Nullable ResponseInfo info;
    /** When the headers came. */
    private volatile long at;
    /** Has the body until it is known who gets it; null if it has gone to a reader already. */
    private volatile @Nullable PeekingSubscriber<T> held;
    /** Reads the body to nowhere; null if the body is not dropped. */
    private volatile @Nullable BoundedDiscard<T> discard;
    /**
     * What the body tells of its cost, until it is known who has sent it; null if that is known, or nothing is told.
     */
    private volatile @Nullable BodyCosts costs;
    /** Null until the wrapped client delivers it. */
    private volatile @Nullable HttpResponse<T> response;

    JdkAnswer(JdkExchange<T> exchange, Attempt attempt) {
        this.exchange = exchange;
        this.attempt = attempt;
        this.handler = new AttemptHandler<>(exchange.bodies(), this);
    }

    /** {@return what the wrapped client is to call with the headers} */
    BodyHandler<T> handler() {
        return handler;
    }

    /** The headers are there; {@return who gets the body}. */
    BodySubscriber<T> begin(ResponseInfo received) {
        at = exchange.now();
        info = received;
        ResponseInfoHead head = head();
        if (exchange.mayLeadAway()) {
            return attempt.mayTakeBody(head) ? hold() : callersSubscriber();
        }
        exchange.note(head.status());
        attempt.answered(head);
        return attempt.wantsBody() ? lookFirst() : chosenSubscriber();
    }

    private BodySubscriber<T> hold() {
        PeekingSubscriber<T> holding = PeekingSubscriber.holding(exchange.bodies());
        held = holding;
        return holding;
    }

    private BodySubscriber<T> lookFirst() {
        PeekingSubscriber<T> peeking = PeekingSubscriber.of(exchange.bodies());
        AttemptHandler<T> leading = handler; // the wrapped client may keep this subscriber too
        peeking.look(start -> leading.whileUnderWay(answer -> answer.looked(start)));
        return peeking;
    }

    private BodySubscriber<T> looked(byte[] start) {
        attempt.looked(start);
        return chosenSubscriber();
    }

    private BodySubscriber<T> chosenSubscriber() {
        return attempt.isRepeated() ? discarding() : callersSubscriber();
    }

    private BoundedDiscard<T> discarding() {
        BoundedDiscard<T> nowhere = BoundedDiscard.begin(exchange.bodies());
        discard = nowhere;
        return nowhere;
    }

    private BodySubscriber<T> callersSubscriber() {
        BodySubscriber<T> subscriber = exchange.callersHandler().apply(Objects.requireNonNull(info));
        BodyCosts listener = subscriber == null ? null : attempt.costs(head(), exchange.path());
        if (listener == null) {
            return subscriber;
        }
        if (!attempt.isAnswered()) {
            listener.awaitSender();
            costs = listener;
        }
        return new CostTee<>(subscriber, listener);
    }

    private void senderIsKnown() {
        BodyCosts listener = costs;
        if (listener != null) {
            listener.senderIsKnown();
        }
    }

    /** {@return status and headers} */
    ResponseInfoHead head() {
        HttpResponse<T> received = response;
        return received == null
                ? ResponseInfoHead.of(exchange.request(), Objects.requireNonNull(info))
                : ResponseInfoHead.of(received);
    }

    /** The wrapped client has delivered a response. */
    void received(HttpResponse<T> received) {
        handler.letGo();
        response = received;
        exchange.note(received.statusCode());
        if (info == null || exchange.mayLeadAway()) {
            book(received);
        }
        senderIsKnown();
    }

    /**
     * Books each response on the key of the request that it answers. The last one is left to the loop if it is held.
     */
    private void book(HttpResponse<T> last) {
        Deque<HttpResponse<?>> trail = new ArrayDeque<>();
        for (HttpResponse<?> each = last;
                each != null;
                each = each.previousResponse().orElse(null)) {
            trail.addFirst(each);
        }
        while (trail.size() > 1) {
            attempt.answered(ResponseInfoHead.of(trail.removeFirst()));
            beginNext(exchange.senderKeyOf(trail.getFirst()));
        }
        if (info != null && held == null) {
            attempt.answered(head(), at);
        }
    }

    /** The request was sent already, so that a throttle that could never have let it go must not fail the call. */
    private void beginNext(String key) {
        try {
            attempt.begin(key);
        } catch (RuntimeException e) {
            attempt.begin();
        }
    }

    /**
     * The wrapped client has failed.
     *
     * @return whether the failure does not matter, as the body is dropped anyway
     */
    boolean failed(Throwable failure) {
        handler.letGo();
        if (info != null && held == null && !attempt.isAnswered()) {
            attempt.answered(head(), at); // who has sent it will not be known any more
        }
        senderIsKnown();
        return isDropped() && !JdkFailures.isGivenUp(failure);
    }

    /** {@return completes with the beginning of the body; with nothing if no look is possible} */
    CompletableFuture<byte[]> look() {
        PeekingSubscriber<T> holding = held;
        return holding == null ? CompletableFuture.completedFuture(new byte[0]) : holding.look();
    }

    /** Drops the response; {@return completes when its connection is free, or is given up} */
    CompletableFuture<?> drop() {
        PeekingSubscriber<T> holding = held;
        if (holding != null) {
            holding.handTo(discarding());
        }
        BoundedDiscard<T> nowhere = discard;
        if (nowhere == null) { // a stub, or a cache, which answered without the handler: here the body exists already
            Bodies.abandon(response);
            return CompletableFuture.completedFuture(null);
        }
        return nowhere.end();
    }

    /** {@return whether the body is gone} */
    boolean isDropped() {
        return discard != null;
    }

    /** {@return whether the body goes to the caller's handler only when that is asked for} */
    boolean isHeld() {
        return held != null;
    }

    /** {@return the response of the wrapped client} */
    HttpResponse<T> response() {
        return Objects.requireNonNull(response);
    }

    /** {@return completes with a held response for the caller, with its body} */
    CompletableFuture<HttpResponse<T>> delivered() {
        HttpResponse<T> received = response();
        PeekingSubscriber<T> holding = Objects.requireNonNull(held);
        try {
            holding.handTo(callersSubscriber());
        } catch (Throwable e) {
            holding.abandon(e);
        }
        return holding.result().thenApply(body -> new HeldResponse<>(received, body));
    }

    /** The call is over: what is still read of the body is read no further. */
    void stop(Throwable cause) {
        BoundedDiscard<T> nowhere = discard;
        PeekingSubscriber<T> holding = held;
        if (nowhere != null) {
            nowhere.stop();
        } else if (holding != null) {
            holding.abandon(cause);
        }
    }
}
