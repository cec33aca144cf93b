package dev.throttle.lab.server;

import dev.throttle.signal.ResponseHead;
import java.util.Locale;

/** Which headers a simulated server sends about its quota. */
public enum HeaderStyle {
    /** None. */
    NONE,
    /** {@code RateLimit-Remaining} alone, as the Heroku API does. */
    REMAINING,
    /** {@code RateLimit-Remaining}, {@code RateLimit-Limit} and {@code RateLimit-Reset}. */
    LEGACY,
    /** {@code RateLimit} and {@code RateLimit-Policy}. */
    IETF;

    private static final String POLICY = "\"default\"";

    /** {@return the name on the command line} */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    void write(Answer answer, long capacity, long windowNanos, ResponseHead.HeaderVisitor to) {
        if (answer.remaining() == Answer.UNKNOWN) {
            return;
        }
        String remaining = Long.toString(answer.remaining());
        boolean resets = answer.resetNanos() != Answer.UNKNOWN;
        String reset = Long.toString(ServerSpec.wholeSeconds(Math.max(0, answer.resetNanos())));
        switch (this) {
            case NONE -> {}
            case REMAINING -> to.visit("RateLimit-Remaining", remaining);
            case LEGACY -> {
                to.visit("RateLimit-Remaining", remaining);
                to.visit("RateLimit-Limit", Long.toString(capacity));
                if (resets) {
                    to.visit("RateLimit-Reset", reset);
                }
            }
            case IETF -> {
                String window = resets ? ";w=" + ServerSpec.wholeSeconds(windowNanos) : "";
                to.visit("RateLimit-Policy", POLICY + ";q=" + capacity + window);
                to.visit("RateLimit", POLICY + ";r=" + remaining + (resets ? ";t=" + reset : ""));
            }
        }
    }
}
