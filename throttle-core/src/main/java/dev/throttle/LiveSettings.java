package dev.throttle;

import dev.throttle.engine.Engine;
import dev.throttle.engine.EnginePolicy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The settings of the keys of a registry, and how they change while it runs. Thread-safe. */
final class LiveSettings {

    /** After so many rounds in which new keys appeared, the change is made without preparing them. */
    private static final int MOST_ROUNDS = 100;

    private final Supplier<List<Throttle>> all;
    /** While it is held, no key is added. */
    private final Lock noNewKeys;

    private volatile KeyRules.Settled current;

    LiveSettings(KeyRules.Settled start, Supplier<List<Throttle>> all, Lock noNewKeys) {
        this.current = start;
        this.all = all;
        this.noNewKeys = noNewKeys;
    }

    KeyRules.Settled current() {
        return current;
    }

    /**
     * Changes the settings of all keys. Computes them again if another thread has changed them meanwhile.
     *
     * @param change computes the new settings from the current ones, with the next edition
     */
    void change(UnaryOperator<KeyRules.Settled> change) {
        KeyRules.Settled next = change.apply(current);
        while (!changeTo(next)) {
            next = change.apply(current);
        }
    }

    /** {@return false if nothing was changed, because another thread has changed the settings meanwhile} */
    private boolean changeTo(KeyRules.Settled next) {
        Map<Throttle, BooleanSupplier> prepared = new HashMap<>();
        List<Throttle> present = all.get();
        boolean isSettled = false;
        for (int round = 1; !isSettled; round++) {
            for (Throttle throttle : present) { // what the user's code throws, it throws before anything has changed
                if (!prepared.containsKey(throttle)) {
                    EnginePolicy policy = next.of(throttle.key());
                    prepared.put(throttle, throttle.live().prepare(policy));
                }
            }
            noNewKeys.lock();
            try {
                if (current.edition() != next.edition() - 1) {
                    return false;
                }
                present = all.get();
                isSettled = prepared.keySet().containsAll(present) || round == MOST_ROUNDS;
                if (isSettled) {
                    current = next;
                }
            } finally {
                noNewKeys.unlock();
            }
        }
        RuntimeException failure = null;
        for (Throttle throttle : present) {
            try {
                follow(throttle, prepared.get(throttle));
            } catch (RuntimeException e) { // of a key that came or changed meanwhile; the others follow all the same
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
        return true;
    }

    private void follow(Throttle throttle, @Nullable BooleanSupplier prepared) {
        Engine engine = throttle.engine();
        BooleanSupplier next = prepared;
        while (!engine.isRetired() && engine.policy().edition() < current.edition()) {
            if (next == null || !next.getAsBoolean()) {
                next = throttle.live().prepare(current.of(throttle.key()));
            }
        }
    }
}
