package dev.throttle.okhttp;

import dev.throttle.signal.ResponseHead;
import okhttp3.Headers;
import okhttp3.Response;

/** A response's status and headers as the throttle reads them. */
record OkHttpHead(Response response) implements ResponseHead {

    @Override
    public int status() {
        return response.code();
    }

    @Override
    public String host() {
        return response.request().url().host();
    }

    @Override
    public void forEachHeader(HeaderVisitor visitor) {
        Headers headers = response.headers();
        for (int i = 0; i < headers.size(); i++) {
            visitor.visit(headers.name(i), headers.value(i));
        }
    }
}
