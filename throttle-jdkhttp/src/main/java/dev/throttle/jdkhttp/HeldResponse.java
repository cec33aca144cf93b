package dev.throttle.jdkhttp;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Optional;
import javax.net.ssl.SSLSession;

/**
 * A response that was delivered before its body.
 *
 * @param original the response of the wrapped client, without a body
 * @param body the body
 */
record HeldResponse<T>(HttpResponse<T> original, T body) implements HttpResponse<T> {

    @Override
    public int statusCode() {
        return original.statusCode();
    }

    @Override
    public HttpRequest request() {
        return original.request();
    }

    @Override
    public Optional<HttpResponse<T>> previousResponse() {
        return original.previousResponse();
    }

    @Override
    public HttpHeaders headers() {
        return original.headers();
    }

    @Override
    public Optional<SSLSession> sslSession() {
        return original.sslSession();
    }

    @Override
    public URI uri() {
        return original.uri();
    }

    @Override
    public HttpClient.Version version() {
        return original.version();
    }

    @Override
    public String toString() {
        return original.toString();
    }
}
