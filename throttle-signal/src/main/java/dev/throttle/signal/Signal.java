package dev.throttle.signal;

/**
 * How an attempt ended, and what its response said about limits. Strategies learn from signals.
 *
 * @param outcome how it ended
 * @param hints what the response said about limits
 */
public record Signal(Outcome outcome, RateHints hints) {

    /** An accepted request whose response says nothing about limits. */
    public static final Signal SUCCESS = new Signal(Outcome.SUCCESS, RateHints.NONE);
    /** A quota refusal without any hint. */
    public static final Signal RATE_LIMITED = new Signal(Outcome.RATE_LIMITED, RateHints.NONE);
    /** An overload refusal without any hint. */
    public static final Signal BUSY = new Signal(Outcome.BUSY, RateHints.NONE);
    /** A refusal that waiting does not resolve. */
    public static final Signal DENIED = new Signal(Outcome.DENIED, RateHints.NONE);
    /** An attempt that did not reach the server. */
    public static final Signal UNREACHABLE = new Signal(Outcome.UNREACHABLE, RateHints.NONE);
    /** An attempt without a usable response. */
    public static final Signal FAILED = new Signal(Outcome.FAILED, RateHints.NONE);
    /** An attempt that the server did not count. */
    public static final Signal IGNORED = new Signal(Outcome.IGNORED, RateHints.NONE);
    /** An attempt that its caller cancelled. */
    public static final Signal CANCELLED = new Signal(Outcome.CANCELLED, RateHints.NONE);

    /**
     * {@return the signal of an outcome and hints}
     *
     * @param outcome how the attempt ended
     * @param hints what the response said about limits
     */
    public static Signal of(Outcome outcome, RateHints hints) {
        return hints.isEmpty() ? of(outcome) : new Signal(outcome, hints);
    }

    /**
     * {@return the signal of an outcome without hints}
     *
     * @param outcome how the attempt ended
     */
    public static Signal of(Outcome outcome) {
        return switch (outcome) {
            case SUCCESS -> SUCCESS;
            case RATE_LIMITED -> RATE_LIMITED;
            case BUSY -> BUSY;
            case DENIED -> DENIED;
            case UNREACHABLE -> UNREACHABLE;
            case FAILED -> FAILED;
            case IGNORED -> IGNORED;
            case CANCELLED -> CANCELLED;
        };
    }
}
