package dev.throttle.engine;

import dev.throttle.internal.Nanos;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What was said some time ago, as it is to be read now. */
final class AgedSignal {

    private AgedSignal() {}

    /**
     * {@return a signal with what is left of its times} A quota that was renewed since is left out, and a wait that is
     * over.
     *
     * @param ageNanos how long ago it was said, not negative
     */
    static Signal aged(Signal signal, long ageNanos) {
        if (ageNanos == 0) {
            return signal;
        }
        RateHints hints = signal.hints();
        List<Quota> quotas = hints.quotas().stream()
                .filter(quota -> !isRenewed(quota, ageNanos))
                .map(quota -> quota.withReset(left(quota.reset(), ageNanos)))
                .toList();
        Duration retryAfter = left(hints.retryAfter(), ageNanos);
        return Signal.of(
                signal.outcome(),
                new RateHints(retryAfter, quotas, left(hints.floor(), ageNanos), hints.shouldRetry()));
    }

    private static boolean isRenewed(Quota quota, long ageNanos) {
        Duration reset = quota.reset();
        return ageNanos > 0 && reset != null && left(reset, ageNanos) == null;
    }

    private static @Nullable Duration left(@Nullable Duration time, long ageNanos) {
        long left = time == null ? 0 : Nanos.of(time) - ageNanos;
        return left > 0 ? Duration.ofNanos(left) : null;
    }

    /** {@return a signal without the quotas of which something newer is known, or that were renewed since} */
    static Signal withoutOld(Signal signal, QuotaBoard board, long ageNanos, long now) {
        RateHints hints = signal.hints();
        List<Quota> news = hints.quotas().stream()
                .filter(quota -> !isRenewed(quota, ageNanos) && !board.knowsSince(quota, now - ageNanos))
                .toList();
        return Signal.of(signal.outcome(), new RateHints(hints.retryAfter(), news, hints.floor(), hints.shouldRetry()));
    }
}
