package dev.throttle.engine;

import dev.throttle.ThrottleRejectedException;
import dev.throttle.engine.Waiter.Place;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The permit that an asynchronous caller waits for. Either the engine ends the wait, or other code completes the
 * future. The one that claims the waiter first makes sure that the permit is not lost.
 */
final class PendingPermit<P> extends CompletableFuture<P> implements Waiter.Settlement {

    /** What stands behind the future. */
    interface Source<P> {

        void execute(Runnable task);

        /** Executes on a thread of the library that runs nothing else. */
        void executeAside(Runnable task);

        /** {@return the permit of a caller that was let go} */
        P settle(Waiter waiter) throws ThrottleRejectedException;

        /** Gives back a permit that no caller takes. */
        void release(P permit);

        /** Takes a caller out of the queue; {@return false if it has left already} */
        boolean withdraw(Waiter waiter);

        /** The caller does not want what it waited for any more. */
        void giveBack(Waiter waiter);
    }

    private final Source<P> call;
    private volatile @Nullable Waiter waiter;

    PendingPermit(Source<P> call) {
        this.call = call;
    }

    void waitsAt(Waiter place) {
        waiter = place;
    }

    /** Completes on the throttle's executor. */
    @Override
    public void settled(Waiter settled) {
        try {
            call.execute(() -> tell(settled));
        } catch (Throwable e) {
            // Not on this thread, which may be the timer's: what depends on the future is the user's code.
            failElsewhere(settled, e);
        }
    }

    private void failElsewhere(Waiter settled, Throwable cause) {
        try {
            call.executeAside(() -> fail(settled, cause));
        } catch (Throwable noThread) {
            fail(settled, cause); // here after all: a permit that is never ended would be lost
        }
    }

    private void tell(Waiter settled) {
        if (!settled.claim()) {
            return;
        }
        P permit;
        try {
            permit = call.settle(settled);
        } catch (Throwable e) {
            super.completeExceptionally(e);
            return;
        }
        if (!super.complete(permit)) {
            call.release(permit);
        }
    }

    /** The executor refused to tell the caller. */
    private void fail(Waiter settled, Throwable cause) {
        if (settled.place == Place.REJECTED) {
            tell(settled);
        } else if (settled.claim()) {
            try {
                call.giveBack(settled);
            } finally {
                super.completeExceptionally(cause);
            }
        }
    }

    @Override
    public void giveUp() {
        cancel(false);
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        return leaveIf(super.cancel(mayInterruptIfRunning));
    }

    @Override
    public boolean complete(P value) {
        return leaveIf(super.complete(value));
    }

    @Override
    public boolean completeExceptionally(Throwable cause) {
        return leaveIf(super.completeExceptionally(cause));
    }

    /** Other code than the engine ended the wait. */
    private boolean leaveIf(boolean ended) {
        Waiter place = waiter;
        if (ended && place != null && !call.withdraw(place) && place.claim()) {
            call.giveBack(place);
        }
        return ended;
    }
}
