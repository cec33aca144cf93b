package dev.throttle.jdkhttp;

import dev.throttle.client.Attempt;
import dev.throttle.client.FailureKind;
import dev.throttle.client.KeyedCall;
import dev.throttle.internal.Fields;
import dev.throttle.signal.Signal;
import dev.throttle.signal.usage.BodyTail;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.net.http.HttpTimeoutException;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of a call. When the headers are there it decides whether the body goes to the caller's handler or, if the
 * request is sent again, to nowhere. So the caller's handler sees one response at most, the one that the caller gets.
 *
 * <p>The throttle is told at the headers too, unless a redirect may have changed who answers. That is known when the
 * wrapped client delivers the response: as soon as the body begins for a refusal that is repeated. Until the sender of
 * any other refusal is known, it holds back the calls of the request's own key.
 *
 * <p>The wrapped client reaches a gate by its {@link #handler()}, until the attempt ends. A gate must not hold the
 * wrapped client, which ends only when nothing holds its outer object.
 */
final class ResponseGate<T> {

    /** What becomes of an attempt. */
    enum Verdict {
        /** The caller gets what it ended with. */
        DELIVER,
        /** The request is sent again. */
        REPEAT,
        /** The request is not sent again, but the body of the response is gone. */
        LOST
    }

    private static final VarHandle STAGE =
            Fields.handle(MethodHandles.lookup(), ResponseGate.class, "stage", Stage.class);

    /** What is said about a quota is old after this time. */
    private static final long OLD_NANOS = 5_000_000_000L;

    /** What has come of it so far; nothing while it is under way. */
    private enum Stage {
        HEADERS_SEEN,
        ENDED
    }

    /** What the head said, and the body if it was looked at, and when. */
    private record Said(ResponseInfoHead head, Signal signal, boolean byBody, long at) {}

    private final Routes routes;
    private final BodyPolicy bodies;
    private final HttpRequest request;
    private final BodyHandler<T> callersHandler;
    private final AttemptHandler<T> handler;
    private final Attempt attempt;
    private final Attempt.Hop hop;
    private final KeyedCall call;
    /** What the body tells of its cost; null if it may not. */
    private volatile @Nullable HeardCost cost;

    private volatile boolean isSenderKnown;
    private volatile @Nullable Stage stage;
    private volatile @Nullable Said said;
    private volatile boolean repeated;
    private volatile @Nullable BoundedDiscard<T> discard;
    private volatile int status;

    /** Begins an attempt, for which all permits are held. */
    ResponseGate(KeyedCall call, Routes routes, BodyPolicy bodies, HttpRequest request, BodyHandler<T> callersHandler) {
        this.routes = routes;
        this.bodies = bodies;
        this.request = request;
        this.callersHandler = callersHandler;
        this.handler = new AttemptHandler<>(bodies, this);
        this.attempt = call.beginAttempt();
        this.hop = Objects.requireNonNull(attempt.beginHop(call.key()), "the first request of an attempt");
        this.call = call;
    }

    /** {@return what the wrapped client is to call with the headers} */
    BodyHandler<T> handler() {
        return handler;
    }

    private RedirectTrail trail() {
        return new RedirectTrail(call, attempt, hop, routes);
    }

    /** {@return whether the body of the response goes to nowhere, as the request is likely to be sent again} */
    boolean isRepeated() {
        return repeated;
    }

    /** {@return the status of the response; 0 if none came} */
    int status() {
        return status;
    }

    /** {@return what reads the body of a refused response to nowhere; null if there is none} */
    @Nullable BoundedDiscard<T> discard() {
        return discard;
    }

    void stopDiscard() {
        BoundedDiscard<T> nowhere = discard;
        if (nowhere != null) {
            nowhere.stop();
        }
    }

    /** The headers are there; {@return who gets the body}. */
    BodySubscriber<T> begin(ResponseInfo info) {
        ResponseInfoHead head = ResponseInfoHead.of(request, info);
        Signal signal = hop.read(head);
        if (!bodies.needsBody(head, signal)) {
            return subscriberFor(info, new Said(head, signal, false, now()));
        }
        hop.endWithBody(head, signal);
        AttemptHandler<T> led = handler; // the wrapped client may hold on to this subscriber too
        long at = now();
        return PeekingSubscriber.begin(
                bodies,
                bodies.clientExecutor(),
                start -> led.whileUnderWay(gate -> gate.peeked(info, new Said(head, signal, false, at), start)));
    }

    private BodySubscriber<T> peeked(ResponseInfo info, Said byHead, byte[] start) {
        Signal signal = byHead.signal();
        Signal told = bodies.classify(byHead.head(), signal, start, info.headers());
        return subscriberFor(info, new Said(byHead.head(), told, !told.equals(signal), byHead.at()));
    }

    private BodySubscriber<T> subscriberFor(ResponseInfo info, Said heard) {
        if (stage == null) {
            said = heard;
            status = heard.head().status();
            if (STAGE.compareAndSet(this, null, Stage.HEADERS_SEEN)) {
                if (routes.mayLeadAway()) {
                    repeated = trail().previewRetry(heard.signal());
                    if (!repeated) {
                        // its body may take long, and until it ends nobody knows whose refusal it is
                        hop.holdWhileUnknown(heard.signal());
                    }
                } else {
                    hop.end(heard.head(), heard.signal());
                    senderIsKnown();
                    if (hop.isRetry()) {
                        repeated = true;
                    }
                }
            }
        }
        if (!repeated) {
            BodySubscriber<T> chosen = callersHandler.apply(info);
            return chosen != null && mayTellCost(heard)
                    ? CostTee.listen(chosen, info, bodies.time(), newCost())
                    : chosen;
        }
        BoundedDiscard<T> nowhere = BoundedDiscard.begin(bodies);
        discard = nowhere;
        return nowhere;
    }

    private HeardCost newCost() {
        HeardCost made = new HeardCost(call);
        cost = made;
        if (isSenderKnown) {
            made.senderIsKnown();
        }
        return made;
    }

    private void senderIsKnown() {
        if (!isSenderKnown) {
            isSenderKnown = true;
        }
        HeardCost heard = cost;
        if (heard != null) {
            heard.senderIsKnown();
        }
    }

    private boolean mayTellCost(Said heard) {
        return call.countsCosts()
                || heard.signal().hints().countsCosts()
                || BodyTail.isGraphQl(request.uri().getRawPath());
    }

    /** {@return what becomes of the attempt, after the wrapped client has delivered a response} */
    Verdict end(@Nullable HttpResponse<T> response) {
        if (response == null) {
            return end(new NullPointerException("response"));
        }
        boolean wasUnanswered = endsUnanswered();
        Said heard = said;
        if (wasUnanswered || heard == null) {
            // A stub, or a cache, which answered without the handler: here the body exists already.
            ResponseInfoHead head = ResponseInfoHead.of(response);
            status = head.status();
            trail().book(response, (sender, own, isRedirected) -> sender.read(own));
            if (!attempt.end(head.status())) {
                return Verdict.DELIVER;
            }
            Bodies.abandon(response);
            return Verdict.REPEAT;
        }
        if (routes.mayLeadAway()) {
            trail().book(
                            response,
                            (sender, head, isRedirected) -> isRedirected && !heard.byBody() && !isOld(heard)
                                    ? sender.read(head)
                                    : signalOf(heard));
        }
        boolean decided = attempt.end(heard.head().status());
        senderIsKnown();
        if (!repeated) {
            return Verdict.DELIVER;
        }
        return decided ? Verdict.REPEAT : Verdict.LOST;
    }

    /** The attempt ends now; {@return whether no headers came}. */
    private boolean endsUnanswered() {
        handler.letGo();
        return STAGE.getAndSet(this, Stage.ENDED) == null;
    }

    /** Of what is old by now, only the outcome counts. */
    private Signal signalOf(Said heard) {
        return isOld(heard) ? Signal.of(heard.signal().outcome()) : heard.signal();
    }

    private boolean isOld(Said heard) {
        return now() - heard.at() > OLD_NANOS;
    }

    /** {@return what becomes of the attempt, after the wrapped client has failed} */
    Verdict end(Throwable thrown) {
        Throwable failure = unwrap(thrown);
        boolean wasUnanswered = endsUnanswered();
        if (wasUnanswered && hop.head() == null) {
            return endUnanswered(failure);
        }
        bookHeard();
        if (repeated && !isGivenUp(failure)) {
            return attempt.end(status) ? Verdict.REPEAT : Verdict.LOST;
        }
        return abandon();
    }

    private Verdict endUnanswered(Throwable failure) {
        if (failure instanceof IOException || isGivenUp(failure)) {
            hop.fail(kindOf(failure), failure);
            return attempt.end(failure) ? Verdict.REPEAT : Verdict.DELIVER;
        }
        hop.release(); // an argument that the wrapped client does not take
        return abandon();
    }

    /** The call was given up while this attempt was under way. */
    void giveUp() {
        boolean wasUnanswered = endsUnanswered();
        if (wasUnanswered && hop.head() == null) {
            hop.fail(FailureKind.CANCELLED, null);
        } else {
            bookHeard();
        }
        abandon();
    }

    /** Who sent it will not be known any more. */
    private void bookHeard() {
        Said heard = said;
        if (heard != null) {
            hop.end(heard.head(), signalOf(heard));
        }
        senderIsKnown();
    }

    private Verdict abandon() {
        attempt.abandon();
        return Verdict.DELIVER;
    }

    private static boolean isGivenUp(Throwable failure) {
        return failure instanceof InterruptedException || failure instanceof CancellationException;
    }

    /**
     * Repeated is only what may have been an accident on the line: not a time limit of the caller's, not a certificate,
     * and nothing that may have been the request's own body.
     */
    private FailureKind kindOf(Throwable failure) {
        if (isGivenUp(failure)) {
            return FailureKind.CANCELLED;
        }
        return failure instanceof HttpTimeoutException || failure instanceof SSLException || Requests.hasBody(request)
                ? FailureKind.FATAL
                : FailureKind.PASSING;
    }

    private long now() {
        return bodies.time().nanoTime();
    }

    private static Throwable unwrap(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }
}
