package dev.throttle.micrometer;

import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.internal.Preconditions;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.lang.ref.Cleaner;
import java.lang.ref.WeakReference;

/**
 * Shows throttles as meters in a Micrometer registry: {@code new ThrottleMetrics(throttles).bindTo(registry)}.
 *
 * <p>All meters bear the tags {@code throttle}, the name given by the builder, and {@code key}, its label. Throttles
 * that are shown in one registry need different names, as their meters would otherwise be the same. The meters of a key
 * come and go with it. Binding to a registry a second time changes nothing; binding to several is fine.
 *
 * <p>Neither the registry nor this object keeps a throttle alive: when the client that uses it is dropped, its meters
 * leave the registry. A request that need not wait, is accepted, and whose response says nothing about limits, costs no
 * more than without metrics.
 */
@SuppressWarnings("exports") // Micrometer is optional: who calls this has it
public final class ThrottleMetrics implements MeterBinder {

    /** A {@link Throttle} or {@link ThrottleRegistry}. */
    private final WeakReference<Object> target;

    /**
     * Metrics of one throttle.
     *
     * @param throttle the throttle; if the registry that made it evicts it, its meters go for good
     */
    public ThrottleMetrics(Throttle throttle) {
        this.target = new WeakReference<>(Preconditions.required("throttle", throttle));
    }

    /**
     * Metrics of every key of a registry, those there are and those to come.
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
