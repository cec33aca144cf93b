package dev.throttle;

import dev.throttle.engine.Engine;
import dev.throttle.engine.EnginePolicy;
import dev.throttle.engine.EngineSettings;
import dev.throttle.engine.Events;
import dev.throttle.engine.RunMode;
import dev.throttle.internal.Nanos;
import dev.throttle.internal.Preconditions;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The engine of a throttle, and the one that takes over when it has retired. */
final class LiveEngine {

    final Engine engine;
    private final String key;
    /** Null if the throttle was made by itself, and so is never dropped. */
    private final @Nullable Successors successors;

    LiveEngine(
            EngineSettings settings,
            String key,
            String label,
            long seed,
            Events events,
            @Nullable Successors successors) {
        this.key = key;
        this.successors = successors;
        long ownSeed = seed ^ (key.hashCode() * 0x9E3779B97F4A7C15L);
        this.engine = new Engine(settings, key, label, ownSeed, events, this::successor, this::modeOfSet);
    }

    Engine successor() {
        return successors == null ? engine : successors.successor(key);
    }

    private RunMode modeOfSet() {
        return successors == null ? RunMode.RUNNING : successors.mode();
    }

    /** The engine to report about, which reporting does not make. */
    Engine shown() {
        Engine current = successors == null || !engine.isRetired() ? null : successors.successorIfPresent(key);
        return current == null ? engine : current;
    }

    void ask(RunMode mode) {
        Engine live = engine;
        while (!live.ask(mode)) {
            live = successor();
        }
    }

    /** {@return whether something is left of what was said} */
    static boolean isNews(Signal signal, Duration age) {
        Preconditions.required("signal", signal);
        return Engine.isNews(signal, Nanos.of(Preconditions.notNegative("age", age)));
    }

    /** {@return a change of the settings, ready to be made} */
    BooleanSupplier prepare(EnginePolicy next) {
        return engine.prepare(before -> next);
    }

    /**
     * Changes the settings.
     *
     * @param change computes the new settings from the current ones; called again if another thread has changed them
     *     meanwhile
     */
    void reconfigure(UnaryOperator<EnginePolicy> change) {
        Engine live = engine;
        while (!live.prepare(change).getAsBoolean()) {
            live = live.isRetired() ? successor() : live;
        }
    }

    void observe(Signal signal, Duration age) {
        Preconditions.required("signal", signal);
        long ageNanos = Nanos.of(Preconditions.notNegative("age", age));
        Engine live = engine;
        while (!live.observe(signal, ageNanos)) {
            live = successor();
        }
    }

    void reportSharers(int processes, double perSecond) {
        Preconditions.between("processes", processes, 0, 1_000_000_000);
        double known = perSecond > 0 && perSecond < Double.POSITIVE_INFINITY ? perSecond : Double.NaN;
        Engine live = engine;
        while (!live.reportSharers(processes, known)) {
            live = successor();
        }
    }

    CompletableFuture<Void> drain() {
        CompletableFuture<Void> quiet = engine.drain();
        while (quiet == null) {
            quiet = successor().drain();
        }
        return quiet;
    }
}
