package dev.throttle.jdkhttp;

import dev.throttle.time.TimeSource;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import org.jspecify.annotations.Nullable;

/**
 * Reads the body of a refused response to nowhere, so that its connection can be used again, but neither more than a
 * number of bytes nor longer than a time. However it ends, it ends well: what the headers said stands.
 */
final class BoundedDiscard<T> implements BodySubscriber<T> {

    private final CompletableFuture<T> body = new CompletableFuture<>();
    private final long maxBytes;
    private volatile TimeSource.@Nullable ScheduledTask timeLimit;
    private volatile @Nullable Subscription subscription;
    private long seen;

    private BoundedDiscard(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    static <T> BoundedDiscard<T> begin(BodyPolicy bodies) {
        BoundedDiscard<T> discard = new BoundedDiscard<>(bodies.maxBytes());
        discard.timeLimit = bodies.atTimeLimit(discard::stop);
        return discard;
    }

    @Override
    public CompletionStage<T> getBody() {
        return body;
    }

    @Override
    public void onSubscribe(Subscription received) {
        subscription = received;
        if (body.isDone()) {
            received.cancel();
        } else {
            received.request(Long.MAX_VALUE);
        }
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        for (ByteBuffer buffer : buffers) {
            seen += buffer.remaining();
        }
        if (seen > maxBytes) {
            stop();
        }
    }

    @Override
    public void onError(Throwable failure) {
        finish();
    }

    @Override
    public void onComplete() {
        finish();
    }

    /** The body goes first: cancelling before it is complete fails the whole exchange on HTTP/2 of Java 17. */
    private void stop() {
        if (finish()) {
            Subscription current = subscription;
            if (current != null) {
                current.cancel();
            }
        }
    }

    @SuppressWarnings("NullAway") // the response that gets this body goes to nobody
    private boolean finish() {
        TimeSource.ScheduledTask timer = timeLimit;
        if (timer != null) {
            timer.cancel();
        }
        return body.complete(null);
    }
}
