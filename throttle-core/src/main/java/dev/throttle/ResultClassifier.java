package dev.throttle;

import dev.throttle.signal.Signal;
import java.io.IOException;

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
     * {@return the default classifier} It recognizes the responses and exceptions of common clients by their methods.
     * It reads every object that has a status and headers, such as {@code java.net.http.HttpResponse},
     * {@code okhttp3.Response}, Retrofit's {@code Response} and {@code HttpException}, Spring's {@code ResponseEntity},
     * {@code RestClientResponseException} and {@code WebClientResponseException}, Feign's {@code FeignException}, and
     * the exceptions of the OpenAI and Anthropic SDKs. Any other result is a success. Any other {@link IOException} is
     * a fault, and the remaining exceptions say nothing.
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
     * Reads an exception. The default does what {@link #standard()} does.
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
