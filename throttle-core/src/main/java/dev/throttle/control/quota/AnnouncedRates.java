package dev.throttle.control.quota;

import dev.throttle.control.Scope;
import dev.throttle.internal.Nanos;
import dev.throttle.signal.Quota;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Limits of which a server tells how many requests they grant in which time, but not what is left. No more than that
 * are sent in any such time, so nothing is refused while no other client uses the limit, whenever the server's windows
 * begin. Until then requests go at full speed.
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
            AnnouncedRate rate = rates.get(i);
            Quota told = find(quotas, rate);
            if (told == null && scope.counts(rate.policy) && ++rate.silent > GIVE_UP_AFTER) {
                rates.remove(i);
            } else if (told != null && told.remaining() != null) {
                rates.remove(i); // a count tells more
            }
        }
        for (int i = 0; i < quotas.size(); i++) {
            Quota quota = quotas.get(i);
            if (isAnnounced(quota)) {
                long limit = Objects.requireNonNull(quota.limit());
                long window = Math.max(1, Nanos.of(Objects.requireNonNull(quota.window())));
                AnnouncedRate known = find(quota);
                if (known != null && known.limit == limit && known.windowNanos == window) {
                    known.silent = 0;
                } else if (known != null || rates.size() < MOST) {
                    rates.removeIf(rate -> rate.isOf(quota));
                    AnnouncedRate rate = new AnnouncedRate(quota, limit, window, now);
                    rate.admitted(wire + 1L, now); // that was answered just now, and those on their way
                    rates.add(rate);
                }
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

    private static @Nullable Quota find(List<Quota> quotas, AnnouncedRate rate) {
        for (int i = 0; i < quotas.size(); i++) {
            if (rate.isOf(quotas.get(i))) {
                return quotas.get(i);
            }
        }
        return null;
    }

    private @Nullable AnnouncedRate find(Quota quota) {
        for (int i = 0; i < rates.size(); i++) {
            if (rates.get(i).isOf(quota)) {
                return rates.get(i);
            }
        }
        return null;
    }

    void admitted(int permits, Scope scope, long now) {
        for (int i = 0; i < rates.size(); i++) {
            if (scope.counts(rates.get(i).policy)) {
                rates.get(i).admitted(permits, now);
            }
        }
    }

    /** The server has not counted a request that was admitted at a time. */
    void release(long permits, Scope scope, long admittedAt) {
        for (int i = 0; i < rates.size(); i++) {
            if (scope.counts(rates.get(i).policy)) {
                rates.get(i).release(permits, admittedAt);
            }
        }
    }

    long dueNanos(long permits, Scope scope, long now) {
        long due = now;
        for (int i = 0; i < rates.size(); i++) {
            if (scope.counts(rates.get(i).policy)) {
                due = Nanos.later(due, rates.get(i).dueNanos(permits, now));
            }
        }
        return due;
    }

    /** One of them: how many requests went in each of the last slots of its time. */
    private static final class AnnouncedRate {

        private static final int SLOTS = 64;

        private final @Nullable String policy;
        private final @Nullable String partition;
        private final long limit;
        private final long windowNanos;
        private final long slotNanos;
        /** Slots are counted from here, so that times may overflow. */
        private final long beganAt;

        private final long[] used = new long[SLOTS + 1];
        private long newest;
        private int silent;

        AnnouncedRate(Quota quota, long limit, long windowNanos, long now) {
            this.policy = quota.policy();
            this.partition = quota.partition();
            this.limit = limit;
            this.windowNanos = windowNanos;
            this.slotNanos = Math.max(1, windowNanos / SLOTS);
            this.beganAt = now;
        }

        boolean isOf(Quota quota) {
            return quota.countsRequests()
                    && Objects.equals(policy, quota.policy())
                    && Objects.equals(partition, quota.partition());
        }

        private long slot(long time) {
            return Math.floorDiv(time - beganAt, slotNanos);
        }

        private int index(long slot) {
            return (int) Math.floorMod(slot, (long) used.length);
        }

        void admitted(long permits, long now) {
            long slot = slot(now);
            if (slot - newest > SLOTS) {
                Arrays.fill(used, 0);
            } else {
                for (long old = newest + 1; old <= slot; old++) {
                    used[index(old)] = 0;
                }
            }
            newest = Math.max(newest, slot);
            used[index(newest)] += permits;
        }

        void release(long permits, long admittedAt) {
            long slot = slot(admittedAt);
            if (newest - slot <= SLOTS && slot <= newest) {
                used[index(slot)] = Math.max(0, used[index(slot)] - permits);
            }
        }

        /** {@return when so many may go: as soon as enough of the slots are a whole window old} */
        long dueNanos(long permits, long now) {
            long oldest = Math.max(newest - SLOTS, slot(now - windowNanos - slotNanos) + 1);
            long missing = Math.min(permits, limit) - limit;
            for (long slot = oldest; slot <= newest; slot++) {
                missing += used[index(slot)];
            }
            if (missing <= 0) {
                return now;
            }
            for (long slot = oldest; slot <= newest; slot++) {
                missing -= used[index(slot)];
                if (missing <= 0) {
                    long free = beganAt + (slot + 1) * slotNanos + windowNanos;
                    return free - now > 0 ? free : now;
                }
            }
            return now;
        }
    }
}
