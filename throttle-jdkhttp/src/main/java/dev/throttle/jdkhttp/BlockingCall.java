package dev.throttle.jdkhttp;

import dev.throttle.Throttle;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.ThrottledCall;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.util.concurrent.CancellationException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A call on its caller's thread, with all its attempts. */
final class BlockingCall<T> implements Calls.Abortable {

    private final ClientParts parts;
    private final HttpRequest request;
    private final BodyHandler<T> handler;
    /** Null if the call is not throttled. */
    private final @Nullable Passage passage;

    private final ReentrantLock lock = new ReentrantLock();
    /** The thread while it is in the wrapped client. Guarded by the lock, as are the two that follow. */
    private @Nullable Thread sender;

    private boolean interruptedByUs;
    private boolean aborted;
    private int lastStatus;

    BlockingCall(ClientParts parts, HttpRequest request, BodyHandler<T> handler, @Nullable Throttle throttle) {
        this.parts = parts;
        this.request = request;
        this.handler = handler;
        this.passage = throttle == null ? null : new Passage(parts, request, throttle);
    }

    HttpResponse<T> run() throws IOException, InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted before the request was sent");
        }
        parts.calls().enter(this);
        try {
            return passage == null ? send(handler) : attempts(passage);
        } finally {
            parts.calls().leave(this);
        }
    }

    private HttpResponse<T> attempts(Passage through) throws IOException, InterruptedException {
        while (true) {
            admit(through);
            Attempt<T> attempt = new Attempt<>(parts.bodies(), request, handler, through);
            try {
                HttpResponse<T> response = send(attempt);
                if (!attempt.isRepeatedAfter(response)) {
                    return response;
                }
            } catch (IOException | InterruptedException | RuntimeException | Error e) {
                if (isAborted()) {
                    attempt.giveUp(); // what was thrown is our own doing, and says nothing about the server
                    throw e;
                }
                if (!attempt.isRepeatedAfter(e)) {
                    throw e;
                }
            }
            lastStatus = attempt.status();
        }
    }

    private void admit(Passage through) throws IOException, InterruptedException {
        boolean admitted = false;
        try {
            for (ThrottledCall lacking = through.next(); lacking != null; lacking = through.next()) {
                through.hold(lacking.acquire());
            }
            admitted = true;
        } catch (ThrottleRejectedException e) {
            throw new ThrottleTimeoutException(Requests.host(request.uri()), e);
        } catch (CancellationException e) {
            throw Calls.closedAfter(lastStatus);
        } finally {
            if (!admitted) {
                through.release();
            }
        }
    }

    private HttpResponse<T> send(BodyHandler<T> gate) throws IOException, InterruptedException {
        beginSending();
        try {
            return parts.delegate().send(request, gate);
        } catch (InterruptedException e) {
            if (stopSending()) {
                throw Calls.closedAfter(lastStatus);
            }
            throw e;
        } finally {
            if (stopSending()) {
                Thread.interrupted(); // it was meant for the request, which may have ended without hearing of it
            }
        }
    }

    private void beginSending() throws IOException {
        lock.lock();
        try {
            if (aborted) {
                throw Calls.closedAfter(lastStatus);
            }
            sender = Thread.currentThread();
        } finally {
            lock.unlock();
        }
    }

    private boolean stopSending() {
        lock.lock();
        try {
            sender = null;
            return interruptedByUs;
        } finally {
            lock.unlock();
        }
    }

    private boolean isAborted() {
        lock.lock();
        try {
            return aborted;
        } finally {
            lock.unlock();
        }
    }

    /** The wrapped client's own {@code shutdownNow} may not exist, so that an interrupt is what ends its requests. */
    @Override
    public void abort() {
        if (passage != null) {
            passage.cancel();
        }
        lock.lock();
        try {
            aborted = true;
            if (sender != null) {
                interruptedByUs = true;
                sender.interrupt();
            }
        } finally {
            lock.unlock();
        }
    }
}
