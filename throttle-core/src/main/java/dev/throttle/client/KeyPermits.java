package dev.throttle.client;

import dev.throttle.CallOptions;
import dev.throttle.Permit;
import dev.throttle.Throttle;
import dev.throttle.internal.CallContext;
import dev.throttle.internal.Nanos;
import dev.throttle.retry.RetryDecision;
import dev.throttle.signal.Cost;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The keys that a call has to do with, and the one bound of what it waits for all of them together. */
final class KeyPermits {

    private final Function<String, Throttle> throttles;
    /** Changes before the first wait only, when no other thread looks at it. */
    private RequestTraits traits;

    private final KeyPermit own;
    /** Added to by the call's thread, read by any that cancels it; null if there are none. */
    private volatile @Nullable List<KeyPermit> others;
    /** Null if it has not waited. */
    private volatile @Nullable CallWait wait;

    private volatile boolean isCancelled;
    /** Whether an attempt has begun. */
    private boolean hasBegun;

    KeyPermits(Function<String, Throttle> throttles, String key, Throttle throttle, RequestTraits traits) {
        this.throttles = throttles;
        this.traits = traits;
        this.own = newPermit(key, throttle);
    }

    /** {@return the dealings with a key} The throttle of a key checks at once what the call costs beside itself. */
    private KeyPermit newPermit(String key, Throttle throttle) {
        KeyPermit permit = new KeyPermit(key, throttle);
        if (!traits.isPlain()) {
            permit.makeCall(firstOptions());
        }
        return permit;
    }

    private CallOptions firstOptions() {
        return traits.toOptions(null, traits.maxWait(), traits.maxAttempts());
    }

    RequestTraits traits() {
        return traits;
    }

    /** What can be told from the request itself, before the first wait. */
    void derive(@Nullable Cost estimate, @Nullable String profile) {
        traits = traits.withDerived(estimate, profile);
    }

    KeyPermit own() {
        return own;
    }

    TimeSource time() {
        return own.atRest().time();
    }

    /** {@return the call of a key's throttle} */
    ThrottledCall callOf(KeyPermit permit) {
        ThrottledCall call = permit.call();
        if (call == null) {
            call = permit.makeCall(firstOptions());
            if (isCancelled) { // by somebody who may not have seen it
                call.cancel();
            }
        }
        return call;
    }

    /** {@return the dealings with a key} */
    KeyPermit of(String key) {
        if (own.key().equals(key)) {
            return own;
        }
        List<KeyPermit> known = others;
        List<KeyPermit> more = known == null ? new ArrayList<>() : new ArrayList<>(known);
        for (KeyPermit permit : more) {
            if (permit.key().equals(key)) {
                return permit;
            }
        }
        KeyPermit permit = newPermit(key, throttles.apply(key));
        callOf(permit).context(context());
        more.add(permit);
        others = List.copyOf(more);
        if (isCancelled) {
            callOf(permit).cancel();
        }
        return permit;
    }

    /** Keeps the context of this thread, if the throttle of the call's key keeps any. */
    void captureContext() {
        ThrottledCall call = own.call();
        if (call != null) {
            call.captureContext();
            return;
        }
        CallContext caller = own.atRest().captureContext();
        if (caller != null) {
            callOf(own).context(caller);
        }
    }

    @Nullable CallContext context() {
        ThrottledCall call = own.call();
        return call == null ? null : call.context();
    }

    void cancel() {
        isCancelled = true;
        forEach(KeyPermits::cancel);
    }

    private void forEach(Consumer<KeyPermit> action) {
        action.accept(own);
        List<KeyPermit> more = others;
        if (more != null) {
            more.forEach(action);
        }
    }

    private static void cancel(KeyPermit permit) {
        ThrottledCall call = permit.call();
        if (call != null) {
            call.cancel();
        }
    }

    boolean isCancelled() {
        return isCancelled;
    }

    /** Gives back the permits that were waited for and not used. */
    void release() {
        release(own);
        List<KeyPermit> more = others;
        if (more != null) {
            more.forEach(this::release);
        }
    }

    private void release(KeyPermit permit) {
        Permit unused = permit.take();
        if (unused != null) {
            if (!hasBegun) {
                waits().beginAt(permit.atRest().takenAt(unused)); // it was none, and goes on
            }
            giveBack(permit, unused);
        }
    }

    /** Gives back a permit that was not used. The throttle's call keeps in mind since when it waits. */
    void giveBack(KeyPermit permit, Permit unused) {
        callOf(permit);
        unused.release();
    }

    /**
     * {@return whether the first attempt got its permit on the short way} The permit is held then. A call that has
     * waited for something, or may cost more than itself, is the business of a throttle's call.
     */
    boolean tryAcquireAtRest() {
        return !isCancelled && !CallWait.isUnderWay(wait) && traits.isPlain() && own.tryAcquireAtRest();
    }

    /** {@return the permit of the next request to a key: the one waited for, or else one that never waits} */
    Permit take(KeyPermit permit) {
        Permit held = permit.take();
        return held == null ? callOf(permit).acquireForced() : held;
    }

    /** Ends an attempt; {@return whether its request is repeated, as far as the throttle of its key decides} */
    RetryDecision complete(
            KeyPermit permit, Permit granted, @Nullable ResponseHead head, Signal signal, @Nullable FailureKind kind) {
        if (permit.endsWithCall(signal)) {
            callOf(permit).updateOptions(options(permit, kind, 0));
        }
        return permit.complete(granted, head, signal);
    }

    private CallWait waits() {
        CallWait made = wait;
        if (made == null) {
            made = new CallWait(time());
            wait = made;
        }
        return made;
    }

    void setDeadline(Duration left) {
        waits().setDeadline(Nanos.of(left));
    }

    boolean isTimedOut() {
        CallWait waited = wait;
        return waited != null && waited.isTimedOut();
    }

    void beginWait() {
        waits().begin();
    }

    /** Before any throttle is asked. The throttle of the call's key knows from now on when the call came. */
    void beginWaitElsewhere() {
        callOf(own);
        waits().beginElsewhere();
    }

    void endWait() {
        hasBegun = true;
        CallWait waited = wait;
        if (waited != null) {
            waited.end();
        }
    }

    Duration waited() {
        return Duration.ofNanos(CallWait.waitedNanos(wait));
    }

    /** {@return how long the call may wait from now on} */
    long leftNanos() {
        Duration maxWait = traits.maxWait();
        return CallWait.leftNanos(wait, Nanos.of(maxWait == null ? own.maxWait() : maxWait));
    }

    /** Tells a key's throttle what holds for its next wait. */
    void prepareWait(KeyPermit permit) {
        ThrottledCall call = callOf(permit);
        call.updateOptions(options(permit, null, Nanos.of(call.waiting())));
    }

    /** {@return whether an attempt that ended so would be repeated, whichever of the keys known so far it was} */
    boolean previewRetry(Signal signal) {
        boolean isRepeated = wouldRepeat(own, signal);
        List<KeyPermit> more = others;
        if (more != null) {
            isRepeated = isRepeated && more.stream().allMatch(permit -> wouldRepeat(permit, signal));
        }
        if (!isRepeated) {
            forgetPreviews();
        }
        return isRepeated;
    }

    private boolean wouldRepeat(KeyPermit permit, Signal signal) {
        ThrottledCall call = callOf(permit);
        call.updateOptions(options(permit, null, 0));
        return call.previewRetry(signal);
    }

    /** What was foretold is decided, or will never be. */
    void forgetPreviews() {
        forEach(KeyPermits::forgetPreview);
    }

    private static void forgetPreview(KeyPermit permit) {
        ThrottledCall call = permit.call();
        if (call != null) {
            call.forgetPreview();
        }
    }

    private CallOptions options(KeyPermit permit, @Nullable FailureKind kind, long waitingNanos) {
        Integer attempts = traits.maxAttempts();
        if (others == null && CallWait.isPlain(wait)) {
            return traits.toOptions(kind, traits.maxWait(), attempts); // the throttle sees the whole wait by itself
        }
        long soFar = Nanos.plus(Nanos.of(callOf(permit).waited()), waitingNanos);
        int elsewhere = failures() - permit.failures();
        return traits.toOptions(
                kind,
                Duration.ofNanos(Nanos.plus(soFar, leftNanos())),
                attempts == null ? null : Math.max(1, attempts - elsewhere));
    }

    private int failures() {
        List<KeyPermit> more = others;
        return own.failures()
                + (more == null
                        ? 0
                        : more.stream().mapToInt(KeyPermit::failures).sum());
    }
}
