package dev.throttle.spring;

import dev.throttle.client.FailureKind;
import java.io.IOException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Judges what HTTP libraries throw below Spring's clients. Which one is there is not known here, so that their own
 * exceptions are told by their names.
 */
final class SpringFailures {

    private static final int DEEPEST = 8;

    private SpringFailures() {}

    /** {@return what a failure says about the server; what an interceptor throws by itself says nothing} */
    static FailureKind of(Throwable failure) {
        Throwable thrown = failure;
        for (int depth = 0; depth < DEEPEST && thrown != null; depth++) {
            FailureKind kind = kindOf(thrown);
            if (kind != null) {
                return kind;
            }
            thrown = thrown.getCause();
        }
        return FailureKind.CANCELLED;
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
