package dev.throttle.jdkhttp;

import dev.throttle.client.BodyCosts;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;

/** Passes a body on to the caller's subscriber, and lets its cost be read on the way. */
final class CostTee<T> implements BodySubscriber<T> {

    private final BodySubscriber<T> target;
    private final BodyCosts costs;

    CostTee(BodySubscriber<T> target, BodyCosts costs) {
        this.target = target;
        this.costs = costs;
    }

    @Override
    public CompletionStage<T> getBody() {
        return target.getBody();
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        target.onSubscribe(new Subscription() {
            @Override
            public void request(long n) {
                subscription.request(n);
            }

            @Override
            public void cancel() {
                subscription.cancel();
                costs.end();
            }
        });
    }

    /** Before the caller's subscriber has read the buffers. */
    @Override
    public void onNext(List<ByteBuffer> buffers) {
        for (ByteBuffer buffer : buffers) {
            costs.accept(buffer);
        }
        target.onNext(buffers);
    }

    @Override
    public void onError(Throwable thrown) {
        costs.end();
        target.onError(thrown);
    }

    @Override
    public void onComplete() {
        costs.end();
        target.onComplete();
    }
}
