package dev.throttle.micrometer;

import dev.throttle.ContextCapture;
import dev.throttle.internal.Preconditions;
import io.micrometer.context.ContextSnapshotFactory;

/**
 * Captures the context of callers with {@code io.micrometer:context-propagation}, for
 * {@link dev.throttle.Throttle.Builder#context}. The context consists of all thread-locals that are registered with its
 * {@code ContextRegistry}: Micrometer's current observation and, if they are set up, the logging context and the
 * security context.
 *
 * <pre>{@code
 * ThrottleRegistry throttles = ThrottleRegistry.builder().context(PropagatedContext.capture()).build();
 * }</pre>
 */
public final class PropagatedContext {

    private PropagatedContext() {}

    /** {@return a capture of everything that is registered with the global registry} */
    public static ContextCapture capture() {
        return capture(ContextSnapshotFactory.builder().build());
    }

    /**
     * {@return a capture of everything that a factory includes in its snapshots}
     *
     * @param snapshots the factory
     */
    @SuppressWarnings("exports") // Context propagation is optional: callers of this have it
    public static ContextCapture capture(ContextSnapshotFactory snapshots) {
        Preconditions.required("snapshots", snapshots);
        return () -> snapshots.captureAll()::wrap;
    }
}
