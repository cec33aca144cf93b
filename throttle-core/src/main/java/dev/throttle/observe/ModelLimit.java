package dev.throttle.observe;

import dev.throttle.signal.Cost;
import dev.throttle.signal.Quota;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One limit of the server, as it was learned.
 *
 * @param unit what it counts
 * @param fit the law that it goes by, the limit, and what others use of it
 * @param telling what answers say about it; null if they say nothing
 * @param used what our own calls have used of it
 */
record ModelLimit(String unit, Fit fit, @Nullable Telling telling, double used) {

    double amount(Cost cost) {
        return unit.equals(Quota.REQUESTS) ? cost.requests() : cost.amount(unit);
    }

    /** {@return which share of what was used of it others have used} */
    double othersShare() {
        double others =
                fit.others().stream().skip(1).mapToDouble(Fit.Use::amount).sum();
        return others <= 0 ? 0 : others / (others + used);
    }

    /** The limit while it is asked: what is in use of it. */
    static final class Running {

        final ModelLimit limit;
        private final Usage usage;
        private final List<Fit.Use> others;
        private int next;

        Running(ModelLimit limit) {
            this.limit = limit;
            this.usage = limit.fit.law().start();
            this.others = limit.fit.others();
        }

        /** What others use comes at the times at which it was seen. */
        void advance(long now) {
            for (; next < others.size() && others.get(next).at() <= now; next++) {
                usage.add(others.get(next).amount(), others.get(next).at());
            }
        }

        boolean grants(double amount, long now) {
            return usage.used(now) + amount <= limit.fit.limit();
        }

        void take(double amount, long now) {
            usage.add(amount, now);
        }

        long waitNanos(double amount, long now) {
            return usage.untilNanos(Math.max(0, limit.fit.limit() - amount), now);
        }

        @Nullable Quota tell(long now) {
            Telling telling = limit.telling;
            return telling == null ? null : telling.tell(usage, limit.fit.limit(), now);
        }
    }
}
