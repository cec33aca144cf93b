package dev.throttle.jdkhttp;

import dev.throttle.signal.BodyClassifier;
import dev.throttle.time.TimeSource;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Flow.Subscription;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a body until it is known who gets it, and may look at its beginning for that.
 *
 * <p>A look ends when {@link BodyClassifier#MAX_BYTES} have come, the body ends, or the time is up. What has come by
 * then is kept, and is the first that the chosen subscriber gets, at the pace that it asks for. After that everything
 * passes through: a buffer is asked for when the subscriber asks for it. Without a look nothing is asked for before.
 *
 * <p>A subscriber that is <em>held</em> lets the response be delivered as soon as the body begins, without a body: the
 * JDK's client tells only with the response who has answered. The body is then the {@link #result()}.
 *
 * <p>The signals for the chosen subscriber come from the connection, the timer, the call and the subscriber itself.
 * {@link #serve()} puts them in order.
 */
final class PeekingSubscriber<T> implements BodySubscriber<T> {

    private final BodyPolicy limits;
    /** Completes when the body of a held response begins; null if the response waits for its body. */
    private final @Nullable CompletableFuture<T> begun;

    private final CompletableFuture<T> result = new CompletableFuture<>();
    private final CompletableFuture<byte[]> look = new CompletableFuture<>();
    private final Queue<List<ByteBuffer>> held = new ConcurrentLinkedQueue<>();
    /** How many signals wait to be served. */
    private final AtomicInteger signals = new AtomicInteger();
    /** How many buffers the subscriber has asked for. */
    private final AtomicLong wanted = new AtomicLong();

    private volatile TimeSource.@Nullable ScheduledTask timeLimit;
    private volatile @Nullable Subscription upstream;
    private volatile long received;
    private volatile int seenBytes;
    private volatile @Nullable Throwable failure;
    private volatile boolean ended;
    private volatile boolean isLooking;
    private volatile boolean timeUp;
    private volatile boolean cancelled;
    /** Why the body goes to no subscriber: a mistake of the subscriber, or the end of the call. */
    private volatile @Nullable Throwable broken;
    /** The subscriber that is to get the body; null until it is chosen. */
    private volatile @Nullable BodySubscriber<T> chosen;

    /** The chosen subscriber, once it has its subscription. */
    private @Nullable BodySubscriber<T> target;

    private long requested;
    private long delivered;
    private boolean over;

    private PeekingSubscriber(BodyPolicy limits, @Nullable CompletableFuture<T> begun) {
        this.limits = limits;
        this.begun = begun;
    }

    /**
     * Makes a subscriber for a response that waits for its body.
     *
     * @param limits how long to look, and the executor where the chosen subscriber is asked for its result
     */
    static <T> PeekingSubscriber<T> of(BodyPolicy limits) {
        return new PeekingSubscriber<>(limits, null);
    }

    /** Makes a subscriber for a response that is delivered as soon as its body can be read. */
    static <T> PeekingSubscriber<T> holding(BodyPolicy limits) {
        return new PeekingSubscriber<>(limits, new CompletableFuture<>());
    }

    /**
     * Begins to look; {@return completes with the beginning of the body} If it has not begun in time, that is empty.
     */
    CompletableFuture<byte[]> look() {
        isLooking = true;
        timeLimit = limits.atTimeLimit(() -> {
            timeUp = true;
            serve();
        });
        serve();
        return look;
    }

    /**
     * Begins to look.
     *
     * @param choice chooses the subscriber by the beginning of the body; if it throws, the response fails
     */
    @SuppressWarnings("FutureReturnValueIgnored") // its action sees to what may fail
    void look(Function<byte[], BodySubscriber<T>> choice) {
        look().thenAccept(start -> {
            try {
                handTo(choice.apply(start));
            } catch (Throwable e) {
                abandon(e);
            }
        });
    }

    /** Hands the whole body to a subscriber. */
    void handTo(BodySubscriber<T> subscriber) {
        chosen = Objects.requireNonNull(subscriber, "body subscriber");
        serve();
    }

    /** The body goes to no subscriber. */
    void abandon(Throwable cause) {
        broken = cause;
        serve();
    }

    /** {@return completes with what the chosen subscriber makes of the body} */
    CompletableFuture<T> result() {
        return result;
    }

    @Override
    public CompletionStage<T> getBody() {
        return begun == null ? result : begun;
    }

    @Override
    @SuppressWarnings("NullAway") // the body is the result
    public void onSubscribe(Subscription subscription) {
        if (upstream != null) {
            subscription.cancel(); // rule 2.5 of Reactive Streams: a subscriber has one subscription
            return;
        }
        upstream = Objects.requireNonNull(subscription);
        if (cancelled) {
            subscription.cancel();
        }
        serve();
        if (begun != null) {
            begun.complete(null);
        }
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread at a time
    public void onNext(List<ByteBuffer> buffers) {
        if (seenBytes < BodyClassifier.MAX_BYTES) {
            int bytes = 0;
            for (ByteBuffer buffer : buffers) {
                bytes += buffer.remaining();
            }
            seenBytes += bytes;
        }
        held.add(buffers);
        received++;
        serve();
    }

    @Override
    public void onError(Throwable thrown) {
        failure = Objects.requireNonNull(thrown); // rule 2.13; without a failure the body would seem whole
        ended = true;
        serve();
    }

    @Override
    public void onComplete() {
        ended = true;
        serve();
    }

    private void serve() {
        if (signals.getAndIncrement() > 0) {
            return;
        }
        int served = 1;
        do {
            Subscription source = upstream;
            if ((source != null || timeUp) && !over) {
                try {
                    step(source);
                } catch (Throwable e) {
                    fail(e);
                }
            }
            served = signals.addAndGet(-served);
        } while (served != 0);
    }

    private void step(@Nullable Subscription source) {
        Throwable cause = broken;
        if (cause != null) { // the source may have told all that it has to tell
            fail(cause);
            return;
        }
        BodySubscriber<T> current = target;
        if (current == null) {
            if (isLooking && !look(source)) {
                return;
            }
            current = subscribe(source != null);
        }
        if (source != null && current != null) {
            pass(source, current);
        }
    }

    /** {@return whether the look is over} */
    private boolean look(@Nullable Subscription source) {
        if (seenBytes < BodyClassifier.MAX_BYTES && !ended && !timeUp) {
            if (source != null && requested == received) {
                requested++;
                source.request(1);
            }
            return false;
        }
        isLooking = false;
        stopTimer();
        look.complete(start());
        return true;
    }

    private @Nullable BodySubscriber<T> subscribe(boolean hasBegun) {
        BodySubscriber<T> subscriber = chosen;
        if (subscriber == null) {
            return null;
        }
        target = subscriber;
        if (!hasBegun && subscriber instanceof BoundedDiscard<T> nowhere) {
            nowhere.stop(); // before the body begins, so that the response fails
        }
        subscriber.onSubscribe(new Demand());
        if (subscriber instanceof BoundedDiscard<T> nowhere) {
            passResultOf(nowhere);
            if (timeUp) {
                nowhere.stop(); // it has had its time
            }
        } else {
            // The JDK's client asks on its executor, because the answer may take as long as the body.
            SendingThreads.execute(limits.clientExecutor(), () -> passResultOf(subscriber));
        }
        return subscriber;
    }

    private void passResultOf(BodySubscriber<T> subscriber) {
        try {
            subscriber.getBody().whenComplete((body, thrown) -> {
                if (thrown == null) {
                    result.complete(body);
                } else {
                    result.completeExceptionally(thrown);
                }
            });
        } catch (Throwable e) {
            result.completeExceptionally(e);
        }
    }

    private byte[] start() {
        byte[] start = new byte[Math.min(seenBytes, BodyClassifier.MAX_BYTES)];
        int length = 0;
        for (List<ByteBuffer> buffers : held) {
            for (ByteBuffer buffer : buffers) {
                int taken = Math.min(buffer.remaining(), start.length - length);
                buffer.duplicate().get(start, length, taken);
                length += taken;
            }
        }
        return start;
    }

    private void pass(Subscription source, BodySubscriber<T> subscriber) {
        while (true) {
            if (cancelled) {
                over = true;
                held.clear();
                return;
            }
            if (broken != null) {
                fail(Objects.requireNonNull(broken));
                return;
            }
            List<ByteBuffer> next = delivered < wanted.get() ? held.poll() : null;
            if (next != null) {
                delivered++;
                subscriber.onNext(next);
            } else if (ended && held.isEmpty()) {
                over = true;
                end(subscriber);
                return;
            } else {
                long total = wanted.get();
                if (total > requested && !ended) {
                    long more = total - requested;
                    requested = total;
                    source.request(more);
                }
                return;
            }
        }
    }

    private void end(BodySubscriber<T> subscriber) {
        Throwable thrown = failure;
        if (thrown == null) {
            subscriber.onComplete();
        } else {
            subscriber.onError(thrown);
        }
    }

    /** The caller's subscriber has failed, or the call is over. */
    private void fail(Throwable thrown) {
        over = true;
        cancelled = true;
        held.clear();
        stopTimer();
        result.completeExceptionally(thrown);
        look.complete(new byte[0]);
        Subscription source = upstream; // which may have come while the caller's code ran
        if (source != null) {
            source.cancel();
        }
        BodySubscriber<T> current = target;
        if (current != null) {
            try {
                current.onError(thrown);
            } catch (Throwable again) {
                // It has failed already.
            }
        }
    }

    private void stopTimer() {
        TimeSource.ScheduledTask timer = timeLimit;
        if (timer != null) {
            timer.cancel();
        }
    }

    /** What the chosen subscriber asks for. */
    private final class Demand implements Subscription {

        @Override
        public void request(long n) {
            if (n <= 0) {
                broken = new IllegalArgumentException("non-positive subscription request: " + n); // as the JDK's
            } else {
                wanted.updateAndGet(before -> before + n < 0 ? Long.MAX_VALUE : before + n);
            }
            serve();
        }

        @Override
        public void cancel() {
            cancelled = true;
            Subscription source = upstream;
            if (source != null) {
                source.cancel();
            }
            serve();
        }
    }
}
