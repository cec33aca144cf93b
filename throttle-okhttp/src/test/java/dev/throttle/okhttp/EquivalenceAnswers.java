package dev.throttle.okhttp;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import mockwebserver3.MockResponse;
import okhttp3.MediaType;
import okhttp3.RequestBody;
import okio.BufferedSink;

/** What servers answer in the rows of the equivalence, and what they are sent. */
final class EquivalenceAnswers {

    private static final MediaType TEXT = MediaType.get("text/plain");
    private static final int LONG_MILLIS = 20_000;

    private EquivalenceAnswers() {}

    static MockResponse.Builder empty(int status) {
        return new MockResponse.Builder().code(status);
    }

    static MockResponse response(int status, String body) {
        return new MockResponse.Builder().code(status).body(body).build();
    }

    static MockResponse redirect(int status, String location) {
        return empty(status).addHeader("Location", location).build();
    }

    static MockResponse late() {
        return empty(200).headersDelay(LONG_MILLIS, TimeUnit.MILLISECONDS).build();
    }

    /** A body of unknown length; one without content fails when it is written. */
    static RequestBody body(boolean isOneShot, String content) {
        return new RequestBody() {
            @Override
            public MediaType contentType() {
                return TEXT;
            }

            @Override
            public boolean isOneShot() {
                return isOneShot;
            }

            @Override
            public void writeTo(BufferedSink sink) throws IOException {
                if (content == null) {
                    throw new IOException("nothing to send");
                }
                sink.writeUtf8(content);
            }
        };
    }
}
