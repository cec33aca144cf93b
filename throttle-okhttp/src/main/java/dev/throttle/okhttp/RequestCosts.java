package dev.throttle.okhttp;

import dev.throttle.client.KeyedCall;
import dev.throttle.signal.Cost;
import dev.throttle.signal.usage.BodyTail;
import dev.throttle.signal.usage.RequestEstimate;
import java.io.IOException;
import java.util.List;
import okhttp3.HttpUrl;
import okhttp3.MediaType;
import okhttp3.Request;
import okhttp3.RequestBody;
import okio.BufferedSink;
import okio.Okio;
import org.jspecify.annotations.Nullable;

/** What requests cost: what shows before they are sent, and whether their answers may tell. */
final class RequestCosts {

    private RequestCosts() {}

    /** Tells a call what its request probably costs: as the user has it, and as the request shows if that matters. */
    static void derive(KeyedCall call, Config config, Request request) {
        Cost own = config.costEstimator().apply(request);
        if (own != null) {
            call.derive(own, null);
        }
        if (call.countsCosts()) {
            RequestEstimate shown = call.traits().isReplayable() ? look(request) : null;
            String path = request.url().encodedPath();
            call.derive(
                    shown == null ? null : shown.cost(),
                    shown == null || shown.model() == null ? path : path + " " + shown.model());
        }
    }

    /** {@return what the body shows; null if it is no JSON, or cannot be had without sending it} */
    private static @Nullable RequestEstimate look(Request request) {
        RequestBody body = request.body();
        if (body == null || request.header("Content-Encoding") != null) {
            return null;
        }
        MediaType type = body.contentType();
        String contentType = type == null ? request.header("Content-Type") : type.toString();
        if (!RequestEstimate.isJson(contentType)) {
            return null;
        }
        try {
            long length = body.contentLength();
            if (length < 0 || length > RequestEstimate.MAX_BYTES) {
                return length < 0 ? null : RequestEstimate.ofLength(length);
            }
            BoundedBody written = new BoundedBody(RequestEstimate.MAX_BYTES);
            BufferedSink sink = Okio.buffer(written);
            body.writeTo(sink);
            sink.flush();
            return RequestEstimate.of(contentType, written.bytes());
        } catch (IOException | RuntimeException e) {
            return null; // the call will meet the same when it is sent
        }
    }

    /** {@return whether an answer may be the only one to tell about limits, so that its body is worth a look} */
    static boolean isGraphQl(HttpUrl url) {
        List<String> path = url.pathSegments();
        for (int i = 0; i < path.size(); i++) {
            if (BodyTail.isGraphQl(path.get(i))) {
                return true;
            }
        }
        return false;
    }
}
