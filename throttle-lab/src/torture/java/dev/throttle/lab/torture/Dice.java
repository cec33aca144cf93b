package dev.throttle.lab.torture;

import java.util.SplittableRandom;

/** Random choices that are a pure function of a seed, the number of a call, and what the choice is about. */
final class Dice {

    private static final long NUMBERS_APART = 0x9E3779B97F4A7C15L;
    private static final long SUBJECTS_APART = 0xD1B54A32D192ED03L;

    private final SplittableRandom random;

    Dice(long seed, long number, int subject) {
        random = new SplittableRandom(
                new SplittableRandom(seed + NUMBERS_APART * number + SUBJECTS_APART * subject).nextLong());
    }

    /** {@return from 0 to below a bound} */
    int below(int bound) {
        return random.nextInt(bound);
    }

    /** {@return true that often in a thousand times} */
    boolean perMille(int times) {
        return below(1000) < times;
    }

    /** {@return from 0 to below the bound, small ones as often as large ones} */
    int spread(int bound) {
        return below(1 + below(bound));
    }

    <T> T oneOf(T[] values) {
        return values[below(values.length)];
    }

    /** {@return a value by weights, which are in thousandths; the last one if they leave any} */
    <T> T weighted(T[] values, int... weights) {
        int roll = below(1000);
        for (int i = 0; i < weights.length; i++) {
            roll -= weights[i];
            if (roll < 0) {
                return values[i];
            }
        }
        return values[values.length - 1];
    }
}
