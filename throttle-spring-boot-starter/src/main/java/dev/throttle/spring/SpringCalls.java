package dev.throttle.spring;

import dev.throttle.CallOptions;
import dev.throttle.ThrottleRegistry;
import dev.throttle.client.KeyedCall;
import dev.throttle.client.RequestTraits;
import dev.throttle.internal.Faults;
import dev.throttle.internal.Preconditions;
import dev.throttle.signal.BodyClassifier;
import dev.throttle.signal.Signal;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpRequest;

/**
 * What the blocking and the reactive door share.
 *
 * @param throttles the throttle of a key
 * @param keys the key of a request
 * @param options what a request wants that has no options of its own
 * @param classifier recognizes refusals by their bodies
 * @param faults hears of a classifier that failed
 */
record SpringCalls(
        ThrottleRegistry throttles,
        KeyResolver keys,
        Function<URI, CallOptions> options,
        BodyClassifier classifier,
        Faults faults) {

    /** The registry that a request passes already, so that it does not pass it twice. */
    static final String PASSES = SpringCalls.class.getName();

    SpringCalls(
            ThrottleRegistry throttles,
            KeyResolver keys,
            Function<URI, CallOptions> options,
            BodyClassifier classifier) {
        this(
                Preconditions.required("throttles", throttles),
                keys,
                options,
                classifier,
                new Faults("the body classifier of a Spring client"));
    }

    static SpringCalls of(ThrottleRegistry throttles) {
        return new SpringCalls(throttles, KeyResolver.origin(), uri -> CallOptions.DEFAULT, BodyClassifier.standard());
    }

    /**
     * Begins a call.
     *
     * @param body the whole body of the request; null if it is not known
     * @return null if the request is not throttled, or not here
     * @throws RuntimeException if its key cannot be told, or no throttle can ever let it go
     */
    @Nullable KeyedCall begin(HttpRequest request, byte @Nullable [] body) {
        if (throttles.equals(request.getAttributes().get(PASSES))) {
            return null;
        }
        CallOptions wanted = optionsOf(request);
        String key = wanted.isExempt() ? null : keys.keyOf(request);
        if (key == null) {
            return null;
        }
        String shared = throttles.get(key).key(); // the same for all calls, of which many may wait
        RequestTraits traits = RequestTraits.of(request.getMethod().name(), true, wanted);
        KeyedCall call = new KeyedCall(throttles::get, shared, traits);
        call.captureContext();
        SpringCosts.derive(call, request, body);
        return call;
    }

    private CallOptions optionsOf(HttpRequest request) {
        Map<String, Object> attributes = request.getAttributes();
        Object own = attributes.get(ThrottleAttributes.OPTIONS);
        if (own == null) {
            return options.apply(request.getURI());
        }
        Preconditions.check(
                own instanceof CallOptions, "request attribute " + ThrottleAttributes.OPTIONS, own, "a CallOptions");
        return (CallOptions) own;
    }

    /** {@return whether the classifier wants to see the body} */
    boolean needsBody(SpringHead head, Signal said) {
        try {
            return classifier.needsBody(head, said);
        } catch (Throwable e) {
            faults.report(e);
            return false;
        }
    }

    /** {@return what a response says with its body; what its head says if the body tells no more} */
    Signal classify(SpringHead head, Signal said, byte[] start) {
        try {
            byte[] plain = BodyStart.unpack(start, BodyClassifier.MAX_BYTES);
            Signal told = classifier.classify(head, said, new String(plain, StandardCharsets.UTF_8));
            return told == null ? said : told;
        } catch (Throwable e) {
            faults.report(e);
            return said;
        }
    }
}
