package dev.throttle.engine;

import dev.throttle.signal.Cost;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What several callers take together, unit by unit. Not thread-safe. */
final class CostSum {

    private long requests;
    /** The other units of which there is something, in the order in which they came. */
    private final Map<String, Long> units = new LinkedHashMap<>();
    /** The sum as a cost; null if it has changed since it was last asked for. */
    private @Nullable Cost seen = Cost.NONE;

    void add(Cost cost) {
        add(cost, 1);
    }

    void subtract(Cost cost) {
        add(cost, -1);
    }

    /** Adds a share of another sum, from 0 to 1, rounded down. */
    void addShare(CostSum other, double share) {
        requests += (long) (other.requests * share);
        seen = null;
        if (other.units.isEmpty()) { // as in most queues
            return;
        }
        for (Map.Entry<String, Long> unit : other.units.entrySet()) {
            long amount = (long) (unit.getValue() * share);
            if (amount > 0) {
                units.merge(unit.getKey(), amount, Long::sum);
            }
        }
    }

    long requests() {
        return requests;
    }

    private void add(Cost cost, int sign) {
        requests += sign * cost.requests();
        if (!cost.isRequestsOnly()) {
            for (String unit : cost.units()) {
                units.merge(unit, sign * cost.amount(unit), Long::sum);
                units.remove(unit, 0L);
            }
        }
        seen = null;
    }

    /**
     * {@return the sum as a cost, which may be less where there are more units, or more of one, than a cost can name}
     */
    Cost toCost() {
        Cost sum = seen;
        if (sum == null) {
            sum = Cost.requests(Math.min(requests, Cost.MAX_AMOUNT));
            for (Map.Entry<String, Long> unit : units.entrySet()) {
                if (sum.units().size() < Cost.MAX_UNITS) {
                    sum = sum.and(unit.getKey(), Math.min(unit.getValue(), Cost.MAX_AMOUNT));
                }
            }
            seen = sum;
        }
        return sum;
    }
}
