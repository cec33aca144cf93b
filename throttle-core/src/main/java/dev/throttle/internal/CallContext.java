package dev.throttle.internal;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The context of a call's caller, in which everything runs that the user wrote. Whatever the user's wrapper does, a
 * task runs once and before the method returns. Thread-safe.
 */
public final class CallContext {

    /**
     * A task that may throw two kinds of exceptions.
     *
     * @param <T> what it returns
     * @param <E> what it throws
     * @param <F> what it throws too
     */
    public interface Task<T, E extends Exception, F extends Exception> {

        /**
         * Runs.
         *
         * @return what it returns
         * @throws E what it throws
         * @throws F what it throws too
         */
        T run() throws E, F;
    }

    private static final Faults FAULTS = new Faults("the context of a throttled call");

    private final UnaryOperator<Runnable> wrapper;

    private CallContext(UnaryOperator<Runnable> wrapper) {
        this.wrapper = wrapper;
    }

    /**
     * {@return the context of this thread; null if it cannot be captured}
     *
     * @param capture captures it
     */
    public static @Nullable CallContext capture(Supplier<UnaryOperator<Runnable>> capture) {
        try {
            return new CallContext(Preconditions.required("context", capture.get()));
        } catch (Throwable e) {
            FAULTS.report(e);
            return null;
        }
    }

    /**
     * Runs a task in a context.
     *
     * @param context the context; null for that of this thread
     * @param task the task
     */
    public static void run(@Nullable CallContext context, Runnable task) {
        if (context == null) {
            task.run();
        } else {
            context.<Boolean, RuntimeException, RuntimeException>call(() -> {
                task.run();
                return true;
            });
        }
    }

    /**
     * Runs a task in a context.
     *
     * @param context the context; null for that of this thread
     * @param task the task
     * @param <T> what it returns
     * @param <E> what it throws
     * @param <F> what it throws too
     * @return what it returns
     * @throws E what it throws
     * @throws F what it throws too
     */
    public static <T, E extends Exception, F extends Exception> T call(
            @Nullable CallContext context, Task<T, E, F> task) throws E, F {
        return context == null ? task.run() : context.call(task);
    }

    private <T, E extends Exception, F extends Exception> T call(Task<T, E, F> task) throws E, F {
        Once<T, E, F> once = new Once<>(task);
        try {
            wrapper.apply(once).run();
        } catch (Throwable e) {
            FAULTS.report(e); // not the task's, which throws nothing
        }
        once.run();
        return once.result();
    }

    /** A task that cannot be run twice, nor be mistaken for what surrounds it. */
    private static final class Once<T, E extends Exception, F extends Exception> implements Runnable {

        private final Task<T, E, F> task;
        private final AtomicBoolean hasRun = new AtomicBoolean();
        private final Thread thread = Thread.currentThread();
        private @Nullable T value;
        private @Nullable Throwable failure;

        Once(Task<T, E, F> task) {
            this.task = task;
        }

        /** A wrapper that runs it on another thread loses it: it runs on this one, for this one. */
        @Override
        public void run() {
            if (!Thread.currentThread().equals(thread) || !hasRun.compareAndSet(false, true)) {
                return;
            }
            try {
                value = task.run();
            } catch (Throwable e) {
                failure = e;
            }
        }

        @SuppressWarnings({"unchecked", "NullAway"}) // a task throws nothing else; its own null, if its type allows one
        T result() throws E, F {
            if (failure instanceof Error error) {
                throw error;
            } else if (failure instanceof RuntimeException exception) {
                throw exception;
            } else if (failure != null) {
                throw (E) failure;
            }
            return value;
        }
    }
}
