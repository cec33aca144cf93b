package dev.throttle.signal;

/**
 * What a refused request would take, and the most that the server ever grants, as its refusal told: exact numbers, no
 * estimates.
 *
 * @param unit what is counted, named as in {@link Quota#unit()}
 * @param requested what the request would take, from 1 to {@link Cost#MAX_AMOUNT}
 * @param limit the limit that it met, from 1 to {@link Cost#MAX_AMOUNT}
 */
public record Demand(String unit, long requested, long limit) {

    /**
     * Checks the values.
     *
     * @param unit see the record
     * @param requested see the record
     * @param limit see the record
     */
    public Demand {
        Checks.notBlank("unit", unit);
        Checks.between("requested", requested, 1, Cost.MAX_AMOUNT);
        Checks.between("limit", limit, 1, Cost.MAX_AMOUNT);
    }

    /** {@return whether the request can never be accepted, however long it waits} */
    public boolean isTooLarge() {
        return requested > limit;
    }
}
