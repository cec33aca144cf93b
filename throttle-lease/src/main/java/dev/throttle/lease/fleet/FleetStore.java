package dev.throttle.lease.fleet;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/**
 * Where the processes of a fleet keep what they share. While it cannot be reached, every step fails at once, except for
 * a probe now and then, so that no caller waits. Thread-safe.
 */
public interface FleetStore {

    /** Receives what happens in the store. */
    interface Listener {

        /** {@return the name under which {@link Step#LEARN} publishes} */
        String channel();

        /** Called with each published message, on a thread that must not be blocked. */
        void heard(String channel, String text);

        /** Called when the store can be reached, for the first time or again. */
        void connected();
    }

    /** Connects, now or as soon as it can. */
    void connect();

    /** {@return whether it can be reached, and the losses that were found} */
    StoreWatch watch();

    /** {@return the time that few answers exceed, in nanoseconds; 0 if there was none yet} */
    long slowNanos();

    /**
     * {@return how late threads of this process usually run, in nanoseconds, if permits are to be good for longer
     * because of that; 0 if not}
     */
    default long lateNanos() {
        return 0;
    }

    /** {@return how long what was learned is kept if no more is learned of the key} */
    Duration keeps();

    /** {@return how long the pace of processes that are gone is of use} */
    Duration keepsPace();

    /** {@return the answer to a step, which is tried even if the store seems to be away} */
    CompletableFuture<List<Object>> probe(Step step, String[] keys, String... args);

    /** {@return the answer to a step; it fails at once while the store is away} */
    default CompletableFuture<List<Object>> run(Step step, String[] keys, String... args) {
        return watch().isUp()
                ? probe(step, keys, args)
                : CompletableFuture.failedFuture(new StoreAwayException(watch().fleet()));
    }

    /** Does a step and ignores its answer. */
    default void send(Step step, String[] keys, String... args) {
        CompletableFuture<List<Object>> unused = run(step, keys, args);
    }

    /** Called about once a second while it is up. */
    void look();

    /**
     * Waits a moment for what is not written yet, if it can be waited for. Called before the end.
     *
     * @param isAsked whether all has been asked that has to be written
     */
    default void settle(BooleanSupplier isAsked) {}

    /** Closes it on another thread. */
    void closeSoon();
}
