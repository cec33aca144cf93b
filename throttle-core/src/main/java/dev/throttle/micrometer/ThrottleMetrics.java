package dev.throttle.micrometer;

import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.internal.Preconditions;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.lang.ref.Cleaner;
import java.lang.ref.WeakReference;

/**
 * Registers meters for throttles in a Micrometer registry: {@code new ThrottleMetrics(throttles).bindTo(registry)}.
 *
 * <p>All meters have the tags {@code throttle}, the name set with the builder, and {@code key}, the label of the key.
 * Throttles in one meter registry need different names, because their meters would otherwise be the same. The meters of
 * a key are removed with the key. At most 1,000 keys of a client have meters in a registry at a time. Binding to the
 * same registry again has no effect. Binding to several registries is possible.
 *
 * <p>Neither the meter registry nor this object keeps a throttle alive: when the client that uses it becomes
 * unreachable, its meters are removed. A request that is accepted without a wait, and whose response says nothing about
 * limits, costs no more than without metrics.
 */
@SuppressWarnings("exports") // Micrometer is optional: callers of this have it
public final class ThrottleMetrics implements MeterBinder {

    /** A {@link Throttle} or {@link ThrottleRegistry}. */
    private final WeakReference<Object> target;

    /**
     * Makes the metrics of one throttle.
     *
     * @param throttle the throttle; if the registry that made it drops it, its meters are removed and do not come back
     */
    public ThrottleMetrics(Throttle throttle) {
        this.target = new WeakReference<>(Preconditions.required("throttle", throttle));
    }

    /**
     * Makes the metrics of all keys of a registry, including those that are made later.
     *
     * @param throttles the registry
     */
    public ThrottleMetrics(ThrottleRegistry throttles) {
        this.target = new WeakReference<>(Preconditions.required("throttles", throttles));
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        RegistryBinding binding = new RegistryBinding(Preconditions.required("registry", registry));
        Object shown = target.get();
        if (shown != null && listen(shown, binding)) {
            Cleanup.CLEANER.register(shown, binding::close);
        }
    }

    /** {@return false if the registry is bound already} */
    private static boolean listen(Object shown, RegistryBinding binding) {
        if (shown instanceof Throttle throttle && throttle.addListener(binding)) {
            binding.show(throttle);
            return true;
        }
        if (shown instanceof ThrottleRegistry throttles && throttles.addListener(binding)) {
            throttles.all().forEach(binding::show);
            return true;
        }
        return false;
    }

    /** Takes the meters of dropped throttles away; its one thread starts with the first binding. */
    private static final class Cleanup {
        static final Cleaner CLEANER = Cleaner.create();
    }
}
