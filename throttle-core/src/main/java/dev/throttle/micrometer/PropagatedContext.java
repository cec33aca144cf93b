package dev.throttle.micrometer;

import dev.throttle.ContextCapture;
import dev.throttle.internal.Preconditions;
import io.micrometer.context.ContextSnapshotFactory;

/**
 * The context of callers as {@code io.micrometer:context-propagation} keeps it: all thread-locals that were made known
 * to its {@code ContextRegistry}, among them Micrometer's current observation and, where they are set up, the logging
 * context and the security context. For {@link dev.throttle.ThrottleSettings#context}.
 */
public final class PropagatedContext {

    private PropagatedContext() {}

    /** {@return a capture of everything that the global registry knows of} */
    public static ContextCapture capture() {
        return capture(ContextSnapshotFactory.builder().build());
    }

    /**
     * {@return a capture of what a factory takes into its snapshots}
     *
     * @param snapshots the factory
     */
    @SuppressWarnings("exports") // Context propagation is optional: who calls this has it
    public static ContextCapture capture(ContextSnapshotFactory snapshots) {
        Preconditions.required("snapshots", snapshots);
        return () -> snapshots.captureAll()::wrap;
    }
}
