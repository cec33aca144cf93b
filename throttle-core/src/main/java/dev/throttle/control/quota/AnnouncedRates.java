package dev.throttle.control.quota;

import dev.throttle.control.RateLimit.Load;
import dev.throttle.control.Scope;
import dev.throttle.internal.Nanos;
import dev.throttle.signal.Quota;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Limits of which a server tells how many requests they grant in which time, but not what is left: those that it
 * announces, and {@link HiddenLimit hidden ones} once they are believed. No more than that are sent in any such time,
 * so nothing is refused while no other client uses the limit, whenever the server's windows begin. Until then requests
 * go at full speed. There is no hypothesis of such a limit, since no count could confirm or refute it.
 */
final class AnnouncedRates {

    private static final int MOST = 8;

    private final List<AnnouncedRate> rates = new ArrayList<>(0);
    /** Whether a hidden limit is the reason of the last answer, a refusal. */
    private boolean explains;

    boolean isEmpty() {
        return rates.isEmpty();
    }

    /**
     * Learns what an answer announces.
     *
     * @param refused whether it refused its request
     */
    void read(List<Quota> quotas, boolean refused, Scope scope, int wire, long now) {
        explains = false;
        for (int i = rates.size() - 1; i >= 0; i--) {
            if (rates.get(i).isOver(quotas, refused, scope, now)) {
                rates.remove(i);
            }
        }
        for (int i = 0; i < quotas.size(); i++) {
            Quota quota = quotas.get(i);
            if (AnnouncedRate.isAnnounced(quota) && rates.size() < MOST && !isKnown(quota)) {
                AnnouncedRate rate = new AnnouncedRate(quota, Nanos.of(Objects.requireNonNull(quota.window())), now);
                rate.admitted(wire + 1L, now); // that was answered just now, and those on their way
                rates.add(rate);
            }
        }
    }

    private boolean isKnown(Quota quota) {
        for (int i = 0; i < rates.size(); i++) {
            if (rates.get(i).isOf(quota)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Learns of a hidden limit from a refusal that tells of it; {@return whether there may be such a limit}
     *
     * @param wire requests that are still on their way
     */
    boolean refused(Quota quota, Load load, int wire, long now) {
        HiddenLimit before = hidden(quota);
        rates.remove(before);
        HiddenLimit limit = rates.size() < MOST ? HiddenLimit.of(quota, before, load, wire, now) : null;
        explains |= limit != null && limit.explains();
        return limit != null && rates.add(limit);
    }

    /** {@return whether a hidden limit is the reason of the last answer, a refusal} */
    boolean explains() {
        return explains;
    }

    /** {@return the hidden limit that such a refusal tells of} */
    @Nullable HiddenLimit hidden(Quota quota) {
        for (int i = 0; i < rates.size(); i++) {
            if (rates.get(i) instanceof HiddenLimit limit && limit.isLike(quota)) {
                return limit;
            }
        }
        return null;
    }

    /** {@return what is granted, in a sentence for each of them} */
    List<String> explain() {
        return rates.stream()
                .filter(AnnouncedRate::isBelieved)
                .map(AnnouncedRate::explain)
                .toList();
    }

    void admitted(int permits, Scope scope, long now) {
        for (int i = 0; i < rates.size(); i++) {
            if (rates.get(i).isBelieved() && rates.get(i).isCounted(scope)) {
                rates.get(i).admitted(permits, now);
            }
        }
    }

    /** The server has not counted a request that was admitted at a time. */
    void release(long permits, Scope scope, long admittedAt) {
        for (int i = 0; i < rates.size(); i++) {
            if (rates.get(i).isBelieved() && rates.get(i).isCounted(scope)) {
                rates.get(i).release(permits, admittedAt);
            }
        }
    }

    long dueNanos(long permits, Scope scope, long now) {
        long due = now;
        for (int i = 0; i < rates.size(); i++) {
            if (rates.get(i).isCounted(scope)) {
                due = Nanos.later(due, rates.get(i).dueNanos(permits, now));
            }
        }
        return due;
    }
}
