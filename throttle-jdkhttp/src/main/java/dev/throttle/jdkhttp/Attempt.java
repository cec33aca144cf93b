package dev.throttle.jdkhttp;

import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.net.http.HttpTimeoutException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of a call, and the handler that the wrapped client gets for it: when the headers are there it decides
 * whether the body goes to the caller's handler or, if the request is sent again, to nowhere. So the caller's handler
 * sees one response at most, the one that the caller gets.
 *
 * <p>The throttle is told at the headers too, unless a redirect may have changed who answers: that is known when the
 * wrapped client delivers the response, and until then the throttle is told nothing.
 */
final class Attempt<T> implements BodyHandler<T> {

    /** What is said about a quota is old after this time. */
    private static final long OLD_NANOS = 5_000_000_000L;

    private enum Stage {
        SENT,
        HEADERS_SEEN,
        BOOKED
    }

    /** What the headers said, and when. */
    private record Said(ResponseInfoHead head, Signal signal, long at) {}

    private final BodyPolicy bodies;
    private final HttpRequest request;
    private final BodyHandler<T> handler;
    private final Passage passage;
    private final AtomicReference<Stage> stage = new AtomicReference<>(Stage.SENT);
    private volatile @Nullable Said said;
    private volatile boolean repeated;
    private volatile int status;

    /**
     * The wrapped client holds an attempt as long as its exchange, and may never let it go. So an attempt must not hold
     * the wrapped client, which ends only when nothing holds its outer object.
     */
    Attempt(BodyPolicy bodies, HttpRequest request, BodyHandler<T> handler, Passage passage) {
        this.bodies = bodies;
        this.request = request;
        this.handler = handler;
        this.passage = passage;
    }

    /** {@return the status of the response; 0 if none came} */
    int status() {
        return status;
    }

    @Override
    public BodySubscriber<T> apply(ResponseInfo info) {
        ResponseInfoHead head = ResponseInfoHead.of(request, info);
        Signal signal = passage.read(head);
        if (!bodies.needsBody(head, signal)) {
            return subscriberFor(info, head, signal);
        }
        return PeekingSubscriber.begin(
                bodies,
                bodies.clientExecutor(),
                start -> subscriberFor(info, head, bodies.classify(head, signal, start, info.headers())));
    }

    private BodySubscriber<T> subscriberFor(ResponseInfo info, ResponseInfoHead head, Signal signal) {
        if (passage.mayLeadAway()) {
            read(head, signal);
        } else {
            book(head, signal);
        }
        return repeated ? BoundedDiscard.begin(bodies) : handler.apply(info);
    }

    private void read(ResponseInfoHead head, Signal signal) {
        if (stage.get() == Stage.SENT) {
            Said heard = new Said(head, signal, now());
            said = heard;
            status = head.status();
            repeated = passage.previewRetry(heard.signal());
            stage.compareAndSet(Stage.SENT, Stage.HEADERS_SEEN);
        }
    }

    private boolean book(ResponseInfoHead head, Signal signal) {
        boolean first = stage.compareAndSet(Stage.SENT, Stage.BOOKED);
        if (first) {
            status = head.status();
            repeated = passage.book(permit -> permit.complete(head, signal).isRetry());
        }
        return first;
    }

    /** {@return whether the request is to be sent again, after the wrapped client has delivered a response} */
    boolean isRepeatedAfter(@Nullable HttpResponse<T> response) {
        if (response == null) {
            return isRepeatedAfter(new NullPointerException("response"));
        }
        if (stage.compareAndSet(Stage.HEADERS_SEEN, Stage.BOOKED)) {
            passage.book(response, booking(ResponseInfoHead.of(response)));
        } else if (bookUnseen(response) && repeated) {
            // A stub, or a cache, which answered without the handler: here the refused body exists already.
            Bodies.abandon(response);
        }
        return repeated;
    }

    private boolean bookUnseen(HttpResponse<T> response) {
        ResponseInfoHead head = ResponseInfoHead.of(response);
        return stage.get() == Stage.SENT && book(head, passage.read(head));
    }

    private Passage.Booking booking(ResponseInfoHead head) {
        Said heard = said;
        return permit -> {
            if (heard == null) {
                permit.release();
                return false;
            }
            Outcome outcome = heard.signal().outcome();
            if (now() - heard.at() > OLD_NANOS) {
                return permit.complete(Signal.of(outcome)).isRetry();
            }
            // The status of a refusal is remembered, should it turn out to be the last.
            return (outcome.isRefusal() ? permit.complete(head, heard.signal()) : permit.complete(heard.signal())).isRetry();
        };
    }

    /** The call was given up while this attempt was under way. */
    void giveUp() {
        isRepeatedAfter(new CancellationException("the call was given up"));
    }

    /** {@return whether the request is to be sent again, after the wrapped client has failed} */
    boolean isRepeatedAfter(Throwable thrown) {
        Throwable failure = unwrap(thrown);
        Stage before = stage.getAndSet(Stage.BOOKED);
        if (before == Stage.SENT) {
            return bookFault(failure);
        }
        Said heard = said;
        if (before == Stage.HEADERS_SEEN && heard != null) {
            passage.book(booking(heard.head()));
        }
        return repeated && !isGivenUp(failure);
    }

    private static boolean isGivenUp(Throwable failure) {
        return failure instanceof InterruptedException || failure instanceof CancellationException;
    }

    private boolean bookFault(Throwable failure) {
        if (isGivenUp(failure)) {
            passage.end(Signal.CANCELLED);
            return false;
        }
        if (!(failure instanceof IOException)) {
            passage.release(); // an argument that the wrapped client does not take
            return false;
        }
        if (mayBeRepeated(failure)) {
            return passage.book(permit -> permit.complete(Signal.FAILED).isRetry());
        }
        passage.end(Signal.FAILED);
        return false;
    }

    /**
     * Only what may have been an accident on the line: not a time limit of the caller's, not a certificate, and nothing
     * that may have been the request's own body.
     */
    private boolean mayBeRepeated(Throwable failure) {
        return !(failure instanceof HttpTimeoutException)
                && !(failure instanceof SSLException)
                && !Requests.hasBody(request);
    }

    private long now() {
        return bodies.time().nanoTime();
    }

    private static Throwable unwrap(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }
}
