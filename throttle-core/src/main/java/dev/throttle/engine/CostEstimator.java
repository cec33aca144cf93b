package dev.throttle.engine;

import dev.throttle.CallOptions;
import dev.throttle.signal.Cost;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Learns from settled calls what calls cost, profile by profile. A call of a profile that was never seen is taken for
 * one like all others. Where nothing was ever settled it costs nothing. Guarded by the engine's lock.
 */
final class CostEstimator {

    /** Programs that make up profiles must not fill the memory: those unused for longest are forgotten. */
    private static final int MOST_PROFILES = 64;

    private static final int LONGEST_NAME = 256;

    /** Null until a call is settled. */
    private @Nullable CostHistory all;

    private final Map<String, CostHistory> profiles = new LinkedHashMap<>(0, 0.75f, true);
    private final Predicate<String> isLimited;

    /**
     * Creates one.
     *
     * @param isLimited whether a limit counts a unit. A strategy that paces by what the server tells learns by itself
     *     how wrong estimates are: some servers book what the caller estimates, others the truth.
     */
    CostEstimator(Predicate<String> isLimited) {
        this.isLimited = isLimited;
    }

    /** {@return what a call takes as far as its caller tells: what is certain, and what is estimated of other units} */
    static Cost stated(CallOptions options) {
        Cost estimate = options.estimate();
        return estimate == null ? options.cost() : options.cost().orElse(estimate);
    }

    /** {@return what a call probably takes: what is certain, what is estimated, put right, and what was learned} */
    Cost resolve(CallOptions options) {
        CostHistory own = history(options.profile());
        if (own == null) {
            return stated(options);
        }
        Cost cost = options.cost();
        Cost estimate = options.estimate();
        if (estimate != null) {
            cost = cost.orElse(own.corrected(estimate, isLimited));
        }
        return cost.orElse(own.typical());
    }

    private @Nullable CostHistory history(@Nullable String profile) {
        CostHistory own = profile == null || all == null ? null : profiles.get(name(profile));
        return own == null ? all : own;
    }

    /** Learns what a call truly took. */
    void learn(CallOptions options, Cost actual) {
        Cost estimate = options.estimate();
        if (all == null) {
            all = new CostHistory();
        }
        all.add(actual, estimate);
        String profile = options.profile();
        if (profile != null) {
            profiles.computeIfAbsent(name(profile), key -> new CostHistory()).add(actual, estimate);
            if (profiles.size() > MOST_PROFILES) {
                profiles.remove(profiles.keySet().iterator().next());
            }
        }
    }

    private static String name(String profile) {
        return profile.length() <= LONGEST_NAME ? profile : profile.substring(0, LONGEST_NAME);
    }
}
