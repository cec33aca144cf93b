package dev.throttle.engine;

import dev.throttle.Permit;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.engine.Waiter.Place;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The permit that an asynchronous caller waits for. Either the engine ends the wait, or other code completes the
 * future. The one that claims the waiter first makes sure that the permit is not lost. The call that waits implements
 * the rest.
 */
abstract class PendingPermit extends CompletableFuture<Permit> implements Waiter.Settlement {

    private volatile @Nullable Waiter waiter;

    abstract void execute(Runnable task);

    /** Executes on a thread of the library that runs nothing else. */
    abstract void executeAside(Runnable task);

    /** {@return the permit of a caller that was let go} */
    abstract Permit settle(Waiter settled) throws ThrottleRejectedException;

    /** Takes a caller out of the queue; {@return false if it has left already} */
    abstract boolean withdraw(Waiter place);

    /** The caller does not want what it waited for any more. */
    abstract void giveBack(Waiter place);

    final void waitsAt(Waiter place) {
        waiter = place;
    }

    /** Completes on the throttle's executor. */
    @Override
    public final void settled(Waiter settled) {
        try {
            execute(() -> tell(settled));
        } catch (Throwable e) {
            // Not on this thread, which may be the timer's: what depends on the future is the user's code.
            failElsewhere(settled, e);
        }
    }

    private void failElsewhere(Waiter settled, Throwable cause) {
        try {
            executeAside(() -> fail(settled, cause));
        } catch (Throwable noThread) {
            fail(settled, cause); // here after all: a permit that is never ended would be lost
        }
    }

    private void tell(Waiter settled) {
        if (!settled.claim()) {
            return;
        }
        Permit permit;
        try {
            permit = settle(settled);
        } catch (Throwable e) {
            super.completeExceptionally(e);
            return;
        }
        if (!super.complete(permit)) {
            permit.release();
        }
    }

    /** The executor refused to tell the caller. */
    private void fail(Waiter settled, Throwable cause) {
        if (settled.place == Place.REJECTED) {
            tell(settled);
        } else if (settled.claim()) {
            try {
                giveBack(settled);
            } finally {
                super.completeExceptionally(cause);
            }
        }
    }

    @Override
    public final void giveUp() {
        cancel(false);
    }

    @Override
    public final boolean cancel(boolean mayInterruptIfRunning) {
        return leaveIf(super.cancel(mayInterruptIfRunning));
    }

    @Override
    public final boolean complete(Permit value) {
        return leaveIf(super.complete(value));
    }

    @Override
    public final boolean completeExceptionally(Throwable cause) {
        return leaveIf(super.completeExceptionally(cause));
    }

    /** Other code than the engine ended the wait. */
    private boolean leaveIf(boolean ended) {
        Waiter place = waiter;
        if (ended && place != null && !withdraw(place) && place.claim()) {
            giveBack(place);
        }
        return ended;
    }
}
