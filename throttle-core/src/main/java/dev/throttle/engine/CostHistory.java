package dev.throttle.engine;

import dev.throttle.signal.Cost;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What the last calls of one kind cost, unit by unit. Guarded by the engine's lock. */
final class CostHistory {

    private final Map<String, Unit> units = new LinkedHashMap<>();
    /** What a call probably costs; null if that has to be worked out anew. */
    private @Nullable Cost typical;

    /**
     * Adds a call.
     *
     * @param actual what it cost
     * @param estimate what it was thought to cost; null if there was no estimate
     */
    void add(Cost actual, @Nullable Cost estimate) {
        for (String name : actual.units()) {
            if (units.containsKey(name) || units.size() < Cost.MAX_UNITS) {
                Unit unit = units.computeIfAbsent(name, key -> new Unit());
                unit.add(actual.amount(name));
                if (estimate != null && estimate.has(name)) {
                    unit.compare(actual.amount(name), estimate.amount(name));
                }
            }
        }
        typical = null;
    }

    /** {@return what few calls exceed, of each unit} */
    Cost typical() {
        Cost known = typical;
        if (known == null) {
            known = Cost.ONE;
            for (Map.Entry<String, Unit> unit : units.entrySet()) {
                known = known.and(unit.getKey(), unit.getValue().high());
            }
            typical = known;
        }
        return known;
    }

    /** {@return an estimate, put right by how wrong such estimates were in total, as far as some units go} */
    Cost corrected(Cost estimate, Predicate<String> which) {
        Cost corrected = estimate;
        for (String name : estimate.units()) {
            Unit unit = units.get(name);
            if (unit != null && which.test(name)) {
                corrected = corrected.and(name, unit.corrected(estimate.amount(name)));
            }
        }
        return corrected;
    }

    /** What the last calls took of one unit. */
    private static final class Unit {

        private static final int REMEMBERED = 64;
        /** Of ten calls so many take no more than is expected. */
        private static final int OF_TEN = 9;
        /** An estimate that was compared loses this share of its weight with each later one. */
        private static final double FORGETTING = 1.0 / REMEMBERED;
        /** So many estimates that are right are believed in before the first is compared. */
        private static final double BELIEVED = 2;

        private final Deque<Long> amounts = new ArrayDeque<>(0);

        private double compared;
        private double actualSum;
        private double estimateSum;

        void add(long amount) {
            if (amounts.size() == REMEMBERED) {
                amounts.removeFirst();
            }
            amounts.addLast(amount);
        }

        long high() {
            long[] sorted =
                    amounts.stream().mapToLong(amount -> amount).sorted().toArray();
            return sorted[(sorted.length * OF_TEN + 9) / 10 - 1];
        }

        void compare(long actual, long estimate) {
            compared += 1 - compared * FORGETTING;
            actualSum += actual - actualSum * FORGETTING;
            estimateSum += estimate - estimateSum * FORGETTING;
        }

        /** A ratio of sums: on the whole not more and not less is taken than is used. */
        long corrected(long estimate) {
            if (compared == 0 || estimateSum == 0) {
                return estimate;
            }
            double believed = BELIEVED * estimateSum / compared;
            double ratio = (actualSum + believed) / (estimateSum + believed);
            return Math.min(Cost.MAX_AMOUNT, Math.round(estimate * ratio));
        }
    }
}
