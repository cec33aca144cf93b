package dev.throttle.engine;

import dev.throttle.Permit;
import dev.throttle.retry.RetryDecision;
import dev.throttle.signal.Cost;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import java.util.concurrent.CompletableFuture;

/** A permit that can only be released. */
record StubPermit(Runnable onRelease) implements Permit {

    @Override
    public void release() {
        onRelease.run();
    }

    @Override
    public RetryDecision complete(ResponseHead response) {
        throw new UnsupportedOperationException();
    }

    @Override
    public RetryDecision complete(ResponseHead response, Signal signal) {
        throw new UnsupportedOperationException();
    }

    @Override
    public RetryDecision complete(Signal signal) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void end(Signal signal) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void settle(Cost actual) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void observe(RateHints hints) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Permit acquireAgain() {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<Permit> acquireAgainAsync() {
        throw new UnsupportedOperationException();
    }
}
