package dev.throttle.signal.body;

import dev.throttle.signal.ResponseHead;
import java.util.List;

/**
 * The headers of a server behind a gateway, as the gateway's body shows them.
 *
 * @param gateway the response of the gateway
 * @param names the names of the headers
 * @param values their values
 */
record HeadersInBody(ResponseHead gateway, List<String> names, List<String> values) implements ResponseHead {

    @Override
    public int status() {
        return gateway.status();
    }

    @Override
    public String host() {
        return gateway.host();
    }

    @Override
    public void forEachHeader(HeaderVisitor visitor) {
        for (int i = 0; i < names.size(); i++) {
            visitor.visit(names.get(i), values.get(i));
        }
    }
}
