package dev.throttle.jdkhttp;

import dev.throttle.CallOptions;
import dev.throttle.client.CallStarter;
import dev.throttle.signal.usage.RequestEstimate;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** What requests of the JDK's client tell. */
final class JdkRequests implements CallStarter.Requests<HttpRequest> {

    private static final long UNKNOWN = -1;

    /**
     * Publishers of what is in memory. Any other may open a file, take from a stream, or be the user's: it is
     * subscribed to by the wrapped client only.
     */
    private static final Set<Class<?>> IN_MEMORY = Set.copyOf(List.of(
            BodyPublishers.ofByteArray(new byte[1]).getClass(),
            BodyPublishers.ofString("a").getClass()));

    @Override
    public String method(HttpRequest request) {
        return request.method();
    }

    /**
     * What has a length is taken to be held somewhere. What has none may be a stream that is empty the second time, and
     * only the caller can know better.
     */
    @Override
    public boolean isReplayable(HttpRequest request, CallOptions options) {
        Optional<BodyPublisher> body = request.bodyPublisher();
        return body.isEmpty() || Boolean.TRUE.equals(options.replayable()) || lengthOf(body.get()) >= 0;
    }

    static boolean hasBody(HttpRequest request) {
        Optional<BodyPublisher> body = request.bodyPublisher();
        return body.isPresent() && lengthOf(body.get()) != 0;
    }

    private static long lengthOf(BodyPublisher body) {
        try {
            return body.contentLength();
        } catch (RuntimeException e) {
            return UNKNOWN; // the wrapped client will ask too, and fail the call its own way
        }
    }

    @Override
    public URI uri(HttpRequest request) {
        return request.uri();
    }

    @Override
    public @Nullable String path(HttpRequest request) {
        return request.uri().getRawPath();
    }

    @Override
    public @Nullable RequestEstimate estimate(HttpRequest request) {
        BodyPublisher body = request.bodyPublisher().orElse(null);
        String type = request.headers().firstValue("Content-Type").orElse(null);
        if (body == null
                || !IN_MEMORY.contains(body.getClass())
                || !RequestEstimate.isJson(type)
                || request.headers().firstValue("Content-Encoding").isPresent()) {
            return null;
        }
        long length = body.contentLength();
        return length > RequestEstimate.MAX_BYTES
                ? RequestEstimate.ofLength(length)
                : RequestEstimate.of(type, bytesOf(body));
    }

    /** Such a publisher delivers all of it before it returns. */
    private static byte[] bytesOf(BodyPublisher body) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        body.subscribe(new Flow.Subscriber<>() {
            @Override
            public void onSubscribe(Flow.Subscription subscription) {
                subscription.request(Long.MAX_VALUE);
            }

            @Override
            public void onNext(ByteBuffer part) {
                byte[] piece = new byte[part.remaining()];
                part.get(piece);
                bytes.writeBytes(piece);
            }

            @Override
            public void onError(Throwable failure) {}

            @Override
            public void onComplete() {}
        });
        return bytes.toByteArray();
    }
}
