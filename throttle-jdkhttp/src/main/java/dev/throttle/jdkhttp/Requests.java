package dev.throttle.jdkhttp;

import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.util.Optional;

/** What a request tells about its body. */
final class Requests {

    private static final long UNKNOWN = -1;

    private Requests() {}

    /**
     * {@return whether the body, if there is one, will be the same when it is read again} What has a length is taken to
     * be held somewhere; what has none may be a stream that is empty the second time.
     */
    static boolean isReplayable(HttpRequest request) {
        Optional<BodyPublisher> body = request.bodyPublisher();
        return body.isEmpty() || lengthOf(body.get()) >= 0;
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
}
