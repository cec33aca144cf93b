package dev.throttle.lab.estimator;

import java.util.random.RandomGenerator;

/** What all parts of one pacer share: the settings, which can change, the other processes, and a source of chance. */
final class Surroundings {

    PacingSettings settings;
    final RandomGenerator random;
    final Sharers sharers = new Sharers();

    Surroundings(PacingSettings settings, RandomGenerator random) {
        this.settings = settings;
        this.random = random;
    }
}
