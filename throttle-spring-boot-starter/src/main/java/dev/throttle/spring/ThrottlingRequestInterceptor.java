package dev.throttle.spring;

import dev.throttle.ThrottleRegistry;
import dev.throttle.client.Attempt;
import dev.throttle.client.FailureKind;
import dev.throttle.client.KeyedCall;
import dev.throttle.signal.BodyClassifier;
import dev.throttle.signal.Signal;
import dev.throttle.signal.usage.BodyTail;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpRequest;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;

/**
 * Throttles the requests of a {@code RestClient} or {@code RestTemplate} with any HTTP library: it waits before a
 * request is sent, learns from the response, and retries requests that the server refused. It must be the first
 * interceptor; the interceptors behind it run for each attempt. The starter adds it to every client that is made with a
 * builder of Spring Boot. For other clients:
 *
 * <pre>{@code
 * RestClient client = RestClient.builder()
 *         .requestInterceptor(ThrottlingRequestInterceptor.create(ThrottleRegistry.create()))
 *         .build();
 * }</pre>
 *
 * <p>The calling thread waits. The wait ends with an {@link InterruptedIOException} if the thread is interrupted. If
 * the wait would be too long, the request fails with a {@link dev.throttle.ThrottleRejectedException}, an
 * {@link IOException}; Spring's clients wrap it in a {@code ResourceAccessException}. A refused response is closed
 * before the request is retried. If it is not retried, the response is returned unchanged. A request that passes two
 * interceptors with the same registry is throttled by the first. Thread-safe.
 */
public final class ThrottlingRequestInterceptor implements ClientHttpRequestInterceptor {

    private static final long PEEK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final SpringCalls calls;

    ThrottlingRequestInterceptor(SpringCalls calls) {
        this.calls = calls;
    }

    /**
     * {@return an interceptor with the defaults}
     *
     * @param throttles the throttles, one for each origin
     */
    public static ThrottlingRequestInterceptor create(ThrottleRegistry throttles) {
        return new ThrottlingRequestInterceptor(SpringCalls.of(throttles));
    }

    @Override
    public ClientHttpResponse intercept(HttpRequest request, byte[] body, ClientHttpRequestExecution execution)
            throws IOException {
        KeyedCall call = calls.begin(request, body);
        if (call == null) {
            return execution.execute(request, body);
        }
        Map<String, Object> attributes = request.getAttributes();
        Object outer = attributes.put(SpringCalls.PASSES, calls.throttles());
        try {
            ClientHttpResponse response = null;
            while (response == null) {
                acquire(call);
                response = attempt(call, request, body, execution);
            }
            return response;
        } finally {
            if (outer == null) {
                attributes.remove(SpringCalls.PASSES);
            } else {
                attributes.put(SpringCalls.PASSES, outer);
            }
            call.attempt().abandon();
            call.release();
        }
    }

    private static void acquire(KeyedCall call) throws IOException {
        try {
            call.acquire();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException interrupted =
                    new InterruptedIOException("interrupted while waiting for the throttle");
            interrupted.initCause(e);
            throw interrupted;
        }
    }

    /** {@return the response for the caller; null if there is to be another attempt} */
    private @Nullable ClientHttpResponse attempt(
            KeyedCall call, HttpRequest request, byte[] body, ClientHttpRequestExecution execution) throws IOException {
        Attempt attempt = call.beginAttempt();
        Attempt.Hop hop = Objects.requireNonNull(attempt.beginHop(call.key()));
        ClientHttpResponse response = null;
        SpringHead head;
        try {
            response = execution.execute(request, body);
            // With some libraries the exchange takes place here.
            head = new SpringHead(response.getStatusCode().value(), request.getURI(), response.getHeaders());
        } catch (Throwable failure) {
            if (response != null) {
                response.close();
            }
            FailureKind kind = SpringFailures.of(failure);
            hop.fail(kind, failure);
            if (attempt.end(failure)) {
                return null;
            }
            throw failure;
        }
        try {
            Signal said = hop.read(head);
            if (calls.needsBody(head, said)) {
                hop.endWithBody(head, said);
                BodyAhead ahead = BodyAhead.begin(response, BodyClassifier.MAX_BYTES);
                response = new ReadResponse(response, ahead, ahead::closeResponse);
                hop.end(head, calls.classify(head, said, ahead.await(PEEK_NANOS)));
            } else {
                hop.end(head, said);
            }
            if (attempt.end(head.status())) {
                response.close(); // before the wait, so that its connection is free for others
                return null;
            }
            BodyTail tail = SpringCosts.tailOf(call, head, said);
            return tail == null ? response : listen(response, call, tail);
        } catch (Throwable failure) {
            response.close();
            throw failure;
        }
    }

    /** {@return the response, whose body is looked at on its way, also if the caller does not read to its end} */
    private static ClientHttpResponse listen(ClientHttpResponse response, KeyedCall call, BodyTail tail)
            throws IOException {
        BodyTee tee = new BodyTee(response.getBody(), call, tail);
        return new ReadResponse(response, tee, () -> {
            tee.report();
            response.close();
        });
    }

    @Override
    public String toString() {
        return "ThrottlingRequestInterceptor[" + calls.throttles().name() + "]";
    }
}
