package dev.throttle.okhttp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.CallOptions;
import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.control.Strategies;
import dev.throttle.testing.VirtualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import mockwebserver3.MockResponse;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.Dispatcher;
import okhttp3.EventListener;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Calls of the factory that are parked: slots, events, cancellation, and whose thread runs what. */
class ParkedCallTest extends LoopbackTest {

    private static final Duration LONG = Duration.ofMinutes(5);

    private final ThrottleRegistry throttles = throttle().build();
    private final VirtualTime time = new VirtualTime();
    private final ThrottleRegistry still = throttle().time(time).build();
    private final CountDownLatch released = new CountDownLatch(1);

    private ThrottlingCallFactory factory() {
        return ThrottlingCallFactory.create(plain(), throttles);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private MockResponse whenReleased(String path, String slow) {
        if (path.equals(slow)) {
            await(released);
        }
        return status(200);
    }

    private Request with(CallOptions options) {
        return get("/").newBuilder().tag(CallOptions.class, options).build();
    }

    @Test
    void aCandidateThatIsCanceledWhileTheTotalIsFullLeavesNobodyBehind() {
        plain().dispatcher().setMaxRequests(1);
        ThrottlingCallFactory calls = ThrottlingCallFactory.create(plain(), still);
        CountDownLatch first = new CountDownLatch(1);
        answer(request -> {
            if (request.getTarget().equals("/first")) {
                await(first);
            }
            return whenReleased(request.getTarget(), "/second");
        });
        Request a = getFrom("a.test", "/");
        Answer x = enqueue(calls.newCall(getFrom("b.test", "/first")));
        awaitThat(() -> server.getRequestCount() == 1);
        Call canceled = calls.newCall(a);
        Answer a1 = enqueue(canceled);
        Answer a2 = enqueue(calls.newCall(a));
        block(still, keyOf(a), Duration.ofMillis(600));
        first.countDown();
        assertThat(x.await()).isEqualTo(200);
        awaitWaiting(still, keyOf(a), 1); // the first of the lane asks, and waits
        Answer y = enqueue(calls.newCall(getFrom("b.test", "/second")));
        awaitThat(() -> server.getRequestCount() == 2);
        canceled.cancel();
        assertThat(a1.await()).isInstanceOf(IOException.class);
        released.countDown();
        assertThat(y.await()).isEqualTo(200);
        awaitWaiting(still, keyOf(a), 1); // once the slot of y is free
        time.advance(Duration.ofMillis(600));
        assertThat(a2.await()).isEqualTo(200);
        Answer last = enqueue(calls.newCall(a));
        awaitWaiting(still, keyOf(a), 1); // the refusal has slowed the throttle down
        time.advance(Duration.ofMillis(10));
        assertThat(last.await()).isEqualTo(200);
        assertIdle(still);
    }

    @Test
    void maxWaitBoundsTheWaitForASlot() {
        plain().dispatcher().setMaxRequestsPerHost(1);
        ThrottlingCallFactory calls = ThrottlingCallFactory.create(plain(), still);
        answer(request -> whenReleased(request.getTarget(), "/slow"));
        Answer slow = enqueue(calls.newCall(get("/slow")));
        awaitThat(() -> server.getRequestCount() == 1);
        Request hurried = with(CallOptions.DEFAULT.maxWait(Duration.ofMillis(100)));
        Answer behind = enqueue(calls.newCall(hurried)); // has asked the throttle, which let it go
        Answer further = enqueue(calls.newCall(hurried)); // stands behind it from the beginning
        time.advance(Duration.ofMillis(100));
        for (Answer answer : List.of(behind, further)) {
            assertThat(answer.await()).isInstanceOfSatisfying(ThrottleRejectedException.class, e -> {
                assertThat(e.reason()).isEqualTo("dispatcher");
                assertThat(e).hasMessageEndingWith("(dispatcher), but maxWait is 100 ms");
            });
        }
        assertThat(slow).isNotDone();
        released.countDown();
        assertThat(slow.await()).isEqualTo(200);
        assertThat(enqueue(calls.newCall(hurried)).await()).isEqualTo(200);
        assertThat(calls.parkedCallsCount()).isZero();
        assertIdle(still);
    }

    @Tag(NEEDS_OKHTTP5)
    @Test
    void aListenerThatBlocksHoldsUpNoPermitOfAnotherThrottle() throws Exception {
        int many = Math.max(2, Runtime.getRuntime().availableProcessors()) + 2;
        plain().dispatcher().setMaxRequestsPerHost(many);
        ThrottlingCallFactory calls = ThrottlingCallFactory.create(plain(), still);
        answerAlways(200);
        block(still, keyOf(get("/")), Duration.ofMillis(200));
        List<String> threads = new CopyOnWriteArrayList<>();
        CountDownLatch blocked = new CountDownLatch(many);
        List<Answer> answers = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            Call call = calls.newCall(get("/"));
            call.addEventListener(new EventListener() {
                @Override
                public void callStart(Call attempt) {
                    threads.add(Thread.currentThread().getName());
                    blocked.countDown();
                    await(released);
                }
            });
            answers.add(enqueue(call));
        }
        awaitWaiting(still, keyOf(get("/")), many);
        time.advance(Duration.ofMillis(200));
        await(blocked);
        Throttle other = Throttle.builder()
                .strategy(Strategies.tokenBucket()
                        .rate(20, Duration.ofSeconds(1))
                        .burst(1)
                        .build())
                .build();
        other.acquire().release();
        other.acquireAsync().get(1, TimeUnit.MINUTES);
        assertThat(other.acquireAsync().get(1, TimeUnit.MINUTES)).isNotNull();
        released.countDown();
        assertThat(threads).hasSize(many).allSatisfy(name -> assertThat(name).startsWith("OkHttp"));
        for (Answer answer : answers) {
            assertThat(answer.await()).isEqualTo(200);
        }
    }

    @Tag(NEEDS_OKHTTP5)
    @Test
    void aCallThatNeedNotWaitIsStartedOnItsCallersThread() {
        answerAlways(200);
        Call call = factory().newCall(get("/"));
        CompletableFuture<Thread> thread = new CompletableFuture<>();
        call.addEventListener(new EventListener() {
            @Override
            public void callStart(Call attempt) {
                thread.complete(Thread.currentThread());
            }
        });
        Answer answer = enqueue(call);
        assertThat(thread).isCompletedWithValue(Thread.currentThread());
        assertThat(answer.await()).isEqualTo(200);
    }

    /** What a listener hears of calls that never get to the wire. */
    private static final class Events extends EventListener {

        private final List<String> heard = new CopyOnWriteArrayList<>();

        @Override
        public void callStart(Call call) {
            heard.add("callStart");
        }

        @Override
        public void callFailed(Call call, IOException e) {
            heard.add("callFailed " + e.getClass().getSimpleName());
        }

        @Override
        public void canceled(Call call) {
            heard.add("canceled");
        }
    }

    @Tag(NEEDS_OKHTTP5)
    @Test
    void listenersHearOfCallsThatEndWhileTheyAreParked() {
        ThrottlingCallFactory calls = factory();
        block(throttles, keyOf(get("/")), LONG);
        Events canceled = new Events();
        Call call = calls.newCall(get("/"));
        call.addEventListener(canceled);
        Answer answer = enqueue(call);
        awaitWaiting(throttles, keyOf(get("/")), 1);
        call.cancel();
        assertThat(answer.await()).isInstanceOf(IOException.class);
        assertThat(canceled.heard).containsExactly("canceled", "callStart", "callFailed IOException");

        for (boolean isBlocking : new boolean[] {false, true}) {
            Events rejected = new Events();
            Call hurried = calls.newCall(with(CallOptions.DEFAULT.maxWait(Duration.ZERO)));
            hurried.addEventListener(rejected);
            Object outcome =
                    isBlocking ? outcomeOf(hurried).join() : enqueue(hurried).await();
            assertThat(outcome).isInstanceOf(ThrottleRejectedException.class);
            assertThat(rejected.heard).containsExactly("callStart", "callFailed ThrottleRejectedException");
        }
        assertThat(server.getRequestCount()).isZero();
        assertIdle(throttles);
    }

    @Tag(NEEDS_OKHTTP5)
    @Test
    void theTimeoutIsThatOfTheAttemptUnderWay() throws Exception {
        ThrottlingCallFactory calls = factory();
        server.enqueue(refusal(429, 5));
        server.enqueue(new MockResponse.Builder()
                .code(200)
                .body("0123456789")
                .throttleBody(1, 250, TimeUnit.MILLISECONDS)
                .build());
        Call call = calls.newCall(get("/"));
        call.timeout().timeout(2, TimeUnit.SECONDS);
        try (Response response = call.execute()) {
            call.timeout().cancel(); // as an event source does when its stream is open
            assertThat(response.body().string()).isEqualTo("0123456789");
        }
        assertThat(server.getRequestCount()).isEqualTo(2);
    }

    @Test
    void cancelAllOfTheDispatcherEndsAnAttemptThatWasRefused() throws Exception {
        CompletableFuture<Call> attempts = new CompletableFuture<>();
        OkHttpClient client = plain().newBuilder()
                .addInterceptor(chain -> {
                    Response response = chain.proceed(chain.request());
                    attempts.complete(chain.call());
                    await(released); // the throttle has yet to see the refusal
                    return response;
                })
                .build();
        server.enqueue(refusal(429, 5));
        server.enqueue(status(200));
        ThrottlingCallFactory calls = ThrottlingCallFactory.create(client, throttles);
        Answer answer = enqueue(calls.newCall(get("/")));
        attempts.get(20, TimeUnit.SECONDS);
        client.dispatcher().cancelAll();
        released.countDown();
        assertThat(answer.await())
                .isInstanceOfSatisfying(IOException.class, e -> assertThat(e).hasMessage("Canceled"));
        assertThat(server.getRequestCount()).isEqualTo(1);
        assertIdle(throttles);
    }

    @Test
    void aRepetitionThatCannotBeMadeEndsTheCallAndFreesItsSlot() {
        AtomicInteger made = new AtomicInteger();
        OkHttpClient client = plain().newBuilder()
                .eventListenerFactory(call -> {
                    if (made.incrementAndGet() == 2) {
                        throw new IllegalStateException("no listener");
                    }
                    return EventListener.NONE;
                })
                .build();
        client.dispatcher().setMaxRequestsPerHost(1);
        ThrottlingCallFactory calls = ThrottlingCallFactory.create(client, throttles);
        server.enqueue(refusal(429, 5));
        server.enqueue(status(200));
        assertThat(enqueue(calls.newCall(get("/"))).await())
                .isInstanceOfSatisfying(IOException.class, e -> assertThat(e).hasMessageContaining("no listener"));
        assertThat(enqueue(calls.newCall(get("/"))).await()).isEqualTo(200);
        assertIdle(throttles);
    }

    @Test
    void anExecutorWithoutAThreadToSpareCostsNoSlot() {
        AtomicInteger failures = new AtomicInteger(4);
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            ExecutorService scarce = new java.util.concurrent.AbstractExecutorService() {
                @Override
                public void execute(Runnable task) {
                    if (failures.getAndDecrement() > 0) {
                        throw new OutOfMemoryError("unable to create native thread");
                    }
                    threads.execute(task);
                }

                @Override
                public void shutdown() {
                    threads.shutdown();
                }

                @Override
                public List<Runnable> shutdownNow() {
                    return threads.shutdownNow();
                }

                @Override
                public boolean isShutdown() {
                    return threads.isShutdown();
                }

                @Override
                public boolean isTerminated() {
                    return threads.isTerminated();
                }

                @Override
                public boolean awaitTermination(long time, TimeUnit unit) throws InterruptedException {
                    return threads.awaitTermination(time, unit);
                }
            };
            Dispatcher dispatcher = new Dispatcher(scarce);
            dispatcher.setMaxRequestsPerHost(2);
            answerAlways(200);
            ThrottlingCallFactory calls = ThrottlingCallFactory.create(
                    plain().newBuilder().dispatcher(dispatcher).build(), throttles);
            while (failures.get() > 0) {
                assertThat(enqueue(calls.newCall(get("/"))).await()).isInstanceOf(IOException.class);
            }
            for (int i = 0; i < 10; i++) {
                assertThat(enqueue(calls.newCall(get("/"))).await()).isEqualTo(200);
            }
            assertThat(calls.parkedCallsCount()).isZero();
            assertIdle(throttles);
        } finally {
            threads.shutdown();
        }
    }

    @Tag(NEEDS_OKHTTP5)
    @Test
    void aCallThatIsNotThrottledKeepsNoSlotIfItCannotBeEnqueued() {
        plain().dispatcher().setMaxRequestsPerHost(1);
        ThrottlingCallFactory calls = factory();
        answerAlways(200);
        for (int i = 0; i < 3; i++) {
            Call exempt = calls.newCall(with(CallOptions.exempt()));
            exempt.addEventListener(new EventListener() {
                @Override
                public void callStart(Call attempt) {
                    throw new IllegalStateException("listener");
                }
            });
            assertThatThrownBy(() -> enqueue(exempt)).hasMessage("listener");
        }
        assertThat(enqueue(calls.newCall(get("/"))).await()).isEqualTo(200);
    }

    @Test
    void anEndlessRetryAfterIsLeftAsItIsWhereOkHttpDoesNotReadIt() throws IOException {
        String endless = "99999999999";
        Request once = get("/").newBuilder()
                .tag(CallOptions.class, CallOptions.DEFAULT.maxAttempts(1))
                .build();
        for (int status : new int[] {200, 429, 503}) {
            server.enqueue(new MockResponse.Builder()
                    .code(status)
                    .addHeader("Retry-After", endless)
                    .build());
            try (Response response = throttled(throttle().build()).newCall(once).execute()) {
                assertThat(response.header("Retry-After")).isEqualTo(status == 503 ? "2147483647" : endless);
            }
        }
    }

    @Test
    void aCallWithoutCallbackIsRefusedAtOnce() {
        Call call = factory().newCall(get("/"));
        Callback nobody = null;
        assertThatThrownBy(() -> call.enqueue(nobody)).isInstanceOf(NullPointerException.class);
        assertThat(call.isExecuted()).isFalse();
        assertThat(server.getRequestCount()).isZero();
    }

    @Test
    void closeCancelsCallsThatAreNotThrottledToo() throws Exception {
        ThrottlingCallFactory calls = factory();
        answer(request -> whenReleased(request.getTarget(), "/"));
        Answer exempt = enqueue(calls.newCall(with(CallOptions.exempt())));
        CompletableFuture<Object> blocking = outcomeOf(calls.newCall(with(CallOptions.exempt())));
        awaitThat(() -> server.getRequestCount() == 2);
        calls.close();
        assertThat(exempt.await()).isInstanceOf(IOException.class);
        assertThat(blocking.get(20, TimeUnit.SECONDS)).isInstanceOf(IOException.class);
        released.countDown();
        assertThatThrownBy(() -> calls.newCall(with(CallOptions.exempt())).execute())
                .isInstanceOf(IOException.class)
                .hasMessage("Canceled");
        assertThat(calls.toString()).isEqualTo("ThrottlingCallFactory[default, parked 0]");
    }
}
