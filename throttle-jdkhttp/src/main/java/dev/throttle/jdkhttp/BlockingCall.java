package dev.throttle.jdkhttp;

import dev.throttle.client.KeyedCall;
import dev.throttle.internal.CallContext;
import dev.throttle.jdkhttp.ResponseGate.Verdict;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** A call on its caller's thread, with all its attempts. */
final class BlockingCall<T> implements Calls.Abortable {

    private final ClientParts parts;
    private final HttpRequest request;
    private final BodyHandler<T> handler;
    /** Null if the call is not throttled. */
    private final @Nullable KeyedCall keyed;

    private volatile @Nullable BoundedDiscard<T> discard;

    /** The thread while it is in the wrapped client. Guarded by this, as are the two that follow. */
    private @Nullable Thread sender;

    private boolean interruptedByUs;
    private boolean aborted;
    private int lastStatus;

    BlockingCall(ClientParts parts, @Nullable KeyedCall keyed, HttpRequest request, BodyHandler<T> handler) {
        this.parts = parts;
        this.keyed = keyed;
        this.request = request;
        this.handler = handler;
    }

    HttpResponse<T> run() throws IOException, InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted before the request was sent");
        }
        parts.calls().enter(this);
        try {
            return keyed == null ? send(handler) : attempts(keyed);
        } finally {
            parts.calls().leave(this);
        }
    }

    private HttpResponse<T> attempts(KeyedCall call) throws IOException, InterruptedException {
        call.captureContext();
        while (true) {
            acquire(call);
            ResponseGate<T> gate = new ResponseGate<>(call, parts.routes(), parts.bodies(), request, handler);
            Verdict verdict;
            try {
                CallContext context = call.context();
                HttpResponse<T> response = context == null
                        ? send(gate.handler())
                        : CallContext.<HttpResponse<T>, IOException, InterruptedException>call(
                                context, () -> send(gate.handler()));
                verdict = gate.end(response);
                if (verdict == Verdict.DELIVER) {
                    return response;
                }
            } catch (IOException | InterruptedException | RuntimeException | Error e) {
                if (isAborted()) {
                    gate.giveUp(); // what was thrown is our own doing, and says nothing about the server
                    throw e;
                }
                verdict = gate.end(e);
                if (verdict == Verdict.DELIVER) {
                    throw e;
                }
            }
            lastStatus = gate.status();
            if (verdict == Verdict.LOST) {
                gate.stopDiscard();
                throw call.isCancelled() ? Calls.closedAfter(lastStatus) : Calls.lost(lastStatus);
            }
            awaitEndOf(gate.discard());
        }
    }

    private void acquire(KeyedCall call) throws IOException, InterruptedException {
        try {
            call.acquire();
        } catch (CancellationException e) {
            throw Calls.closedAfter(lastStatus);
        }
    }

    /** Until then the connection cannot be used again. */
    private void awaitEndOf(@Nullable BoundedDiscard<T> nowhere) throws InterruptedException {
        if (nowhere == null) {
            return;
        }
        discard = nowhere;
        try {
            if (isAborted()) {
                nowhere.stop();
            }
            nowhere.end().get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e); // it never fails
        } finally {
            discard = null;
            nowhere.stop();
        }
    }

    private HttpResponse<T> send(BodyHandler<T> answered) throws IOException, InterruptedException {
        beginSending();
        boolean hasThrown = false;
        try {
            return parts.delegate().send(request, answered);
        } catch (InterruptedException e) {
            hasThrown = true;
            if (stopSending()) {
                throw Calls.closedAfter(lastStatus);
            }
            throw e;
        } finally {
            if (stopSending() && !hasThrown) {
                // Ours, meant for the request, which has ended without hearing of it. One that came beside ours stays.
                Thread.interrupted();
            }
        }
    }

    private void beginSending() throws IOException {
        synchronized (this) {
            if (!aborted) {
                sender = Thread.currentThread();
                return;
            }
        }
        throw Calls.closedAfter(lastStatus);
    }

    private boolean stopSending() {
        synchronized (this) {
            sender = null;
            return interruptedByUs;
        }
    }

    private boolean isAborted() {
        synchronized (this) {
            return aborted;
        }
    }

    /** The wrapped client's own {@code shutdownNow} may not exist, so that an interrupt is what ends its requests. */
    @Override
    public void abort() {
        if (keyed != null) {
            keyed.cancel();
        }
        synchronized (this) {
            aborted = true;
            if (sender != null && !sender.isInterrupted()) { // else somebody has interrupted it already
                interruptedByUs = true;
                sender.interrupt();
            }
        }
        BoundedDiscard<T> nowhere = discard;
        if (nowhere != null) {
            nowhere.stop();
        }
    }
}
