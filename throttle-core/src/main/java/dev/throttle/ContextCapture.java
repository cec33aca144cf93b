package dev.throttle;

import dev.throttle.internal.Preconditions;
import java.util.function.UnaryOperator;

/**
 * Carries the context of a caller's thread, such as its trace, its logging context or its user, to the threads that
 * make the attempts of its call. Set it with {@link Throttle.Builder#context}. For OpenTelemetry:
 *
 * <pre>{@code
 * ThrottleRegistry throttles = ThrottleRegistry.builder()
 *         .context(() -> Context.current()::wrap)
 *         .build();
 * }</pre>
 *
 * <p>It is called on the thread of the caller when a call arrives. It returns a function that wraps tasks: a wrapped
 * task sets the context, runs, and then restores the context of the thread that runs it. If the capture or the wrapper
 * throws, the exception is logged once and ignored, and the task still runs exactly once. Implementations must be
 * thread-safe.
 */
@FunctionalInterface
public interface ContextCapture {

    /** {@return a function that wraps tasks so that they run in the context of the thread that calls this method} */
    UnaryOperator<Runnable> capture();

    /**
     * {@return a capture of both contexts, with this one outermost}
     *
     * @param inner the other capture
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
