package dev.throttle.okhttp;

import dev.throttle.client.AsyncExchange;
import dev.throttle.client.Attempt;
import dev.throttle.client.KeyedCall;
import dev.throttle.internal.CallContext;
import dev.throttle.internal.CallbackPool;
import dev.throttle.time.TimeSource;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * An enqueued call of a factory. It is parked, holding no thread, until it has its permits and a slot; handed to
 * OkHttp; and parked again if it is to be repeated. Its callback is called exactly once.
 *
 * <p>What the user wrote, callbacks and event listeners, runs on the thread that enqueues the call or on the
 * dispatcher's executor, and never on a thread that gives out permits. An attempt is handed over when the loop has come
 * to rest, since OkHttp may answer at once, and on another thread.
 */
final class AsyncRun extends ParkedCall implements AsyncExchange<Response>, Callback {

    private final ThrottlingCallFactory factory;
    private final Callback callback;
    private final long number;
    /** Whose lane it stands in, wherever a pool sends it. */
    private final String key;

    private volatile boolean hasSlot;
    /** Whether OkHttp tells listeners how the attempt ends. */
    private volatile boolean isWithOkHttp;

    private volatile CompletableFuture<@Nullable Void> admission = new CompletableFuture<>();
    private volatile TimeSource.@Nullable ScheduledTask expiry;

    /** What is to be handed to OkHttp; null if nothing is. */
    private volatile @Nullable Call attempt;

    private volatile CompletableFuture<Response> answer = new CompletableFuture<>();
    /** The thread on which OkHttp tells of an answer, where the callback may be called. */
    private volatile @Nullable Thread answering;
    /** The thread inside of OkHttp's {@code enqueue}, where no callback may be called. */
    private volatile @Nullable Thread handingOver;

    /** What the callback is told when the loop has come to rest; null if it is told elsewhere, or the call goes on. */
    private volatile @Nullable Told told;

    private interface Told {

        void tell() throws IOException;
    }

    AsyncRun(ThrottlingCallFactory factory, ThrottlingCall call, KeyedCall keyed, Callback callback) {
        super(factory.config(), keyed, call);
        this.factory = factory;
        this.callback = callback;
        this.number = factory.nextNumber();
        this.key = keyed.key();
    }

    String host() {
        return call().request().url().host();
    }

    String key() {
        return key;
    }

    /** {@return its place in the order in which calls were enqueued} */
    long number() {
        return number;
    }

    private ExecutorService dispatcher() {
        return factory.dispatcher().executorService();
    }

    void start() {
        factory.config().loop().runAsync(keyed(), this, this::execute);
        enqueueAttempt();
    }

    /** Goes on after a wait. */
    private void execute(Runnable step) {
        try {
            dispatcher().execute(() -> {
                step.run();
                enqueueAttempt();
            });
        } catch (Throwable e) {
            throw new UncheckedIOException(interrupted("executor rejected", e));
        }
    }

    /** Completes when it has its permits and a slot. A call that is repeated has the slot still. */
    @Override
    public CompletableFuture<?> acquire(KeyedCall keyed) {
        CompletableFuture<@Nullable Void> begun = new CompletableFuture<>();
        admission = begun;
        isWithOkHttp = false;
        factory.parked(1);
        if (hasSlot || factory.slots().take(this)) {
            ask(false);
        } else {
            stand();
        }
        return begun;
    }

    /** It was let out of its lane, with a slot. */
    void askFromLane() {
        TimeSource.ScheduledTask task = expiry;
        if (task != null) {
            expiry = null;
            task.cancel();
        }
        ask(true);
    }

    /**
     * Asks for the permits that are still missing, with a slot in hand.
     *
     * @param isFromLane whether others of its lane wait for it
     */
    @SuppressWarnings("FutureReturnValueIgnored") // its action sees to both ways it may end
    private void ask(boolean isFromLane) {
        hasSlot = true;
        CompletableFuture<@Nullable Void> held;
        try {
            held = keyed().acquireAsync();
        } catch (Throwable e) { // its slot must go to another call
            held = CompletableFuture.failedFuture(e);
        }
        boolean isWaiting = !held.isDone();
        if (isWaiting) {
            hasSlot = false;
            factory.slots().giveBack(this, isFromLane);
        }
        held.whenComplete((nothing, failure) -> {
            if (isWaiting) {
                waited(failure);
            } else {
                end(failure);
            }
        });
    }

    /** It has its permits, or will not get them, after a wait in which it had no slot. */
    private void waited(@Nullable Throwable failure) {
        hasSlot = failure == null && factory.slots().take(this);
        if (failure == null && !hasSlot) {
            keyed().release();
            stand();
        } else {
            factory.slots().settle(this);
            end(failure);
        }
    }

    /** Ends the wait. */
    private void end(@Nullable Throwable failure) {
        factory.parked(-1);
        if (failure == null) {
            admission.complete(null);
        } else {
            admission.completeExceptionally(failure);
        }
    }

    /** It stands in its lane until there is a slot for it, or for as long as it may wait. */
    private void stand() {
        keyed().beginWait();
        expiry = keyed().time()
                .schedule(
                        keyed().waitLeft().toNanos(),
                        () -> CallbackPool.shared().execute(this::endIfExpired));
        factory.slots().stand(this);
        endIfCanceledInLane();
        if (keyed().waitLeft().isZero()) { // the timer may have come before the call stood there
            CallbackPool.shared().execute(this::endIfExpired);
        }
    }

    private void endIfExpired() {
        if (keyed().waitLeft().isZero() && factory.slots().withdraw(this)) {
            end(keyed().reject("dispatcher"));
        }
    }

    /** The call was canceled. If it waits for its permits, or is with OkHttp, it is told there. */
    void endIfCanceledInLane() {
        if (keyed().isCancelled() && factory.slots().withdraw(this)) {
            end(new CancellationException());
        }
    }

    @Override
    public CompletableFuture<Response> send(Attempt next) {
        CompletableFuture<Response> begun = new CompletableFuture<>();
        answer = begun;
        if (dispatcher().isShutdown()) {
            begun.completeExceptionally(new InterruptedIOException("executor rejected"));
            return begun;
        }
        isWithOkHttp = true;
        try {
            attempt = handOver(next);
        } catch (Throwable e) { // an event listener factory's
            begun.completeExceptionally(canceledDueTo(e));
        }
        return begun;
    }

    private static IOException canceledDueTo(Throwable cause) {
        return new IOException("canceled due to " + cause, cause);
    }

    private void enqueueAttempt() {
        Call next = attempt;
        if (next == null) {
            return;
        }
        attempt = null;
        CompletableFuture<Response> begun = answer;
        handingOver = Thread.currentThread();
        try {
            CallContext.run(keyed().context(), () -> next.enqueue(this));
        } catch (Throwable e) { // an event listener's, or the executor's, before OkHttp had the call or after
            if (!begun.isDone() && !factory.isWithOkHttp(next)) {
                endAttempt(next);
                begun.completeExceptionally(canceledDueTo(e));
            }
        } finally {
            handingOver = null;
        }
    }

    @Override
    public void onResponse(Call ended, Response response) throws IOException {
        goOn(ended, () -> answer.complete(response));
    }

    @Override
    public void onFailure(Call ended, IOException failure) {
        try {
            goOn(ended, () -> answer.completeExceptionally(failure));
        } catch (IOException e) {
            throw new AssertionError(e); // no response, no exception of its callback
        }
    }

    private void goOn(Call ended, Runnable step) throws IOException {
        endAttempt(ended);
        answering = Thread.currentThread().equals(handingOver) ? null : Thread.currentThread();
        step.run();
        answering = null;
        enqueueAttempt();
        Told last = told;
        if (last != null) {
            told = null;
            CallContext.<Boolean, IOException, RuntimeException>call(keyed().context(), () -> {
                try {
                    last.tell();
                } finally {
                    leave();
                }
                return true;
            });
        }
    }

    private void leave() {
        call().ended();
        if (hasSlot) {
            hasSlot = false;
            factory.slots().release(host());
        }
    }

    @Override
    public CompletableFuture<Peeked<Response>> peek(Response response) {
        return CompletableFuture.completedFuture(look(response));
    }

    @Override
    public CompletableFuture<?> discard(Response response) {
        response.close();
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public void ended(@Nullable Response response, @Nullable Throwable failure, boolean isAfterWait) {
        if (response != null) {
            told = () -> callback.onResponse(call(), response);
            return;
        }
        Throwable thrown = failure instanceof UncheckedIOException e ? e.getCause() : failure;
        IOException cause = asIOException(Objects.requireNonNullElseGet(thrown, CancellationException::new));
        if (Thread.currentThread().equals(answering)) {
            told = () -> callback.onFailure(call(), cause);
        } else {
            deliver(cause);
        }
    }

    /** Calls the callback on the dispatcher's executor, and listeners too if OkHttp did not get the call. */
    private void deliver(IOException cause) {
        factory.deliveries()
                .add(() -> CallContext.run(keyed().context(), () -> {
                    try {
                        if (!isWithOkHttp) {
                            fail(cause);
                        }
                    } finally {
                        leave();
                        callback.onFailure(call(), cause);
                    }
                }));
    }
}
