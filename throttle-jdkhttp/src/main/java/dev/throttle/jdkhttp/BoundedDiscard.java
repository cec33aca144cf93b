package dev.throttle.jdkhttp;

import dev.throttle.time.TimeSource;
import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import org.jspecify.annotations.Nullable;

/**
 * Reads the body of a refused response to nowhere, so that its connection can be used again, but neither more than a
 * number of bytes nor longer than a time. Once the body has begun it ends well, however it ends: what the headers said
 * stands.
 *
 * <p>The response itself does not wait for that: it is complete as soon as the body begins, and so it is known at once
 * who has refused. If the body has not even begun when the time is over, the response fails: an exchange that is cut
 * off between head and body may never tell its subscriber, and the JDK's client counts it as under way for ever, unless
 * its body has failed.
 */
final class BoundedDiscard<T> implements BodySubscriber<T> {

    private static final long UNREAD = -1;

    private final CompletableFuture<T> body = new CompletableFuture<>();
    private final CompletableFuture<@Nullable Void> end = new CompletableFuture<>();
    private final long maxBytes;
    private volatile TimeSource.@Nullable ScheduledTask timeLimit;
    private volatile @Nullable Subscription subscription;
    private long seen;

    private BoundedDiscard(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    static <T> BoundedDiscard<T> begin(BodyPolicy bodies) {
        return begin(bodies, bodies.maxBytes());
    }

    private static <T> BoundedDiscard<T> begin(BodyPolicy bodies, long maxBytes) {
        BoundedDiscard<T> discard = new BoundedDiscard<>(maxBytes);
        discard.timeLimit = bodies.atTimeLimit(discard::stop);
        if (discard.end.isDone()) {
            discard.finish();
        }
        return discard;
    }

    /** {@return what reads nothing at all of the body of a response that comes after the end of its call} */
    static <T> BoundedDiscard<T> unread(BodyPolicy bodies) {
        return begin(bodies, UNREAD);
    }

    @Override
    public CompletionStage<T> getBody() {
        return body;
    }

    /** {@return completes when nothing is read any more} */
    CompletableFuture<@Nullable Void> end() {
        return end;
    }

    @Override
    public void onSubscribe(Subscription received) {
        if (subscription != null) {
            received.cancel(); // rule 2.5 of Reactive Streams: a subscriber has one subscription
            return;
        }
        subscription = Objects.requireNonNull(received);
        if (maxBytes == UNREAD) {
            received.cancel();
            body.completeExceptionally(new IOException("the call is over"));
            finish();
            return;
        }
        succeed();
        if (end.isDone()) {
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
        Objects.requireNonNull(failure); // rule 2.13
        succeed();
        finish();
    }

    @Override
    public void onComplete() {
        succeed();
        finish();
    }

    /** Reads no further; the connection is given up, unless the body has ended. Without effect afterwards. */
    void stop() {
        if (!end.isDone()) {
            Subscription current = subscription;
            if (current != null) {
                current.cancel();
            }
            finish();
            if (current == null) {
                failUnlessBegun();
            }
        }
    }

    /** After the end, so that a body that begins at this moment is either seen here or sees that it is too late. */
    private void failUnlessBegun() {
        Subscription begun = subscription;
        if (begun == null) {
            body.completeExceptionally(new IOException("the body of a discarded response did not begin in time"));
        } else {
            begun.cancel();
        }
    }

    @SuppressWarnings("NullAway") // the response with this body is discarded
    private void succeed() {
        body.complete(null);
    }

    private void finish() {
        TimeSource.ScheduledTask timer = timeLimit;
        if (timer != null) {
            timer.cancel();
        }
        end.complete(null);
    }
}
