package dev.throttle.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.CallOptions;
import dev.throttle.signal.Cost;
import org.junit.jupiter.api.Test;

/** What a call probably takes, by its profile. */
class CostEstimatorTest {

    private final CostEstimator estimator = new CostEstimator(unit -> true);

    private static CallOptions profile(Object name) {
        return CallOptions.DEFAULT.profile(name.toString());
    }

    private static Cost tokens(long amount) {
        return Cost.of("tokens", amount);
    }

    private long expected(Object profile) {
        return estimator.resolve(profile(profile)).amount("tokens");
    }

    /** Most calls take 900. */
    private void learnProfiles(int count) {
        for (int i = 1; i <= count; i++) {
            estimator.learn(profile(i), tokens(i));
            estimator.learn(CallOptions.DEFAULT, tokens(900));
        }
    }

    @Test
    void sixtyFourProfilesAreRemembered() {
        learnProfiles(64);
        assertThat(expected(1)).isEqualTo(1);
        assertThat(expected(64)).isEqualTo(64);
    }

    @Test
    void theOneUnusedForLongestIsForgotten() {
        learnProfiles(64);
        assertThat(expected(1)).isEqualTo(1);
        estimator.learn(profile("another"), tokens(500));
        assertThat(expected(1)).isEqualTo(1);
        assertThat(expected(2)).isEqualTo(900);
        assertThat(expected("another")).isEqualTo(500);
    }

    @Test
    void longNamesDifferInTheirFirst256Characters() {
        String name = "x".repeat(255);
        estimator.learn(profile(name + "ab"), tokens(5));
        estimator.learn(CallOptions.DEFAULT, tokens(900));
        assertThat(expected(name + "ac")).isEqualTo(5);
        assertThat(expected(name + "b")).isEqualTo(900);
    }
}
