package dev.throttle.spring;

import java.io.IOException;
import java.io.InputStream;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.ClientHttpResponse;

/**
 * A response whose body is looked at.
 *
 * @param original the response
 * @param stream its body on the way to the caller
 * @param closing closes the original one, at the right time
 */
record ReadResponse(ClientHttpResponse original, InputStream stream, Runnable closing) implements ClientHttpResponse {

    @Override
    public HttpStatusCode getStatusCode() throws IOException {
        return original.getStatusCode();
    }

    @Override
    public String getStatusText() throws IOException {
        return original.getStatusText();
    }

    @Override
    public HttpHeaders getHeaders() {
        return original.getHeaders();
    }

    @Override
    public InputStream getBody() {
        return stream;
    }

    @Override
    public void close() {
        closing.run();
    }
}
