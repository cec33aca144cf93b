package dev.throttle.jdkhttp;

import dev.throttle.internal.Causes;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** An asynchronous call that is not throttled. It is counted, so that the client knows when it has ended. */
final class ExemptCall<T> implements CallFuture.Running, Calls.Abortable {

    private final CallFuture<T> future = new CallFuture<>(this);
    private final Calls calls;
    private volatile boolean exchangeCancelled;
    private volatile @Nullable CompletableFuture<HttpResponse<T>> exchange;

    ExemptCall(Calls calls) {
        this.calls = calls;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the callback tells this future
    CompletableFuture<HttpResponse<T>> start(Supplier<CompletableFuture<HttpResponse<T>>> sender) {
        try {
            calls.enter(this);
        } catch (IOException e) {
            future.completeExceptionally(e);
            future.forgetCall();
            return future;
        }
        CompletableFuture<HttpResponse<T>> sent;
        try {
            sent = Objects.requireNonNull(sender.get(), "future of the response");
        } catch (RuntimeException | Error e) {
            calls.leave(this);
            throw e;
        }
        exchange = sent;
        if (exchangeCancelled) {
            sent.cancel(true);
        }
        sent.whenComplete(this::ended);
        return future;
    }

    private void ended(@Nullable HttpResponse<T> response, @Nullable Throwable thrown) {
        boolean mine = future.claim();
        calls.leave(this);
        exchange = null;
        future.forgetCall();
        if (!mine) {
            Bodies.abandon(response);
        } else if (thrown != null) {
            future.deliverFailure(Causes.unwrap(thrown));
        } else if (response == null) {
            future.deliverFailure(new NullPointerException("the wrapped client delivered no response"));
        } else {
            future.deliver(response);
        }
    }

    @Override
    public void stop(boolean cancelExchange) {
        if (cancelExchange) {
            exchangeCancelled = true;
            CompletableFuture<HttpResponse<T>> underWay = exchange;
            if (underWay != null) {
                underWay.cancel(true);
            }
        }
    }

    @Override
    public void abort(Throwable cause) {
        if (future.claim()) {
            stop(true);
            SendingThreads.executeDependents(() -> future.deliverFailure(cause));
        } else if (future.isCancelled()) {
            stop(true);
        }
    }

    @Override
    public void abort() {
        abort(Calls.closed());
    }
}
