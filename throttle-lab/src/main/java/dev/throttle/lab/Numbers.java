package dev.throttle.lab;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** Writes numbers as decimals, with arithmetic that is the same on every JDK. */
final class Numbers {

    private static final int NANO_DIGITS = 9;

    private Numbers() {}

    /** {@return nanoseconds as seconds, exactly} */
    static BigDecimal seconds(long nanos) {
        return tidy(BigDecimal.valueOf(nanos, NANO_DIGITS));
    }

    /** {@return a number with so many decimals at most} */
    static BigDecimal rounded(double value, int decimals) {
        return tidy(new BigDecimal(value).setScale(decimals, RoundingMode.HALF_EVEN));
    }

    /** {@return a number with exactly so many decimals} */
    static String fixed(double value, int decimals) {
        return new BigDecimal(value).setScale(decimals, RoundingMode.HALF_EVEN).toPlainString();
    }

    private static BigDecimal tidy(BigDecimal value) {
        BigDecimal stripped = value.stripTrailingZeros();
        return stripped.scale() < 0 ? stripped.setScale(0) : stripped;
    }
}
