package com.example;

import com.anthropic.core.RequestOptions;
import com.anthropic.core.http.HttpClient;
import com.anthropic.core.http.HttpRequest;
import com.anthropic.core.http.HttpResponse;
import com.anthropic.errors.AnthropicIoException;
import dev.throttle.Throttle;
import java.util.concurrent.CompletableFuture;

/** Lets the requests of Anthropic's SDK go when the throttle says so, and repeats what was refused. */
record ThrottledTransport(HttpClient next, Throttle throttle) implements HttpClient {

    @Override
    public HttpResponse execute(HttpRequest request, RequestOptions options) {
        try {
            return throttle.execute(() -> next.execute(request, options));
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            throw new AnthropicIoException("not sent: " + e.getMessage(), e);
        }
    }

    @Override
    public CompletableFuture<HttpResponse> executeAsync(HttpRequest request, RequestOptions options) {
        return throttle.executeAsync(() -> next.executeAsync(request, options));
    }

    @Override
    public void close() {
        next.close();
    }
}
