package dev.throttle.lease.fleet;

import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import java.util.ArrayList;
import java.util.List;

/**
 * What is known of a key. Times are microseconds of the store's clock.
 *
 * @param until when to come back; 0 if there is nothing to wait for
 * @param outcome the refusal that said so
 * @param quotas what was told of each quota
 */
record Learned(long until, Outcome outcome, List<Told> quotas) {

    /** {@return this and what came later} */
    Learned and(Learned later) {
        List<Told> all = new ArrayList<>(later.quotas);
        for (Told told : quotas) {
            if (all.size() < 16 && all.stream().noneMatch(other -> other.quota().isSameAs(told.quota()))) {
                all.add(told);
            }
        }
        return until > later.until ? new Learned(until, outcome, all) : new Learned(later.until, later.outcome, all);
    }

    /**
     * A quota, and when it was told.
     *
     * @param said when
     * @param quota its reset counts from then
     */
    record Told(long said, Quota quota) {}
}
