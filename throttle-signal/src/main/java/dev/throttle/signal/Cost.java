package dev.throttle.signal;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The cost of a call: how much it takes of each unit that the server limits, such as one request and 1,200 tokens.
 * Units are named as in {@link Quota#unit()}.
 *
 * <pre>{@code
 * Cost.of("tokens", 1200)                                // one request and 1,200 tokens
 * Cost.of("input-tokens", 900).and("output-tokens", 300) // one request, and two kinds of tokens
 * Cost.requests(5)                                       // five requests at once
 * }</pre>
 *
 * <p>The amount of a unit that is not named is unknown. It is estimated if a limit counts that unit. Immutable and
 * thread-safe.
 */
public final class Cost {

    /** The largest amount of a unit: 10^12. */
    public static final long MAX_AMOUNT = 1_000_000_000_000L;

    /** The most units that a cost can name in addition to requests. */
    public static final int MAX_UNITS = 8;

    /** The longest name of a unit in characters. */
    public static final int MAX_UNIT_LENGTH = 64;

    private static final String[] NO_UNITS = {};
    private static final long[] NO_AMOUNTS = {};

    /** One request; the amounts of other units are unknown. */
    public static final Cost ONE = new Cost(1, NO_UNITS, NO_AMOUNTS);

    /** No request; the amounts of other units are unknown. */
    public static final Cost NONE = new Cost(0, NO_UNITS, NO_AMOUNTS);

    /** Small numbers of requests, such as wait in most queues. */
    private static final Cost[] FEW = new Cost[256];

    static {
        for (int i = 0; i < FEW.length; i++) {
            FEW[i] = new Cost(i, NO_UNITS, NO_AMOUNTS);
        }
        FEW[0] = NONE;
        FEW[1] = ONE;
    }

    private final long requests;
    /** In alphabetical order, without requests. */
    private final String[] units;

    private final long[] amounts;

    private Cost(long requests, String[] units, long[] amounts) {
        this.requests = requests;
        this.units = units;
        this.amounts = amounts;
    }

    /**
     * {@return the cost of a number of requests}
     *
     * @param amount from 0 to {@link #MAX_AMOUNT}
     */
    public static Cost requests(long amount) {
        if (amount >= 0 && amount < FEW.length) {
            return FEW[(int) amount];
        }
        return new Cost(Checks.between("requests", amount, 0, MAX_AMOUNT), NO_UNITS, NO_AMOUNTS);
    }

    /**
     * {@return the cost of one request with an amount of another unit; for the unit {@link Quota#REQUESTS}, the cost of
     * that many requests}
     *
     * @param unit the unit's name, not blank, of at most {@link #MAX_UNIT_LENGTH} characters
     * @param amount from 0 to {@link #MAX_AMOUNT}
     */
    public static Cost of(String unit, long amount) {
        return ONE.and(unit, amount);
    }

    /**
     * {@return this cost with the amount of one unit added or replaced}
     *
     * @param unit the unit's name, not blank, of at most {@link #MAX_UNIT_LENGTH} characters; a cost names at most
     *     {@link #MAX_UNITS} units beside requests
     * @param amount from 0 to {@link #MAX_AMOUNT}
     */
    public Cost and(String unit, long amount) {
        Checks.notBlank("unit", unit);
        Checks.check(unit.length() <= MAX_UNIT_LENGTH, "unit", unit, "of at most " + MAX_UNIT_LENGTH + " characters");
        Checks.between(unit, amount, 0, MAX_AMOUNT);
        if (unit.equals(Quota.REQUESTS)) {
            return new Cost(amount, units, amounts);
        }
        int at = Arrays.binarySearch(units, unit);
        if (at >= 0) {
            long[] changed = amounts.clone();
            changed[at] = amount;
            return new Cost(requests, units, changed);
        }
        Checks.check(units.length < MAX_UNITS, "units", units.length + 1, "at most " + MAX_UNITS);
        int place = -at - 1;
        String[] names = Arrays.copyOf(units, units.length + 1);
        long[] values = Arrays.copyOf(amounts, units.length + 1);
        System.arraycopy(units, place, names, place + 1, units.length - place);
        System.arraycopy(amounts, place, values, place + 1, units.length - place);
        names[place] = unit;
        values[place] = amount;
        return new Cost(requests, names, values);
    }

    /**
     * {@return this cost, completed with the units that only another cost names} The number of requests is that of this
     * cost. If both together name more than {@link #MAX_UNITS} units, some of the other's are left out.
     *
     * @param other the other cost
     */
    public Cost orElse(Cost other) {
        Cost all = this;
        for (int i = 0; i < other.units.length && all.units.length < MAX_UNITS; i++) {
            if (index(other.units[i]) < 0) {
                all = all.and(other.units[i], other.amounts[i]);
            }
        }
        return all;
    }

    /**
     * {@return this cost without the units that another cost names} The number of requests stays.
     *
     * @param other the other cost
     */
    public Cost without(Cost other) {
        Cost left = requests(requests);
        for (int i = 0; i < units.length; i++) {
            if (other.index(units[i]) < 0) {
                left = left.and(units[i], amounts[i]);
            }
        }
        return left;
    }

    /**
     * {@return this cost with the amount of a unit replaced by the weighted sum of others, as a server counts that lets
     * output count five times; the same cost if it names none of the others}
     *
     * @param unit the unit's name
     * @param weights how much each of the other units counts, at least 0. The sum is rounded up, and is at most
     *     {@link #MAX_AMOUNT}
     */
    public Cost weighted(String unit, Map<String, Double> weights) {
        double sum = 0;
        boolean names = false;
        for (Map.Entry<String, Double> weight : weights.entrySet()) {
            names |= index(weight.getKey()) >= 0;
            sum += weight.getValue() * amount(weight.getKey());
        }
        boolean fits = index(unit) >= 0 || units.length < MAX_UNITS;
        return names && fits ? and(unit, (long) Math.min(MAX_AMOUNT, Math.ceil(sum))) : this;
    }

    /** {@return how many requests it counts as} */
    public long requests() {
        return requests;
    }

    /**
     * {@return whether this cost names a unit; always true for {@link Quota#REQUESTS}}
     *
     * @param unit the unit's name
     */
    public boolean has(String unit) {
        return index(unit) >= 0 || unit.equals(Quota.REQUESTS);
    }

    /**
     * {@return the amount of a unit; 0 if this cost does not name it}
     *
     * @param unit the unit's name
     */
    public long amount(String unit) {
        if (units.length == 0 || unit.equals(Quota.REQUESTS)) {
            return unit.equals(Quota.REQUESTS) ? requests : 0;
        }
        int at = index(unit);
        return at < 0 ? 0 : amounts[at];
    }

    /** There are few units: a search from one end to the other is the fastest. */
    private int index(String unit) {
        for (int i = 0; i < units.length; i++) {
            if (units[i].equals(unit)) {
                return i;
            }
        }
        return -1;
    }

    /** {@return the names of its units other than requests, in alphabetical order} */
    public List<String> units() {
        return List.of(units);
    }

    /** {@return whether it counts requests only} */
    public boolean isRequestsOnly() {
        return units.length == 0;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Cost that
                && requests == that.requests
                && Arrays.equals(units, that.units)
                && Arrays.equals(amounts, that.amounts);
    }

    @Override
    public int hashCode() {
        return Objects.hash(requests, Arrays.hashCode(units), Arrays.hashCode(amounts));
    }

    /** {@return the amounts as text, such as {@code requests=1, tokens=1200}} */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(Quota.REQUESTS).append('=').append(requests);
        for (int i = 0; i < units.length; i++) {
            text.append(", ").append(units[i]).append('=').append(amounts[i]);
        }
        return text.toString();
    }
}
