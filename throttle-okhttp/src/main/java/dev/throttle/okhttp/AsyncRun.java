package dev.throttle.okhttp;

import dev.throttle.client.KeyedCall;
import dev.throttle.internal.CallContext;
import dev.throttle.internal.CallbackPool;
import dev.throttle.time.TimeSource;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * An enqueued call of a factory. It is parked, holding no thread, until it has its permits and a slot; handed to
 * OkHttp; and parked again if it is to be repeated. Its callback is called exactly once.
 *
 * <p>What the user wrote, callbacks and event listeners, runs on the thread that enqueues the call or on the
 * dispatcher's executor, and never on a thread that gives out permits.
 */
final class AsyncRun implements Callback, Comparable<AsyncRun> {

    private final ThrottlingCallFactory factory;
    private final ThrottlingCall call;
    private final OkHttpCall throttled;
    private final KeyedCall keyed;
    private final Callback callback;
    private final long number;

    /** Whether it was let out of its lane to ask again; belongs to the lock of {@link DispatcherLimiter}. */
    boolean isCandidate;

    /** Who enqueues the call, and may hand it over too. */
    private volatile @Nullable Thread enqueuing;
    /** Who is inside of OkHttp's {@code enqueue}, where no callback may be called. */
    private volatile @Nullable Thread handingOver;

    private volatile boolean isAnswered;
    private volatile TimeSource.@Nullable ScheduledTask expiry;

    AsyncRun(ThrottlingCallFactory factory, ThrottlingCall call, OkHttpCall throttled, Callback callback) {
        this.factory = factory;
        this.call = call;
        this.throttled = throttled;
        this.keyed = throttled.keyed();
        this.callback = callback;
        this.number = factory.nextNumber();
    }

    String host() {
        return call.request().url().host();
    }

    String key() {
        return keyed.key();
    }

    /** In the order in which they were enqueued. */
    @Override
    public int compareTo(AsyncRun other) {
        return Long.compare(number, other.number);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(number);
    }

    void start() {
        park();
        enqueuing = Thread.currentThread();
        try {
            if (!factory.slots().enter(this)) {
                stand();
            }
        } finally {
            enqueuing = null;
        }
    }

    private void park() {
        factory.parked(1);
    }

    private void unpark() {
        factory.parked(-1);
    }

    /** It is about to stand in a lane, from which another thread may take it on at once. */
    void beginWait() {
        keyed.beginWait();
    }

    /** Asks for the permits that are still missing. Runs on any thread. */
    @SuppressWarnings("FutureReturnValueIgnored") // its action sees to both ways it may end
    void ask() {
        TimeSource.ScheduledTask task = expiry;
        if (task != null) {
            expiry = null;
            task.cancel();
        }
        CompletableFuture<@Nullable Void> held = keyed.acquireAsync();
        held.whenComplete((nothing, failure) -> {
            if (failure == null) {
                admitted();
            } else {
                refused(failure);
            }
        });
    }

    private void admitted() {
        if (!factory.slots().take(this)) {
            keyed.release();
            factory.slots().queue(this);
            stand();
            return;
        }
        unpark();
        throttled.handOver();
        if (Thread.currentThread().equals(enqueuing)) {
            handOver();
            return;
        }
        try {
            factory.dispatcher().executorService().execute(() -> CallContext.run(keyed.context(), this::handOver));
        } catch (Throwable e) {
            endUnsent(rejected(e));
        }
    }

    /** It stands in its lane until a slot is free, or for as long as it may wait. */
    private void stand() {
        TimeSource.ScheduledTask task = keyed.time()
                .schedule(
                        keyed.waitLeft().toNanos(), () -> CallbackPool.shared().execute(this::endIfExpired));
        expiry = task;
        if (!factory.slots().isStanding(this)) { // it was let out again meanwhile, maybe before there was a task
            task.cancel();
        }
        endIfCanceledInLane();
    }

    private void endIfExpired() {
        if (keyed.waitLeft().isZero() && factory.slots().withdraw(this)) {
            endParked(keyed.reject("dispatcher"));
        }
    }

    /** The call was canceled. If it waits for its permits, or is with OkHttp, it is told there. */
    void endIfCanceledInLane() {
        if (keyed.isCancelled() && factory.slots().withdraw(this)) {
            endParked(OkHttpCall.asIOException(new CancellationException()));
        }
    }

    /** It gets no permit. */
    void refused(Throwable failure) {
        factory.slots().leave(this);
        endParked(OkHttpCall.asIOException(failure));
    }

    private void endParked(IOException failure) {
        unpark();
        deliver(failure);
    }

    /** It had a slot, but OkHttp could not be given it. */
    private void endUnsent(IOException failure) {
        factory.slots().release(host());
        deliver(failure);
    }

    /** Calls the callback on the dispatcher's executor. */
    private void deliver(IOException failure) {
        keyed.release();
        factory.deliveries()
                .add(() -> CallContext.run(keyed.context(), () -> {
                    try {
                        call.fail(throttled, failure);
                    } finally {
                        call.ended();
                        callback.onFailure(call, failure);
                    }
                }));
    }

    private static IOException rejected(Throwable cause) {
        InterruptedIOException rejected = new InterruptedIOException("executor rejected");
        rejected.initCause(cause);
        return rejected;
    }

    private void handOver() {
        if (factory.dispatcher().executorService().isShutdown()) {
            endUnsent(new InterruptedIOException("executor rejected"));
            return;
        }
        Call attempt = call.attempt(throttled);
        handingOver = Thread.currentThread();
        try {
            attempt.enqueue(this);
        } catch (Throwable e) { // an event listener's, or the executor's, before OkHttp had the call or after
            if (!isAnswered && !factory.isWithOkHttp(attempt)) {
                endUnsent(new IOException("canceled due to " + e, e));
            }
        } finally {
            handingOver = null;
        }
    }

    @Override
    public void onResponse(Call attempt, Response response) throws IOException {
        CallContext.<Boolean, IOException, RuntimeException>call(keyed.context(), () -> {
            answered(attempt, response);
            return true;
        });
    }

    private void answered(Call attempt, Response response) throws IOException {
        isAnswered = true;
        if (!throttled.isToBeRepeated()) {
            try {
                callback.onResponse(call, response);
            } finally {
                end();
            }
            return;
        }
        response.close();
        if (attempt.isCanceled()) {
            fail(OkHttpCall.asIOException(new CancellationException()));
        } else {
            repeat();
        }
    }

    @Override
    public void onFailure(Call attempt, IOException failure) {
        CallContext.run(keyed.context(), () -> failed(attempt, failure));
    }

    private void failed(Call attempt, IOException failure) {
        isAnswered = true;
        if (ThrottlingCall.isToBeRepeated(throttled, attempt)) {
            repeat();
        } else if (Thread.currentThread().equals(handingOver)) {
            endUnsent(failure);
        } else {
            fail(failure);
        }
    }

    private void fail(IOException failure) {
        try {
            callback.onFailure(call, failure);
        } finally {
            end();
        }
    }

    private void repeat() {
        try {
            call.renew();
        } catch (Throwable e) { // an event listener factory's
            fail(new IOException("canceled due to " + e, e));
            return;
        }
        isAnswered = false;
        park();
        factory.slots().release(host());
        ask();
    }

    private void end() {
        call.ended();
        factory.slots().release(host());
    }
}
