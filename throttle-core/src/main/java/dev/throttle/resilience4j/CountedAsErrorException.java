package dev.throttle.resilience4j;

import dev.throttle.signal.Outcome;
import java.io.IOException;

/** What a circuit breaker is told of an attempt that counts as an error. Never thrown. */
public final class CountedAsErrorException extends IOException {

    private static final long serialVersionUID = 1L;

    /** How the attempt ended. */
    private final Outcome outcome;

    CountedAsErrorException(Outcome outcome) {
        super("the attempt ended as " + outcome);
        this.outcome = outcome;
    }

    /** {@return how the attempt ended: busy or failed} */
    public Outcome outcome() {
        return outcome;
    }

    /** It is made on every error and nobody looks for its origin. */
    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
