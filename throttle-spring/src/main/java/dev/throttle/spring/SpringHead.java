package dev.throttle.spring;

import dev.throttle.signal.ResponseHead;
import java.net.URI;
import org.springframework.http.HttpHeaders;

/**
 * A response's status and headers as the throttle reads them: a view, nothing is copied. Of {@link HttpHeaders} only
 * methods are called that Spring Framework 6.2 has, too.
 *
 * @param status the status code
 * @param uri the URL that was asked
 * @param lines the headers
 */
record SpringHead(int status, URI uri, HttpHeaders lines) implements ResponseHead {

    @Override
    public String host() {
        String host = uri.getHost();
        return host == null ? String.valueOf(uri.getRawAuthority()) : host;
    }

    @Override
    public void forEachHeader(HeaderVisitor visitor) {
        lines.forEach((name, values) -> {
            for (String value : values) {
                visitor.visit(name, value);
            }
        });
    }
}
