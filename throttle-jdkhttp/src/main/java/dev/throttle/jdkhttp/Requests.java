package dev.throttle.jdkhttp;

import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** What a request tells about itself. */
final class Requests {

    private static final Set<String> IDEMPOTENT =
            Set.of("GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "QUERY", "PROPFIND", "REPORT");

    private static final long UNKNOWN = -1;

    private Requests() {}

    /** {@return scheme, host and port of a request, in the form of the OkHttp adapter's keys} */
    static String origin(HttpRequest request) {
        URI uri = request.uri();
        String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
        int port = uri.getPort() != -1 ? uri.getPort() : scheme.equals("https") ? 443 : 80;
        return scheme + "://" + host(uri).toLowerCase(Locale.ROOT) + ":" + port;
    }

    static String host(URI uri) {
        String host = uri.getHost();
        return host == null ? String.valueOf(uri.getRawAuthority()) : host;
    }

    /** {@return whether the method is one of those that may be repeated without harm} */
    static boolean isIdempotent(HttpRequest request) {
        return IDEMPOTENT.contains(request.method());
    }

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
