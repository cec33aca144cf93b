package dev.throttle.client;

import dev.throttle.Permit;
import dev.throttle.internal.Faults;
import dev.throttle.internal.Fields;
import dev.throttle.signal.Cost;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of a {@link KeyedCall}, with all the requests that the client sends for it: redirects, authentication,
 * retries of its own. Each response is booked on the key of whoever sent it, and the last one decides whether there is
 * another attempt.
 *
 * <p>The first request is the call's own: it uses the permit that was waited for, even if the client sends it to
 * another URL than the user's, and so do later requests to that URL. Each further one to another key is charged there
 * and never held back.
 *
 * <p>One thread at a time uses an attempt.
 */
public final class Attempt {

    private static final Faults FAULTS = new Faults("reporting the end of a request to its throttle");
    private static final VarHandle HAS_ENDED =
            Fields.handle(MethodHandles.lookup(), Hop.class, "hasEnded", boolean.class);

    private final KeyPermits permits;
    private int hops;
    /** The key of the URL that the first request was sent to. */
    private @Nullable String firstKey;

    private volatile @Nullable Hop last;
    private volatile @Nullable Hop answered;
    private volatile @Nullable KeyPermit refusedBy;

    Attempt(KeyPermits permits) {
        this.permits = permits;
    }

    /**
     * Begins a request, which goes out now.
     *
     * @param key the key of its URL; null if that is not throttled
     * @return null if it is not throttled, or part of a request that another observer has begun
     * @throws RuntimeException if the throttle of the key cannot be made, or can never grant the call's cost; nothing
     *     has begun then, and nothing should be sent
     */
    public @Nullable Hop beginHop(@Nullable String key) {
        Hop previous = last;
        if (previous != null && previous.isUnderWay()) {
            return null;
        }
        KeyPermit permit = null;
        if (hops == 0 || Objects.equals(key, firstKey)) {
            permit = permits.own();
        } else if (key != null) {
            permit = permits.of(key);
        }
        settle();
        if (hops++ == 0) {
            firstKey = key;
        }
        Hop hop = permit == null ? null : new Hop(permit, permits.take(permit), previous);
        last = hop;
        answered = hop;
        return hop;
    }

    /** {@return whether no request has begun yet} */
    public boolean isUnsent() {
        return hops == 0;
    }

    /** {@return the last request if its end waits for a look at its body; null otherwise} */
    public @Nullable Hop unsettled() {
        Hop hop = last;
        return hop != null && hop.unsettled != null ? hop : null;
    }

    /**
     * Ends the attempt with the response that the user would see.
     *
     * @param status its status. If it is not what the server sent, an interceptor has dealt with the answer, and it is
     *     not repeated
     * @return whether there is to be another attempt; the response is then to be dropped
     */
    public boolean end(int status) {
        settle();
        Hop hop = last;
        return conclude(hop != null && hop.isRetry && hop.status == status ? hop.permit : null);
    }

    /**
     * Ends the attempt with a failure. If it is not what the last request ended with, an interceptor has thrown it, and
     * nothing is repeated.
     *
     * @param failure what the user would see
     * @return whether there is to be another attempt
     */
    @SuppressWarnings("ReferenceEquality") // the very exception that the request ended with, and not one like it
    public boolean end(Throwable failure) {
        settle();
        Hop hop = last;
        return conclude(hop != null && hop.isRetry && hop.failure == failure ? hop.permit : null);
    }

    /** Ends the attempt, which is not repeated, whatever became of it. Without effect if it has ended. */
    public void abandon() {
        settle();
        if (refusedBy == null) {
            conclude(null);
        }
    }

    /** {@return whether the attempt has ended and there is to be another} */
    public boolean isToBeRepeated() {
        return refusedBy != null;
    }

    /** {@return the key that the next attempt needs a permit of, beside the call's own} */
    @Nullable KeyPermit refusedBy() {
        return refusedBy;
    }

    /** No permit outlives the attempt. */
    private void settle() {
        Hop hop = last;
        if (hop == null) {
            return;
        }
        Signal said = hop.unsettled == null ? null : hop.said;
        if (said != null) {
            hop.end(Objects.requireNonNull(hop.unsettled), said);
        } else {
            hop.fail(FailureKind.CANCELLED, null);
        }
    }

    private boolean conclude(@Nullable KeyPermit refusing) {
        permits.release();
        permits.forgetPreviews();
        if (last != null) {
            last = null; // many calls may wait for their next attempt
        }
        boolean isRepeated = refusing != null && !permits.isCancelled();
        if (isRepeated) {
            refusedBy = refusing;
            answered = null;
            permits.beginWait();
        }
        return isRepeated;
    }

    /** {@return the last request, also once the attempt has ended; null if it is not throttled or to be repeated} */
    @Nullable Hop answered() {
        return answered;
    }

    /** One request on the wire. Of its ends the first counts. Nothing that user code throws gets out of them. */
    public final class Hop {

        private final KeyPermit permit;
        private final Permit granted;
        /** The request of the same attempt before this one, which was answered with a redirect or the like. */
        private final @Nullable Hop before;

        private volatile boolean hasEnded;
        /** Whether the throttle would send it again; the status is known then. */
        private volatile boolean isRetry;

        private volatile int status;
        private volatile @Nullable Throwable failure;
        /** The response whose body is to be looked into. */
        private volatile @Nullable ResponseHead unsettled;

        private volatile @Nullable Signal said;
        /** Keeps others from the key; null if it never did. */
        private volatile @Nullable KeyHold hold;

        private Hop(KeyPermit permit, Permit granted, @Nullable Hop before) {
            this.permit = permit;
            this.before = before;
            this.granted = granted;
        }

        private boolean isUnderWay() {
            return !hasEnded && unsettled == null;
        }

        /**
         * {@return what a response says, as the throttle of this request's key understands it}
         *
         * @param head status and headers
         */
        public Signal read(ResponseHead head) {
            try {
                return permit.read(head);
            } catch (Throwable e) {
                FAULTS.report(e);
                return Signal.IGNORED;
            }
        }

        /**
         * Ends the request with the head of its response.
         *
         * @param head status and headers
         */
        public void end(ResponseHead head) {
            end(head, read(head));
        }

        /**
         * Ends the request with a response that says something else than its head.
         *
         * @param head status and headers
         * @param signal what it says
         */
        public void end(ResponseHead head, Signal signal) {
            if (unsettled != null) {
                unsettled = null;
            }
            complete(head, signal, null);
        }

        /**
         * Leaves the end to {@link #end(ResponseHead, Signal)}, when the body has been looked at. If that does not
         * happen before the next request or the end of the attempt, the head alone counts.
         *
         * @param head status and headers
         * @param signal what they say
         */
        public void endWithBody(ResponseHead head, Signal signal) {
            said = signal;
            unsettled = head;
            if (signal.hints().refusalWait() != null) {
                holdWhileUnknown(signal); // who comes now must not slip through while the body is looked at
            }
        }

        /** {@return the head that waits for a look at its body; null if none does} */
        public @Nullable ResponseHead head() {
            return unsettled;
        }

        /** {@return what {@link #head()} says without its body; null if none waits} */
        public @Nullable Signal said() {
            return said;
        }

        /**
         * Keeps other calls from the key of this request, before it is known whether it was this key that refused, and
         * whether a wait can mend it: as long as the refusal demands, until the request ends. Replaces the hold there
         * is; there is none for a signal that is no refusal.
         *
         * @param signal what the response says
         */
        public void holdWhileUnknown(Signal signal) {
            boolean isRefusal = signal.outcome().isRefusal();
            KeyHold current = hold;
            if (current == null && isRefusal) {
                current = new KeyHold();
                hold = current;
            }
            if (current != null) {
                current.replace(isRefusal ? permits.callOf(permit).holdWhileUnknown(signal) : null);
            }
            if (hasEnded) {
                KeyHold.lift(hold);
            }
        }

        /**
         * Ends the request with a failure.
         *
         * @param kind what it says
         * @param cause what the client threw; null if the request was given up
         */
        public void fail(FailureKind kind, @Nullable Throwable cause) {
            if (complete(null, kind.signal(), kind)) {
                failure = cause;
            }
        }

        /** {@return whether it matters to the throttle of this request's key what requests cost beside their number} */
        boolean countsCosts() {
            return permit.countsCosts();
        }

        /**
         * Tells what the request truly took, before its end or after it. The requests of the attempt before this one,
         * which were answered with a redirect or the like, took nothing of what is named. It counts once.
         *
         * @param actual what it took; requests are not looked at
         */
        public void settle(Cost actual) {
            granted.settle(actual);
            if (before != null) {
                before.settle(
                        actual.units().stream().reduce(Cost.NONE, (none, unit) -> none.and(unit, 0), Cost::orElse));
            }
        }

        /**
         * Tells what else the answer says about the server's limits, before its end or after it, such as a quota in its
         * body.
         *
         * @param hints what was learned
         */
        public void hear(RateHints hints) {
            granted.hear(hints);
        }

        /** Ends the request, which was not sent after all. */
        public void release() {
            if (HAS_ENDED.compareAndSet(this, false, true)) {
                permits.giveBack(permit, granted);
                KeyHold.lift(hold);
            }
        }

        /** {@return whether the request has ended and the throttle would send it again} */
        public boolean isRetry() {
            return isRetry;
        }

        private boolean complete(@Nullable ResponseHead head, Signal signal, @Nullable FailureKind kind) {
            if (!HAS_ENDED.compareAndSet(this, false, true)) {
                return false;
            }
            try {
                if (permits.complete(permit, granted, head, signal, kind).isRetry()) {
                    status = head == null ? 0 : head.status();
                    isRetry = true;
                }
            } catch (Throwable e) {
                granted.end(Signal.IGNORED); // without effect if it has ended
                FAULTS.report(e);
            } finally {
                KeyHold.lift(hold);
            }
            return true;
        }
    }
}
