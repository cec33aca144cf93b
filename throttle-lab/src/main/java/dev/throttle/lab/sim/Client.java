package dev.throttle.lab.sim;

import dev.throttle.signal.Cost;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.ResponseHead;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What a process sends its calls with: a throttle of the library, or what other programs use. */
public interface Client {

    /** {@return a call that has not been sent yet, of which nothing is known} */
    default Call newCall() {
        return newCall(null);
    }

    /**
     * {@return a call that has not been sent yet}
     *
     * @param estimate what it costs as far as the program knows; null if it knows nothing
     */
    Call newCall(@Nullable Cost estimate);

    /**
     * {@return a call of a route that has not been sent yet}
     *
     * @param estimate what it costs as far as the program knows; null if it knows nothing
     * @param route its route; null if all calls are of one
     */
    default Call newCall(@Nullable Cost estimate, @Nullable String route) {
        return newCall(estimate);
    }

    /**
     * Lets the process begin, at once or when it knows what it has to know.
     *
     * @param begin begins; on the simulator's thread
     */
    default void whenReady(Runnable begin) {
        begin.run();
    }

    /** The process ends. */
    default void leave() {}

    /** A call, with all its attempts. */
    interface Call {

        /**
         * Asks for the next attempt. One of both is run, at once or later, unless the call is cancelled before.
         *
         * @param granted the attempt may leave
         * @param rejected the client will not let it go
         */
        void ask(Runnable granted, Runnable rejected);

        /**
         * Learns how the attempt ended that left last.
         *
         * @param response the answer
         * @return whether the call is to be repeated
         */
        boolean answered(ResponseHead response);

        /**
         * Learns that the server refused the connection of the attempt that left last.
         *
         * @return whether the call is to be repeated
         */
        boolean unanswered();

        /**
         * The body of an answer tells about limits, a refusal's before it is handed over, another one's at its end.
         *
         * @param hints what it tells
         */
        default void heard(RateHints hints) {}

        /**
         * The answer that was accepted has ended.
         *
         * @param truth what the call cost, as the answer says
         */
        default void ended(Cost truth) {}

        /** The attempt that was granted last is not sent. */
        void giveBack();

        /** Cancels the call. */
        void cancel();
    }

    /** Makes the client of each process. */
    @FunctionalInterface
    interface Factory {

        /**
         * {@return the client of a process}
         *
         * @param surroundings what it may use
         */
        Client newClient(Surroundings surroundings);

        /**
         * {@return what makes the clients of one run} By default clients have nothing in common that would need it.
         *
         * @param time the time of the run
         * @param seed the source of randomness of what they have in common
         */
        default Factory forRun(TimeSource time, long seed) {
            return this;
        }

        /** {@return how many commands the clients of the run have sent to a store they share; -1 if there is none} */
        default long storeCommands() {
            return -1;
        }
    }

    /**
     * What a client may use.
     *
     * @param time the time
     * @param seed the source of its randomness
     * @param maxWait the longest a call may wait; null for as good as no limit
     * @param retries how often throttles repeat what was refused or failed; peers have rules of their own
     */
    record Surroundings(
            TimeSource time, long seed, @Nullable Duration maxWait, Retries retries) {}
}
