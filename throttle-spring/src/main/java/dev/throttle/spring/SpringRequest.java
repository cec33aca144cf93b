package dev.throttle.spring;

import dev.throttle.CallOptions;
import dev.throttle.client.CallStarter;
import dev.throttle.signal.usage.RequestEstimate;
import java.net.URI;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpRequest;

/**
 * A request and its body.
 *
 * @param request the request
 * @param body its whole body; null if that is not known
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, and not compared
record SpringRequest(HttpRequest request, byte @Nullable [] body) {

    /** Where Spring's clients keep the template that a URI was made of. */
    private static final String[] TEMPLATES = {
        "org.springframework.web.client.RestClient.uriTemplate",
        "org.springframework.web.reactive.function.client.WebClient.uriTemplate"
    };

    /** Reads requests, for what is to be known before they are sent. */
    static final class Reader implements CallStarter.Requests<SpringRequest> {

        @Override
        public String method(SpringRequest asked) {
            return asked.request.getMethod().name();
        }

        @Override
        public boolean isReplayable(SpringRequest asked, CallOptions options) {
            return true;
        }

        @Override
        public URI uri(SpringRequest asked) {
            return asked.request.getURI();
        }

        @Override
        public @Nullable String path(SpringRequest asked) {
            return asked.request.getURI().getRawPath();
        }

        @Override
        public @Nullable String template(SpringRequest asked) {
            Map<String, Object> attributes = asked.request.getAttributes();
            for (String name : TEMPLATES) {
                if (attributes.get(name) instanceof String template) {
                    int query = template.indexOf('?');
                    return query < 0 ? template : template.substring(0, query);
                }
            }
            return null;
        }

        @Override
        public @Nullable RequestEstimate estimate(SpringRequest asked) {
            HttpHeaders headers = asked.request.getHeaders();
            byte[] body = asked.body;
            return body == null || body.length == 0 || headers.getFirst(HttpHeaders.CONTENT_ENCODING) != null
                    ? null
                    : RequestEstimate.of(headers.getFirst(HttpHeaders.CONTENT_TYPE), body);
        }
    }
}
