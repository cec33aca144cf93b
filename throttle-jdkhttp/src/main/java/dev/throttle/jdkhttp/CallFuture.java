package dev.throttle.jdkhttp;

import dev.throttle.internal.Fields;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.http.HttpResponse;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * The future that the caller of an asynchronous call holds. It is no stage derived from a future of the wrapped
 * client's, since such a stage, cancelled, cancels an exchange that may be over, and with it whatever request uses the
 * connection by then.
 *
 * <p>A caller may keep a future for ever. So it leads to its call only until that ends: it keeps neither the request
 * nor the client, and a stage that depends on it does not keep the response.
 */
final class CallFuture<T> extends CompletableFuture<HttpResponse<T>> {

    private static final VarHandle CLAIMED =
            Fields.handle(MethodHandles.lookup(), CallFuture.class, "claimed", boolean.class);

    /** What a caller can do to a call by its future. */
    interface Running {

        /** Ends the wait under way, or the exchange if that is wanted too; nothing is sent any more. */
        void stop(boolean cancelExchange);

        /** Ends the call, and fails its future if that has not ended. */
        void abort(Throwable failure);
    }

    /** Leads to the call while it runs, for the future and all stages that depend on it. */
    private static final class Link {
        private volatile @Nullable Running call;

        void stop(boolean cancelExchange) {
            Running running = call;
            if (running != null) {
                running.stop(cancelExchange);
            }
        }
    }

    private final Link link = new Link();

    /** Set by the first of the two that can end this future: the call itself, or the caller. */
    private volatile boolean claimed;

    CallFuture(Running call) {
        link.call = call;
    }

    /** The call has ended, and is no longer needed. */
    void forgetCall() {
        link.call = null;
    }

    /** {@return whether the future is now the caller's of this method to end} */
    boolean claim() {
        return CLAIMED.compareAndSet(this, false, true);
    }

    /** {@return whether the future has ended, or is about to} */
    boolean isOver() {
        return claimed || isDone();
    }

    /** Ends a future that was claimed; what depends on it runs here. */
    void deliver(HttpResponse<T> response) {
        if (!super.complete(response)) {
            Bodies.abandon(response); // it was cancelled after all, between the claim and this
        }
    }

    /** Ends a future that was claimed; what depends on it runs here. */
    void deliverFailure(Throwable thrown) {
        super.completeExceptionally(thrown);
    }

    /** As in the JDK, only true reaches a request on the wire; but no other follows in any case. */
    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        if (claim() || (mayInterruptIfRunning && isCancelled())) {
            link.stop(mayInterruptIfRunning);
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

    private void stopIfFirst() {
        if (claim()) {
            link.stop(false);
        }
    }

    /** As in the JDK. */
    @Override
    public void obtrudeValue(HttpResponse<T> value) {
        throw new UnsupportedOperationException();
    }

    /** As in the JDK. */
    @Override
    public void obtrudeException(Throwable thrown) {
        throw new UnsupportedOperationException();
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new Stage<>(link);
    }

    /** A stage that depends on a call. Cancelled, it cancels the call, as with the JDK's own futures. */
    private static final class Stage<U> extends CompletableFuture<U> {

        private final Link link;

        Stage(Link link) {
            this.link = link;
        }

        /** This stage first, or the call would complete it before it is cancelled. */
        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            boolean cancelled = super.cancel(mayInterruptIfRunning);
            Running running = link.call;
            if (cancelled && mayInterruptIfRunning && running != null) {
                running.abort(requestCancelled());
            }
            return cancelled;
        }

        /** {@return what the JDK's client fails a future with when a stage that depends on it is cancelled} */
        private static CompletionException requestCancelled() {
            String message = "Request cancelled";
            CancellationException cancelled = new CancellationException(message);
            cancelled.initCause(new IOException(message));
            return new CompletionException(cancelled);
        }

        @Override
        public void obtrudeValue(U value) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void obtrudeException(Throwable thrown) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <V> CompletableFuture<V> newIncompleteFuture() {
            return new Stage<>(link);
        }
    }
}
