package dev.throttle.lab.chart;

import java.util.Arrays;

/** Points of a series, which XChart takes as two arrays. */
final class Curve {

    private final double[] x;
    private final double[] y;

    Curve(double[] x, double[] y) {
        this.x = x;
        this.y = y;
    }

    double[] x() {
        return x;
    }

    double[] y() {
        return y;
    }

    boolean isEmpty() {
        return x.length == 0;
    }

    double highest() {
        return Arrays.stream(y).max().orElse(0);
    }
}
