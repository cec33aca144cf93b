package dev.throttle.spring.boot;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.RequestContextHolder;

/** Knows whether a thread serves a request, so that a person waits for it. */
final class RequestThreads {

    private static final Duration LONGEST = Duration.ofSeconds(5);

    private RequestThreads() {}

    /** {@return how long a call of this thread waits for a server that is away; null if it serves no request} */
    static @Nullable Duration overloadWait() {
        return RequestContextHolder.getRequestAttributes() == null ? null : LONGEST;
    }
}
