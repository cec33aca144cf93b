package dev.throttle.control.quota;

import dev.throttle.control.Scope;
import dev.throttle.internal.DurationText;
import dev.throttle.internal.Nanos;
import dev.throttle.signal.Quota;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Limits of which a server tells how many requests they grant in which time, but not what is left. No more than that
 * are sent in any such time, so nothing is refused while no other client uses the limit, whenever the server's windows
 * begin. Until then requests go at full speed. There is no hypothesis of such a limit, since no count could confirm or
 * refute it.
 *
 * <p>A limit of which only refusals tell is one of them, too: accepted requests tell of another one.
 */
final class AnnouncedRates {

    private static final int MOST = 8;
    /** A longer time is not planned for. */
    private static final long LONGEST_NANOS = 86_400_000_000_000L;
    /** After so many answers that do not tell of a limit it is forgotten. */
    private static final int GIVE_UP_AFTER = 16;
    /** A limit that shows in refusals alone is not learned if a window is longer: it could not be doubted for long. */
    private static final long LONGEST_HIDDEN_NANOS = 120_000_000_000L;
    /** After so many answers one request more is tried than such a limit grants. */
    private static final int TRIED_AFTER = 350;
    /** If none is refused in a window after that, or in so many answers, the limit is forgotten. */
    private static final long MOST_TRIED = 100;

    /** A time to a reset may be rounded up by so many seconds. */
    private static final double ROUNDING = 1.001;

    private final List<AnnouncedRate> rates = new ArrayList<>(0);

    boolean isEmpty() {
        return rates.isEmpty();
    }

    /**
     * Learns what an answer announces.
     *
     * @param refused whether it refused its request
     */
    void read(List<Quota> quotas, boolean refused, Scope scope, int wire, long now) {
        for (int i = rates.size() - 1; i >= 0; i--) {
            if (rates.get(i).isOver(quotas, refused, scope)) {
                rates.remove(i);
            }
        }
        for (int i = 0; i < quotas.size(); i++) {
            Quota quota = quotas.get(i);
            if (isAnnounced(quota) && rates.size() < MOST && !isKnown(quota)) {
                AnnouncedRate rate = new AnnouncedRate(quota, nanos(quota.window()), now);
                rate.admitted(wire + 1L, now); // that was answered just now, and those on their way
                rates.add(rate);
            }
        }
    }

    /**
     * Learns a limit that has refused a request, while accepted requests tell of another one; {@return whether the
     * refusal says enough} If it does not say how long a window is, that is the shortest usual length which fits the
     * longest time to a reset so far.
     */
    boolean refused(Quota quota, long now) {
        AnnouncedRate before = hidden(quota);
        long reset = quota.reset() == null ? nanos(quota.window()) : nanos(quota.reset());
        long window = nanos(quota.window());
        if (window == 0 && reset > 0) {
            double usual = Renewals.nextRound(Nanos.toSeconds(reset) - ROUNDING);
            window = Math.max(Nanos.ofSeconds(usual), before == null ? 0 : before.window);
        }
        if (window <= 0 || window > LONGEST_HIDDEN_NANOS || (before == null && rates.size() == MOST)) {
            return false;
        }
        rates.remove(before);
        AnnouncedRate rate = new AnnouncedRate(quota, window, now);
        rate.usedUp(now + Math.min(reset, window));
        rates.add(rate);
        return true;
    }

    /** {@return whether a refusal tells of a limit that only refusals tell of} */
    boolean explains(List<Quota> told) {
        boolean explained = false;
        for (int i = 0; i < told.size(); i++) {
            explained |= hidden(told.get(i)) != null;
        }
        return explained;
    }

    /** {@return what is granted, in a sentence for each of them} */
    List<String> explain() {
        return rates.stream()
                .map(rate -> "The server grants " + rate.limit + (rate.limit == 1 ? " request in " : " requests in ")
                        + DurationText.spoken(Duration.ofNanos(rate.window)) + ": no more go.")
                .toList();
    }

    private @Nullable AnnouncedRate hidden(Quota quota) {
        for (int i = 0; i < rates.size(); i++) {
            if (rates.get(i).isHidden() && rates.get(i).isOfSize(quota)) {
                return rates.get(i);
            }
        }
        return null;
    }

    private static long nanos(@Nullable Duration duration) {
        return duration == null ? 0 : Nanos.of(duration);
    }

    private static boolean isAnnounced(Quota quota) {
        return quota.countsRequests()
                && quota.remaining() == null
                && quota.limit() != null
                && quota.limit() > 0
                && nanos(quota.window()) > 0
                && nanos(quota.window()) <= LONGEST_NANOS;
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

        AnnouncedRate(Quota quota, long window, long now) {
            this.quota = quota;
            this.limit = Objects.requireNonNull(quota.limit());
            this.window = window;
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

        /** {@return whether only refusals tell of it} */
        boolean isHidden() {
            return quota.remaining() != null;
        }

        boolean isOfSize(Quota other) {
            return isOf(other) && Objects.equals(quota.limit(), other.limit());
        }

        /** {@return whether it was not told of for long, has changed, or is told together with a count} */
        boolean isOver(List<Quota> quotas, boolean refused, Scope scope) {
            if (isHidden()) {
                return !refused && (isTold(quotas) || ++silent > TRIED_AFTER + Math.min(limit, MOST_TRIED));
            }
            for (int i = 0; i < quotas.size(); i++) {
                Quota told = quotas.get(i);
                if (isOf(told)) {
                    silent = 0;
                    boolean isSame = isOfSize(told) && Objects.equals(quota.window(), told.window());
                    return told.remaining() != null || (isAnnounced(told) && !isSame);
                }
            }
            return isCounted(scope) && ++silent > GIVE_UP_AFTER;
        }

        private boolean isTold(List<Quota> quotas) {
            boolean isTold = false;
            for (int i = 0; i < quotas.size(); i++) {
                isTold |= isOfSize(quotas.get(i));
            }
            return isTold;
        }

        void admitted(long permits, long now) {
            admitted.add((double) permits, beganAt + part * (1 + Math.floorDiv(now - beganAt, part)), window);
        }

        void usedUp(long until) {
            admitted.add((double) limit, until - window, window);
        }

        void release(long permits, long admittedAt) {
            admitted.remove((double) permits, admittedAt);
        }

        /** {@return when so many may go} */
        long dueNanos(long permits, long now) {
            long granted = silent > TRIED_AFTER ? limit + 1 : limit;
            return admitted.whenLeft((double) (granted - Math.min(permits, granted)), window, now);
        }
    }
}
