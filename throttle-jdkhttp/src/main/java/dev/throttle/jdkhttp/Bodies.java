package dev.throttle.jdkhttp;

import java.net.http.HttpResponse;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** Bodies of responses that nobody gets: one that streams holds its connection until somebody ends it. */
final class Bodies {

    private Bodies() {}

    /** Ends the body of a response that goes to nobody. */
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
            // The body goes to nobody, and neither does what is wrong with it.
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
