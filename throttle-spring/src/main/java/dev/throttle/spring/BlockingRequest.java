package dev.throttle.spring;

import dev.throttle.client.Attempt;
import dev.throttle.client.BlockingExchange;
import dev.throttle.client.BodyAhead;
import dev.throttle.client.BodyCosts;
import dev.throttle.client.FailureKind;
import dev.throttle.signal.ResponseHead;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpRequest;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpResponse;

/** A request of a {@code RestClient}, as the loop sends it. */
final class BlockingRequest implements BlockingExchange<ClientHttpResponse> {

    private static final long PEEK_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Makes the request of each attempt. */
    private final Supplier<HttpRequest> requests;

    private final byte[] body;
    private final ClientHttpRequestExecution execution;
    /** Of the last response. */
    private @Nullable SpringHead head;

    BlockingRequest(Supplier<HttpRequest> requests, byte[] body, ClientHttpRequestExecution execution) {
        this.requests = requests;
        this.body = body;
        this.execution = execution;
    }

    @Override
    public ClientHttpResponse send(Attempt attempt) throws IOException {
        HttpRequest request = requests.get(); // user code: what it throws, it throws before anything has begun
        attempt.begin();
        ClientHttpResponse response = execution.execute(request, body);
        try {
            // With some libraries the exchange takes place here.
            head = new SpringHead(response.getStatusCode().value(), request.getURI(), response.getHeaders());
            return response;
        } catch (Throwable failure) {
            response.close();
            throw failure;
        }
    }

    @Override
    public ResponseHead head(ClientHttpResponse response) {
        return lastHead();
    }

    private SpringHead lastHead() {
        return Objects.requireNonNull(head, "head of the response");
    }

    @Override
    public FailureKind kindOf(Throwable failure) {
        return SpringFailures.of(failure);
    }

    /** An attempt that ends while its thread is interrupted is the last one. */
    @Override
    public boolean isCancelled() {
        return Thread.currentThread().isInterrupted();
    }

    @Override
    public Throwable unsent(Throwable failure) {
        return failure instanceof InterruptedException e ? interrupted(e) : failure;
    }

    static IOException interrupted(InterruptedException cause) {
        Thread.currentThread().interrupt();
        InterruptedIOException interrupted = new InterruptedIOException("interrupted while waiting for the throttle");
        interrupted.initCause(cause);
        return interrupted;
    }

    @Override
    public Peeked<ClientHttpResponse> peek(ClientHttpResponse response) throws IOException {
        try {
            BodyAhead ahead = BodyAhead.begin(response.getBody(), () -> {});
            ReadResponse whole = new ReadResponse(response, ahead, () -> close(response, ahead));
            return new Peeked<>(whole, ahead.await(PEEK_NANOS));
        } catch (Throwable failure) {
            response.close();
            throw failure;
        }
    }

    private static void close(ClientHttpResponse response, BodyAhead ahead) {
        try {
            ahead.close(response);
        } catch (IOException e) {
            throw new IllegalStateException("closing a response throws no IOException", e);
        }
    }

    @Override
    public void discard(ClientHttpResponse response) {
        response.close();
    }

    /** The body is listened to on its way, also if the caller does not read to its end. */
    @Override
    public ClientHttpResponse deliver(ClientHttpResponse response, Attempt attempt) {
        SpringHead answer = lastHead();
        BodyCosts costs = attempt.costs(answer, answer.uri().getRawPath());
        if (costs == null) {
            return response;
        }
        try {
            BodyTee tee = new BodyTee(response.getBody(), costs);
            return new ReadResponse(response, tee, () -> {
                costs.end();
                response.close();
            });
        } catch (IOException e) {
            return response; // whose body the caller cannot have either
        }
    }
}
