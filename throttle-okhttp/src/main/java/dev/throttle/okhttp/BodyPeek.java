package dev.throttle.okhttp;

import dev.throttle.client.BodyAhead;
import java.io.IOException;
import okhttp3.Connection;
import okhttp3.Protocol;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.ForwardingSource;
import okio.Okio;
import okio.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the beginning of a body, and leaves the body as it was: what the caller reads, and what it meets while
 * reading, is what it would have met without the look.
 */
final class BodyPeek {

    private final Response original;
    private final @Nullable Connection connection;
    private final BodyAhead ahead;

    /**
     * For a response.
     *
     * @param connection what it came over; null if that is not known
     */
    BodyPeek(Response original, @Nullable Connection connection) {
        this.original = original;
        this.connection = connection;
        this.ahead = BodyAhead.begin(original.body().source().inputStream(), this::giveUp);
    }

    /** {@return what there is of the beginning after a time, or as soon as there will be no more} */
    byte[] await(long nanos) {
        return ahead.await(nanos);
    }

    /**
     * Ends a read of a body that is not wanted any more, as OkHttp ends one that does not let itself be skipped. A
     * connection of HTTP/2 has other streams, and so the read goes on until it times out.
     */
    private void giveUp() {
        if (connection != null && connection.protocol().compareTo(Protocol.HTTP_1_1) <= 0) {
            try {
                connection.socket().close();
            } catch (IOException e) {
                // It is not used any more.
            }
        }
    }

    /** {@return the response for the caller} */
    Response response() {
        ResponseBody body = original.body();
        Timeout timeout = body.source().timeout();
        ForwardingSource whole = new ForwardingSource(Okio.source(ahead)) {
            @Override
            public Timeout timeout() {
                return timeout; // which the caller may change
            }
        };
        return original.newBuilder()
                .body(ResponseBody.create(Okio.buffer(whole), body.contentType(), body.contentLength()))
                .build();
    }
}
