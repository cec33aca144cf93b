package dev.throttle.engine;

import dev.throttle.internal.Faults;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Calls code that may be the user's own. What it throws is reported when the engine's lock is free. */
final class SafeCalls {

    private final Faults faults;
    private final Consumer<Runnable> later;

    /**
     * Makes a caller.
     *
     * @param what whose code it calls, for the log
     * @param later takes what is to be done when the engine's lock is free
     */
    SafeCalls(String what, Consumer<Runnable> later) {
        this.faults = new Faults(what);
        this.later = later;
    }

    /** {@return what a call returns; {@code otherwise} if it throws} */
    <T> T get(T otherwise, Supplier<T> call) {
        try {
            return call.get();
        } catch (Throwable e) {
            report(e);
            return otherwise;
        }
    }

    /** The same for a number, which is not boxed. */
    long nanos(long otherwise, LongSupplier call) {
        try {
            return call.getAsLong();
        } catch (Throwable e) {
            report(e);
            return otherwise;
        }
    }

    void run(Runnable call) {
        try {
            call.run();
        } catch (Throwable e) {
            report(e);
        }
    }

    private void report(Throwable failure) {
        later.accept(() -> faults.report(failure));
    }
}
