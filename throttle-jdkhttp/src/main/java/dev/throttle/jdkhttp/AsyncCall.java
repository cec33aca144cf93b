package dev.throttle.jdkhttp;

import dev.throttle.client.KeyedCall;
import dev.throttle.internal.CallContext;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous call with all its attempts.
 *
 * <p>One thing is under way at a time: a wait for permits, an exchange, or the end of a refused body. What has ended
 * leaves its result here and calls {@link #advance}, which runs on one thread at a time and in a loop, so that attempts
 * cannot nest however they end.
 */
final class AsyncCall<T> extends CallFuture<T> implements Calls.Abortable {

    /** One of the two asynchronous methods of a client. */
    interface Sender<T> {
        CompletableFuture<HttpResponse<T>> send(HttpClient client, HttpRequest request, BodyHandler<T> handler);
    }

    private final ClientParts parts;
    private final KeyedCall call;
    private final Sender<T> sender;
    private final HttpRequest request;
    private final BodyHandler<T> handler;
    /** How often {@link #advance} was called and has not been served. */
    private final AtomicInteger advances = new AtomicInteger();
    /** Whether the thread in {@link #advance} is one that what depends on this future must not run on. */
    private boolean deliversAside;

    private volatile boolean exchangeCancelled;
    private volatile @Nullable CompletableFuture<HttpResponse<T>> exchange;
    private volatile @Nullable BoundedDiscard<T> discard;
    private volatile int lastStatus;

    private @Nullable HttpResponse<T> response;
    private @Nullable Throwable failure;
    /** The attempt whose exchange is under way; null while the call waits. */
    private @Nullable ResponseGate<T> gate;

    private int attempts;

    private volatile @Nullable Thread starter;
    private @Nullable Throwable thrownAtStart;

    AsyncCall(ClientParts parts, KeyedCall call, HttpRequest request, BodyHandler<T> handler, Sender<T> sender) {
        this.parts = parts;
        this.call = call;
        this.request = request;
        this.handler = handler;
        this.sender = sender;
    }

    /** Begins; what the wrapped client throws at a first attempt that need not wait, its caller gets thrown. */
    CompletableFuture<HttpResponse<T>> start() {
        try {
            parts.calls().enter(this);
        } catch (IOException e) {
            completeExceptionally(e);
            return this;
        }
        call.captureContext();
        starter = Thread.currentThread();
        CallContext.run(call.context(), this::awaitPermits);
        starter = null;
        if (thrownAtStart instanceof Error error) {
            throw error;
        } else if (thrownAtStart instanceof RuntimeException exception) {
            throw exception;
        }
        return this;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the callback tells this future
    private void awaitPermits() {
        CompletableFuture<?> admission = call.acquireAsync();
        boolean atOnce = admission.isDone();
        admission.whenComplete((held, refusal) -> {
            failure = refusal;
            if (atOnce) {
                advance(false);
            } else {
                goOnElsewhere();
            }
        });
    }

    /** This thread is needed for other things, such as the permits of others. */
    private void goOnElsewhere() {
        if (isOver()) {
            advance(true);
            return;
        }
        try {
            parts.executor().execute(() -> advance(true));
        } catch (Throwable e) {
            call.release();
            failure = e;
            advance(true);
        }
    }

    /**
     * Serves what has ended.
     *
     * @param aside whether what depends on this future must run elsewhere; no matter if this thread is at it already
     */
    private void advance(boolean aside) {
        if (advances.getAndIncrement() > 0) {
            return;
        }
        CallContext caller = call.context();
        if (caller == null || Thread.currentThread().equals(starter)) {
            serve(aside); // the starter is in it already
        } else {
            CallContext.run(caller, () -> serve(aside));
        }
    }

    private void serve(boolean aside) {
        do {
            deliversAside = aside;
            ResponseGate<T> ended = gate;
            if (ended != null) {
                gate = null;
                exchangeEnded(ended);
            } else if (discard != null) {
                discard = null;
                discardEnded();
            } else {
                waitEnded();
            }
        } while (advances.decrementAndGet() > 0);
    }

    private void waitEnded() {
        Throwable refusal = failure;
        failure = null;
        if (refusal != null) {
            fail(refusal instanceof CancellationException ? Calls.closedAfter(lastStatus) : refusal);
        } else if (isOver()) {
            call.release();
            leave();
        } else {
            send();
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the callback tells this future
    private void send() {
        ResponseGate<T> next = new ResponseGate<>(call, parts.routes(), parts.bodies(), request, handler);
        CompletableFuture<HttpResponse<T>> sent;
        try {
            sent = Objects.requireNonNull(
                    sender.send(parts.delegate(), request, next.handler()), "future of the response");
        } catch (RuntimeException | Error e) {
            if (Thread.currentThread().equals(starter) && attempts == 0) {
                thrownAtStart = e;
            }
            next.end(e);
            fail(e);
            return;
        }
        attempts++;
        gate = next;
        exchange = sent;
        if (exchangeCancelled) {
            sent.cancel(true);
        }
        sent.whenComplete((received, thrown) -> {
            response = received;
            failure = thrown;
            advance(false);
        });
    }

    private void exchangeEnded(ResponseGate<T> ended) {
        HttpResponse<T> received = response;
        Throwable thrown = failure;
        response = null;
        failure = null;
        exchange = null;
        if (ended.isRepeated()) {
            lastStatus = ended.status(); // before the throttle is told, so that whoever sees that it was sees this
        }
        ResponseGate.Verdict verdict = ResponseGate.Verdict.DELIVER;
        if (thrown == null) {
            verdict = ended.end(received);
        } else if (exchangeCancelled) {
            ended.giveUp(); // whatever the wrapped client makes of being cancelled
        } else {
            verdict = ended.end(thrown);
        }
        switch (verdict) {
            case DELIVER -> deliver(received, thrown);
            case REPEAT -> {
                lastStatus = ended.status();
                awaitEndOf(ended.discard());
            }
            case LOST -> {
                ended.stopDiscard();
                fail(call.isCancelled() ? Calls.closedAfter(lastStatus) : Calls.lost(lastStatus));
            }
        }
    }

    /** Until then the connection cannot be used again. */
    @SuppressWarnings("FutureReturnValueIgnored") // the callback tells this future
    private void awaitEndOf(@Nullable BoundedDiscard<T> nowhere) {
        if (nowhere == null || nowhere.end().isDone()) {
            discardEnded();
            return;
        }
        discard = nowhere;
        if (exchangeCancelled) {
            nowhere.stop();
        }
        nowhere.end().whenComplete((nothing, never) -> goOnElsewhere());
    }

    private void discardEnded() {
        Throwable notTaken = failure;
        failure = null;
        if (isOver()) {
            leave();
        } else if (notTaken != null) {
            fail(notTaken);
        } else {
            awaitPermits();
        }
    }

    private void deliver(@Nullable HttpResponse<T> received, @Nullable Throwable thrown) {
        if (thrown != null) {
            fail(thrown);
        } else if (received == null) {
            fail(new NullPointerException("the wrapped client delivered no response"));
        } else {
            boolean mine = claim();
            leave();
            if (mine) {
                complete(() -> deliver(received));
            } else {
                Bodies.abandon(received);
            }
        }
    }

    private void fail(Throwable thrown) {
        boolean mine = claim();
        leave();
        if (mine) {
            complete(() -> deliverFailure(thrown));
        }
    }

    private void complete(Runnable delivery) {
        if (deliversAside) {
            executeDependents(delivery);
        } else {
            delivery.run();
        }
    }

    private void executeDependents(Runnable delivery) {
        SendingThreads.executeDependents(() -> CallContext.run(call.context(), delivery));
    }

    /** Comes before the future is completed, so that what depends on it may close the client. */
    private void leave() {
        parts.calls().leave(this);
    }

    @Override
    void stop(boolean cancelExchange) {
        call.cancel();
        if (cancelExchange) {
            exchangeCancelled = true;
            CompletableFuture<HttpResponse<T>> underWay = exchange;
            if (underWay != null) {
                underWay.cancel(true);
            }
            BoundedDiscard<T> nowhere = discard;
            if (nowhere != null) {
                nowhere.stop();
            }
        }
    }

    @Override
    public void abort() {
        if (claim()) {
            stop(true);
            int status = lastStatus;
            executeDependents(() -> deliverFailure(Calls.closedAfter(status)));
        }
    }
}
