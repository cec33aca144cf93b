package dev.throttle.okhttp;

import dev.throttle.signal.BodyClassifier;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import okhttp3.Connection;
import okhttp3.MediaType;
import okhttp3.Protocol;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Okio;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the beginning of a body, for as long as a second, and leaves the body as it was: what the caller reads, and
 * what it meets while reading, is what it would have met without the look.
 */
final class BodyPeek {

    private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Response original;
    private final @Nullable Connection connection;
    private @Nullable ReadAhead ahead;

    /**
     * For a response.
     *
     * @param connection what it came over; null if that is not known
     */
    BodyPeek(Response original, @Nullable Connection connection) {
        this.original = original;
        this.connection = connection;
    }

    static boolean isWanted(Config config, ResponseHead head, Signal signal) {
        try {
            return config.bodyClassifier().needsBody(head, signal);
        } catch (Throwable e) {
            config.faults().report(e);
            return false;
        }
    }

    /** {@return what the response says with its body; what its head says if the body cannot be had or tells no more} */
    Signal look(Config config, ResponseHead head, Signal said) {
        try {
            ReadAhead reader = new ReadAhead(original.body().source(), BodyClassifier.MAX_BYTES, this::giveUp);
            ahead = reader;
            reader.start();
            String start = reader.await(MAX_NANOS).string(StandardCharsets.UTF_8);
            Signal told = config.bodyClassifier().classify(head, said, start);
            return told == null ? said : told;
        } catch (Throwable e) {
            config.faults().report(e);
            return said;
        }
    }

    /**
     * Ends a read of a body that nobody wants any more, as OkHttp ends one that does not let itself be skipped. A
     * connection of HTTP/2 has other streams, and so the read goes on until it times out.
     */
    private void giveUp() {
        if (connection != null && connection.protocol().compareTo(Protocol.HTTP_1_1) <= 0) {
            try {
                connection.socket().close();
            } catch (IOException e) {
                // It is of no use to anybody.
            }
        }
    }

    /** {@return the response for the caller} */
    Response response() {
        ReadAhead reader = ahead;
        if (reader == null) {
            return original;
        }
        MediaType type = original.body().contentType();
        long length = original.body().contentLength();
        return original.newBuilder()
                .body(ResponseBody.create(Okio.buffer(reader), type, length))
                .build();
    }
}
