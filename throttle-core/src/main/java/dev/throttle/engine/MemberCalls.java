package dev.throttle.engine;

import dev.throttle.CallOptions;
import dev.throttle.Permit;
import dev.throttle.internal.CallContext;
import dev.throttle.internal.Nanos;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A call of a pool as the line knows it: a call of each member that it has asked, and what these have in common, such
 * as how long it has waited and which members cannot take it. The call's thread uses it, or the line while the call
 * waits.
 */
final class MemberCalls {

    private static final long NONE = Long.MAX_VALUE;
    private static final Wait EXCLUDED = new Wait(Wait.UNTIL_SIGNAL, "excluded");

    private final List<PoolMember> members;
    private CallOptions options;
    /** By member; null where it has not asked yet. */
    private final @Nullable ThrottledCall[] calls;
    /** Members that will never take it: its cost is above their limits, or its attempts there are used up. */
    private final boolean[] excluded;
    /** What it has to wait for at each member, as it was told last. */
    private final @Nullable Wait[] answers;
    /** How many of its attempts were refused or failed, by member. */
    private final int[] failures;

    /** The member of the last attempt; the first one if there was none. */
    private volatile int current;
    /** Its place in line, which it keeps over all its attempts; 0 before it has one. */
    private long order;
    /** Until when it waits for the member that has its conversation; {@link #NONE} if it has not asked yet. */
    private long pinnedUntil = NONE;

    private long waitedNanos;
    private long lastWaitNanos;
    private long waitBeganAt = NONE;
    private long admittedAt;
    private @Nullable CallRoute route;
    private volatile @Nullable CallContext context;
    private volatile boolean cancelled;

    MemberCalls(List<PoolMember> members, CallOptions options) {
        this.members = members;
        this.options = options;
        this.calls = new @Nullable ThrottledCall[members.size()];
        this.excluded = new boolean[members.size()];
        this.answers = new @Nullable Wait[members.size()];
        this.failures = new int[members.size()];
    }

    // ---- its members

    int current() {
        return current;
    }

    /** {@return its call of a member} */
    ThrottledCall of(int member) {
        ThrottledCall call = calls[member];
        if (call == null) {
            call = members.get(member).newCall(options);
            call.arrive();
            call.context(context);
            if (route != null) {
                call.route(route);
            }
            calls[member] = call;
            if (cancelled) {
                call.cancel();
            }
        }
        return call;
    }

    /** {@return its call of a member; null if it has not asked there} */
    @Nullable ThrottledCall ofIfAsked(int member) {
        return calls[member];
    }

    void forEach(Consumer<ThrottledCall> action) {
        for (ThrottledCall call : calls) {
            if (call != null) {
                action.accept(call);
            }
        }
    }

    /** Asks a member for a permit. */
    Offer ask(int member, boolean isBounded, int waiting, Runnable whenChanged) {
        Offer offer = calls[member] == null && members.get(member).isTooLarge(options)
                ? Offer.TOO_LARGE
                : of(member).offer(isBounded, waiting, whenChanged);
        answers[member] = offer.until();
        excluded[member] |= offer.equals(Offer.TOO_LARGE);
        return offer;
    }

    /** A member cannot take it, and need not be asked. */
    void exclude(int member) {
        excluded[member] = true;
        answers[member] = EXCLUDED;
    }

    boolean isExcluded(int member) {
        return excluded[member];
    }

    /** {@return what it has to wait for at a member, as it was told last; null if others come first there} */
    @Nullable Wait answer(int member) {
        return answers[member];
    }

    void answer(int member, @Nullable Wait wait) {
        answers[member] = wait;
    }

    /**
     * It stands behind others, and so has to wait for the same where it can go at all.
     *
     * @param waits what those before it have to wait for, by member
     */
    void standsBehind(@Nullable Wait[] waits) {
        for (int i = 0; i < waits.length; i++) {
            answers[i] = excluded[i] ? EXCLUDED : waits[i];
        }
    }

    /** {@return the shortest wait that it was told; {@link Wait#UNTIL_SIGNAL} if it may be free at any time} */
    long leastWait() {
        long least = Wait.UNTIL_SIGNAL;
        for (Wait wait : answers) {
            if (wait == null || (wait.isUntilSignal() && !isRefusal(wait))) {
                return Wait.UNTIL_SIGNAL;
            }
            least = Math.min(least, wait.nanos());
        }
        return least;
    }

    /** {@return whether no member will ever take it} */
    boolean isRefusedByAll() {
        return Arrays.stream(answers).allMatch(wait -> wait != null && isRefusal(wait));
    }

    private static boolean isRefusal(Wait wait) {
        return wait.reason().equals(RunState.CLOSED)
                || wait.reason().equals(RunState.DRAINING)
                || wait.reason().equals(Refusal.TOO_LARGE)
                || wait.equals(EXCLUDED);
    }

    /** {@return the wait that ends first, as far as is known} */
    Wait soonest() {
        Wait soonest = null;
        for (Wait wait : answers) {
            boolean isSooner = wait != null && (soonest == null || wait.nanos() < soonest.nanos());
            soonest = isSooner ? wait : soonest;
        }
        return soonest == null ? Wait.NONE : soonest;
    }

    // ---- its attempts

    /** A member lets the next attempt go. */
    Permit granted(int member, Permit permit, long now) {
        current = member;
        lastWaitNanos = Math.max(0, now - waitBeganAt);
        waitedNanos = Nanos.plus(waitedNanos, lastWaitNanos);
        waitBeganAt = NONE;
        admittedAt = now;
        return permit;
    }

    /** The permit went back: should the call ask again, its wait goes on from where it began. */
    void gaveBack() {
        waitedNanos -= lastWaitNanos;
        waitBeganAt = admittedAt - lastWaitNanos;
        lastWaitNanos = 0;
    }

    /** The last attempt was refused or has failed. */
    void failed(int member, long now) {
        failures[member]++;
        waitBeganAt = now;
    }

    boolean isRetry() {
        return allFailures() > 0;
    }

    private int allFailures() {
        return Arrays.stream(failures).sum();
    }

    boolean isOutOfAttempts() {
        Integer most = options.maxAttempts();
        return most != null && allFailures() >= most;
    }

    long admittedAt() {
        return admittedAt;
    }

    // ---- how long it may wait

    void beginWait(long now) {
        if (waitBeganAt == NONE) {
            waitBeganAt = now;
        }
    }

    long waitBeganAt() {
        return waitBeganAt;
    }

    long waitingNanos(long now) {
        return waitBeganAt == NONE ? 0 : now - waitBeganAt;
    }

    long waitedNanos() {
        return waitedNanos;
    }

    /** {@return how long it may wait, from the time its wait began; {@link Waiter#NEVER} for any time} */
    long leftNanos(long maxWaitNanos) {
        Duration own = options.maxWait();
        long most = own == null ? maxWaitNanos : Nanos.of(own);
        return most == Nanos.MAX ? Waiter.NEVER : Math.max(0, most - waitedNanos);
    }

    /** {@return the options as the member of an attempt that has failed has to see them} */
    CallOptions optionsAt(int member, long maxWaitNanos) {
        long left = leftNanos(maxWaitNanos);
        Duration most = left == Waiter.NEVER
                ? Duration.ofNanos(Nanos.MAX)
                : Duration.ofNanos(Nanos.plus(Nanos.of(of(member).waited()), left));
        Integer attempts = options.maxAttempts();
        int elsewhere = allFailures() - failures[member];
        return options.maxWait(most).maxAttempts(attempts == null ? null : Math.max(1, attempts - elsewhere));
    }

    /** {@return its place in line, which it gets with its first wait} */
    long order(long next) {
        if (order == 0) {
            order = next;
        }
        return order;
    }

    /** {@return until when it waits for the member of its conversation} */
    long pinnedUntil(long now, long nanos) {
        if (pinnedUntil == NONE) {
            pinnedUntil = now + nanos;
        }
        return pinnedUntil;
    }

    void unpin(long now) {
        pinnedUntil = now;
    }

    // ---- what else is told about it

    CallOptions options() {
        return options;
    }

    void options(CallOptions revised) {
        options = revised;
        forEach(call -> call.updateOptions(revised));
    }

    void route(CallRoute own) {
        route = own;
        forEach(call -> call.route(own));
    }

    @Nullable CallContext context() {
        return context;
    }

    void context(@Nullable CallContext caller) {
        context = caller;
        forEach(call -> call.context(caller));
    }

    void cancel() {
        cancelled = true;
        forEach(ThrottledCall::cancel);
    }

    boolean isCancelled() {
        return cancelled;
    }
}
