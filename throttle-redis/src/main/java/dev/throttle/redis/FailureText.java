package dev.throttle.redis;

import dev.throttle.internal.Causes;

/** What a log says of a failure: its root, as what is around it seldom tells what is wrong. Never a password. */
final class FailureText {

    private FailureText() {}

    static String of(Throwable failure) {
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
