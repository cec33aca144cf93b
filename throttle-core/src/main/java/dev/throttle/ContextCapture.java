package dev.throttle;

import dev.throttle.internal.Preconditions;
import java.util.function.UnaryOperator;

/**
 * Keeps what a caller's thread knows, such as its trace, its logging context or its user, for the attempts of its call,
 * whichever threads make them. Set by {@link ThrottleSettings#context}.
 *
 * <p>It is asked on the thread of the caller, when a call arrives. What it returns wraps tasks, on whatever thread they
 * are to run: it puts the context in place before the task, and the thread's own back after it. For OpenTelemetry that
 * is {@code () -> Context.current()::wrap}. What it or a wrapped task's surroundings throw is logged once and passed
 * over: the task runs in any case, and once. Thread-safe.
 */
@FunctionalInterface
public interface ContextCapture {

    /** {@return wraps tasks so that they run in the context of the thread that calls this method} */
    UnaryOperator<Runnable> capture();

    /**
     * {@return both contexts, this one outside}
     *
     * @param inner the other one
     */
    default ContextCapture and(ContextCapture inner) {
        Preconditions.required("inner", inner);
        return () -> {
            UnaryOperator<Runnable> outside = capture();
            UnaryOperator<Runnable> inside = inner.capture();
            return task -> outside.apply(inside.apply(task));
        };
    }
}
