package dev.throttle.okhttp;

import dev.throttle.CallOptions;
import dev.throttle.client.CallStarter;
import dev.throttle.signal.usage.RequestEstimate;
import java.io.IOException;
import java.net.URI;
import okhttp3.MediaType;
import okhttp3.Request;
import okhttp3.RequestBody;
import okio.BufferedSink;
import okio.Okio;
import org.jspecify.annotations.Nullable;

/** Reads requests, for what is to be known before they are sent. */
final class OkHttpRequests implements CallStarter.Requests<Request> {

    @Override
    public String method(Request request) {
        return request.method();
    }

    @Override
    public boolean isReplayable(Request request, CallOptions options) {
        RequestBody body = request.body();
        return body == null || !(body.isOneShot() || body.isDuplex());
    }

    @Override
    public URI uri(Request request) {
        return request.url().uri();
    }

    @Override
    public String path(Request request) {
        return request.url().encodedPath();
    }

    @Override
    public @Nullable String template(Request request) {
        return RetrofitTag.of(request);
    }

    @Override
    public @Nullable RequestEstimate estimate(Request request) {
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
}
