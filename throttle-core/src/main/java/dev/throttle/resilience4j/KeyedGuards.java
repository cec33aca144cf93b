package dev.throttle.resilience4j;

import dev.throttle.AdmissionGuard;
import dev.throttle.signal.Signal;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One guard per key, for as long as a throttle of that key is in use. When the last one is gone, the guard is forgotten
 * and what it stands for leaves its registry, unless that would let through more than it should: an open breaker stays.
 * Looks for such keys whenever a guard is asked for, so there are never more guards than keys in use and keys dropped
 * since the last new one.
 *
 * @param <T> a circuit breaker or a bulkhead
 */
final class KeyedGuards<T> implements Function<String, AdmissionGuard> {

    private final Function<String, T> find;
    private final Consumer<String> remove;
    private final Predicate<T> isAtRest;
    private final Function<T, AdmissionGuard> guard;

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Entry<T>> entries = new HashMap<>();
    private final ReferenceQueue<Handle> dropped = new ReferenceQueue<>();

    /**
     * Guards parts of a registry.
     *
     * @param find finds or makes the part of a key
     * @param remove removes it
     * @param isAtRest whether nothing is lost with it
     * @param guard makes its guard
     */
    KeyedGuards(
            Function<String, T> find,
            Consumer<String> remove,
            Predicate<T> isAtRest,
            Function<T, AdmissionGuard> guard) {
        this.find = find;
        this.remove = remove;
        this.isAtRest = isAtRest;
        this.guard = guard;
    }

    @Override
    public AdmissionGuard apply(String key) {
        lock.lock();
        try {
            sweep();
            T part = find.apply(key);
            Entry<T> entry = entries.get(key);
            if (entry == null || entry.part != part) {
                entry = new Entry<>(part, guard.apply(part));
                entries.put(key, entry);
            }
            Handle handle = new Handle(entry.guard);
            entry.handles.put(new KeyedReference(key, handle, dropped), key);
            return handle;
        } finally {
            lock.unlock();
        }
    }

    private void sweep() {
        boolean any = false;
        for (Reference<? extends Handle> gone = dropped.poll(); gone != null; gone = dropped.poll()) {
            Entry<T> entry = gone instanceof KeyedReference reference ? entries.get(reference.key) : null;
            any |= entry != null && entry.handles.remove(gone) != null;
        }
        if (any) {
            entries.entrySet().removeIf(entry -> {
                boolean unused = entry.getValue().handles.isEmpty() && isAtRest.test(entry.getValue().part);
                if (unused) {
                    remove.accept(entry.getKey());
                }
                return unused;
            });
        }
    }

    /** A guard and its users. Guarded by the lock. */
    private static final class Entry<T> {

        private final T part;
        private final AdmissionGuard guard;
        private final Map<Reference<Handle>, String> handles = new HashMap<>();

        Entry(T part, AdmissionGuard guard) {
            this.part = part;
            this.guard = guard;
        }
    }

    private static final class KeyedReference extends WeakReference<Handle> {

        private final String key;

        KeyedReference(String key, Handle handle, ReferenceQueue<Handle> queue) {
            super(handle, queue);
            this.key = key;
        }
    }

    /** The guard as one throttle holds it. A pass holds it too: while a request is on its way the key is in use. */
    private static final class Handle implements AdmissionGuard {

        private final AdmissionGuard guard;

        Handle(AdmissionGuard guard) {
            this.guard = guard;
        }

        @Override
        public String name() {
            return guard.name();
        }

        @Override
        public @Nullable Pass tryEnter() {
            Pass pass = guard.tryEnter();
            return pass == null ? null : new HeldPass(this, pass);
        }

        @Override
        public boolean isRefusing() {
            return guard.isRefusing();
        }

        @Override
        public Duration retryAfter() {
            return guard.retryAfter();
        }
    }

    private record HeldPass(Handle handle, AdmissionGuard.Pass pass) implements AdmissionGuard.Pass {

        @Override
        public boolean onAdmitted() {
            return pass.onAdmitted();
        }

        @Override
        public void onEnd(Signal signal, Duration duration) {
            pass.onEnd(signal, duration);
        }

        @Override
        public void onLeft() {
            pass.onLeft();
        }
    }
}
