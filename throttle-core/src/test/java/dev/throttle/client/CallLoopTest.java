package dev.throttle.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.CallOptions;
import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.control.Strategies;
import dev.throttle.internal.Faults;
import dev.throttle.signal.BodyClassifier;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import java.io.IOException;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the loop asks of a door, and in which order, with and without a thread that waits. */
class CallLoopTest {

    private static final String KEY = "http://a:80";

    /** Finds a refusal in any 400 whose body says so. */
    private static final BodyClassifier SLOW_DOWN = new BodyClassifier() {
        @Override
        public boolean needsBody(ResponseHead response, Signal signal) {
            return response.status() == 400;
        }

        @Override
        public @Nullable Signal classify(ResponseHead response, Signal signal, String start) {
            return start.contains("slow down") ? Signal.of(Outcome.RATE_LIMITED) : null;
        }
    };

    /** A response. */
    private record Answer(int status, String body) implements ResponseHead {

        Answer(int status) {
            this(status, "");
        }

        @Override
        public void forEachHeader(HeaderVisitor visitor) {}
    }

    private final CallLoop loop = new CallLoop(SLOW_DOWN, new Faults("a test"));
    private final VirtualTime time = new VirtualTime();
    private final List<String> steps = new ArrayList<>();
    /** Answers, failures, and futures of answers, for one attempt each. */
    private final Queue<Object> script = new ArrayDeque<>();

    private final ThrottleRegistry throttles = ThrottleRegistry.builder()
            .strategy(Strategies.named("exponential-increase-proportional-remaining-decrease"))
            .time(time)
            .executor(Runnable::run)
            .retryAfterJitter(0, Duration.ZERO)
            .build();

    @AfterEach
    void noPermitOutlivesItsCall() {
        for (Throttle throttle : throttles.all()) {
            assertThat(throttle.snapshot().inFlight()).isZero();
            assertThat(throttle.snapshot().waiting()).isZero();
        }
    }

    private KeyedCall call() {
        return new KeyedCall(throttles::get, KEY, CallStarter.complete(CallOptions.DEFAULT, "GET", true));
    }

    /** What both doors do alike. */
    private abstract class Door implements Exchange<Answer> {

        boolean cancelled;

        @Override
        public ResponseHead head(Answer response) {
            return response;
        }

        @Override
        public @Nullable FailureKind kindOf(Throwable failure) {
            return failure instanceof IOException ? FailureKind.of(failure) : null;
        }

        @Override
        public boolean isCancelled() {
            return cancelled;
        }

        @Override
        public Throwable unsent(Throwable failure) {
            return failure instanceof CancellationException ? new IOException("cancelled") : failure;
        }

        @Override
        public Answer deliver(Answer response, Attempt attempt) {
            steps.add("deliver");
            return response;
        }

        Peeked<Answer> peeked(Answer response) {
            steps.add("peek");
            return new Peeked<>(response, response.body().getBytes(StandardCharsets.UTF_8));
        }
    }

    private class BlockingDoor extends Door implements BlockingExchange<Answer> {

        @Override
        public Answer send(Attempt attempt) throws IOException {
            steps.add("send");
            attempt.begin();
            Object next = script.remove();
            if (next instanceof IOException e) {
                throw e;
            } else if (next instanceof RuntimeException e) {
                throw e;
            }
            return (Answer) next;
        }

        @Override
        public Peeked<Answer> peek(Answer response) {
            return peeked(response);
        }

        @Override
        public void discard(Answer response) {
            steps.add("discard");
        }
    }

    private final class AsyncDoor extends Door implements AsyncExchange<Answer> {

        private @Nullable Answer delivered;
        private @Nullable Throwable failure;
        private int ends;
        private CompletableFuture<?> discarded = CompletableFuture.completedFuture(null);

        @Override
        @SuppressWarnings("unchecked")
        public CompletableFuture<Answer> send(Attempt attempt) {
            steps.add("send");
            attempt.begin();
            Object next = script.remove();
            if (next instanceof RuntimeException e) {
                throw e;
            } else if (next instanceof Throwable e) {
                return CompletableFuture.failedFuture(e);
            }
            return next instanceof CompletableFuture<?> later
                    ? (CompletableFuture<Answer>) later
                    : CompletableFuture.completedFuture((Answer) next);
        }

        @Override
        public CompletableFuture<Peeked<Answer>> peek(Answer response) {
            return CompletableFuture.completedFuture(peeked(response));
        }

        @Override
        public CompletableFuture<?> discard(Answer response) {
            steps.add("discard");
            return discarded;
        }

        @Override
        public void ended(@Nullable Answer response, @Nullable Throwable thrown, boolean isAfterWait) {
            ends++;
            delivered = response;
            failure = thrown;
        }
    }

    private Answer run(BlockingDoor door) throws IOException, InterruptedException {
        return loop.run(call(), door);
    }

    /** Runs a call on a thread of its own, and lets its waits pass. */
    private Answer runThroughWaits(BlockingDoor door) {
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        Thread caller = new Thread(
                () -> {
                    try {
                        answer.complete(run(door));
                    } catch (Throwable e) {
                        answer.completeExceptionally(e);
                    }
                },
                "caller");
        caller.start();
        while (!answer.isDone()) {
            time.advanceToNextTask();
            Thread.onSpinWait();
        }
        return answer.join();
    }

    private AsyncDoor start(KeyedCall call, Executor executor) {
        AsyncDoor door = new AsyncDoor();
        loop.runAsync(call, door, executor);
        return door;
    }

    @Test
    void aRefusalIsDroppedAndRepeated() {
        script.addAll(List.of(new Answer(429), new Answer(200)));
        assertThat(runThroughWaits(new BlockingDoor()).status()).isEqualTo(200);
        assertThat(steps).containsExactly("send", "discard", "send", "deliver");
        assertThat(throttles.get(KEY).count(Outcome.RATE_LIMITED)).isEqualTo(1);
    }

    @Test
    void aRefusalIsDroppedAndRepeatedWithoutAThread() {
        script.addAll(List.of(new Answer(429), new Answer(200)));
        AsyncDoor door = start(call(), Runnable::run);
        assertThat(steps).containsExactly("send", "discard");
        assertThat(throttles.get(KEY).snapshot().waiting()).isEqualTo(1);
        time.advance(Duration.ofMinutes(1));
        assertThat(steps).containsExactly("send", "discard", "send", "deliver");
        assertThat(door.delivered).isEqualTo(new Answer(200));
        assertThat(door.ends).isEqualTo(1);
    }

    @Test
    void theBodyDecidesWhereTheHeadDoesNot() {
        script.addAll(List.of(new Answer(400, "slow down"), new Answer(400, "no such field")));
        assertThat(runThroughWaits(new BlockingDoor()).body()).isEqualTo("no such field");
        assertThat(steps).containsExactly("send", "peek", "discard", "send", "peek", "deliver");
    }

    @Test
    void theBodyDecidesWhereTheHeadDoesNotWithoutAThread() {
        script.addAll(List.of(new Answer(400, "slow down"), new Answer(400, "no such field")));
        AsyncDoor door = start(call(), Runnable::run);
        time.advance(Duration.ofMinutes(1));
        assertThat(door.delivered).isEqualTo(new Answer(400, "no such field"));
        assertThat(steps).containsExactly("send", "peek", "discard", "send", "peek", "deliver");
    }

    @Test
    void anAccidentOnTheLineIsRepeatedAndTheLastOneIsTheCallers() {
        SocketException last = new SocketException("third");
        script.addAll(List.of(new SocketException("first"), new SocketException("second"), last));
        assertThatThrownBy(() -> runThroughWaits(new BlockingDoor())).hasCause(last);
        assertThat(steps).containsExactly("send", "send", "send");
    }

    /** The interrupt ended the attempt, and would end the next wait. */
    @Test
    void anAttemptThatEndsInterruptedIsNeitherRepeatedNorCounted() {
        SocketException closed = new SocketException("Socket closed");
        BlockingDoor door = new BlockingDoor() {
            @Override
            public Answer send(Attempt attempt) throws IOException {
                Thread.currentThread().interrupt();
                return super.send(attempt);
            }
        };
        script.add(closed);
        try {
            assertThatThrownBy(() -> run(door)).isSameAs(closed);
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
        assertThat(throttles.get(KEY).count(Outcome.UNREACHABLE)).isZero();
        assertThat(throttles.get(KEY).count(Outcome.CANCELLED)).isEqualTo(1);
    }

    @Test
    void whatTheClientDoesNotTakeWasNotSent() {
        IllegalArgumentException odd = new IllegalArgumentException("odd");
        script.addAll(List.of(odd, odd));
        assertThatThrownBy(() -> run(new BlockingDoor())).isSameAs(odd);
        assertThat(start(call(), Runnable::run).failure).isSameAs(odd);
        assertThat(throttles.get(KEY).count(Outcome.IGNORED)).isEqualTo(2);
    }

    @Test
    void aCancelledCallWaitsForNothing() {
        script.add(new Answer(429));
        KeyedCall call = call();
        AsyncDoor door = start(call, Runnable::run);
        call.cancel();
        assertThat(door.failure).isInstanceOf(IOException.class).hasMessage("cancelled");
        assertThat(door.ends).isEqualTo(1);
    }

    /** Between the permit and the attempt, on the executor. */
    @Test
    void aCallThatIsCancelledBeforeItGoesOnSendsNothing() {
        script.add(new Answer(429));
        List<Runnable> tasks = new ArrayList<>();
        KeyedCall call = call();
        AsyncDoor door = start(call, tasks::add);
        time.advance(Duration.ofMinutes(1));
        assertThat(tasks).hasSize(1);
        call.cancel();
        tasks.get(0).run();
        assertThat(steps).containsExactly("send", "discard");
        assertThat(door.failure).hasMessage("cancelled");
    }

    /** What the exchange fails with then is the caller's own doing. */
    @Test
    void aRequestThatIsCancelledOnTheWireSaysNothingAboutTheServer() {
        CompletableFuture<Answer> underWay = new CompletableFuture<>();
        script.add(underWay);
        AsyncDoor door = start(call(), Runnable::run);
        door.cancelled = true;
        underWay.completeExceptionally(new SocketException("closed"));
        assertThat(door.failure).isInstanceOf(SocketException.class);
        assertThat(throttles.get(KEY).count(Outcome.CANCELLED)).isEqualTo(1);
    }

    @Test
    void anAnswerAfterTheCancellationIsDelivered() {
        CompletableFuture<Answer> underWay = new CompletableFuture<>();
        script.add(underWay);
        AsyncDoor door = start(call(), Runnable::run);
        door.cancelled = true;
        underWay.complete(new Answer(429));
        assertThat(door.delivered).isEqualTo(new Answer(429));
        assertThat(throttles.get(KEY).count(Outcome.RATE_LIMITED)).isEqualTo(1);
    }

    @Test
    void theNextAttemptWaitsForTheEndOfTheDroppedBody() {
        script.addAll(List.of(new Answer(429), new Answer(200)));
        AsyncDoor door = new AsyncDoor();
        CompletableFuture<Object> body = new CompletableFuture<>();
        door.discarded = body;
        loop.runAsync(call(), door, Runnable::run);
        time.advance(Duration.ofSeconds(1));
        assertThat(steps).containsExactly("send", "discard");
        body.complete(true);
        time.advance(Duration.ofMinutes(1));
        assertThat(door.delivered).isEqualTo(new Answer(200));
    }

    @Test
    void anExecutorThatTakesNoTaskFailsTheCall() {
        script.add(new Answer(429));
        RejectedExecutionException full = new RejectedExecutionException("full");
        AsyncDoor door = start(call(), task -> {
            throw full;
        });
        time.advance(Duration.ofMinutes(1));
        assertThat(door.failure).isSameAs(full);
        assertThat(door.ends).isEqualTo(1);
    }

    @Test
    void anExchangeMayEndWithoutAResponse() {
        CompletableFuture<Answer> underWay = new CompletableFuture<>();
        script.add(underWay);
        AsyncDoor door = start(call(), Runnable::run);
        underWay.complete(null);
        assertThat(door.ends).isEqualTo(1);
        assertThat(door.delivered).isNull();
        assertThat(door.failure).isNull();
    }
}
