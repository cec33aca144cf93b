package dev.throttle.micrometer;

import dev.throttle.Priority;
import dev.throttle.ThrottleListener;
import dev.throttle.ThrottleListener.Source;
import dev.throttle.internal.Faults;
import dev.throttle.signal.Quota;
import dev.throttle.signal.Signal;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * The meters of one throttle, or of the keys of one set, in one registry. It belongs to what it shows, as a listener,
 * and must not hold it: its own life would keep the throttles alive.
 *
 * <p>Each key has one place, and what happens to it is in order: only a throttle that is not evicted gets the place. A
 * successor is made after the eviction, and takes it over.
 */
final class RegistryBinding implements ThrottleListener {

    private final MeterRegistry registry;
    private final LateRounds rounds;
    private final Faults faults = new Faults("the meter registry");
    /** Also of throttles that were dropped, until their meters are. */
    private final ConcurrentMap<String, KeyMeters> places = new ConcurrentHashMap<>();

    RegistryBinding(MeterRegistry registry) {
        this(registry, new LateRounds());
    }

    RegistryBinding(MeterRegistry registry, LateRounds rounds) {
        this.registry = registry;
        this.rounds = rounds;
    }

    @Override
    public void onCreated(Source throttle) {
        KeyMeters place = take(throttle);
        if (place == null) {
            return;
        }
        if (rounds.isCalm()) {
            place.appear();
        } else {
            rounds.ask(this::round);
        }
    }

    /** Shows a throttle at once. */
    void show(Source throttle) {
        KeyMeters place = take(throttle);
        if (place != null) {
            place.appear();
        }
    }

    /** {@return the place of a throttle; null if it gets none, as it was evicted} */
    private @Nullable KeyMeters take(Source throttle) {
        KeyMeters place = places.compute(
                throttle.key(),
                (key, there) -> throttle.isEvicted() || (there != null && there.isOf(throttle))
                        ? there
                        : new KeyMeters(registry, throttle, there));
        if (place == null || !place.isOf(throttle)) {
            return null;
        }
        if (throttle.isEvicted()) { // which may have been told before it had its place
            onEvicted(throttle);
            return null;
        }
        place.shorten();
        return place;
    }

    @Override
    public void onEvicted(Source throttle) {
        KeyMeters place = placeOf(throttle);
        if (place == null) {
            return;
        }
        if (place.leave() && !rounds.isCalm()) {
            rounds.ask(this::round);
        } else {
            clear(throttle.key(), place);
        }
    }

    private void clear(String key, KeyMeters place) {
        place.remove();
        places.remove(key, place);
    }

    /** Shows whoever came since the last round, and removes what is left of those who went. */
    private void round() {
        places.forEach((key, place) -> {
            try {
                if (place.isGone()) {
                    clear(key, place);
                } else {
                    place.appear();
                }
            } catch (RuntimeException e) { // a filter or a listener of the user's
                faults.report(e);
            }
        });
    }

    @Override
    public void onWaiting(Source throttle, Priority priority, String reason, Duration atLeast) {
        ThrottleMeters meters = metersOf(throttle);
        if (meters != null) {
            meters.waiting(throttle, priority);
        }
    }

    @Override
    public void onWaited(Source throttle, Priority priority, String reason, Duration wait) {
        ThrottleMeters meters = metersOf(throttle);
        if (meters != null) {
            meters.waited(priority, reason, wait);
        }
    }

    @Override
    public void onSignal(Source throttle, Signal signal) {
        List<Quota> quotas = signal.hints().quotas();
        KeyMeters place = quotas.isEmpty() ? null : placeOf(throttle);
        if (place != null) {
            place.seen(throttle, quotas);
        }
    }

    @Override
    public void onRateLimited(Source throttle, boolean limited) {
        KeyMeters place = placeOf(throttle);
        if (place != null) {
            place.rateLimited(throttle);
        }
    }

    /** {@return the place of this very throttle, not of one before or after it with its key; null if none} */
    private @Nullable KeyMeters placeOf(Source throttle) {
        KeyMeters place = places.get(throttle.key());
        return place != null && place.isOf(throttle) ? place : null;
    }

    private @Nullable ThrottleMeters metersOf(Source throttle) {
        KeyMeters place = placeOf(throttle);
        return place == null ? null : place.appear();
    }

    /** What it showed is gone. */
    void close() {
        places.forEach(this::clear);
    }

    /** Equal bindings show the same in the same registry; a throttle takes only one of them as listener. */
    @Override
    @SuppressWarnings("ReferenceEquality") // a registry has no other equality that is its own
    public boolean equals(Object other) {
        return other instanceof RegistryBinding that && that.registry == registry;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(registry);
    }
}
