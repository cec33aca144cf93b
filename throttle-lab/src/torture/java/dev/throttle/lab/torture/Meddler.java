package dev.throttle.lab.torture;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Cancels or interrupts a call from outside, once at most, and never after it has ended. */
final class Meddler {

    private final Thread caller = Thread.currentThread();
    private final Runnable cancel;
    private boolean isOver;
    private boolean hasInterrupted;

    Meddler(Runnable cancel) {
        this.cancel = cancel;
    }

    /** Sees to what the plan says about a time. */
    void arm(CallPlan plan, ScheduledExecutorService timer) {
        Runnable deed = switch (plan.meddling()) {
            case CANCEL_BEFORE, CANCEL -> cancel;
            case INTERRUPT -> this::interrupt;
            default -> null;
        };
        if (plan.meddling() == CallPlan.Meddling.CANCEL_BEFORE) {
            cancel.run();
        } else if (deed != null) {
            Future<?> scheduled = timer.schedule(deed, plan.meddlingMicros(), TimeUnit.MICROSECONDS);
            assert !scheduled.isCancelled();
        }
    }

    private synchronized void interrupt() {
        if (!isOver) {
            hasInterrupted = true;
            caller.interrupt();
        }
    }

    /** {@return whether the caller was interrupted, which it is no more from now on} */
    synchronized boolean end() {
        isOver = true;
        return hasInterrupted;
    }
}
