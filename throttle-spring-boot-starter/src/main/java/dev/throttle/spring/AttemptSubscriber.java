package dev.throttle.spring;

import dev.throttle.client.Attempt;
import org.reactivestreams.Subscription;
import org.springframework.web.reactive.function.client.ClientResponse;
import reactor.core.publisher.BaseSubscriber;
import reactor.util.context.Context;

/** Hears how one exchange ends. A response that comes after a cancellation is handed on too: it has to be released. */
final class AttemptSubscriber extends BaseSubscriber<ClientResponse> {

    /** What hears of the end. */
    interface Listener {

        void received(Attempt attempt, Attempt.Hop hop, ClientResponse response);

        void failed(Attempt attempt, Attempt.Hop hop, Throwable failure);

        /** The exchange has ended with nothing, as a filter may want it. */
        void endedWithNothing();
    }

    private final Attempt attempt;
    private final Attempt.Hop hop;
    private final Context context;
    private final Listener listener;
    private boolean isAnswered;

    AttemptSubscriber(Attempt attempt, Attempt.Hop hop, Context context, Listener listener) {
        this.attempt = attempt;
        this.hop = hop;
        this.context = context;
        this.listener = listener;
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
        isAnswered = true;
        listener.received(attempt, hop, response);
    }

    @Override
    protected void hookOnError(Throwable failure) {
        listener.failed(attempt, hop, failure);
    }

    @Override
    protected void hookOnComplete() {
        if (!isAnswered) {
            listener.endedWithNothing();
        }
    }
}
