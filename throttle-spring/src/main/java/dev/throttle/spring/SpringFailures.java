package dev.throttle.spring;

import dev.throttle.client.FailureKind;
import dev.throttle.internal.Causes;
import java.io.IOException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Judges what HTTP libraries throw below Spring's clients. Which one is there is not known here, so that their own
 * exceptions are told by their names.
 */
final class SpringFailures {

    private SpringFailures() {}

    /** {@return what a failure says about the server; what an interceptor throws by itself says nothing} */
    static FailureKind of(Throwable failure) {
        FailureKind kind = Causes.first(failure, SpringFailures::kindOf);
        return kind == null ? FailureKind.CANCELLED : kind;
    }

    private static @Nullable FailureKind kindOf(Throwable thrown) {
        String name = thrown.getClass().getName();
        if (name.endsWith("TimeoutException") && (isOfLibrary(name) || thrown instanceof TimeoutException)) {
            return FailureKind.FATAL; // it took all the time there was
        }
        if (thrown instanceof IOException) {
            FailureKind kind = FailureKind.of(thrown);
            return kind == null && isOnWire(thrown, name) ? FailureKind.NO_ANSWER : kind;
        }
        return null;
    }

    /**
     * Such as a connection that the server has closed while it was idle. The body is in memory and cannot be at fault.
     */
    private static boolean isOnWire(Throwable thrown, String name) {
        return isOfLibrary(name) || (thrown.getClass().equals(IOException.class) && thrown.getCause() == null);
    }

    private static boolean isOfLibrary(String name) {
        return name.startsWith("java.net.")
                || name.startsWith("org.apache.hc.")
                || name.startsWith("org.eclipse.jetty.")
                || name.startsWith("reactor.netty.")
                || name.startsWith("io.netty.");
    }
}
