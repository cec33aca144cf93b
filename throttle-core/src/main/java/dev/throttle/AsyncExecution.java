package dev.throttle;

import dev.throttle.engine.CallPermits;
import dev.throttle.internal.CallContext;
import dev.throttle.internal.Causes;
import dev.throttle.retry.RetryDecision;
import dev.throttle.signal.Signal;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Runs an asynchronous action and its repetitions. It is the future that the caller holds. */
final class AsyncExecution<T> extends CompletableFuture<T> {

    private final CallPermits call;
    private final Supplier<? extends CompletionStage<T>> action;
    private final SafeResultClassifier<T> classifier;
    /** What is under way: the wait, or the attempt. */
    private volatile @Nullable Future<?> current;

    private AsyncExecution(
            CallPermits call, Supplier<? extends CompletionStage<T>> action, SafeResultClassifier<T> classifier) {
        this.call = call;
        this.action = action;
        this.classifier = classifier;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // what the callback does ends what is under way
    static <T> CompletableFuture<T> start(
            CallPermits call, Supplier<? extends CompletionStage<T>> action, SafeResultClassifier<T> classifier) {
        call.captureContext();
        AsyncExecution<T> execution = new AsyncExecution<>(call, action, classifier);
        execution.whenComplete((result, failure) -> execution.stop());
        CallContext.run(call.context(), execution::attempts);
        return execution;
    }

    /** Runs an action that bypasses its throttle. */
    static <T> CompletableFuture<T> unthrottled(Supplier<? extends CompletionStage<T>> action) {
        try {
            return action.get().toCompletableFuture();
        } catch (Throwable e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Attempts that end on the spot are repeated in this loop, so that they cannot nest. */
    @SuppressWarnings("FutureReturnValueIgnored") // what the callback does ends in this future
    private void attempts() {
        boolean again = true;
        while (again && !isDone()) {
            CompletableFuture<Permit> admission = call.acquireAsync(false);
            underWay(admission);
            if (!admission.isDone()) {
                admission.whenComplete((permit, rejection) -> {
                    if (attempt(permit, rejection)) {
                        attempts();
                    }
                });
                return;
            }
            again = admission.handle(this::attempt).join();
        }
    }

    /** {@return whether the attempt ended on the spot and is to be repeated} */
    @SuppressWarnings("FutureReturnValueIgnored") // what the callback does ends in this future
    private boolean attempt(@Nullable Permit permit, @Nullable Throwable rejection) {
        if (permit == null) {
            fail(rejection);
            return false;
        }
        if (isDone()) {
            permit.release();
            return false;
        }
        CompletableFuture<T> attempt;
        try {
            attempt = action.get().toCompletableFuture();
        } catch (Throwable e) {
            attempt = CompletableFuture.failedFuture(e);
        }
        underWay(attempt);
        if (attempt.isDone()) {
            return attempt.handle((result, failure) -> ended(permit, result, failure))
                    .join();
        }
        attempt.whenComplete((result, failure) -> CallContext.run(call.context(), () -> {
            if (ended(permit, result, failure)) {
                attempts();
            }
        }));
        return false;
    }

    private boolean ended(Permit permit, @Nullable T result, @Nullable Throwable failure) {
        RetryDecision decision;
        if (failure == null) {
            @SuppressWarnings("NullAway") // the action's own null, if its type allows one
            RetryDecision onResult = classifier.complete(permit, result);
            decision = onResult;
        } else {
            decision = isDone() ? permit.complete(Signal.CANCELLED) : classifier.fail(permit, Causes.unwrap(failure));
        }
        boolean again = decision.isRetry() || call.isTurnedAway();
        if (failure == null) {
            if (again || !complete(result)) {
                discard(result);
            }
        } else if (!again) {
            fail(failure);
        }
        return again;
    }

    @SuppressWarnings("NullAway") // the action's own null, if its type allows one
    private void discard(@Nullable T result) {
        classifier.discard(result);
    }

    private void fail(@Nullable Throwable failure) {
        completeExceptionally(failure == null ? new CancellationException() : Causes.unwrap(failure));
    }

    /** Remembers what to cancel; if the caller has given up meanwhile, it is cancelled here. */
    private void underWay(Future<?> future) {
        current = future;
        if (isDone()) {
            future.cancel(true);
        }
    }

    /** Cancels the call and the current attempt, since this future has ended and takes no result any more. */
    private void stop() {
        call.cancel();
        Future<?> underWay = current;
        if (underWay != null) {
            underWay.cancel(true);
        }
    }
}
