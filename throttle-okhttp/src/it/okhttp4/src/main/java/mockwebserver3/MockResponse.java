package mockwebserver3;

import java.util.concurrent.TimeUnit;
import okhttp3.Headers;
import okhttp3.WebSocketListener;
import okhttp3.mockwebserver.SocketPolicy;
import okio.Buffer;

/** See {@link MockWebServer}. */
public final class MockResponse {

    final okhttp3.mockwebserver.MockResponse response;

    private MockResponse(okhttp3.mockwebserver.MockResponse response) {
        this.response = response;
    }

    public Builder newBuilder() {
        return new Builder(response.clone());
    }

    public static final class Builder {

        private final okhttp3.mockwebserver.MockResponse response;

        public Builder() {
            this(new okhttp3.mockwebserver.MockResponse());
        }

        private Builder(okhttp3.mockwebserver.MockResponse response) {
            this.response = response;
        }

        public Builder code(int code) {
            response.setResponseCode(code);
            return this;
        }

        public Builder addHeader(String name, Object value) {
            response.addHeader(name, value);
            return this;
        }

        public Builder addHeaderLenient(String name, Object value) {
            response.addHeaderLenient(name, value);
            return this;
        }

        public Builder setHeader(String name, Object value) {
            response.setHeader(name, value);
            return this;
        }

        public Builder body(String body) {
            response.setBody(body);
            return this;
        }

        public Builder body(Buffer body) {
            response.setBody(body);
            return this;
        }

        public Builder body(MockResponseBody body) {
            throw new UnsupportedOperationException("OkHttp 4's server writes no such body over HTTP/1");
        }

        public Builder chunkedBody(String body, int maxChunkSize) {
            response.setChunkedBody(body, maxChunkSize);
            return this;
        }

        public Builder trailers(Headers trailers) {
            response.setTrailers(trailers);
            return this;
        }

        public Builder headersDelay(long delay, TimeUnit unit) {
            response.setHeadersDelay(delay, unit);
            return this;
        }

        public Builder throttleBody(long bytesPerPeriod, long period, TimeUnit unit) {
            response.throttleBody(bytesPerPeriod, period, unit);
            return this;
        }

        public Builder webSocketUpgrade(WebSocketListener listener) {
            response.withWebSocketUpgrade(listener);
            return this;
        }

        public Builder doNotReadRequestBody() {
            response.setSocketPolicy(SocketPolicy.DO_NOT_READ_REQUEST_BODY);
            return this;
        }

        public Builder onResponseStart(SocketEffect effect) {
            if (effect instanceof SocketEffect.CloseStream stream) {
                response.setSocketPolicy(SocketPolicy.RESET_STREAM_AT_START);
                response.setHttp2ErrorCode(stream.http2ErrorCode());
            } else {
                response.setSocketPolicy(SocketPolicy.DISCONNECT_AFTER_REQUEST);
            }
            return this;
        }

        public Builder onResponseBody(SocketEffect effect) {
            if (effect instanceof SocketEffect.Stall) {
                response.throttleBody(5, 1, TimeUnit.HOURS);
            } else {
                response.setSocketPolicy(SocketPolicy.DISCONNECT_DURING_RESPONSE_BODY);
            }
            return this;
        }

        public MockResponse build() {
            return new MockResponse(response.clone());
        }
    }
}
