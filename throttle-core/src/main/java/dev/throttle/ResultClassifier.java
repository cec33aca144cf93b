package dev.throttle;

import dev.throttle.signal.Signal;
import java.io.IOException;

/**
 * Tells {@link Throttle#execute} what the results and exceptions of an action say about the server. Implementations are
 * thread-safe.
 *
 * @param <T> the action's result
 */
@FunctionalInterface
public interface ResultClassifier<T> {

    /**
     * {@return the classifier that is used where none is given} It knows the responses and exceptions of common clients
     * by their methods: whatever has a status and headers, such as {@code java.net.http.HttpResponse},
     * {@code okhttp3.Response}, Retrofit's {@code Response} and {@code HttpException}, Spring's {@code ResponseEntity},
     * {@code RestClientResponseException} and {@code WebClientResponseException}, Feign's {@code FeignException}, and
     * the exceptions of the OpenAI and Anthropic SDKs. Of what has none, a result is a success, an {@link IOException}
     * is a fault, and another exception says nothing.
     */
    static ResultClassifier<Object> standard() {
        return result -> {
            Signal known = KnownResponse.signalOf(result);
            return known == null ? Signal.SUCCESS : known;
        };
    }

    /**
     * Reads a result.
     *
     * @param result what the action returned
     * @return how the attempt ended
     */
    Signal onResult(T result);

    /**
     * Reads an exception; by default as {@link #standard()} does.
     *
     * @param failure what the action threw
     * @return how the attempt ended
     */
    default Signal onFailure(Throwable failure) {
        Signal known = KnownResponse.signalOf(failure);
        if (known != null) {
            return known;
        }
        return failure instanceof IOException ? Signal.FAILED : Signal.IGNORED;
    }

    /**
     * Drops a result that the caller does not get, because the action is repeated or the caller has given up. By
     * default an {@link AutoCloseable} result is closed. To keep it open, override this method.
     *
     * @param result what the action returned
     * @throws Exception if it cannot be dropped; that is logged, and has no effect
     */
    default void discard(T result) throws Exception {
        if (result instanceof AutoCloseable closeable) {
            closeable.close();
        }
    }
}
