package dev.throttle.okhttp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.CallOptions;
import dev.throttle.ThrottleRegistry;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.testing.VirtualTime;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.EventListener;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The call factory: parked calls, how they end, and who is told; {@link CallFactoryLoadTest} has what is measured. */
class CallFactoryTest extends LoopbackTest {

    private static final Duration LONG = Duration.ofMinutes(5);

    private final ThrottleRegistry throttles = throttle().build();

    private void block(Duration time) {
        block(throttles, keyOf(get("/")), time);
    }

    private ThrottlingCallFactory factory() {
        return ThrottlingCallFactory.create(plain(), throttles);
    }

    private static void awaitParked(ThrottlingCallFactory calls, int count) {
        awaitThat(() -> calls.parkedCallsCount() == count);
    }

    @Test
    void cancelOfAParkedCallIsPromptAndGivesThePlaceBack() {
        ThrottlingCallFactory calls = factory();
        block(LONG);
        for (int i = 0; i < 20; i++) {
            Call call = calls.newCall(get("/"));
            Answer answer = enqueue(call);
            awaitWaiting(throttles, keyOf(get("/")), 1);
            call.cancel();
            assertThat(answer.await())
                    .isInstanceOfSatisfying(
                            IOException.class, e -> assertThat(e).hasMessage("Canceled"));
            assertThat(calls.parkedCallsCount()).isZero();
            assertThat(call.isCanceled()).isTrue();
        }
        assertThat(server.getRequestCount()).isZero();
        assertIdle(throttles);
    }

    @Test
    void aCallCanceledBeforeItIsEnqueuedFailsWithoutWaiting() {
        block(LONG);
        Call call = factory().newCall(get("/"));
        call.cancel();
        assertThat(enqueue(call).await())
                .isInstanceOfSatisfying(IOException.class, e -> assertThat(e).hasMessage("Canceled"));
    }

    @Test
    void cancelAllAndCloseReachParkedCallsAndTheyAreCounted() throws IOException {
        ThrottlingCallFactory calls = factory();
        block(LONG);
        List<Answer> answers = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            answers.add(enqueue(calls.newCall(get("/"))));
        }
        CompletableFuture<Object> blocking = outcomeOf(calls.newCall(get("/")));
        awaitParked(calls, 11);
        plain().dispatcher().cancelAll(); // cannot see them
        assertThat(calls.parkedCallsCount()).isEqualTo(11);
        calls.cancelAll();
        for (Answer answer : answers) {
            assertThat(answer.await()).isInstanceOf(IOException.class);
        }
        assertThat(blocking.join()).isInstanceOf(IOException.class);
        awaitParked(calls, 0);

        Answer last = enqueue(calls.newCall(get("/")));
        awaitParked(calls, 1);
        calls.close();
        assertThat(last.await()).isInstanceOf(IOException.class);
        Call afterwards = calls.newCall(get("/"));
        assertThatThrownBy(afterwards::execute).isInstanceOf(IOException.class).hasMessage("Canceled");
        assertIdle(throttles);
        server.enqueue(status(200));
        assertThat(statusOf(plain().newCall(get("/")))).isEqualTo(200); // the client lives on
    }

    @Test
    void callbacksGetTheCallThatTheUserEnqueuedAndRunOnTheDispatchersExecutor() throws Exception {
        ThrottlingCallFactory calls = factory();
        block(Duration.ofMillis(100));
        server.enqueue(status(200));
        AtomicReference<Call> seen = new AtomicReference<>();
        CompletableFuture<String> thread = new CompletableFuture<>();
        Callback callback = new Callback() {
            @Override
            public void onResponse(Call call, Response response) {
                response.close();
                seen.set(call);
                thread.complete(Thread.currentThread().getName());
            }

            @Override
            public void onFailure(Call call, IOException e) {
                seen.set(call);
                thread.complete(Thread.currentThread().getName());
            }
        };
        Call answered = calls.newCall(get("/"));
        answered.enqueue(callback);
        assertThat(thread.get(20, TimeUnit.SECONDS)).startsWith("OkHttp http://");
        assertThat(seen).hasValue(answered);

        CompletableFuture<String> failingThread = new CompletableFuture<>();
        block(LONG);
        Call canceled = calls.newCall(get("/"));
        canceled.enqueue(new Callback() {
            @Override
            public void onResponse(Call call, Response response) {
                response.close();
            }

            @Override
            public void onFailure(Call call, IOException e) {
                seen.set(call);
                failingThread.complete(Thread.currentThread().getName());
            }
        });
        awaitParked(calls, 1);
        canceled.cancel();
        assertThat(failingThread.get(20, TimeUnit.SECONDS)).startsWith("OkHttp Dispatcher");
        assertThat(seen).hasValue(canceled);
    }

    @Test
    void noCallbackRunsInsideOfEnqueueOrCancel() throws Exception {
        ThrottlingCallFactory calls = ThrottlingCallFactory.create(
                plain(), throttle().maxWait(Duration.ZERO).build());
        block(calls.throttles(), keyOf(get("/")), LONG);
        Thread caller = Thread.currentThread();
        for (int i = 0; i < 100; i++) {
            CompletableFuture<Thread> thread = new CompletableFuture<>();
            calls.newCall(get("/")).enqueue(failure((call, e) -> thread.complete(Thread.currentThread())));
            assertThat(thread.get(20, TimeUnit.SECONDS)).isNotSameAs(caller);
        }
    }

    private interface OnFailure {
        void accept(Call call, IOException e);
    }

    private static Callback failure(OnFailure onFailure) {
        return new Callback() {
            @Override
            public void onResponse(Call call, Response response) {
                response.close();
            }

            @Override
            public void onFailure(Call call, IOException e) {
                onFailure.accept(call, e);
            }
        };
    }

    @Test
    void anExecutorThatIsShutDownFailsTheCallOutsideOfEnqueue() throws Exception {
        ThrottlingCallFactory calls = factory();
        plain().dispatcher().executorService().shutdown();
        CompletableFuture<IOException> failure = new CompletableFuture<>();
        AtomicReference<Thread> thread = new AtomicReference<>();
        calls.newCall(get("/")).enqueue(failure((call, e) -> {
            thread.set(Thread.currentThread());
            failure.complete(e);
        }));
        assertThat(failure.get(20, TimeUnit.SECONDS))
                .isInstanceOf(InterruptedIOException.class)
                .hasMessage("executor rejected");
        assertThat(thread).doesNotHaveValue(Thread.currentThread());
        assertThat(calls.parkedCallsCount()).isZero();
        assertIdle(throttles);
    }

    @Test
    void executeWaitsOnItsOwnThreadAndTheDispatcherDoesNotLimitIt() throws Exception {
        OkHttpClient client = throttled(plain(), ThrottlingInterceptor.create(throttles));
        block(LONG);
        List<Call> sleepers = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            Call sleeper = client.newCall(get("/"));
            sleepers.add(sleeper);
            enqueue(sleeper); // fills the host's slots of the dispatcher
        }
        awaitWaiting(throttles, keyOf(get("/")), 5);
        ThrottleRegistry free = throttle().build();
        ThrottlingCallFactory calls = ThrottlingCallFactory.create(plain(), free);
        block(free, keyOf(get("/")), Duration.ofMillis(100));
        server.enqueue(status(200));
        assertThat(statusOf(calls.newCall(get("/")))).isEqualTo(200);
        assertThat(throttles.get(keyOf(get("/"))).snapshot().waiting()).isEqualTo(5);
        sleepers.forEach(Call::cancel);
    }

    @Test
    void executeWakesOnCancelAndInterrupt() throws Exception {
        ThrottlingCallFactory calls = factory();
        block(LONG);
        Call canceled = calls.newCall(get("/"));
        CompletableFuture<Object> outcome = outcomeOf(canceled);
        awaitParked(calls, 1);
        canceled.cancel();
        assertThat(outcome.get(20, TimeUnit.SECONDS))
                .isInstanceOfSatisfying(IOException.class, e -> assertThat(e).hasMessage("Canceled"));

        CompletableFuture<Boolean> flag = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                calls.newCall(get("/")).execute();
            } catch (InterruptedIOException e) {
                flag.complete(Thread.currentThread().isInterrupted());
            } catch (IOException e) {
                flag.completeExceptionally(e);
            }
        });
        thread.start();
        awaitParked(calls, 1);
        thread.interrupt();
        assertThat(flag.get(20, TimeUnit.SECONDS)).isTrue();
        assertThat(server.getRequestCount()).isZero();
        assertIdle(throttles);
    }

    @Test
    void aCallIsExecutedOnceAndItsCloneIsThrottledAgain() throws IOException {
        ThrottlingCallFactory calls = factory();
        block(LONG);
        Call call = calls.newCall(get("/"));
        assertThat(call.isExecuted()).isFalse();
        Answer answer = enqueue(call);
        awaitParked(calls, 1);
        assertThat(call.isExecuted()).isTrue();
        assertThatThrownBy(call::execute)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("Already Executed");
        assertThatThrownBy(() -> enqueue(call))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("Already Executed");
        Call clone = call.clone();
        assertThat(clone.isExecuted()).isFalse();
        Answer cloned = enqueue(clone);
        awaitParked(calls, 2);
        call.cancel();
        assertThat(answer.await()).isInstanceOf(IOException.class);
        assertThat(clone.isCanceled()).isFalse();
        clone.cancel();
        assertThat(cloned.await()).isInstanceOf(IOException.class);
        assertThat(server.getRequestCount()).isZero();
    }

    @Test
    void aRepetitionHasTheTimeoutOfTheCall() {
        ThrottlingCallFactory calls = factory();
        server.enqueue(refusal(429, 5));
        server.enqueue(
                status(200).newBuilder().headersDelay(30, TimeUnit.SECONDS).build());
        Call call = calls.newCall(get("/"));
        call.timeout().timeout(2, TimeUnit.SECONDS);
        long start = System.nanoTime();
        assertThatThrownBy(call::execute)
                .isInstanceOf(InterruptedIOException.class)
                .hasMessage("timeout");
        assertThat(since(start)).isLessThan(Duration.ofSeconds(25));
        assertThat(server.getRequestCount()).isEqualTo(2);
    }

    @Tag(NEEDS_OKHTTP5)
    @Test
    void aRepetitionHasTheListenersAndTagsOfTheCall() throws IOException {
        List<String> tags = new ArrayList<>();
        OkHttpClient client = plain().newBuilder()
                .addInterceptor(chain -> {
                    tags.add(chain.call().tag(String.class));
                    return chain.proceed(chain.request());
                })
                .build();
        ThrottlingCallFactory calls = ThrottlingCallFactory.create(client, throttles);
        server.enqueue(refusal(429, 5));
        server.enqueue(status(200));
        AtomicInteger starts = new AtomicInteger();
        Call call = calls.newCall(get("/"));
        call.addEventListener(new EventListener() {
            @Override
            public void callStart(Call attempt) {
                starts.incrementAndGet();
            }
        });
        assertThat(call.tag(String.class, () -> "computed")).isEqualTo("computed");
        assertThat(statusOf(call)).isEqualTo(200);
        assertThat(tags).containsExactly("computed", "computed");
        assertThat(starts).hasValue(2);
        assertThat(call.tag(String.class)).isEqualTo("computed");
    }

    @Test
    void everyMethodOfCallIsDeclared() throws ReflectiveOperationException {
        for (Method method : Call.class.getMethods()) {
            if (Modifier.isAbstract(method.getModifiers())) {
                Method own = ThrottlingCall.class.getMethod(method.getName(), method.getParameterTypes());
                assertThat(own.getDeclaringClass()).as("%s", method).isEqualTo(ThrottlingCall.class);
            }
        }
    }

    @Test
    void theCallTimeoutDoesNotCoverTheParkButMaxWaitDoes() {
        OkHttpClient client =
                plain().newBuilder().callTimeout(Duration.ofSeconds(2)).build();
        ThrottlingCallFactory calls = ThrottlingCallFactory.create(client, throttles);
        block(Duration.ofMillis(2_500));
        server.enqueue(status(200));
        server.enqueue(status(200));
        Answer parked = enqueue(calls.newCall(get("/")));
        CompletableFuture<Object> blocking = outcomeOf(calls.newCall(get("/")));
        assertThat(parked.await()).isEqualTo(200);
        assertThat(blocking.join()).isEqualTo(200);

        block(LONG);
        Request hurried = get("/").newBuilder()
                .tag(CallOptions.class, CallOptions.DEFAULT.maxWait(Duration.ofMinutes(1)))
                .build();
        long start = System.nanoTime();
        assertThat(enqueue(calls.newCall(hurried)).await()).isInstanceOf(ThrottleRejectedException.class);
        assertThatThrownBy(() -> calls.newCall(hurried).execute()).isInstanceOf(ThrottleRejectedException.class);
        assertThat(since(start)).isLessThan(Duration.ofSeconds(50));
        assertThat(throttles.get(keyOf(hurried)).maxWait()).isEqualTo(Duration.ofMinutes(10)); // the default is finite
    }

    @Test
    void allThreadsOfTheThrottleAreDaemonsAndTheTimerRunsNoUserCode() throws Exception {
        ThrottlingCallFactory calls = factory();
        Set<String> userThreads = ConcurrentHashMap.newKeySet();
        block(Duration.ofMillis(50));
        answerAlways(200);
        List<CompletableFuture<Boolean>> done = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            CompletableFuture<Boolean> one = new CompletableFuture<>();
            done.add(one);
            calls.newCall(get("/")).enqueue(new Callback() {
                @Override
                public void onResponse(Call call, Response response) {
                    response.close();
                    userThreads.add(Thread.currentThread().getName());
                    one.complete(true);
                }

                @Override
                public void onFailure(Call call, IOException e) {
                    one.completeExceptionally(e);
                }
            });
        }
        for (CompletableFuture<Boolean> one : done) {
            one.get(20, TimeUnit.SECONDS);
        }
        assertThat(userThreads).allSatisfy(name -> assertThat(name).startsWith("OkHttp http://"));
        Stream<Thread> own = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("throttle-"));
        assertThat(own)
                .isNotEmpty()
                .allSatisfy(thread -> assertThat(thread.isDaemon()).isTrue());
    }

    @Test
    void aNestedCallOfTheSameKeyCannotDeadlock() throws Exception {
        AtomicReference<ThrottlingCallFactory> calls = new AtomicReference<>();
        OkHttpClient client = plain().newBuilder()
                .addInterceptor(chain -> {
                    if (chain.request().url().encodedPath().equals("/token")) {
                        return chain.proceed(chain.request());
                    }
                    try (Response token = calls.get().newCall(get("/token")).execute()) {
                        return chain.proceed(chain.request()
                                .newBuilder()
                                .header("Authorization", "t" + token.code())
                                .build());
                    }
                })
                .build();
        client.dispatcher().setMaxRequestsPerHost(1);
        calls.set(ThrottlingCallFactory.create(client, throttles));
        answerAlways(200);
        List<Answer> answers = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            answers.add(enqueue(calls.get().newCall(get("/data"))));
        }
        for (Answer answer : answers) {
            assertThat(answer.await()).isEqualTo(200);
        }
        assertThat(server.getRequestCount()).isEqualTo(10);
        assertIdle(throttles);
    }

    @Test
    void aCallThatPassesBothDoorsIsChargedOnce() throws IOException {
        ThrottlingInterceptor throttling = ThrottlingInterceptor.create(throttles);
        OkHttpClient client = throttled(plain(), throttling);
        answerAlways(200);
        for (Call.Factory calls : List.of(
                throttling.callFactory(client),
                throttling.callFactory(client).newBuilder().build(),
                throttled(client, throttling))) {
            long before = count();
            assertThat(statusOf(calls.newCall(get("/")))).isEqualTo(200);
            assertThat(enqueue(calls.newCall(get("/"))).await()).isEqualTo(200);
            assertIdle(throttles);
            assertThat(count() - before).isEqualTo(2);
        }
    }

    private long count() {
        return charged(throttles.get(keyOf(get("/"))));
    }

    @Test
    void aPermitThatAgedInTheDispatchersQueueIsTakenAnew() throws Exception {
        // Calls that are not throttled fill the dispatcher behind the factory's back.
        VirtualTime time = new VirtualTime();
        ThrottleRegistry throttles = throttle().time(time).build();
        ThrottlingCallFactory calls = ThrottlingCallFactory.create(plain(), throttles);
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch sent = new CountDownLatch(1);
        answer(request -> {
            if (request.getTarget().equals("/slow")) {
                await(release);
            } else {
                sent.countDown();
            }
            return status(200);
        });
        List<Answer> slow = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            slow.add(enqueue(plain().newCall(get("/slow"))));
        }
        Answer throttled = enqueue(calls.newCall(get("/fast")));
        assertThat(plain().dispatcher().queuedCallsCount()).isEqualTo(1);
        time.advance(Duration.ofMillis(150)); // while it stands in the dispatcher's queue
        block(throttles, keyOf(get("/")), Duration.ofMillis(300));
        release.countDown();
        awaitWaiting(throttles, keyOf(get("/")), 1);
        assertThat(sent.getCount()).isEqualTo(1);
        time.advance(Duration.ofMillis(300));
        assertThat(throttled.await()).isEqualTo(200);
        for (Answer answer : slow) {
            assertThat(answer.await()).isEqualTo(200);
        }
        assertIdle(throttles);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await(20, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void callsThatFoundNoSlotGoInOrder() {
        plain().dispatcher().setMaxRequestsPerHost(1);
        ThrottlingCallFactory calls = factory();
        CountDownLatch allEnqueued = new CountDownLatch(1);
        List<String> seen = Collections.synchronizedList(new ArrayList<>());
        answer(request -> {
            await(allEnqueued);
            seen.add(request.getTarget());
            return status(200);
        });
        List<String> enqueued = new ArrayList<>();
        List<Answer> answers = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            enqueued.add("/" + i);
            answers.add(enqueue(calls.newCall(get("/" + i))));
        }
        awaitParked(calls, 199);
        allEnqueued.countDown();
        for (Answer answer : answers) {
            assertThat(answer.await()).isEqualTo(200);
        }
        assertThat(seen).isEqualTo(enqueued);
        assertIdle(throttles);
    }

    /** The throttle tells each call on a thread of its own, so their order is up to the machine. */
    @Test
    void ofTheCallsThatWaitForTheThrottleNoneIsLost() {
        plain().dispatcher().setMaxRequestsPerHost(2);
        ThrottlingCallFactory calls = factory();
        answerAlways(200);
        block(Duration.ofMillis(100));
        List<Answer> answers = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            answers.add(enqueue(calls.newCall(get("/" + i))));
        }
        for (Answer answer : answers) {
            assertThat(answer.await()).isEqualTo(200);
        }
        assertThat(server.getRequestCount()).isEqualTo(200);
        assertThat(calls.parkedCallsCount()).isZero();
        assertIdle(throttles);
    }

    @Test
    void theLimitOfAllHostsHoldsNoHostUpForGood() {
        plain().dispatcher().setMaxRequests(2);
        ThrottlingCallFactory calls = factory();
        AtomicInteger now = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        answer(request -> {
            most.accumulateAndGet(now.incrementAndGet(), Math::max);
            Thread.yield(); // to a call that there should be no slot for
            now.decrementAndGet();
            return status(200);
        });
        List<Answer> answers = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            answers.add(enqueue(calls.newCall(getFrom("h" + i % 20 + ".test", "/"))));
            if (i == 100) {
                plain().dispatcher().setMaxRequests(3);
            }
        }
        for (Answer answer : answers) {
            assertThat(answer.await()).isEqualTo(200);
        }
        assertThat(most.get()).isLessThanOrEqualTo(3);
        assertIdle(throttles);
    }

    @Test
    void aBlockedKeyKeepsNoSlotFromAnotherKeyOfTheSameHost() {
        ThrottlingCallFactory calls = ThrottlingCallFactory.builder(plain(), throttles)
                .keyResolver(request -> request.url().encodedPath())
                .build();
        block(throttles, "/blocked", LONG);
        answerAlways(200);
        for (int i = 0; i < 20; i++) {
            enqueue(calls.newCall(get("/blocked")));
        }
        for (int i = 0; i < 20; i++) {
            assertThat(enqueue(calls.newCall(get("/free"))).await()).isEqualTo(200);
        }
        calls.cancelAll();
    }

    @Tag(NEEDS_OKHTTP5)
    @Test
    void aListenerThatThrowsEndsItsCallOnceAndItsSlotIsFreeAgain() {
        plain().dispatcher().setMaxRequestsPerHost(1);
        ThrottlingCallFactory calls = factory();
        answerAlways(200);
        for (int i = 0; i < 10; i++) {
            Call call = calls.newCall(get("/"));
            call.addEventListener(new EventListener() {
                @Override
                public void callStart(Call attempt) {
                    throw new IllegalStateException("listener");
                }
            });
            assertThat(enqueue(call).await())
                    .isInstanceOfSatisfying(
                            IOException.class, e -> assertThat(e).hasMessageContaining("listener"));
        }
        assertThat(enqueue(calls.newCall(get("/"))).await()).isEqualTo(200);
        assertThat(calls.parkedCallsCount()).isZero();
        assertIdle(throttles);
    }
}
