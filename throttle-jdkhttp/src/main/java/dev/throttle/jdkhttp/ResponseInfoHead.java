package dev.throttle.jdkhttp;

import dev.throttle.signal.ResponseHead;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.util.List;

/** A response of the JDK's client as the throttle reads it: a view, nothing is copied. */
record ResponseInfoHead(int status, HttpHeaders lines) implements ResponseHead {

    static ResponseInfoHead of(HttpResponse.ResponseInfo info) {
        return new ResponseInfoHead(info.statusCode(), info.headers());
    }

    static ResponseInfoHead of(HttpResponse<?> response) {
        return new ResponseInfoHead(response.statusCode(), response.headers());
    }

    @Override
    public void forEachHeader(HeaderVisitor visitor) {
        lines.map().forEach((name, values) -> {
            for (String value : values) {
                visitor.visit(name, value);
            }
        });
    }

    @Override
    public List<String> headers(String name) {
        return lines.allValues(name);
    }
}
