package dev.throttle.lease.fleet;

import dev.throttle.internal.Causes;

/** Describes a failure for the log by its root cause, which is the most specific, and without passwords. */
public final class FailureText {

    private FailureText() {}

    /** {@return the text} */
    public static String of(Throwable failure) {
        Throwable told = failure;
        for (Throwable cause : Causes.chain(failure)) {
            if (cause.getMessage() != null) {
                told = cause;
            }
        }
        String text = told.getClass().getSimpleName() + ": " + told.getMessage();
        return (told.getMessage() == null ? told.getClass().getSimpleName() : text)
                .replaceAll("://\\S*@", "://***@"); // user and password of a URI
    }
}
