package dev.throttle.jdkhttp;

import java.io.IOException;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * The handler that the wrapped client gets for an attempt. It leads to the attempt while that is under way, and then to
 * nothing. A client may hold on to a handler for ever, most of all if the exchange was cut off; so what it holds must
 * not lead to the call, to its throttle, and from there to all others.
 */
final class AttemptHandler<T> implements BodyHandler<T> {

    /** What the attempt does with a response. */
    interface Step<T> {
        BodySubscriber<T> of(ResponseGate<T> gate);
    }

    private volatile @Nullable ResponseGate<T> gate;

    AttemptHandler(ResponseGate<T> gate) {
        this.gate = gate;
    }

    @Override
    public BodySubscriber<T> apply(ResponseInfo info) {
        ResponseGate<T> underWay = gate;
        return underWay == null ? new Unwanted<>() : underWay.begin(info);
    }

    /** {@return the subscriber that the attempt chooses; one that takes nothing once the attempt is over} */
    BodySubscriber<T> whileUnderWay(Step<T> step) {
        ResponseGate<T> underWay = gate;
        return underWay == null ? new Unwanted<>() : step.of(underWay);
    }

    /**
     * The attempt is over. A response that comes nevertheless goes to nobody, and the caller's handler is not asked.
     */
    void letGo() {
        gate = null;
    }

    /**
     * Takes nothing. Its body fails: the JDK's client may never hear of the end of an exchange that was cut off just
     * now, and counts it as under way for ever, unless its body has failed.
     */
    private static final class Unwanted<T> implements BodySubscriber<T> {

        @Override
        public CompletionStage<T> getBody() {
            return CompletableFuture.failedFuture(new IOException("the call is over"));
        }

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            subscription.cancel();
        }

        @Override
        public void onNext(List<ByteBuffer> buffers) {}

        @Override
        public void onError(Throwable failure) {}

        @Override
        public void onComplete() {}
    }
}
