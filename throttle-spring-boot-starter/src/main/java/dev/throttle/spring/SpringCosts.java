package dev.throttle.spring;

import dev.throttle.client.KeyedCall;
import dev.throttle.signal.Signal;
import dev.throttle.signal.usage.BodyReport;
import dev.throttle.signal.usage.BodyTail;
import dev.throttle.signal.usage.RequestEstimate;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpRequest;

/** What requests cost: what shows before they are sent, and whether their answers may tell. */
final class SpringCosts {

    private static final int OK = 200;
    private static final int FIRST_REDIRECT = 300;

    private SpringCosts() {}

    /**
     * Tells a call what its request probably costs, as far as the body shows that; null for a body that is not there.
     */
    static void derive(KeyedCall call, HttpRequest request, byte @Nullable [] body) {
        if (!call.countsCosts()) {
            return;
        }
        HttpHeaders headers = request.getHeaders();
        boolean isPlain = !headers.containsHeader(HttpHeaders.CONTENT_ENCODING);
        RequestEstimate shown = body != null && body.length > 0 && isPlain
                ? RequestEstimate.of(headers.getFirst(HttpHeaders.CONTENT_TYPE), body)
                : null;
        String path = request.getURI().getRawPath();
        call.derive(
                shown == null ? null : shown.cost(),
                shown == null || shown.model() == null ? path : path + " " + shown.model());
    }

    /** {@return what looks at the end of a body that goes by; null if there is nothing to see there} */
    static @Nullable BodyTail tailOf(KeyedCall call, SpringHead head, Signal said) {
        String path = head.uri().getRawPath();
        boolean mayTell = head.status() >= OK
                && head.status() < FIRST_REDIRECT
                && (call.countsCosts() || said.hints().countsCosts() || (path != null && BodyTail.isGraphQl(path)));
        if (!mayTell) {
            return null;
        }
        List<String> codings = head.headers(HttpHeaders.CONTENT_ENCODING);
        String coding = codings.isEmpty() ? null : String.join(",", codings);
        return BodyTail.of(head.lines().getFirst(HttpHeaders.CONTENT_TYPE), coding);
    }

    /** The body has ended, or is given up. */
    static void report(KeyedCall call, BodyTail tail) {
        BodyReport report = tail.finish(call.time().currentTimeMillis());
        if (!report.isEmpty()) {
            call.report(report);
        }
    }
}
