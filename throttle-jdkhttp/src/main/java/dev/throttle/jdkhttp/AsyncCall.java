package dev.throttle.jdkhttp;

import dev.throttle.client.AsyncExchange;
import dev.throttle.client.Attempt;
import dev.throttle.client.KeyedCall;
import dev.throttle.internal.CallContext;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A throttled call that no thread waits for. */
final class AsyncCall<T> extends JdkExchange<T> implements AsyncExchange<JdkAnswer<T>>, CallFuture.Running {

    /** One of the two asynchronous methods of a client. */
    interface Sender<T> {
        CompletableFuture<HttpResponse<T>> send(HttpClient client, HttpRequest request, BodyHandler<T> handler);
    }

    private final CallFuture<T> future = new CallFuture<>(this);
    private final Sender<T> sender;

    private volatile boolean exchangeCancelled;
    private volatile @Nullable CompletableFuture<HttpResponse<T>> exchange;
    private volatile boolean hasSent;
    /** The caller's thread while it starts the call. */
    private volatile @Nullable Thread starter;

    private @Nullable Throwable thrownAtStart;

    AsyncCall(ClientParts parts, KeyedCall call, HttpRequest request, BodyHandler<T> handler, Sender<T> sender) {
        super(parts, call, request, handler);
        this.sender = sender;
    }

    /** Begins; what the wrapped client throws at a first attempt that need not wait, its caller gets thrown. */
    CompletableFuture<HttpResponse<T>> start() {
        try {
            parts().calls().enter(this);
        } catch (IOException e) {
            future.completeExceptionally(e);
            future.forgetCall();
            return future;
        }
        starter = Thread.currentThread();
        parts().loop().runAsync(call(), this, parts().executor());
        starter = null;
        Throwable thrown = thrownAtStart;
        if (thrown instanceof Error error) {
            throw error;
        } else if (thrown instanceof RuntimeException exception) {
            throw exception;
        }
        return future;
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // its action sees to both ways it may end
    public CompletableFuture<JdkAnswer<T>> send(Attempt attempt) {
        JdkAnswer<T> answer = begin(attempt);
        CompletableFuture<HttpResponse<T>> sent;
        try {
            sent = Objects.requireNonNull(
                    sender.send(parts().delegate(), outgoing(), answer.handler()), "future of the response");
        } catch (RuntimeException | Error e) {
            answer.failed(e);
            if (!hasSent && Thread.currentThread().equals(starter)) {
                thrownAtStart = e;
            }
            throw e;
        }
        hasSent = true;
        exchange = sent;
        if (exchangeCancelled) {
            sent.cancel(true);
        }
        CompletableFuture<JdkAnswer<T>> answered = new CompletableFuture<>();
        sent.whenComplete((response, thrown) -> {
            exchange = null;
            Throwable failure = end(answer, response, thrown);
            if (failure == null) {
                answered.complete(answer);
            } else {
                answered.completeExceptionally(failure);
            }
        });
        return answered;
    }

    private @Nullable Throwable end(
            JdkAnswer<T> answer, @Nullable HttpResponse<T> response, @Nullable Throwable thrown) {
        if (thrown != null) {
            return answer.failed(thrown) && !exchangeCancelled ? null : thrown;
        } else if (response == null) {
            return new NullPointerException("the wrapped client delivered no response");
        }
        answer.received(response);
        return null;
    }

    @Override
    public CompletableFuture<Peeked<JdkAnswer<T>>> peek(JdkAnswer<T> answer) {
        return answer.look().thenApply(start -> new Peeked<>(answer, start));
    }

    @Override
    public CompletableFuture<?> discard(JdkAnswer<T> answer) {
        CompletableFuture<?> dropped = answer.drop();
        if (exchangeCancelled) {
            answer.stop(closed());
        }
        return dropped.thenRun(this::forgetAnswer);
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // its action sees to both ways it may end
    public void ended(@Nullable JdkAnswer<T> answer, @Nullable Throwable failure, boolean isAfterWait) {
        if (answer == null) {
            finish(null, failure, isAfterWait);
        } else if (answer.isDropped()) {
            finish(null, closed(), isAfterWait); // it was to be repeated, but the call was cancelled
        } else if (!answer.isHeld()) {
            finish(answer.response(), null, isAfterWait);
        } else if (future.isOver()) {
            answer.stop(closed());
            finish(null, closed(), isAfterWait);
        } else {
            answer.delivered().whenComplete((response, thrown) -> finish(response, thrown, true));
        }
    }

    /** Leaves before the future is completed, so that what depends on that may close the client. */
    private void finish(@Nullable HttpResponse<T> response, @Nullable Throwable failure, boolean isAside) {
        boolean isMine = future.claim();
        parts().calls().leave(this);
        future.forgetCall();
        if (!isMine) {
            Bodies.abandon(response);
            return;
        }
        Runnable delivery = response == null
                ? () -> future.deliverFailure(Objects.requireNonNull(failure))
                : () -> future.deliver(response);
        if (isAside) {
            executeDependents(delivery);
        } else {
            delivery.run();
        }
    }

    private void executeDependents(Runnable delivery) {
        CallContext caller = call().context();
        SendingThreads.executeDependents(() -> CallContext.run(caller, delivery));
    }

    @Override
    public boolean isCancelled() {
        return exchangeCancelled;
    }

    @Override
    public void stop(boolean cancelExchange) {
        call().cancel();
        if (cancelExchange) {
            exchangeCancelled = true;
            CompletableFuture<HttpResponse<T>> underWay = exchange;
            if (underWay != null) {
                underWay.cancel(true);
            }
            stopReading();
        }
    }

    @Override
    public void abort(Throwable cause) {
        if (future.claim()) {
            stop(true);
            executeDependents(() -> future.deliverFailure(cause));
        } else if (future.isCancelled()) {
            stop(true);
        }
    }

    @Override
    public void abort() {
        abort(closed());
    }
}
