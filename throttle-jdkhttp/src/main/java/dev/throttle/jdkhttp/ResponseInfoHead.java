package dev.throttle.jdkhttp;

import dev.throttle.signal.ResponseHead;
import java.net.URI;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;

/**
 * A response of the JDK's client as the throttle reads it: a view, nothing is copied.
 *
 * @param host the host that was asked
 * @param status the status code
 * @param lines the headers
 */
record ResponseInfoHead(String host, int status, HttpHeaders lines) implements ResponseHead {

    static ResponseInfoHead of(HttpRequest request, HttpResponse.ResponseInfo info) {
        return new ResponseInfoHead(hostOf(request.uri()), info.statusCode(), info.headers());
    }

    static ResponseInfoHead of(HttpResponse<?> response) {
        return new ResponseInfoHead(hostOf(response.uri()), response.statusCode(), response.headers());
    }

    private static String hostOf(URI uri) {
        String host = uri.getHost();
        return host == null ? String.valueOf(uri.getRawAuthority()) : host;
    }

    @Override
    public void forEachHeader(HeaderVisitor visitor) {
        lines.map().forEach((name, values) -> {
            for (int i = 0; i < values.size(); i++) { // one, as a rule
                visitor.visit(name, values.get(i));
            }
        });
    }

    @Override
    public List<String> headers(String name) {
        return lines.allValues(name);
    }
}
