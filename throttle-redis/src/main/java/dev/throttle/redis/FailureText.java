package dev.throttle.redis;

/** What a log says of a failure: its root, as what is around it seldom tells what is wrong. Never a password. */
final class FailureText {

    private static final int DEEPEST = 20;

    private FailureText() {}

    static String of(Throwable failure) {
        Throwable told = failure;
        Throwable cause = failure;
        for (int i = 0; cause != null && i < DEEPEST; i++) {
            if (cause.getMessage() != null) {
                told = cause;
            }
            cause = cause.getCause();
        }
        String text = told.getClass().getSimpleName() + ": " + told.getMessage();
        return (told.getMessage() == null ? told.getClass().getSimpleName() : text)
                .replaceAll("://\\S*@", "://***@"); // user and password of a URI
    }
}
