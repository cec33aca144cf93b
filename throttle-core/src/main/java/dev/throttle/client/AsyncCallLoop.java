package dev.throttle.client;

import dev.throttle.internal.CallContext;
import dev.throttle.internal.Faults;
import dev.throttle.internal.Fields;
import dev.throttle.signal.ResponseHead;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The loop of one call that no thread waits for; {@code CallLoop.runAsync} starts it.
 *
 * <p>One thing is under way at a time: a wait for permits, an exchange, a look at a body, or the end of a dropped one.
 * What has ended leaves the next step here, of which there is one at most. The steps run one after another in
 * {@link #go}, so that attempts cannot nest however they end.
 */
final class AsyncCallLoop<R> {

    private static final Faults FAULTS = new Faults("the end of an asynchronous call");
    /** Many calls may wait: this is smaller than an AtomicInteger for each. */
    private static final VarHandle STEPS_LEFT =
            Fields.handle(MethodHandles.lookup(), AsyncCallLoop.class, "stepsLeft", int.class);

    private final SafeBodyClassifier classifier;
    private final KeyedCall call;
    private final AsyncExchange<R> exchange;
    private final Executor executor;

    /** How many steps are left, with the one that runs. */
    @SuppressWarnings("unused") // by its handle
    private volatile int stepsLeft;
    /** Null if no step is left, or the last one runs. */
    private volatile @Nullable Runnable nextStep;
    /** The caller's thread while it is in {@link #start}, where the caller's context is that of the thread. */
    private volatile @Nullable Thread starter;
    /** The attempt that began last; null before the first. Only the thread in {@link #go} uses it. */
    private @Nullable Attempt current;
    /** Whether the thread in {@link #go} has come from a wait. Only that thread uses it. */
    private boolean isAfterWait;
    /** Whether the door was told of the end. Only the thread in {@link #go} uses it. */
    private boolean isOver;

    AsyncCallLoop(SafeBodyClassifier classifier, KeyedCall call, AsyncExchange<R> exchange, Executor executor) {
        this.classifier = classifier;
        this.call = call;
        this.exchange = exchange;
        this.executor = executor;
    }

    void start() {
        starter = Thread.currentThread();
        CallContext.run(call.context(), () -> go(this::awaitPermits, false));
        starter = null;
    }

    private void go(Runnable step, boolean afterWait) {
        nextStep = step;
        if ((int) STEPS_LEFT.getAndAdd(this, 1) > 0) {
            return;
        }
        CallContext caller = call.context();
        if (caller == null || Thread.currentThread().equals(starter)) {
            runSteps(afterWait);
        } else {
            CallContext.run(caller, () -> runSteps(afterWait));
        }
    }

    private void runSteps(boolean afterWait) {
        do {
            isAfterWait = afterWait;
            Runnable step = Objects.requireNonNull(nextStep);
            nextStep = null;
            try {
                step.run();
            } catch (Throwable e) {
                end(null, e);
            }
        } while ((int) STEPS_LEFT.getAndAdd(this, -1) > 1);
    }

    /** The calling thread has to give permits to other calls, or is the HTTP client's. */
    private void goElsewhere(Runnable step) {
        if (call.isCancelled()) {
            go(step, true);
            return;
        }
        try {
            executor.execute(() -> go(step, true));
        } catch (Throwable e) {
            go(() -> end(null, e), true);
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // its action sees to both ways it may end
    private void awaitPermits() {
        current = null; // many calls may wait, and need not keep what they were answered
        CompletableFuture<?> admission = exchange.acquire(call);
        boolean isAtOnce = admission.isDone();
        admission.whenComplete((held, refusal) -> {
            Runnable next = () -> waitEnded(refusal);
            if (isAtOnce) {
                go(next, false);
            } else {
                goElsewhere(next);
            }
        });
    }

    private void waitEnded(@Nullable Throwable refusal) {
        if (refusal != null) {
            end(null, exchange.unsent(refusal));
        } else if (call.isCancelled()) {
            end(null, exchange.unsent(new CancellationException("the call was cancelled")));
        } else {
            send();
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // its action sees to both ways it may end
    private void send() {
        Attempt attempt = new Attempt(classifier, call);
        current = attempt;
        CompletableFuture<? extends @Nullable R> sent;
        try {
            sent = Layer.<CompletableFuture<? extends @Nullable R>, RuntimeException, RuntimeException>send(
                    call.layer(), () -> Objects.requireNonNull(exchange.send(attempt), "future of the response"));
        } catch (RuntimeException | Error e) {
            failed(attempt, e);
            return;
        }
        sent.whenComplete((response, failure) -> go(
                () -> {
                    if (failure != null) {
                        failed(attempt, failure);
                    } else if (response == null) {
                        end(null, null);
                    } else {
                        answered(attempt, response);
                    }
                },
                false));
    }

    private void failed(Attempt attempt, Throwable failure) {
        if (attempt.end(failure, exchange.isCancelled(), exchange::kindOf)) {
            awaitPermits();
        } else {
            end(null, failure);
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // its action sees to both ways it may end
    private void answered(Attempt attempt, R response) {
        ResponseHead head = exchange.head(response);
        if (!attempt.isAnswered()) {
            attempt.answered(head);
        }
        if (!attempt.wantsBodyOf(head)) {
            conclude(attempt, head, response);
            return;
        }
        exchange.peek(response)
                .whenComplete((peeked, failure) -> go(
                        () -> {
                            if (failure != null) {
                                end(null, failure);
                            } else {
                                attempt.looked(peeked.start());
                                conclude(attempt, head, peeked.response());
                            }
                        },
                        false));
    }

    private void conclude(Attempt attempt, ResponseHead head, R response) {
        if (attempt.end(head.status(), exchange.isCancelled())) {
            discard(response);
        } else {
            end(exchange.deliver(response, attempt), null);
        }
    }

    /** Before the wait, so that its connection is free for others. */
    @SuppressWarnings("FutureReturnValueIgnored") // its action sees to both ways it may end
    private void discard(R response) {
        CompletableFuture<?> discarded = exchange.discard(response);
        if (discarded.isDone()) {
            awaitPermits();
        } else {
            discarded.whenComplete((nothing, failure) -> goElsewhere(this::awaitPermits));
        }
    }

    private void end(@Nullable R response, @Nullable Throwable failure) {
        if (isOver) {
            FAULTS.report(Objects.requireNonNull(failure)); // the door's, in its last step
            return;
        }
        isOver = true;
        Attempt last = current;
        if (last != null) {
            last.abandon();
        }
        call.release();
        exchange.ended(response, failure, isAfterWait);
    }
}
