package dev.throttle.jdkhttp;

import dev.throttle.Permit;
import dev.throttle.Throttle;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.ThrottledCall;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous call with all its attempts.
 *
 * <p>One thing is under way at a time, a wait or an exchange. What has ended leaves its result here and calls
 * {@link #advance()}, which runs on one thread at a time and in a loop, so that attempts cannot nest however they end.
 */
final class AsyncCall<T> extends CallFuture<T> implements Calls.Abortable {

    /** One of the two asynchronous methods of a client. */
    interface Sender<T> {
        CompletableFuture<HttpResponse<T>> send(HttpClient client, HttpRequest request, BodyHandler<T> handler);
    }

    private final ClientParts parts;
    private final Sender<T> sender;
    private final HttpRequest request;
    private final BodyHandler<T> handler;
    private final Passage passage;
    /** How often {@link #advance()} was called and has not been served. */
    private final AtomicInteger advances = new AtomicInteger();
    /** Whether the thread in {@link #advance} is one that what depends on this future must not run on. */
    private boolean deliversAside;

    private volatile boolean exchangeCancelled;
    private volatile @Nullable CompletableFuture<HttpResponse<T>> exchange;
    private volatile int lastStatus;

    private @Nullable Permit permit;
    private @Nullable HttpResponse<T> response;
    private @Nullable Throwable failure;
    /** The attempt whose exchange is under way; null while the call waits. */
    private @Nullable Attempt<T> attempt;

    private int attempts;

    private volatile @Nullable Thread starter;
    private @Nullable Throwable thrownAtStart;

    AsyncCall(ClientParts parts, Throttle throttle, HttpRequest request, BodyHandler<T> handler, Sender<T> sender) {
        this.parts = parts;
        this.request = request;
        this.handler = handler;
        this.sender = sender;
        this.passage = new Passage(parts, request, throttle);
    }

    /** Begins; what the wrapped client throws at a first attempt that need not wait, its caller gets thrown. */
    CompletableFuture<HttpResponse<T>> start() {
        try {
            parts.calls().enter(this);
        } catch (IOException e) {
            completeExceptionally(e);
            return this;
        }
        starter = Thread.currentThread();
        goOn();
        starter = null;
        if (thrownAtStart instanceof Error error) {
            throw error;
        } else if (thrownAtStart instanceof RuntimeException exception) {
            throw exception;
        }
        return this;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the callback tells this future
    private void awaitPermit(ThrottledCall waits) {
        CompletableFuture<Permit> admission = waits.acquireAsync();
        boolean atOnce = admission.isDone();
        admission.whenComplete((granted, refusal) -> {
            permit = granted;
            failure = refusal;
            if (atOnce) {
                advance(false);
            } else {
                goOnElsewhere();
            }
        });
    }

    /** This thread delivers permits, to others too. */
    private void goOnElsewhere() {
        if (isOver()) {
            advance(true);
            return;
        }
        try {
            parts.executor().execute(() -> advance(true));
        } catch (Throwable e) {
            Permit granted = permit;
            if (granted != null) {
                granted.release();
                permit = null;
            }
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
        do {
            deliversAside = aside;
            Attempt<T> ended = attempt;
            if (ended == null) {
                waitEnded();
            } else {
                attempt = null;
                exchangeEnded(ended);
            }
        } while (advances.decrementAndGet() > 0);
    }

    private void waitEnded() {
        Permit granted = permit;
        permit = null;
        if (granted == null) {
            passage.release();
            fail(refusal());
            return;
        }
        passage.hold(granted);
        if (isOver()) {
            passage.release();
            leave();
            return;
        }
        goOn();
    }

    /** Waits for a permit that is lacking, or else sends. */
    private void goOn() {
        ThrottledCall waits = passage.next();
        if (waits == null) {
            send();
        } else {
            awaitPermit(waits);
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the callback tells this future
    private void send() {
        Attempt<T> next = new Attempt<>(parts.bodies(), request, handler, passage);
        CompletableFuture<HttpResponse<T>> sent;
        try {
            sent = Objects.requireNonNull(sender.send(parts.delegate(), request, next), "future of the response");
        } catch (RuntimeException | Error e) {
            if (Thread.currentThread().equals(starter) && attempts == 0) {
                thrownAtStart = e;
            }
            next.isRepeatedAfter(e);
            fail(e);
            return;
        }
        attempts++;
        attempt = next;
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

    private Throwable refusal() {
        Throwable refusal = failure;
        failure = null;
        if (refusal instanceof ThrottleRejectedException rejection) {
            return new ThrottleTimeoutException(Requests.host(request.uri()), rejection);
        }
        return refusal == null ? Calls.closedAfter(lastStatus) : refusal;
    }

    private void exchangeEnded(Attempt<T> ended) {
        HttpResponse<T> received = response;
        Throwable thrown = failure;
        response = null;
        failure = null;
        exchange = null;
        boolean repeated = false;
        if (thrown == null) {
            repeated = ended.isRepeatedAfter(received);
        } else if (exchangeCancelled) {
            ended.giveUp(); // whatever the wrapped client makes of being cancelled
        } else {
            repeated = ended.isRepeatedAfter(thrown);
        }
        if (isOver()) {
            leave();
            Bodies.abandon(received);
        } else if (repeated) {
            lastStatus = ended.status();
            goOn();
        } else if (thrown != null) {
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
            SendingThreads.executeDependents(delivery);
        } else {
            delivery.run();
        }
    }

    /** Comes before the future is completed, so that what depends on it may close the client. */
    private void leave() {
        parts.calls().leave(this);
    }

    @Override
    void stop(boolean cancelExchange) {
        passage.cancel();
        if (cancelExchange) {
            exchangeCancelled = true;
            CompletableFuture<HttpResponse<T>> underWay = exchange;
            if (underWay != null) {
                underWay.cancel(true);
            }
        }
    }

    @Override
    public void abort() {
        if (claim()) {
            stop(true);
            int status = lastStatus;
            SendingThreads.executeDependents(() -> deliverFailure(Calls.closedAfter(status)));
        }
    }
}
