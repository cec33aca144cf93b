package dev.throttle.benchmarks;

/** How much is measured: enough for figures that hold, or just enough to see that it runs. */
enum Scale {
    /** About forty minutes in all. */
    FULL(3, 5, 4, 400),
    /** Five minutes in all. */
    QUICK(1, 1, 1, 200);

    final int rounds;
    final int warmups;
    final int measurements;
    final int iterationMillis;

    Scale(int rounds, int warmups, int measurements, int iterationMillis) {
        this.rounds = rounds;
        this.warmups = warmups;
        this.measurements = measurements;
        this.iterationMillis = iterationMillis;
    }

    /** {@return one of two sizes} */
    int of(int full, int quick) {
        return this == FULL ? full : quick;
    }
}
