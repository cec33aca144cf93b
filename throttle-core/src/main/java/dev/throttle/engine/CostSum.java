package dev.throttle.engine;

import dev.throttle.signal.Cost;
import java.util.Arrays;

/**
 * What several callers take together, unit by unit, added to and taken from in no time. While they count requests only
 * it is one number. Not thread-safe.
 */
final class CostSum {

    private static final String[] NO_UNITS = {};
    private static final long[] NO_AMOUNTS = {};

    private long requests;
    private String[] units = NO_UNITS;
    private long[] amounts = NO_AMOUNTS;
    /** The sum as it was last asked for; null if units other than requests have changed since. */
    private Cost seen = Cost.NONE;

    private boolean changed;

    void add(Cost cost) {
        requests += cost.requests();
        if (!cost.isRequestsOnly()) {
            addUnits(cost, 1);
        }
    }

    void subtract(Cost cost) {
        requests -= cost.requests();
        if (!cost.isRequestsOnly()) {
            addUnits(cost, -1);
        }
    }

    /** Forgets all units; what is left over is nothing. */
    void clear() {
        requests = 0;
        units = NO_UNITS;
        amounts = NO_AMOUNTS;
        seen = Cost.NONE;
        changed = false;
    }

    private void addUnits(Cost cost, int sign) {
        for (String unit : cost.units()) {
            int at = index(unit);
            if (at == units.length) {
                units = Arrays.copyOf(units, at + 1);
                amounts = Arrays.copyOf(amounts, at + 1);
                units[at] = unit;
            }
            amounts[at] += sign * cost.amount(unit);
        }
        changed = true;
    }

    private int index(String unit) {
        int at = 0;
        while (at < units.length && !units[at].equals(unit)) {
            at++;
        }
        return at;
    }

    /**
     * {@return the sum as a cost, which may be less where there are more units, or more of one, than a cost can name}
     */
    Cost toCost() {
        if (changed || seen.requests() != requests) {
            Cost sum = Cost.requests(Math.min(requests, Cost.MAX_AMOUNT));
            for (int i = 0; i < Math.min(units.length, Cost.MAX_UNITS); i++) {
                sum = sum.and(units[i], Math.min(amounts[i], Cost.MAX_AMOUNT));
            }
            seen = sum;
            changed = false;
        }
        return seen;
    }
}
