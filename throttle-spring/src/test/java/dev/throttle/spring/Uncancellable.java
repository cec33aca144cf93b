package dev.throttle.spring;

import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

/** Passes everything on but a cancellation, which comes too late. */
record Uncancellable<T>(Subscriber<? super T> target) implements CoreSubscriber<T> {

    @Override
    public void onSubscribe(Subscription subscription) {
        target.onSubscribe(new Subscription() {
            @Override
            public void request(long n) {
                subscription.request(n);
            }

            @Override
            public void cancel() {}
        });
    }

    @Override
    public void onNext(T value) {
        target.onNext(value);
    }

    @Override
    public void onError(Throwable failure) {
        target.onError(failure);
    }

    @Override
    public void onComplete() {
        target.onComplete();
    }
}
