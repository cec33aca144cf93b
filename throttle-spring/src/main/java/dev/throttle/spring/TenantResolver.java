package dev.throttle.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpRequest;

/**
 * Decides on whose behalf a request of {@code RestClient}, {@code RestTemplate} or {@code WebClient} is made, such as
 * the id of a customer. Waiting calls of several tenants take turns. A bean of this type replaces the properties
 * {@code throttle.tenant.header} and {@code throttle.tenant.mdc}. It is asked for each request whose
 * {@link dev.throttle.CallOptions} name no tenant. Implementations must be thread-safe and fast. If one throws, the
 * caller receives the exception, and nothing is sent.
 */
@FunctionalInterface
public interface TenantResolver {

    /**
     * Returns the tenant of a request. It is called once for each call.
     *
     * @param request the request
     * @return the tenant; null or blank for none
     */
    @Nullable String tenantOf(HttpRequest request);

    /** {@return the default: there are no tenants} */
    static TenantResolver none() {
        return request -> null;
    }

    /**
     * {@return a resolver whose tenants are the values of a header of the requests that are sent}
     *
     * @param name the name of the header
     */
    static TenantResolver header(String name) {
        return request -> request.getHeaders().getFirst(name);
    }
}
