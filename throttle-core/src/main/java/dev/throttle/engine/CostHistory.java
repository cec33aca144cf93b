package dev.throttle.engine;

import dev.throttle.signal.Cost;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What the last calls of one kind cost, unit by unit. Guarded by the engine's lock. */
final class CostHistory {

    private final List<Unit> units = new ArrayList<>();
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
            Unit unit = find(name);
            if (unit == null && units.size() < Cost.MAX_UNITS) {
                unit = new Unit(name);
                units.add(unit);
            }
            if (unit != null) {
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
            for (Unit unit : units) {
                known = known.and(unit.name, unit.high());
            }
            typical = known;
        }
        return known;
    }

    /** {@return an estimate, put right by how wrong such estimates were in total, as far as some units go} */
    Cost corrected(Cost estimate, Predicate<String> which) {
        Cost corrected = estimate;
        for (Unit unit : units) {
            if (corrected.has(unit.name) && which.test(unit.name)) {
                corrected = corrected.and(unit.name, unit.corrected(corrected.amount(unit.name)));
            }
        }
        return corrected;
    }

    private @Nullable Unit find(String name) {
        for (Unit unit : units) {
            if (unit.name.equals(name)) {
                return unit;
            }
        }
        return null;
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

        private final String name;
        private long[] amounts = new long[4];
        private long added;

        private double compared;
        private double actualSum;
        private double estimateSum;

        Unit(String name) {
            this.name = name;
        }

        void add(long amount) {
            if (added == amounts.length && added < REMEMBERED) {
                amounts = Arrays.copyOf(amounts, amounts.length * 2);
            }
            amounts[(int) (added % amounts.length)] = amount;
            added++;
        }

        long high() {
            int size = (int) Math.min(added, amounts.length);
            long[] sorted = Arrays.copyOf(amounts, size);
            Arrays.sort(sorted);
            return sorted[(size * OF_TEN + 9) / 10 - 1];
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
