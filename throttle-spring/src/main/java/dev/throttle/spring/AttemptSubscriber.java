package dev.throttle.spring;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import org.springframework.web.reactive.function.client.ClientResponse;
import reactor.core.publisher.BaseSubscriber;
import reactor.util.context.Context;

/** Makes one exchange a future. A response that comes after a cancellation is released. */
final class AttemptSubscriber extends BaseSubscriber<ClientResponse> {

    private final CompletableFuture<@Nullable ClientResponse> answer = new CompletableFuture<>();
    private final Context context;

    AttemptSubscriber(Context context) {
        this.context = context;
    }

    /** {@return completes with the response; with null if the exchange ends with nothing, as a filter may want it} */
    CompletableFuture<@Nullable ClientResponse> answer() {
        return answer;
    }

    @Override
    public Context currentContext() {
        return context;
    }

    @Override
    protected void hookOnSubscribe(Subscription subscription) {
        subscription.request(Long.MAX_VALUE);
    }

    @Override
    protected void hookOnNext(ClientResponse response) {
        if (!answer.complete(response)) {
            ThrottledExchange.drop(response, context);
        }
    }

    @Override
    protected void hookOnError(Throwable failure) {
        answer.completeExceptionally(failure);
    }

    @Override
    protected void hookOnComplete() {
        answer.complete(null);
    }

    @Override
    protected void hookOnCancel() {
        answer.completeExceptionally(new CancellationException());
    }
}
