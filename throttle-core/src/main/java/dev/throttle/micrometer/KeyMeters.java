package dev.throttle.micrometer;

import dev.throttle.ThrottleListener.Source;
import dev.throttle.signal.Quota;
import io.micrometer.core.instrument.MeterRegistry;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The place of one throttle among those that are shown in a registry. Its meters come once, at once or later, and go
 * once. They show the same either way: what the throttle cannot tell any more when they come is kept for them.
 * Thread-safe.
 *
 * <p>The meters of a key and those of its predecessor have the same identity. The ones before go before the next ones
 * come.
 */
final class KeyMeters {

    /** A throttle that has told of quotas more often is busy enough to get its meters at once. */
    private static final int MOST_TOLD = 4;

    private final MeterRegistry registry;
    private final WeakReference<Source> throttle;
    private final ReentrantLock lock = new ReentrantLock();
    /** Null once its meters have left the registry; guarded by the lock. */
    private @Nullable KeyMeters before;
    /** Guarded by the lock, too. */
    private List<List<Quota>> told = List.of();
    /** Written under the lock, as the meters. */
    private volatile boolean gone;

    private volatile @Nullable ThrottleMeters meters;

    /**
     * Makes a place without meters.
     *
     * @param before who may still have meters of this identity; null if nobody has
     */
    KeyMeters(MeterRegistry registry, Source throttle, @Nullable KeyMeters before) {
        this.registry = registry;
        this.throttle = new WeakReference<>(throttle);
        this.before = before;
    }

    boolean isOf(Source other) {
        return throttle.get() == other;
    }

    /** {@return the meters, which come now if they are not there; null if they have gone, or the throttle has} */
    @Nullable ThrottleMeters appear() {
        ThrottleMeters there = meters;
        if (there != null) {
            return there;
        }
        lock.lock();
        try {
            Source shown = throttle.get();
            if (meters == null && !gone && shown != null) {
                removeBefore();
                ThrottleMeters made = new ThrottleMeters(registry, shown);
                told.forEach(quotas -> made.seen(shown, quotas));
                told = List.of();
                meters = made;
            }
            return meters;
        } finally {
            lock.unlock();
        }
    }

    /** A response told about quotas. */
    void seen(Source shown, List<Quota> quotas) {
        ThrottleMeters there = meters;
        if (there == null && !keep(quotas)) {
            there = appear();
        }
        if (there != null) {
            there.seen(shown, quotas);
        }
    }

    /** {@return whether the quotas are kept for the meters to come} */
    private boolean keep(List<Quota> quotas) {
        lock.lock();
        try {
            boolean mayWait = meters == null && told.size() < MOST_TOLD && !ThrottleMeters.tellsOfConcurrency(quotas);
            if (mayWait && !gone) {
                told = told.isEmpty() ? new ArrayList<>(MOST_TOLD) : told;
                told.add(quotas);
            }
            return mayWait;
        } finally {
            lock.unlock();
        }
    }

    /** The rate began or ceased to be limited. Meters that come later find that out themselves. */
    void rateLimited(Source shown) {
        ThrottleMeters there = meters;
        if (there == null) { // or they are just coming
            lock.lock();
            try {
                there = meters;
            } finally {
                lock.unlock();
            }
        }
        if (there != null) {
            there.rateLimited(shown);
        }
    }

    /** Lets no meters come any more; {@return whether some have still to be removed} */
    boolean leave() {
        lock.lock();
        try {
            gone = true;
            told = List.of();
            return meters != null || before != null;
        } finally {
            lock.unlock();
        }
    }

    boolean isGone() {
        return gone;
    }

    /** Forgets predecessors that have no meters, of which there may be any number. */
    void shorten() {
        lock.lock();
        try {
            before = before == null ? null : before.leftover();
        } finally {
            lock.unlock();
        }
    }

    /** Gives way to a successor; {@return whose meters it has still to remove; null if there are none} */
    private @Nullable KeyMeters leftover() {
        lock.lock();
        try {
            gone = true;
            told = List.of();
            return meters == null ? before : this;
        } finally {
            lock.unlock();
        }
    }

    /** Removes the meters, and those of its predecessors. Without effect the second time. */
    void remove() {
        lock.lock();
        try {
            gone = true;
            told = List.of();
            removeBefore();
            ThrottleMeters there = meters;
            if (there != null) {
                there.remove();
            }
        } finally {
            lock.unlock();
        }
    }

    private void removeBefore() {
        KeyMeters last = before;
        if (last != null) {
            last.remove();
            before = null;
        }
    }
}
