package dev.throttle.engine;

import dev.throttle.internal.Faults;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Calls code that may be the user's own, and reports what it throws. */
final class SafeCalls {

    private final Faults faults;
    private final Consumer<Runnable> later;

    /**
     * Makes a caller.
     *
     * @param what whose code it calls, for the log
     * @param later takes the reports: code that is called under the engine's lock is reported when the lock is free
     */
    SafeCalls(String what, Consumer<Runnable> later) {
        this.faults = new Faults(what);
        this.later = later;
    }

    /** {@return what a call returns; {@code otherwise} if it throws} */
    <T extends @Nullable Object> T get(T otherwise, Supplier<T> call) {
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
