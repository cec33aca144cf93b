package dev.throttle.lab;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/** Writes numbers as decimals, with arithmetic that is the same on every JDK. */
final class Numbers {

    private static final MathContext GOOD_DIGITS = new MathContext(13);

    private Numbers() {}

    /** {@return a number with as many digits as a calculation in floating point is good for} */
    static String significant(double value) {
        return tidy(new BigDecimal(value).round(GOOD_DIGITS)).toPlainString();
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
