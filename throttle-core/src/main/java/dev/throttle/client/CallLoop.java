package dev.throttle.client;

import dev.throttle.internal.CallContext;
import dev.throttle.internal.Faults;
import dev.throttle.signal.BodyClassifier;
import dev.throttle.signal.ResponseHead;
import java.io.IOException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The loop of every call: wait for a permit, send, read the answer, look at its body if need be, and repeat. The doors
 * to the HTTP clients implement {@link Exchange}, and have no loop of their own. A client has one loop for all its
 * calls. Thread-safe.
 */
public final class CallLoop {

    private final SafeBodyClassifier classifier;

    /**
     * For a client.
     *
     * @param classifier recognizes refusals by their bodies
     * @param faults reports what the classifier throws
     */
    public CallLoop(BodyClassifier classifier, Faults faults) {
        this.classifier = new SafeBodyClassifier(classifier, faults);
    }

    /**
     * Runs a call on the calling thread, with all its attempts. No permit outlives it.
     *
     * @param call the call
     * @param exchange sends its request
     * @param <R> a response
     * @return the response for the caller
     * @throws IOException if there is none
     * @throws InterruptedException if the thread is interrupted while it waits or sends
     */
    public <R> R run(KeyedCall call, BlockingExchange<R> exchange) throws IOException, InterruptedException {
        try {
            while (true) {
                acquire(call, exchange);
                R response = attempt(call, exchange);
                if (response != null) {
                    return response;
                }
            }
        } finally {
            call.release();
        }
    }

    private static void acquire(KeyedCall call, BlockingExchange<?> exchange) throws IOException, InterruptedException {
        try {
            exchange.acquire(call);
        } catch (IOException | InterruptedException | RuntimeException | Error e) {
            CallLoop.<IOException, InterruptedException>rethrow(exchange.unsent(e));
        }
    }

    /** Throws what a door has made of a failed wait. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // what it throws, its caller may throw
    private static <E extends Exception, F extends Exception> void rethrow(Throwable failure) throws E, F {
        if (failure instanceof Error error) {
            throw error;
        } else if (failure instanceof RuntimeException exception) {
            throw exception;
        }
        throw (E) failure;
    }

    /** Sends the request once; {@return the response for the caller, or null if there is to be another attempt} */
    private <R> @Nullable R attempt(KeyedCall call, BlockingExchange<R> exchange)
            throws IOException, InterruptedException {
        Attempt attempt = new Attempt(classifier, call);
        try {
            R response;
            try {
                response = CallContext.<R, IOException, InterruptedException>call(
                        call.context(),
                        () -> Layer.<R, IOException, InterruptedException>send(
                                call.layer(), () -> exchange.send(attempt)));
            } catch (IOException | InterruptedException | RuntimeException | Error e) {
                if (attempt.end(e, exchange.isCancelled(), exchange::kindOf)) {
                    return null;
                }
                throw e;
            }
            return answered(attempt, response, exchange);
        } finally {
            attempt.abandon();
        }
    }

    private static <R> @Nullable R answered(Attempt attempt, R answer, BlockingExchange<R> exchange)
            throws IOException, InterruptedException {
        R response = answer;
        ResponseHead head = exchange.head(response);
        if (!attempt.isAnswered()) {
            attempt.answered(head);
        }
        if (attempt.wantsBodyOf(head)) {
            Exchange.Peeked<R> peeked = exchange.peek(response);
            attempt.looked(peeked.start());
            response = peeked.response();
        }
        if (!attempt.end(head.status(), exchange.isCancelled())) {
            return exchange.deliver(response, attempt);
        }
        exchange.discard(response); // before the wait, so that its connection is free for others
        return null;
    }

    /**
     * Runs a call without a thread that waits, with all its attempts. No permit outlives it.
     *
     * @param call the call
     * @param exchange sends its request, and is told of the end
     * @param executor where the call goes on after a wait; if it does not take a task, the call fails
     * @param <R> a response
     */
    public <R> void runAsync(KeyedCall call, AsyncExchange<R> exchange, Executor executor) {
        new AsyncCallLoop<>(classifier, call, exchange, executor).start();
    }
}
