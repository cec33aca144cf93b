package dev.throttle.jdkhttp;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.util.concurrent.ExecutionException;

/** The two ways to send, so that a test covers both. */
enum Mode {
    SYNC {
        @Override
        <T> HttpResponse<T> send(HttpClient client, HttpRequest request, BodyHandler<T> handler)
                throws IOException, InterruptedException {
            return client.send(request, handler);
        }
    },
    ASYNC {
        @Override
        <T> HttpResponse<T> send(HttpClient client, HttpRequest request, BodyHandler<T> handler)
                throws IOException, InterruptedException {
            try {
                return client.sendAsync(request, handler).get();
            } catch (ExecutionException e) {
                if (e.getCause() instanceof IOException io) {
                    throw io;
                } else if (e.getCause() instanceof RuntimeException runtime) {
                    throw runtime;
                }
                throw new IllegalStateException(e.getCause());
            }
        }
    };

    abstract <T> HttpResponse<T> send(HttpClient client, HttpRequest request, BodyHandler<T> handler)
            throws IOException, InterruptedException;
}
