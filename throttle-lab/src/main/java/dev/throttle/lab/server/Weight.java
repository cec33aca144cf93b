package dev.throttle.lab.server;

import dev.throttle.internal.Preconditions;

/**
 * How many units of the quota a request takes, evenly spread.
 *
 * @param least the least, from 1
 * @param most the most
 */
public record Weight(long least, long most) {

    /** One unit each. */
    public static final Weight ONE = new Weight(1, 1);

    private static final long HEAVIEST = 1000;

    public Weight {
        Preconditions.between("--weight", least, 1, HEAVIEST);
        Preconditions.between("--weight", most, least, HEAVIEST);
    }

    double mean() {
        return (least + most) / 2.0;
    }
}
