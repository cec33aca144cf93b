package dev.throttle;

import dev.throttle.client.FailureKind;
import dev.throttle.signal.Signal;

/**
 * Decides what the results and exceptions of an action say about the server, for {@link Throttle#execute}.
 * Implementations must be thread-safe.
 *
 * <pre>{@code
 * ResultClassifier<Reply> classifier = reply -> reply.isBusy() ? Signal.BUSY : Signal.SUCCESS;
 * Reply reply = throttle.execute(CallOptions.DEFAULT, () -> api.ask(question), classifier);
 * }</pre>
 *
 * @param <T> the action's result
 */
@FunctionalInterface
public interface ResultClassifier<T> {

    /**
     * Reads a result.
     *
     * @param result what the action returned
     * @return how the attempt ended
     */
    Signal onResult(T result);

    /**
     * Reads an exception. The default reads exceptions that have a status and headers, takes any other
     * {@link java.io.IOException} for a fault, and learns nothing from the rest.
     *
     * @param failure what the action threw
     * @return how the attempt ended
     */
    default Signal onFailure(Throwable failure) {
        Signal known = KnownResponse.signalOf(failure);
        return known == null ? FailureKind.signalOf(failure) : known;
    }

    /**
     * Discards a result that the caller does not receive, because the action is repeated or the caller has given up.
     * The default closes an {@link AutoCloseable} result. To keep it open, override this method.
     *
     * @param result what the action returned
     * @throws Exception if it cannot be discarded; the exception is logged and ignored
     */
    default void discard(T result) throws Exception {
        if (result instanceof AutoCloseable closeable) {
            closeable.close();
        }
    }
}
