package dev.throttle.jdkhttp;

import java.net.http.HttpResponse;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** Ends the bodies of responses that are not returned. A body that streams holds its connection until it is ended. */
final class Bodies {

    private Bodies() {}

    /** Closes or cancels the body of a response that no caller takes. */
    static void abandon(@Nullable HttpResponse<?> response) {
        if (response == null) {
            return;
        }
        try {
            Object body = response.body();
            if (body instanceof AutoCloseable closeable) {
                closeable.close();
            } else if (body instanceof Flow.Publisher<?> publisher) {
                publisher.subscribe(new Canceller());
            }
        } catch (Exception e) {
            // No caller takes the body, so its failure is of no interest either.
        }
    }

    private static final class Canceller implements Flow.Subscriber<Object> {

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            subscription.cancel();
        }

        @Override
        public void onNext(Object item) {}

        @Override
        public void onError(Throwable failure) {}

        @Override
        public void onComplete() {}
    }
}
