package dev.throttle.lease;

import java.util.concurrent.CompletionStage;

/**
 * Gives out the permits of a limit that several processes share, from a store that all of them can reach. Each key has
 * its own permits.
 *
 * <p>Implementations must be thread-safe. Methods are called on the limit's executor, never under a lock and never by a
 * caller that waits for a permit, at most about ten times per second and key.
 */
public interface LeaseSource {

    /**
     * Takes permits.
     *
     * @param key the key, as the source is to store it
     * @param least how many are of use at all: fewer are not to be given, none may be
     * @param wanted how many the process can spend in the near future, {@code least} or more; the source gives as many
     *     as it finds fair
     * @return completes soon with what is given; exceptionally, and soon as well, while the store cannot be reached.
     *     What comes after a time-out is lost
     */
    CompletionStage<Lease> lease(String key, long least, long wanted);

    /**
     * Gives permits back that will not be spent. Best effort; no caller waits for it. Permits of a lease without an
     * interval come back after they have expired, too, if they were not spent. A source may count them as never given,
     * but must not give them to others.
     *
     * @param key the key
     * @param lease the permits, due when they were given to be due, with the receipt of the lease they came with
     */
    void giveBack(String key, Lease lease);

    /**
     * Tells what the process has spent of its own share of the limit while the store did not answer. It is called
     * before the next question, or as soon as the process has nothing to do. A source should count these permits before
     * it gives out others, and tell the store again if it cannot be reached. If it throws, it is called again later
     * with the same permits. The default does nothing.
     *
     * @param key the key
     * @param permits how many were spent since this was called last, above zero
     * @param sharers how many processes shared the limit as far as this one knows. The others may still spend their
     *     shares
     */
    default void spent(String key, long permits, int sharers) {}
}
