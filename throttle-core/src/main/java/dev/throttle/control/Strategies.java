package dev.throttle.control;

/** The strategies that come with the library. */
public final class Strategies {

    private Strategies() {}

    /** {@return the default strategy} */
    public static Strategy standard() {
        return exponentialIncreaseProportionalRemainingDecrease().build();
    }

    /**
     * {@return a builder of {@code exponential-increase-proportional-remaining-decrease}: a sleep that grows with each
     * refusal and shrinks with each success, the faster the more quota remains}
     */
    public static ExponentialIncrease.Builder exponentialIncreaseProportionalRemainingDecrease() {
        return new ExponentialIncrease.Builder();
    }
}
