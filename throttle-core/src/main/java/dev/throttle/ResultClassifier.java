package dev.throttle;

import dev.throttle.signal.Signal;
import java.io.IOException;

/**
 * Tells what the results and exceptions of an action say about the server, for actions that are no HTTP calls of a
 * supported client. Implementations are thread-safe.
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
     * Reads an exception; by default an {@link IOException} is a fault, and everything else says nothing.
     *
     * @param failure what the action threw
     * @return how the attempt ended
     */
    default Signal onFailure(Throwable failure) {
        return failure instanceof IOException ? Signal.FAILED : Signal.IGNORED;
    }
}
