package dev.throttle.lease.fleet;

import dev.throttle.Throttle;
import dev.throttle.internal.Nanos;
import dev.throttle.lease.fleet.Learned.Told;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A key in the fleet: what is to be published of it, and what was received. Its lock is held for arithmetic only. */
final class Member {

    private static final long MICROS_PER_NANO = 1000;
    private static final long SECOND_MICROS = 1_000_000;
    /** When all may come back at the same instant, they do so within a part of the wait, one after the other. */
    private static final double SPREAD = 0.05;

    private static final long LONGEST_SPREAD_MICROS = 2_000_000;
    private static final long LONGEST_WAIT_MICROS = 86_400_000_000L;

    final String id;
    private final List<Presence> presences = new CopyOnWriteArrayList<>();
    private final ReentrantLock lock = new ReentrantLock();

    /** Not published yet: the latest of each quota, and the refusal that lasts longest. */
    private final Map<String, Seen> quotas = new HashMap<>();

    private @Nullable Outcome refusal;
    private long backAt;
    private boolean scheduled;

    /** What was received last, so that the same is passed on once. */
    private final Map<String, Long> heard = new HashMap<>();

    private long heardUntil;
    private long heardAt;

    private volatile Company company = Company.NONE;

    /** A quota, and when it was seen, in the nanoseconds of the process. */
    record Seen(Quota quota, long at) {}

    /**
     * What is to be published.
     *
     * @param backAt when to come back, in the nanoseconds of the process; only with a refusal
     */
    record News(@Nullable Outcome refusal, long backAt, Map<String, Seen> quotas) {}

    Member(String id) {
        this.id = id;
    }

    /** A throttle of this process uses the key; seldom more than one. {@return whether it is new} */
    boolean add(Presence presence) {
        lock.lock();
        try {
            return presences.stream().noneMatch(presence::isSame) && presences.add(presence);
        } finally {
            lock.unlock();
        }
    }

    /** {@return whether that was the last} */
    boolean remove(Throttle throttle) {
        presences.removeIf(presence -> presence.isOf(throttle));
        return presences.isEmpty();
    }

    boolean isBusy(long now) {
        boolean isBusy = false;
        for (Presence presence : presences) {
            isBusy |= presence.isBusy(now);
        }
        return isBusy;
    }

    /** {@return how many requests per second all send together, as this process sees it; 0 if it does not know} */
    double together(long now) {
        return presences.stream().mapToDouble(each -> each.together(now)).sum();
    }

    void meet(Company others) {
        company = others;
        presences.forEach(presence -> presence.meet(others));
    }

    /** {@return whether the other users of the key are known} */
    boolean hasMet() {
        return company.busy() > 0;
    }

    int sharers() {
        return company.processes();
    }

    /**
     * Keeps what a response said, to publish it.
     *
     * @return when it has to be published: negative never or with the next one, 0 at once, 1 soon
     */
    int note(Signal signal, long now) {
        RateHints hints = signal.hints();
        Duration wait = signal.outcome().isRefusal() ? hints.refusalWait() : null;
        lock.lock();
        try {
            boolean isUrgent = false;
            boolean isNew = false;
            if (wait != null && !wait.isZero()) {
                long until = now + Math.min(Nanos.of(wait), LONGEST_WAIT_MICROS * MICROS_PER_NANO);
                if (refusal == null || until - backAt > 0) {
                    backAt = until;
                    refusal = signal.outcome();
                }
                isUrgent = true;
            }
            for (Quota quota : hints.quotas()) {
                if (LearnedText.isWritable(quota)) {
                    quotas.put(LearnedText.name(quota), new Seen(quota, now));
                    isUrgent |= quota.isExhausted();
                    isNew = true;
                }
            }
            if (scheduled || !(isUrgent || isNew)) {
                return isUrgent && refusal != null ? 0 : -1;
            }
            scheduled = true;
            return isUrgent ? 0 : 1;
        } finally {
            lock.unlock();
        }
    }

    /** Takes what is to be published. */
    @Nullable News take() {
        lock.lock();
        try {
            scheduled = false;
            if (refusal == null && quotas.isEmpty()) {
                return null;
            }
            News news = new News(refusal, backAt, Map.copyOf(quotas));
            refusal = null;
            quotas.clear();
            return news;
        } finally {
            lock.unlock();
        }
    }

    /** Called when publishing failed. It is published again with the next signal. */
    void untold() {
        lock.lock();
        try {
            scheduled = false;
        } finally {
            lock.unlock();
        }
    }

    /** Keeps a refusal that could not be published until the store is back. */
    void keep(News news, long now) {
        Outcome untold = news.refusal();
        lock.lock();
        try {
            if (untold != null && news.backAt() - now > 0 && (refusal == null || news.backAt() - backAt > 0)) {
                refusal = untold;
                backAt = news.backAt();
            }
        } finally {
            lock.unlock();
        }
    }

    /** {@return whether a refusal is to be published} */
    boolean hasRefusal() {
        lock.lock();
        try {
            return refusal != null;
        } finally {
            lock.unlock();
        }
    }

    /** Passes what others learned on to a throttle that has just joined. */
    void observe(Presence presence, Learned learned, long serverNow) {
        long left = Math.min(learned.until() - serverNow, LONGEST_WAIT_MICROS);
        List<Told> news = learned.quotas().stream()
                .filter(told -> isSaid(told, serverNow))
                .toList();
        observe(List.of(presence), learned, left, news, serverNow);
    }

    private static boolean isSaid(Told told, long serverNow) {
        return told.said() > 0 && told.said() <= serverNow + SECOND_MICROS;
    }

    /** Passes what others learned on to the throttles, as far as it is new. */
    void observe(Learned learned, long serverNow) {
        List<Told> news = new ArrayList<>();
        long left = 0;
        lock.lock();
        try {
            if (serverNow < heardAt - SECOND_MICROS) { // its clock has been put back
                heard.clear();
                heardUntil = 0;
            }
            heardAt = serverNow;
            if (learned.until() > heardUntil && learned.until() > serverNow) {
                heardUntil = Math.min(learned.until(), serverNow + LONGEST_WAIT_MICROS);
                left = Math.min(learned.until() - serverNow, LONGEST_WAIT_MICROS);
            }
            for (Told told : learned.quotas()) {
                String name = LearnedText.name(told.quota());
                if (told.said() > heard.getOrDefault(name, 0L) && isSaid(told, serverNow)) {
                    if (heard.size() > 64) {
                        heard.clear();
                    }
                    heard.put(name, told.said());
                    news.add(told);
                }
            }
        } finally {
            lock.unlock();
        }
        observe(presences, learned, left, news, serverNow);
    }

    private void observe(List<Presence> hearing, Learned learned, long left, List<Told> news, long serverNow) {
        for (Told told : news) {
            Signal signal = Signal.of(Outcome.SUCCESS, new RateHints(null, List.of(told.quota())));
            hearing.forEach(each -> each.observe(signal, micros(Math.max(0, serverNow - told.said()))));
        }
        if (left > 0) {
            Duration wait = micros(left + slot(left));
            Signal signal = Signal.of(learned.outcome(), new RateHints(wait, List.of()));
            hearing.forEach(each -> each.observe(signal, Duration.ZERO));
        }
    }

    /** {@return by how much longer this process stays away than the first} */
    private long slot(long waitMicros) {
        double spread = Math.min(waitMicros * SPREAD, (double) LONGEST_SPREAD_MICROS);
        return (long) (spread * company.rank() / company.processes());
    }

    private static Duration micros(long micros) {
        return Duration.ofNanos(micros * MICROS_PER_NANO);
    }
}
