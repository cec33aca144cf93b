package dev.throttle.spring;

import dev.throttle.CallOptions;
import java.util.Map;
import java.util.function.Consumer;

/** Gives one request its {@link CallOptions}, as an attribute of the request. */
public final class ThrottleAttributes {

    /**
     * The name of the attribute, for {@code @RequestAttribute} parameters of HTTP service interfaces. Its value is a
     * {@link CallOptions}.
     */
    public static final String OPTIONS = "dev.throttle.options";

    private ThrottleAttributes() {}

    /**
     * {@return what sets the options of a request} Both {@code RestClient} and {@code WebClient} take it:
     *
     * <pre>{@code
     * client.get().uri("/report").attributes(ThrottleAttributes.options(CallOptions.DEFAULT.maxWait(Duration.ZERO)))
     * }</pre>
     *
     * <p>They replace those that the properties give to clients of the host, priority and exempt paths included.
     *
     * @param options what the request wants of its throttle
     */
    public static Consumer<Map<String, Object>> options(CallOptions options) {
        return attributes -> attributes.put(OPTIONS, options);
    }
}
