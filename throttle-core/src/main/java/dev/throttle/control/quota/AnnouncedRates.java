package dev.throttle.control.quota;

import dev.throttle.control.Scope;
import dev.throttle.internal.Nanos;
import dev.throttle.signal.Quota;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Limits of which a server tells how many requests they grant in which time, but not what is left. No more than that
 * are sent in any such time, so nothing is refused while no other client uses the limit, whenever the server's windows
 * begin. Until then requests go at full speed. There is no hypothesis of such a limit, since no count could confirm or
 * refute it.
 */
final class AnnouncedRates {

    private static final int MOST = 8;
    /** A longer time is not planned for. */
    private static final Duration LONGEST = Duration.ofDays(1);
    /** After so many answers that do not tell of a limit it is forgotten. */
    private static final int GIVE_UP_AFTER = 16;

    private final List<AnnouncedRate> rates = new ArrayList<>(0);

    boolean isEmpty() {
        return rates.isEmpty();
    }

    /** Learns what an answer announces. */
    void read(List<Quota> quotas, Scope scope, int wire, long now) {
        for (int i = rates.size() - 1; i >= 0; i--) {
            if (rates.get(i).isOver(quotas, scope)) {
                rates.remove(i);
            }
        }
        for (int i = 0; i < quotas.size(); i++) {
            Quota quota = quotas.get(i);
            if (isAnnounced(quota) && rates.size() < MOST && !isKnown(quota)) {
                AnnouncedRate rate = new AnnouncedRate(quota, now);
                rate.admitted(wire + 1L, now); // that was answered just now, and those on their way
                rates.add(rate);
            }
        }
    }

    private static boolean isAnnounced(Quota quota) {
        return quota.countsRequests()
                && quota.remaining() == null
                && quota.limit() != null
                && quota.limit() > 0
                && quota.window() != null
                && !quota.window().isZero()
                && quota.window().compareTo(LONGEST) <= 0;
    }

    private boolean isKnown(Quota quota) {
        for (int i = 0; i < rates.size(); i++) {
            if (rates.get(i).isOf(quota)) {
                return true;
            }
        }
        return false;
    }

    void admitted(int permits, Scope scope, long now) {
        for (int i = 0; i < rates.size(); i++) {
            if (rates.get(i).isCounted(scope)) {
                rates.get(i).admitted(permits, now);
            }
        }
    }

    /** The server has not counted a request that was admitted at a time. */
    void release(long permits, Scope scope, long admittedAt) {
        for (int i = 0; i < rates.size(); i++) {
            if (rates.get(i).isCounted(scope)) {
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

    /** One of them. */
    private static final class AnnouncedRate {

        /** Times are rounded up to one of so many parts of the window, since requests may reach the server later. */
        private static final int PARTS = 64;

        private final Quota quota;
        private final long limit;
        private final long window;
        private final long part;
        /** Parts begin here, so that times may overflow. */
        private final long beganAt;

        private final History admitted = new History();
        private int silent;

        AnnouncedRate(Quota quota, long now) {
            this.quota = quota;
            this.limit = Objects.requireNonNull(quota.limit());
            this.window = Math.max(1, Nanos.of(Objects.requireNonNull(quota.window())));
            this.part = Math.max(1, window / PARTS);
            this.beganAt = now;
        }

        boolean isCounted(Scope scope) {
            return scope.counts(quota.policy());
        }

        boolean isOf(Quota other) {
            return other.countsRequests()
                    && Objects.equals(quota.policy(), other.policy())
                    && Objects.equals(quota.partition(), other.partition());
        }

        /** {@return whether it was not told of for long, has changed, or is told together with a count} */
        boolean isOver(List<Quota> quotas, Scope scope) {
            for (int i = 0; i < quotas.size(); i++) {
                Quota told = quotas.get(i);
                if (isOf(told)) {
                    silent = 0;
                    boolean isSame = Objects.equals(quota.limit(), told.limit())
                            && Objects.equals(quota.window(), told.window());
                    return told.remaining() != null || (isAnnounced(told) && !isSame);
                }
            }
            return isCounted(scope) && ++silent > GIVE_UP_AFTER;
        }

        void admitted(long permits, long now) {
            admitted.add((double) permits, beganAt + part * (1 + Math.floorDiv(now - beganAt, part)), window);
        }

        void release(long permits, long admittedAt) {
            admitted.remove((double) permits, admittedAt);
        }

        /** {@return when so many may go} */
        long dueNanos(long permits, long now) {
            return admitted.whenLeft((double) (limit - Math.min(permits, limit)), window, now);
        }
    }
}
