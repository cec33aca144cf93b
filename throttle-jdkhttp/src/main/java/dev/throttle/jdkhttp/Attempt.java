package dev.throttle.jdkhttp;

import dev.throttle.Permit;
import dev.throttle.signal.ResponseHead;
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
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of a call, and the handler that the wrapped client gets for it: when the headers are there it ends the
 * permit, and decides whether the body goes to the caller's handler or, if the request is sent again, to nowhere. So
 * the caller's handler sees one response at most, the one that the caller gets.
 */
final class Attempt<T> implements BodyHandler<T> {

    private final HttpRequest request;
    private final BodyHandler<T> handler;
    private final Permit permit;
    private final Drain drain;
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile boolean repeated;
    private volatile int status;

    Attempt(HttpRequest request, BodyHandler<T> handler, Permit permit, Drain drain) {
        this.request = request;
        this.handler = handler;
        this.permit = permit;
        this.drain = drain;
    }

    @Override
    public BodySubscriber<T> apply(ResponseInfo info) {
        end(ResponseInfoHead.of(request, info));
        return repeated ? BoundedDiscard.begin(drain) : handler.apply(info);
    }

    /** {@return the status of the response; 0 if none came} */
    int status() {
        return status;
    }

    private boolean end(ResponseHead head) {
        boolean first = ended.compareAndSet(false, true);
        if (first) {
            status = head.status();
            repeated = permit.complete(head).isRetry();
        }
        return first;
    }

    /** {@return whether the request is to be sent again, after the wrapped client has delivered a response} */
    boolean isRepeatedAfter(@Nullable HttpResponse<T> response) {
        if (response == null) {
            return isRepeatedAfter(new NullPointerException("response"));
        }
        if (end(ResponseInfoHead.of(response)) && repeated) {
            // A stub, or a cache, which answered without the handler: here the refused body exists already.
            close(response.body());
        }
        return repeated;
    }

    /** {@return whether the request is to be sent again, after the wrapped client has failed} */
    boolean isRepeatedAfter(Throwable thrown) {
        Throwable failure = unwrap(thrown);
        boolean givenUp = failure instanceof InterruptedException || failure instanceof CancellationException;
        if (ended.compareAndSet(false, true)) {
            if (givenUp) {
                permit.end(Signal.CANCELLED);
            } else if (!(failure instanceof IOException)) {
                permit.giveBack(); // an argument that the wrapped client does not take
            } else if (mayBeRepeated(failure)) {
                repeated = permit.complete(Signal.FAILED).isRetry();
            } else {
                permit.end(Signal.FAILED);
            }
        }
        return repeated && !givenUp;
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

    private static Throwable unwrap(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }

    private static void close(@Nullable Object body) {
        if (body instanceof AutoCloseable closeable) {
            try {
                closeable.close();
            } catch (Exception e) {
                // The body goes to nobody, and neither does what is wrong with it.
            }
        }
    }
}
