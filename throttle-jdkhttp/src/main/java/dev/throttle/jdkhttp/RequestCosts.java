package dev.throttle.jdkhttp;

import dev.throttle.client.KeyedCall;
import dev.throttle.signal.Cost;
import dev.throttle.signal.usage.RequestEstimate;
import java.io.ByteArrayOutputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** What requests cost, as far as it shows before they are sent. */
final class RequestCosts {

    /**
     * Publishers of what is in memory. Any other may open a file, take from a stream, or be the user's: it is
     * subscribed to by the one who sends it, and by nobody else.
     */
    private static final Set<Class<?>> IN_MEMORY = Set.copyOf(java.util.List.of(
            BodyPublishers.ofByteArray(new byte[1]).getClass(),
            BodyPublishers.ofString("a").getClass()));

    private RequestCosts() {}

    /**
     * Tells a call what its request probably costs.
     *
     * @param own the user's estimate; null for none
     */
    static void derive(KeyedCall call, @Nullable Cost own, HttpRequest request) {
        if (own != null) {
            call.derive(own, null);
        }
        if (call.countsCosts()) {
            RequestEstimate shown = look(request);
            String path = request.uri().getRawPath();
            call.derive(
                    shown == null ? null : shown.cost(),
                    shown == null || shown.model() == null ? path : path + " " + shown.model());
        }
    }

    /** {@return what the body shows; null if it is no JSON, or not in memory} */
    private static @Nullable RequestEstimate look(HttpRequest request) {
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
