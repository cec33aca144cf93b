package dev.throttle.observe;

import org.jspecify.annotations.Nullable;

/**
 * What one recorded call says about one limit.
 *
 * @param at when the server saw it, as nearly as is known
 * @param amount what it took
 * @param verdict whether it was granted; null if the limit was not asked, or another one has refused it
 * @param remaining what was left after it, as it was told; null if it was not
 */
record Reading(
        long at,
        double amount,
        @Nullable Boolean verdict,
        @Nullable Double remaining) {

    Reading movedTo(long other) {
        return new Reading(other, amount, verdict, remaining);
    }

    boolean isGranted() {
        return !Boolean.FALSE.equals(verdict);
    }
}
