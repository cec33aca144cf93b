package dev.throttle.control.quota;

import dev.throttle.control.RateLimit.Load;
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
 * <p>Hidden limits are those of which only refusals tell, while accepted requests tell of another one with the same
 * name: two limiters, one behind the other, whose headers are the same. Such a limit is believed if no more went in a
 * window than it may have granted; otherwise it does not count all requests, as that of a route. It is doubted later:
 * one request more is tried, and if none is refused, the limit is forgotten.
 */
final class AnnouncedRates {

    private static final int MOST = 8;
    /** A longer time is not planned for. */
    private static final long LONGEST_NANOS = 86_400_000_000_000L;
    /** After so many answers that do not tell of a limit it is forgotten. */
    private static final int GIVE_UP_AFTER = 16;
    /** A hidden limit of a longer window is not learned: it could not be doubted for long. */
    private static final long LONGEST_HIDDEN_NANOS = 120_000_000_000L;
    /** A hidden limit is doubted after as many accepted requests as are granted in so many windows. */
    private static final long DOUBTED_WINDOWS = 8;
    /** Each time that the doubt was wrong, after twice as many as before; after so many at most. */
    private static final int MOST_PATIENCE = 350;
    /** It is forgotten after as many accepted requests more as it grants, and so many at most. */
    private static final long MOST_TRIED = 100;
    /** A time to a reset may be rounded up by so many seconds. */
    private static final double ROUNDING = 1.001;

    private static final long SECOND = 1_000_000_000;

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
     * Learns of a hidden limit from a refusal that tells of it; {@return whether there may be such a limit}
     *
     * @param wire requests that are still on their way
     */
    boolean refused(Quota quota, Load load, int wire, long now) {
        AnnouncedRate before = hidden(quota);
        long window = window(quota, before);
        if (window == 0 || window > LONGEST_HIDDEN_NANOS || (before == null && rates.size() == MOST)) {
            return false;
        }
        rates.remove(before);
        AnnouncedRate rate = new AnnouncedRate(quota, window, now);
        if (before == null) {
            double used =
                    window <= SECOND ? load.requestsPerSecond() : Double.NaN; // of more than a second none is known
            rate.patience = used <= rate.most(wire) ? rate.firstPatience() : 0;
        } else if (load.admittedAtNanos() - before.beganAt < 0) { // it left before the last refusal, and belongs to it
            rate.patience = before.patience;
            rate.explains = before.explains;
        } else if (before.patience == 0) {
            if (before.used(now) > rate.most(wire)) {
                return false;
            }
            rate.patience = rate.firstPatience();
        } else {
            rate.explains = before.isTried(); // otherwise others use it, or its window is longer
            rate.patience = rate.explains ? Math.min(2 * before.patience, MOST_PATIENCE) : before.patience;
        }
        explains = rate.explains;
        long reset = quota.reset() == null ? window : Math.max(nanos(quota.reset()), SECOND);
        rate.closedUntil = now + Math.min(reset, window);
        rates.add(rate);
        return true;
    }

    /** {@return how long the window of a hidden limit is; if no length is told, the shortest usual one that fits} */
    private static long window(Quota quota, @Nullable AnnouncedRate before) {
        long reset = nanos(quota.reset());
        if (quota.window() != null || reset == 0) {
            return nanos(quota.window());
        }
        long usual = Nanos.ofSeconds(Renewals.nextRound(Nanos.toSeconds(reset) - ROUNDING));
        return before == null ? usual : Math.max(usual, before.window);
    }

    /** {@return whether a hidden limit is the reason of the last answer, a refusal} */
    boolean explains() {
        return explains;
    }

    /** {@return whether there is a hidden limit that such a refusal tells of} */
    boolean isHidden(Quota quota) {
        return hidden(quota) != null;
    }

    private @Nullable AnnouncedRate hidden(Quota quota) {
        for (int i = 0; i < rates.size(); i++) {
            AnnouncedRate rate = rates.get(i);
            if (rate.isHidden() && rate.isOfSize(quota) && Objects.equals(rate.quota.window(), quota.window())) {
                return rate;
            }
        }
        return null;
    }

    /** {@return what is granted, in a sentence for each of them} */
    List<String> explain() {
        return rates.stream()
                .filter(AnnouncedRate::isKept)
                .map(rate -> "The server grants " + rate.limit + (rate.limit == 1 ? " request in " : " requests in ")
                        + DurationText.spoken(Duration.ofNanos(rate.window)) + ": no more go.")
                .toList();
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
        /** After so many answers that did not tell of it, of a hidden limit that is kept to; otherwise 0. */
        private int patience;

        private int silent;
        /** Whether it is the reason of the last refusal that tells of it. */
        private boolean explains = true;
        /** Nothing goes before. */
        private long closedUntil;

        AnnouncedRate(Quota quota, long window, long now) {
            this.quota = quota;
            this.limit = Objects.requireNonNull(quota.limit());
            this.window = window;
            this.part = Math.max(1, window / PARTS);
            this.beganAt = now;
            this.closedUntil = now;
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

        /** {@return whether no more go than it grants} */
        boolean isKept() {
            return !isHidden() || patience > 0;
        }

        /** {@return whether one request more than it grants is tried} */
        boolean isTried() {
            return patience > 0 && silent > patience;
        }

        int firstPatience() {
            return (int) Math.min(MOST_PATIENCE, DOUBTED_WINDOWS * Math.min(limit, MOST_PATIENCE));
        }

        /**
         * {@return how many may go in any time as long as a window: at the end of one, and at the beginning of the
         * next}
         */
        double most(int wire) {
            return 2.0 * limit + wire;
        }

        double used(long now) {
            return admitted.since(admitted.last(now - window));
        }

        boolean isOfSize(Quota other) {
            return isOf(other) && Objects.equals(quota.limit(), other.limit());
        }

        /** {@return whether it was not told of for long, has changed, or is told together with a count} */
        boolean isOver(List<Quota> quotas, boolean refused, Scope scope) {
            if (isHidden()) {
                long most = (patience == 0 ? MOST_PATIENCE : patience) + Math.min(limit, MOST_TRIED);
                return !refused && (isTold(quotas) || (isCounted(scope) && ++silent > most));
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

        void release(long permits, long admittedAt) {
            if (!isHidden() || admittedAt - beganAt >= 0) { // what went before is not in the history of a hidden one
                admitted.remove((double) permits, admittedAt);
            }
        }

        /** {@return when so many may go} */
        long dueNanos(long permits, long now) {
            long due = Nanos.later(now, closedUntil);
            if (!isKept()) {
                return due;
            }
            long granted = isTried() ? limit + 1 : limit;
            return Nanos.later(due, admitted.whenLeft((double) (granted - Math.min(permits, granted)), window, now));
        }
    }
}
