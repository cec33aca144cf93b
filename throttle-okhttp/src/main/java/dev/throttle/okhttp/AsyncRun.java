package dev.throttle.okhttp;

import dev.throttle.Permit;
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
 */
final class AsyncRun implements Callback, Comparable<AsyncRun> {

    private final ThrottlingCallFactory factory;
    private final ThrottlingCall call;
    private final Journey journey;
    private final Callback callback;
    private final long number;

    /** Whether it was let out of its lane to ask again; belongs to the lock of {@link DispatcherLimiter}. */
    boolean isCandidate;

    /** Who is inside of OkHttp's {@code enqueue}, where no callback may be called. */
    private volatile @Nullable Thread handingOver;

    private volatile boolean isAnswered;

    AsyncRun(ThrottlingCallFactory factory, ThrottlingCall call, Journey journey, Callback callback) {
        this.factory = factory;
        this.call = call;
        this.journey = journey;
        this.callback = callback;
        this.number = factory.nextNumber();
    }

    String host() {
        return call.request().url().host();
    }

    String key() {
        return journey.key();
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
        factory.parked(1);
        factory.slots().enter(this);
        endIfCanceledInLane();
    }

    /** Asks for the permits that are still missing. Runs on any thread. */
    void ask() {
        String key = null;
        CompletableFuture<Permit> admission = null;
        try {
            key = journey.nextKey();
            admission = key == null ? null : journey.callOf(key).acquireAsync();
        } catch (RuntimeException e) {
            factory.config().faults().report(e); // the request goes out unthrottled
        }
        if (key == null || admission == null) {
            admitted();
        } else {
            await(key, admission);
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the callback sees to everything
    private void await(String key, CompletableFuture<Permit> admission) {
        admission.whenComplete((permit, rejection) -> {
            if (permit == null) {
                refused(rejection);
            } else {
                journey.hold(key, permit);
                ask();
            }
        });
    }

    private void admitted() {
        if (factory.slots().take(this)) {
            factory.parked(-1);
            handOver();
        } else {
            journey.release();
            factory.slots().queue(this);
            endIfCanceledInLane();
        }
    }

    private void refused(@Nullable Throwable rejection) {
        Throwable cause = rejection == null || rejection.getCause() == null ? rejection : rejection.getCause();
        if (rejection instanceof CancellationException || cause instanceof CancellationException) {
            endParked(BlockingWait.canceled());
        } else if (rejection instanceof IOException e) {
            endParked(e);
        } else {
            endParked(cause instanceof IOException e ? e : new IOException("the throttle failed", rejection));
        }
    }

    /** The call was canceled. If it waits for its permits, or is with OkHttp, it is told there. */
    void endIfCanceledInLane() {
        if (journey.isCanceled() && factory.slots().leave(this)) {
            endParked(BlockingWait.canceled());
        }
    }

    private void endParked(IOException failure) {
        factory.parked(-1);
        factory.slots().leave(this);
        deliver(failure);
    }

    /** Calls the callback on the dispatcher's executor. */
    private void deliver(IOException failure) {
        journey.release();
        factory.ended(call);
        factory.deliveries().add(() -> callback.onFailure(call, failure));
    }

    private void handOver() {
        if (factory.dispatcher().executorService().isShutdown()) {
            factory.slots().release(host());
            deliver(new InterruptedIOException("executor rejected"));
            return;
        }
        Call attempt = call.attempt(journey);
        handingOver = Thread.currentThread();
        try {
            attempt.enqueue(this);
        } catch (RuntimeException e) { // an event listener's, thrown before OkHttp had the call or after
            factory.config().faults().report(e);
            if (!isWithOkHttp(attempt)) {
                factory.slots().release(host());
                deliver(new IOException("canceled due to " + e, e));
            }
        } finally {
            handingOver = null;
        }
    }

    private boolean isWithOkHttp(Call attempt) {
        return isAnswered
                || factory.dispatcher().queuedCalls().contains(attempt)
                || factory.dispatcher().runningCalls().contains(attempt);
    }

    @Override
    public void onResponse(Call attempt, Response response) throws IOException {
        isAnswered = true;
        if (journey.isToBeRepeated()) {
            response.close();
            repeat();
            return;
        }
        try {
            callback.onResponse(call, response);
        } finally {
            end();
        }
    }

    @Override
    public void onFailure(Call attempt, IOException failure) {
        isAnswered = true;
        if (journey.isToBeRepeated()) {
            repeat();
        } else if (Thread.currentThread().equals(handingOver)) {
            factory.slots().release(host());
            deliver(failure);
        } else {
            try {
                callback.onFailure(call, failure);
            } finally {
                end();
            }
        }
    }

    private void repeat() {
        isAnswered = false;
        call.renew();
        factory.parked(1);
        factory.slots().release(host());
        ask();
    }

    private void end() {
        journey.release();
        factory.ended(call);
        factory.slots().release(host());
    }
}
