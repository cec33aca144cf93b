package dev.throttle.lab.estimator;

import dev.throttle.control.Controller;
import dev.throttle.control.ControllerHost;
import dev.throttle.control.Strategy;

/**
 * A candidate for the default strategy: one law for requests and for costs. {@link PacedQuota} holds what a quota may
 * be (a {@link Window}, a {@link Bucket}, a {@link Sliding} window) and one ledger of what this client has taken of it;
 * {@link Share} is the pace where others use it too. {@code docs/design/estimator.md} has its figures beside those of
 * the default strategy. Run it by the name of this class:
 *
 * <pre>{@code
 * throttle-lab bar --strategies quota-pacing,dev.throttle.lab.estimator.EstimatorPacing --runs 2
 * }</pre>
 */
public final class EstimatorPacing implements Strategy {

    private static final PacingSettings SETTINGS = new PacingSettings(0.1, 0.2, 120, 120, 5_000_000_000L, 0.03);

    /** Makes the strategy with the settings that the default strategy has by default. */
    public EstimatorPacing() {}

    @Override
    public String name() {
        return "estimator-pacing";
    }

    @Override
    public Controller newController(ControllerHost host) {
        return new QuotaPacer(SETTINGS, Tuning.USUAL, host.random());
    }
}
