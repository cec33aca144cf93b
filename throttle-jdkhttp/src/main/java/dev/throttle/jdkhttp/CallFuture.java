package dev.throttle.jdkhttp;

import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The future that the caller of an asynchronous call holds. It is no stage derived from a future of the wrapped
 * client's, since such a stage, cancelled, cancels an exchange that may be over, and whoever uses its connection now.
 */
abstract class CallFuture<T> extends CompletableFuture<HttpResponse<T>> {

    /** Taken by whoever ends this future first: the call itself, or someone from outside. */
    private final AtomicBoolean claimed = new AtomicBoolean();

    /** Ends the wait under way, or the exchange if that is wanted too; nothing is sent any more. */
    abstract void stop(boolean cancelExchange);

    /** {@return whether the future is now the caller's of this method to end} */
    final boolean claim() {
        return claimed.compareAndSet(false, true);
    }

    /** {@return whether someone has ended the future, or is about to} */
    final boolean isOver() {
        return claimed.get() || isDone();
    }

    /** Ends a future that was claimed; what depends on it runs here. */
    final void deliver(HttpResponse<T> response) {
        if (!super.complete(response)) {
            Bodies.abandon(response); // it was cancelled after all, between the claim and this
        }
    }

    /** Ends a future that was claimed; what depends on it runs here. */
    final void deliverFailure(Throwable thrown) {
        super.completeExceptionally(thrown);
    }

    /** As in the JDK, only true reaches a request on the wire; but no other follows in any case. */
    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        if (claim() || (mayInterruptIfRunning && isCancelled())) {
            stop(mayInterruptIfRunning);
        }
        return super.cancel(mayInterruptIfRunning);
    }

    @Override
    public boolean complete(HttpResponse<T> value) {
        stopIfFirst();
        return super.complete(value);
    }

    @Override
    public boolean completeExceptionally(Throwable thrown) {
        stopIfFirst();
        return super.completeExceptionally(thrown);
    }

    @Override
    public void obtrudeValue(HttpResponse<T> value) {
        stopIfFirst();
        super.obtrudeValue(value);
    }

    @Override
    public void obtrudeException(Throwable thrown) {
        stopIfFirst();
        super.obtrudeException(thrown);
    }

    private void stopIfFirst() {
        if (claim()) {
            stop(false);
        }
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new Stage<>(this);
    }

    /** What depends on a call cancels it when it is cancelled itself, as with the JDK's own futures. */
    private static final class Stage<U> extends CompletableFuture<U> {

        private final CallFuture<?> call;

        Stage(CallFuture<?> call) {
            this.call = call;
        }

        /** This stage first, or the call would complete it before it is cancelled. */
        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            boolean cancelled = super.cancel(mayInterruptIfRunning);
            if (cancelled && mayInterruptIfRunning) {
                call.cancel(true);
            }
            return cancelled;
        }

        @Override
        public <V> CompletableFuture<V> newIncompleteFuture() {
            return new Stage<>(call);
        }
    }
}
