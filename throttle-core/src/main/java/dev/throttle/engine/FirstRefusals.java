package dev.throttle.engine;

import dev.throttle.internal.Seldom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Which first refusals of keys are told in the log: those of the first hundred keys of a registry, and then one a
 * minute at most, as foreign keys may be many. Thread-safe.
 */
final class FirstRefusals {

    private static final int ALWAYS = 100;

    private final AtomicInteger told = new AtomicInteger();
    private final Seldom seldom = new Seldom();

    /**
     * Asks whether the first refusal of another key may be told now.
     *
     * @return how many were not told since the last one that was; negative if it may not
     */
    long tryNow(long now) {
        boolean isEarly = told.get() < ALWAYS && told.getAndIncrement() < ALWAYS;
        return isEarly ? 0 : seldom.tryNow(now);
    }
}
