package dev.throttle.jdkhttp;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** An asynchronous call that is not throttled: its caller holds the wrapped client's own future. */
final class ExemptCall<T> implements Calls.Abortable {

    private final Calls calls;
    private volatile boolean aborted;
    private volatile @Nullable CompletableFuture<HttpResponse<T>> exchange;

    ExemptCall(Calls calls) {
        this.calls = calls;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the callback only counts
    CompletableFuture<HttpResponse<T>> start(Supplier<CompletableFuture<HttpResponse<T>>> sender) {
        try {
            calls.enter(this);
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
        CompletableFuture<HttpResponse<T>> sent;
        try {
            sent = sender.get();
        } catch (RuntimeException | Error e) {
            calls.leave(this);
            throw e;
        }
        exchange = sent;
        if (aborted) {
            sent.cancel(true);
        }
        sent.whenComplete((response, failure) -> calls.leave(this));
        return sent;
    }

    @Override
    public void abort() {
        aborted = true;
        CompletableFuture<HttpResponse<T>> underWay = exchange;
        if (underWay != null) {
            underWay.cancel(true);
        }
    }
}
