package dev.throttle.okhttp;

import java.io.IOException;
import okhttp3.MediaType;
import okhttp3.RequestBody;
import okio.BufferedSink;

/** What servers are sent in the rows of the equivalence. */
final class EquivalenceRequestBodies {

    private static final MediaType TEXT = MediaType.get("text/plain");

    private EquivalenceRequestBodies() {}

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
