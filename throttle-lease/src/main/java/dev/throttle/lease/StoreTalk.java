package dev.throttle.lease;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Calls the store for one key. All calls run on the limit's executor, so that the methods here may be called under a
 * lock. Thread-safe.
 */
final class StoreTalk {

    private final LeaseTerms terms;
    private final String key;
    /** Takes back permits of the own share that could not be reported to the store. */
    private final LongConsumer untold;

    private volatile boolean closed;

    /** Receives the answer of the store. */
    interface Listener {

        /**
         * Called with the answer of the store, possibly some time after it arrived.
         *
         * @param lease the lease; null if the store did not answer
         * @param askedAt when the store was asked
         * @param cameAt when the answer arrived
         */
        void heard(@Nullable Lease lease, long askedAt, long cameAt);
    }

    StoreTalk(LeaseTerms terms, String key, LongConsumer untold) {
        this.terms = terms;
        this.key = key;
        this.untold = untold;
    }

    /** Ends the use of the store: every later question fails at once. */
    void close() {
        closed = true;
    }

    boolean isClosed() {
        return closed;
    }

    /** Reports what was spent of the process's own share, and asks for more. The listener is called once, later. */
    void ask(long own, int sharers, long least, long wanted, Listener listener) {
        try {
            terms.executor().execute(() -> question(own, sharers, least, wanted, listener));
        } catch (RuntimeException | Error e) { // as if the store were away
            untold.accept(own);
            long askedAt = terms.time().nanoTime();
            terms.time().schedule(0, () -> listener.heard(null, askedAt, askedAt));
        }
    }

    private void question(long own, int sharers, long least, long wanted, Listener listener) {
        long askedAt = terms.time().nanoTime();
        AtomicBoolean heard = new AtomicBoolean();
        AtomicLong cameAt = new AtomicLong();
        Consumer<@Nullable Lease> hear = lease -> {
            if (heard.compareAndSet(false, true)) {
                listener.heard(lease, askedAt, lease == null ? askedAt : cameAt.get());
            }
        };
        try {
            if (closed) {
                untold.accept(own);
                throw new IllegalStateException("closed");
            }
            tell(own, sharers);
            CompletionStage<Lease> answer = terms.source().lease(key, least, wanted);
            answer.whenComplete((lease, failure) -> cameAt.set(terms.time().nanoTime()))
                    .whenCompleteAsync((lease, failure) -> hear.accept(lease), terms.executor())
                    .whenComplete((lease, failure) -> hear.accept(null)); // if the executor has rejected the answer
        } catch (Throwable e) { // of any kind: otherwise callers would wait for ever
            hear.accept(null);
        }
    }

    private void tell(long own, int sharers) {
        if (own > 0) {
            try {
                terms.source().spent(key, own, sharers);
            } catch (Throwable e) { // it is told again
                untold.accept(own);
                throw e;
            }
        }
    }

    /**
     * Tells the store what was spent of the process's own share, and gives leases back, on the executor.
     *
     * @param own how many permits of the own share were spent
     * @param sharers how many processes shared the limit then
     * @param rest the leases that are no longer needed
     */
    void rest(long own, int sharers, List<Lease> rest) {
        if (own == 0 && rest.isEmpty()) {
            return;
        }
        try {
            terms.executor().execute(() -> {
                try {
                    tell(own, sharers);
                } finally {
                    rest.forEach(this::giveBack);
                }
            });
        } catch (RuntimeException | Error e) {
            untold.accept(own); // and the leases are lost
        }
    }

    private void giveBack(Lease lease) {
        try {
            terms.source().giveBack(key, lease);
        } catch (RuntimeException | Error e) {
            // It is lost. The others are not.
        }
    }
}
