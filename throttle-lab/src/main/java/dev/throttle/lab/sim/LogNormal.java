package dev.throttle.lab.sim;

import dev.throttle.internal.Preconditions;
import java.util.SplittableRandom;

/**
 * Random amounts whose logarithm is normally distributed.
 *
 * @param mean the mean of the amounts, from 1 to a hundred millions
 * @param sigma the standard deviation of their logarithm, from 0 (all are the mean) to 3
 */
public record LogNormal(double mean, double sigma) {

    private static final double LARGEST = 100_000_000;
    private static final double WIDEST = 3;

    public LogNormal {
        Preconditions.check(mean >= 1 && mean <= LARGEST, "--cost mean", mean, "from 1 to 100000000");
        Preconditions.check(sigma >= 0 && sigma <= WIDEST, "--cost sigma", sigma, "from 0 to 3");
    }

    /**
     * {@return an amount} Of StrictMath, as functions of Math may differ from JDK to JDK.
     *
     * @param random the source of randomness
     */
    public double draw(SplittableRandom random) {
        double radius = StrictMath.sqrt(-2 * StrictMath.log(1 - random.nextDouble()));
        double normal = radius * StrictMath.cos(2 * StrictMath.PI * random.nextDouble());
        return mean * StrictMath.exp(sigma * normal - sigma * sigma / 2);
    }
}
