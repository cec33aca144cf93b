package dev.throttle.okhttp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.Priority;
import dev.throttle.ThrottleListener;
import dev.throttle.ThrottleRegistry;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.control.ControllerHost;
import dev.throttle.control.RateController;
import dev.throttle.control.Strategy;
import dev.throttle.fixtures.OpenController;
import dev.throttle.retry.RetryDecision;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import okhttp3.Call;
import okhttp3.EventListener;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.WebSocket;
import okhttp3.WebSocketListener;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Waiting inside of the interceptor: what ends a wait, and what a wait holds. */
class InterceptorWaitTest extends LoopbackTest {

    private static final Duration LONG = Duration.ofMinutes(5);

    private final ThrottleRegistry throttles = throttle().build();

    private void block(Duration time) {
        block(throttles, keyOf(get("/")), time);
    }

    private void awaitWaiting(int callers) {
        awaitWaiting(throttles, keyOf(get("/")), callers);
    }

    private void assertEnds(OkHttpClient client, Consumer<Call> canceler) throws Exception {
        Call call = client.newCall(get("/"));
        CompletableFuture<Object> outcome = outcomeOf(call);
        awaitWaiting(1);
        canceler.accept(call);
        assertThat(outcome.get(20, TimeUnit.SECONDS))
                .isInstanceOfSatisfying(IOException.class, e -> assertThat(e).hasMessage("Canceled"));
    }

    @Test
    void cancelWakesAWaiter() throws Exception {
        OkHttpClient client = throttled(throttles);
        block(LONG);
        for (int i = 0; i < 20; i++) {
            assertEnds(client, Call::cancel);
            assertEnds(client, call -> client.dispatcher().cancelAll());
        }
        assertThat(server.getRequestCount()).isZero();
        assertIdle(throttles);
    }

    @Test
    void cancelOfAWebSocketWakesItsHandshake() throws Exception {
        OkHttpClient client = throttled(throttles);
        block(LONG);
        for (int i = 0; i < 20; i++) {
            CompletableFuture<Throwable> failure = new CompletableFuture<>();
            WebSocket socket = client.newWebSocket(get("/"), new WebSocketListener() {
                @Override
                public void onFailure(WebSocket webSocket, Throwable t, Response response) {
                    failure.complete(t);
                }
            });
            awaitWaiting(1);
            socket.cancel();
            assertThat(failure.get(20, TimeUnit.SECONDS)).isInstanceOf(IOException.class);
        }
        assertThat(server.getRequestCount()).isZero();
    }

    @Test
    void aCallCanceledBeforeItsWaitDoesNotWait() {
        OkHttpClient client = throttled(throttles).newBuilder().build();
        OkHttpClient.Builder outer = client.newBuilder();
        outer.interceptors().add(0, chain -> {
            chain.call().cancel();
            return chain.proceed(chain.request());
        });
        block(LONG);
        assertThatThrownBy(() -> outer.build().newCall(get("/")).execute())
                .isInstanceOf(IOException.class)
                .hasMessage("Canceled");
        assertThat(server.getRequestCount()).isZero();
    }

    /**
     * A call that did not wait has no listener; its refusal must see nevertheless that nobody wants another attempt.
     */
    @Test
    void aCallCanceledWhileItsFirstAttemptIsUnderWayIsNotRepeated() {
        OkHttpClient client = throttled(throttles)
                .newBuilder()
                .addInterceptor(chain -> {
                    Response response = chain.proceed(chain.request());
                    chain.call().cancel();
                    return response;
                })
                .build();
        server.enqueue(refusal(429, 0));
        server.enqueue(status(200));
        assertThatThrownBy(() -> client.newCall(get("/")).execute())
                .isInstanceOf(IOException.class)
                .hasMessage("Canceled");
        assertThat(server.getRequestCount()).isEqualTo(1);
        assertIdle(throttles);
    }

    @Test
    void theCallTimeoutEndsAWaitWhoseEndIsNotKnown() {
        ThrottleRegistry closed = throttle().strategy(TestPace.CLOSED).build();
        OkHttpClient client = throttled(closed)
                .newBuilder()
                .callTimeout(Duration.ofMillis(300))
                .build();
        long start = System.nanoTime();
        assertThatThrownBy(() -> client.newCall(get("/")).execute())
                .isInstanceOf(InterruptedIOException.class)
                .hasMessage("timeout");
        Duration execute = since(start);
        assertThat(enqueue(client.newCall(get("/"))).await())
                .isInstanceOfSatisfying(
                        InterruptedIOException.class, e -> assertThat(e).hasMessage("timeout"));
        assertThat(execute).isGreaterThanOrEqualTo(Duration.ofMillis(290));
        assertIdle(closed);
    }

    @Test
    void aWaitBeyondTheCallTimeoutIsRefusedAtOnceNamingBoth() {
        OkHttpClient client = throttled(throttles)
                .newBuilder()
                .callTimeout(Duration.ofSeconds(50))
                .build();
        block(Duration.ofSeconds(59));
        long start = System.nanoTime();
        assertThatThrownBy(() -> client.newCall(get("/")).execute())
                .isInstanceOfSatisfying(ThrottleRejectedException.class, e -> {
                    assertThat(e.neededWait()).isBetween(Duration.ofSeconds(19), Duration.ofSeconds(59));
                    assertThat(e.allowedWait()).isBetween(Duration.ofSeconds(10), Duration.ofSeconds(50));
                    assertThat(e)
                            .hasMessageMatching(".*: the call would have to wait [\\d.]+ m?s \\(retry-after\\),"
                                    + " but maxWait is [\\d.]+ m?s");
                });
        assertThat(since(start)).isLessThan(Duration.ofSeconds(40));
    }

    @Test
    void aRetryAfterBeyondTheCallTimeoutRejectsAtOnce() throws IOException {
        OkHttpClient client = throttled(throttles)
                .newBuilder()
                .callTimeout(Duration.ofSeconds(50))
                .build();
        server.enqueue(refusal(429, 100_000));
        long start = System.nanoTime();
        assertThatThrownBy(() -> statusOf(client.newCall(get("/")))).isInstanceOf(ThrottleRejectedException.class);
        assertThat(since(start)).isLessThan(Duration.ofSeconds(40));
    }

    @Test
    void theTimeOfAttemptsCountsAgainstTheCallTimeout() throws IOException {
        OkHttpClient client = throttled(throttles)
                .newBuilder()
                .callTimeout(Duration.ofSeconds(20))
                .build();
        server.enqueue(refusal(429, 19_800)
                .newBuilder()
                .headersDelay(400, TimeUnit.MILLISECONDS)
                .build());
        long start = System.nanoTime();
        assertThatThrownBy(() -> statusOf(client.newCall(get("/")))).isInstanceOf(ThrottleRejectedException.class);
        assertThat(since(start)).isLessThan(Duration.ofSeconds(19)); // not after the wait
    }

    @Test
    void noUserCodeRunsOnTheCancelingThread() throws Exception {
        Set<String> threads = ConcurrentHashMap.newKeySet();
        ThrottleListener spy = new ThrottleListener() {
            @Override
            public void onWaited(Source throttle, Priority priority, String reason, Duration wait) {
                threads.add(Thread.currentThread().getName());
            }

            @Override
            public void onRejected(Source throttle, ThrottleRejectedException rejection) {
                threads.add(Thread.currentThread().getName());
            }

            @Override
            public void onSignal(Source throttle, Signal signal) {
                threads.add(Thread.currentThread().getName());
            }

            @Override
            public void onRetryDecision(Source throttle, RetryDecision decision) {
                threads.add(Thread.currentThread().getName());
            }
        };
        VirtualTime time = new VirtualTime();
        ThrottleRegistry spied = throttle().time(time).listener(spy).build();
        OkHttpClient client = throttled(spied);
        block(spied, keyOf(get("/")), Duration.ofMillis(900));
        Call first = client.newCall(get("/"));
        CompletableFuture<Object> canceled = outcomeOf(first);
        awaitWaiting(spied, keyOf(get("/")), 1);
        server.enqueue(status(200));
        Answer second = enqueue(client.newCall(get("/")));
        awaitWaiting(spied, keyOf(get("/")), 2);
        Thread canceler = new Thread(first::cancel, "canceler");
        canceler.start();
        canceler.join();
        assertThat(canceled.join()).isInstanceOf(IOException.class);
        time.advance(Duration.ofMillis(900));
        assertThat(second.await()).isEqualTo(200);
        assertThat(threads).isNotEmpty().doesNotContain("canceler");
    }

    @Tag(NEEDS_OKHTTP5)
    @Test
    void oneListenerIsAddedHoweverOftenACallWaits() throws Exception {
        for (int i = 0; i < 3; i++) {
            server.enqueue(refusal(429, 5));
        }
        server.enqueue(status(200));
        AtomicReference<Call> real = new AtomicReference<>();
        OkHttpClient.Builder client = throttled(throttles).newBuilder();
        // An outer interceptor that proceeds twice makes two journeys of one call.
        client.interceptors().add(0, chain -> {
            real.set(chain.call());
            chain.proceed(chain.request()).close();
            server.enqueue(status(200));
            return chain.proceed(chain.request());
        });
        assertThat(statusOf(client.build().newCall(get("/")))).isEqualTo(200);
        assertThat(server.getRequestCount()).isEqualTo(5);
        assertThat(listenersOf(real.get()))
                .filteredOn(CallTag.class::isInstance)
                .hasSize(1);
    }

    private static List<Object> listenersOf(Call call) throws ReflectiveOperationException {
        Field field = call.getClass().getDeclaredField("eventListener");
        field.setAccessible(true);
        List<Object> found = new ArrayList<>();
        collect((EventListener) field.get(call), found);
        return found;
    }

    private static void collect(EventListener listener, List<Object> found) throws ReflectiveOperationException {
        found.add(listener);
        for (Field field : listener.getClass().getDeclaredFields()) {
            if (field.getType() == EventListener[].class) {
                field.setAccessible(true);
                for (EventListener part : (EventListener[]) field.get(listener)) {
                    collect(part, found);
                }
            }
        }
    }

    @Test
    void anInterruptEndsTheWaitAndIsKept() throws Exception {
        OkHttpClient client = throttled(throttles);
        block(LONG);
        AtomicBoolean flag = new AtomicBoolean();
        CompletableFuture<IOException> failure = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                client.newCall(get("/")).execute();
            } catch (IOException e) {
                flag.set(Thread.currentThread().isInterrupted());
                failure.complete(e);
            }
        });
        thread.start();
        awaitWaiting(1);
        thread.interrupt();
        assertThat(failure.get(20, TimeUnit.SECONDS)).isInstanceOf(InterruptedIOException.class);
        assertThat(flag).isTrue();
        assertThat(server.getRequestCount()).isZero();
        assertIdle(throttles);
    }

    @Test
    void shutdownNowOfTheExecutorEndsTheWaits() {
        OkHttpClient client = throttled(throttles);
        block(LONG);
        Answer answer = enqueue(client.newCall(get("/")));
        awaitWaiting(1);
        client.dispatcher().executorService().shutdownNow();
        assertThat(answer.await()).isInstanceOf(InterruptedIOException.class);
        assertThat(server.getRequestCount()).isZero();
    }

    @Test
    void aCallGoesThroughAControllerThatThrows() throws IOException {
        ThrottleRegistry broken =
                throttle().strategy(new Broken()).build(); // which the throttle itself logs and passes over
        answerAlways(200);
        List<LogRecord> records = logged(() -> {
            for (RefusalTest.Door door : RefusalTest.Door.values()) {
                assertThat(door.status(plain(), broken, get("/"))).isEqualTo(200);
            }
        });
        assertThat(records)
                .extracting(LogRecord::getMessage)
                .filteredOn(message -> message.contains("the exception is ignored"))
                .hasSize(1);
        assertIdle(broken);
    }

    @Test
    void aListenerThatThrowsHarmsNoCall() throws IOException {
        ThrottleRegistry spied = throttle()
                .listener(new ThrottleListener() {
                    @Override
                    public void onRetryDecision(Source throttle, RetryDecision decision) {
                        throw new IllegalStateException("listener");
                    }
                })
                .build();
        server.enqueue(refusal(429, 5));
        server.enqueue(status(200));
        assertThat(logged(() ->
                        assertThat(statusOf(throttled(spied).newCall(get("/")))).isEqualTo(200)))
                .filteredOn(record -> record.getLevel().equals(Level.WARNING))
                .hasSize(1);
    }

    interface Action {
        void run() throws IOException;
    }

    private static List<LogRecord> logged(Action action) throws IOException {
        List<LogRecord> records = new ArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord logRecord) {
                records.add(logRecord);
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger("dev.throttle.Throttle");
        logger.addHandler(handler);
        logger.setUseParentHandlers(false);
        try {
            action.run();
        } finally {
            logger.removeHandler(handler);
            logger.setUseParentHandlers(true);
        }
        return records;
    }

    private static final class Broken implements Strategy {

        @Override
        public String name() {
            return "broken";
        }

        @Override
        public RateController newController(ControllerHost host) {
            return new OpenController() {
                @Override
                public void onAdmitted(Cost cost, long permitId, long now) {
                    throw new IllegalStateException("controller");
                }

                @Override
                public void onSignal(Signal signal, Load load, long now) {
                    throw new IllegalStateException("controller");
                }

                @Override
                public double limitPerSecond() {
                    return 1;
                }
            };
        }
    }

    @Test
    void waitersBehindACanceledOneMoveUp() {
        VirtualTime time = new VirtualTime();
        Duration interval = Duration.ofMillis(300);
        ThrottleRegistry paced =
                throttle().time(time).strategy(new TestPace(interval)).build();
        OkHttpClient client = throttled(paced);
        client.dispatcher().setMaxRequestsPerHost(20);
        answerAlways(200);
        assertThat(enqueue(client.newCall(get("/"))).await()).isEqualTo(200); // the first goes at once
        List<Call> calls = new ArrayList<>();
        List<Answer> answers = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            Call call = client.newCall(get("/" + i));
            calls.add(call);
            answers.add(enqueue(call));
            awaitWaiting(paced, keyOf(get("/")), i + 1);
        }
        calls.subList(0, 9).forEach(Call::cancel);
        awaitWaiting(paced, keyOf(get("/")), 1);
        time.advance(interval); // one, and not ten
        assertThat(answers.get(9).await()).isEqualTo(200);
        for (Answer answer : answers.subList(0, 9)) {
            assertThat(answer.await()).isInstanceOf(IOException.class);
        }
        assertIdle(paced);
    }

    @Test
    void thePermitEndsWhateverProceedThrows() {
        for (Throwable thrown :
                List.of(new IllegalStateException("x"), new IOException("x"), new StackOverflowError())) {
            OkHttpClient client = throttled(throttles)
                    .newBuilder()
                    .addInterceptor(chain -> {
                        throw sneaky(thrown);
                    })
                    .build();
            assertThatThrownBy(() -> client.newCall(get("/")).execute()).isSameAs(thrown);
            assertIdle(throttles);
        }
        assertThat(throttles.get(keyOf(get("/"))).count(Outcome.FAILED)).isZero();
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> RuntimeException sneaky(Throwable thrown) throws T {
        throw (T) thrown;
    }

    @Test
    void aBlockedKeyHoldsUpNoOther() throws Exception {
        OkHttpClient client = throttled(throttles);
        Request blocked = getFrom("a.test", "/");
        Request free = getFrom("b.test", "/");
        block(throttles, keyOf(blocked), LONG);
        Call waiting = client.newCall(blocked);
        CompletableFuture<Object> outcome = outcomeOf(waiting);
        awaitWaiting(throttles, keyOf(blocked), 1);
        for (int i = 0; i < 11; i++) {
            server.enqueue(status(200));
            assertThat(statusOf(client.newCall(free))).isEqualTo(200);
        }
        assertThat(outcome).isNotDone();
        waiting.cancel();
        assertThat(outcome.get(20, TimeUnit.SECONDS)).isInstanceOf(IOException.class);
    }

    @Test
    void noMonitorIsHeldDuringAWait() throws Exception {
        OkHttpClient client = throttled(throttles);
        block(LONG);
        CountDownLatch started = new CountDownLatch(1);
        Call call = client.newCall(get("/"));
        Thread thread = new Thread(() -> {
            started.countDown();
            try {
                call.execute();
            } catch (IOException e) {
                // canceled below
            }
        });
        thread.start();
        started.await();
        awaitWaiting(1);
        var info = java.lang.management.ManagementFactory.getThreadMXBean()
                .getThreadInfo(new long[] {thread.getId()}, true, true)[0];
        assertThat(info.getLockedMonitors()).isEmpty();
        assertThat(info.getLockedSynchronizers()).isEmpty();
        call.cancel();
        thread.join();
    }
}
