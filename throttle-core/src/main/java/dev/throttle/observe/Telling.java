package dev.throttle.observe;

import dev.throttle.internal.Nanos;
import dev.throttle.signal.Quota;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the answers of a server say about one limit, and how.
 *
 * @param shape the quota as it was told last
 * @param tellsReset whether answers say when it comes back
 * @param isNextUnit whether that is when the next unit comes back, and not all of them
 * @param inSeconds whether that is told in whole seconds
 */
record Telling(Quota shape, boolean tellsReset, boolean isNextUnit, boolean inSeconds) {

    private static final long SECOND = 1_000_000_000L;

    /** What was told at an instant. */
    record Told(long at, Quota quota) {}

    /** {@return how a server tells about a limit that has come back by a law, judged by what it told so far} */
    static Telling of(List<Told> all, Fit fit, List<Reading> readings) {
        Quota last = all.get(all.size() - 1).quota;
        boolean inSeconds = all.stream().allMatch(told -> isWhole(told.quota.reset()));
        boolean tells = all.stream().filter(told -> told.quota.reset() != null).count() * 2 > all.size();
        return new Telling(last, tells, tells && isNextUnit(all, fit, readings), inSeconds);
    }

    static boolean isWhole(@Nullable Duration time) {
        return time == null || time.toNanosPart() == 0;
    }

    private static boolean isNextUnit(List<Told> all, Fit fit, List<Reading> readings) {
        Usage usage = fit.law().start();
        double ofNext = 0;
        double ofAll = 0;
        int i = 0;
        for (Told told : all) {
            for (; i < readings.size() && readings.get(i).at() <= told.at; i++) {
                if (readings.get(i).isGranted()) {
                    usage.add(readings.get(i).amount(), readings.get(i).at());
                }
            }
            Duration reset = told.quota.reset();
            Long remaining = told.quota.remaining();
            if (reset != null && remaining != null) {
                usage.add(fit.limit() - remaining - usage.used(told.at), told.at);
                long nanos = Nanos.of(reset);
                ofNext += Math.abs((double) nextUnit(usage, fit.limit(), told.at) - nanos);
                ofAll += Math.abs((double) usage.renewalNanos(told.at) - nanos);
            }
        }
        return ofNext < ofAll;
    }

    private static long nextUnit(Usage usage, double limit, long now) {
        double remaining = Math.floor(limit - usage.used(now));
        return usage.untilNanos(Math.max(0, limit - remaining - 1), now);
    }

    /** {@return what an answer says} */
    Quota tell(Usage usage, double limit, long now) {
        long remaining = Math.max(0, (long) Math.floor(limit - usage.used(now) + 1e-9));
        long nanos = isNextUnit ? nextUnit(usage, limit, now) : usage.renewalNanos(now);
        return new Quota(
                shape.policy(),
                shape.limit(),
                shape.remaining() == null ? null : Long.valueOf(remaining),
                tellsReset ? rounded(nanos, inSeconds) : null,
                shape.window(),
                shape.unit(),
                shape.partition());
    }

    static Duration rounded(long nanos, boolean inSeconds) {
        return inSeconds ? Duration.ofSeconds((nanos + SECOND - 1) / SECOND) : Duration.ofNanos(nanos);
    }
}
