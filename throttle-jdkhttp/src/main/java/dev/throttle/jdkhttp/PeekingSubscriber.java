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
import java.util.concurrent.Executor;
import java.util.concurrent.Flow.Subscription;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the beginning of a body, and then hands the whole body to the subscriber that is chosen by what was seen.
 *
 * <p>It looks until {@link BodyClassifier#MAX_BYTES} have come, the body ends, or the time is up. What has come by then
 * is kept, and is the first that the chosen subscriber gets, at the pace that it asks for. After that everything passes
 * through: a buffer is asked for when the subscriber asks for it. If the body has not even begun when the time is up,
 * the subscriber is chosen by the head alone.
 *
 * <p>The signals for the subscriber come from the connection, the timer and the subscriber itself. {@link #serve()}
 * puts them in order.
 */
final class PeekingSubscriber<T> implements BodySubscriber<T> {

    /** Decides who gets the body. */
    interface Decision<T> {

        /**
         * {@return the subscriber that gets the body; what is thrown fails the response}
         *
         * @param start the beginning of the body
         */
        BodySubscriber<T> subscriberFor(byte[] start);
    }

    private final Decision<T> decision;
    private final @Nullable Executor clientExecutor;
    private final CompletableFuture<T> body = new CompletableFuture<>();
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
    private volatile boolean timeUp;
    private volatile boolean cancelled;
    /** If the subscriber has asked for nothing, or less. */
    private volatile @Nullable IllegalArgumentException mistake;

    private @Nullable BodySubscriber<T> target;
    private long requested;
    private long delivered;
    private boolean over;

    private PeekingSubscriber(Decision<T> decision, @Nullable Executor clientExecutor) {
        this.decision = decision;
        this.clientExecutor = clientExecutor;
    }

    /**
     * Begins to look.
     *
     * @param limits how long to look
     * @param clientExecutor where the chosen subscriber is asked for its result, which may block; null for a thread of
     *     this library's
     */
    static <T> PeekingSubscriber<T> begin(BodyPolicy limits, @Nullable Executor clientExecutor, Decision<T> decision) {
        PeekingSubscriber<T> peeking = new PeekingSubscriber<>(decision, clientExecutor);
        peeking.timeLimit = limits.atTimeLimit(() -> {
            peeking.timeUp = true;
            peeking.serve();
        });
        return peeking;
    }

    @Override
    public CompletionStage<T> getBody() {
        return body;
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        upstream = subscription;
        if (cancelled) {
            subscription.cancel();
        }
        serve();
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
        failure = thrown;
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
        BodySubscriber<T> chosen = target;
        if (chosen == null) {
            if (seenBytes < BodyClassifier.MAX_BYTES && !ended && !timeUp) {
                if (source != null && requested == received) {
                    requested++;
                    source.request(1);
                }
                return;
            }
            chosen = choose(source != null);
        }
        if (source != null) {
            pass(source, chosen);
        }
    }

    private BodySubscriber<T> choose(boolean hasBegun) {
        stopTimer();
        BodySubscriber<T> chosen = Objects.requireNonNull(decision.subscriberFor(start()), "body subscriber");
        target = chosen;
        if (!hasBegun && chosen instanceof BoundedDiscard<T> nowhere) {
            nowhere.stop(); // before the body begins, so that the response fails
        }
        chosen.onSubscribe(new Demand());
        if (chosen instanceof BoundedDiscard<T> nowhere) {
            passResultOf(nowhere);
            if (timeUp) {
                nowhere.stop(); // it has had its time
            }
        } else {
            // The JDK's client asks on its executor, because the answer may take as long as the body.
            SendingThreads.execute(clientExecutor, () -> passResultOf(chosen));
        }
        return chosen;
    }

    private void passResultOf(BodySubscriber<T> chosen) {
        try {
            chosen.getBody().whenComplete((result, thrown) -> {
                if (thrown == null) {
                    body.complete(result);
                } else {
                    body.completeExceptionally(thrown);
                }
            });
        } catch (Throwable e) {
            body.completeExceptionally(e);
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

    private void pass(Subscription source, BodySubscriber<T> chosen) {
        while (true) {
            if (cancelled) {
                over = true;
                held.clear();
                return;
            }
            if (mistake != null) { // the source may have told all that it has to tell
                fail(mistake);
                return;
            }
            List<ByteBuffer> next = delivered < wanted.get() ? held.poll() : null;
            if (next != null) {
                delivered++;
                chosen.onNext(next);
            } else if (ended && held.isEmpty()) {
                over = true;
                end(chosen);
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

    private void end(BodySubscriber<T> chosen) {
        Throwable thrown = failure;
        if (thrown == null) {
            chosen.onComplete();
        } else {
            chosen.onError(thrown);
        }
    }

    /** The caller's handler or subscriber has failed. */
    private void fail(Throwable thrown) {
        over = true;
        cancelled = true;
        held.clear();
        stopTimer();
        body.completeExceptionally(thrown);
        Subscription source = upstream; // which may have come while the caller's code ran
        if (source != null) {
            source.cancel();
        }
        BodySubscriber<T> chosen = target;
        if (chosen != null) {
            try {
                chosen.onError(thrown);
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
                mistake = new IllegalArgumentException("non-positive subscription request: " + n); // as the JDK's
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
