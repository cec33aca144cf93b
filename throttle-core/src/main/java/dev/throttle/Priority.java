package dev.throttle;

/**
 * The priority of a call among those that wait for the same throttle. Classes share the throttle by the weights of the
 * {@link PriorityPolicy}. Within a class, callers are served in the order of their arrival.
 *
 * <pre>{@code
 * github.execute(CallOptions.DEFAULT.priority(Priority.BATCH), () -> send(request));
 * }</pre>
 */
public enum Priority {
    /** A person is waiting for the answer. */
    INTERACTIVE,
    /** The default. */
    NORMAL,
    /** Work that is not urgent, such as an import or a nightly report. */
    BATCH
}
