package dev.throttle.spring;

import dev.throttle.CallOptions;
import java.util.Map;
import java.util.function.Consumer;

/** Sets the {@link CallOptions} of one request, as an attribute of the request. */
public final class ThrottleAttributes {

    /**
     * The name of the attribute, for {@code @RequestAttribute} parameters of HTTP service interfaces. Its value is a
     * {@link CallOptions}.
     */
    public static final String OPTIONS = "dev.throttle.options";

    private ThrottleAttributes() {}

    /**
     * {@return a function that sets the options of a request} Both {@code RestClient} and {@code WebClient} accept it:
     *
     * <pre>{@code
     * client.get().uri("/report").attributes(ThrottleAttributes.options(CallOptions.DEFAULT.maxWait(Duration.ZERO)))
     * }</pre>
     *
     * <p>They replace the options from the properties of the host's client, including priority and exempt paths.
     *
     * @param options the options of the request
     */
    public static Consumer<Map<String, Object>> options(CallOptions options) {
        return attributes -> attributes.put(OPTIONS, options);
    }
}
