package dev.throttle.jdkhttp;

import static dev.throttle.fixtures.Awaiting.collectGarbage;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.Throttle;
import dev.throttle.signal.Outcome;
import dev.throttle.testing.VirtualTime;
import dev.throttle.time.TimeSource;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Which threads do what, and how few they are. */
class ThreadsTest {

    private static final URI NOWHERE = URI.create("http://localhost/");
    private static final HttpRequest REQUEST = HttpRequest.newBuilder(NOWHERE).build();

    private static ThrottlingHttpClientBuilder client(FakeClient fake, Duration retryDelay) {
        return ThrottlingHttpClient.newBuilder(fake).throttle(TestThrottles.throttle(retryDelay));
    }

    private static String threadOfADependent(ThrottlingHttpClient client) {
        return client.sendAsync(REQUEST, BodyHandlers.discarding())
                .thenApply(response -> Thread.currentThread().getName())
                .join();
    }

    /** With these wrapped clients, whose futures are complete at once, it is this module that decides. */
    @Test
    void dependentStagesRunOnNoThreadThatOthersNeed() {
        assertThat(threadOfADependent(
                        client(FakeClient.refusing(1), Duration.ofMillis(100)).build()))
                .doesNotStartWith("throttle-");
        ExecutorService own = Executors.newSingleThreadExecutor(task -> new Thread(task, "own"));
        try {
            assertThat(threadOfADependent(client(FakeClient.refusing(1), Duration.ofMillis(100))
                            .executor(own)
                            .build()))
                    .isNotEqualTo("own")
                    .doesNotStartWith("throttle-");
        } finally {
            own.shutdown();
        }
    }

    @Test
    void theWrappedClientsExecutorIsUsedIfThereIsOne() throws Exception {
        ExecutorService its = Executors.newCachedThreadPool(task -> new Thread(task, "its"));
        List<String> threads = new ArrayList<>();
        try (RawServer server =
                new RawServer((number, exchange) -> exchange.send(number == 1 ? RawServer.REFUSED : RawServer.OK))) {
            HttpClient delegate = HttpClient.newBuilder().executor(its).build();
            ThrottlingHttpClient client = ThrottlingHttpClient.newBuilder(delegate)
                    .throttle(TestThrottles.throttle(Duration.ofMillis(50)))
                    .keyResolver(request -> "key")
                    .build();
            client.sendAsync(HttpRequest.newBuilder(server.uri()).build(), info -> {
                        threads.add(Thread.currentThread().getName());
                        return HttpResponse.BodySubscribers.discarding();
                    })
                    .join();
            assertThat(threads).containsExactly("its");
        } finally {
            its.shutdown();
        }
    }

    @Test
    void aCallThatItsExecutorDoesNotTakeFailsAndTheTimerLivesOn() {
        AtomicBoolean open = new AtomicBoolean();
        Throttle throttle = TestThrottles.builder(Duration.ZERO)
                .limit(TestThrottles.closedUntil(open))
                .build();
        ThrottlingHttpClient client = ThrottlingHttpClient.newBuilder(FakeClient.refusing(0))
                .throttle(throttle)
                .executor(task -> {
                    throw new RejectedExecutionException("full");
                })
                .build();
        CompletableFuture<String> thread = new CompletableFuture<>();
        CompletableFuture<?> call = client.sendAsync(REQUEST, BodyHandlers.discarding())
                .whenComplete((response, failure) ->
                        thread.complete(Thread.currentThread().getName()));
        open.set(true);
        assertThatThrownBy(call::join).hasCauseInstanceOf(RejectedExecutionException.class);
        assertThat(thread.join()).doesNotStartWith("throttle-");
        Awaitility.await().until(() -> throttle.snapshot().inFlight() == 0 && client.pending() == 0);
        CompletableFuture<String> timer = new CompletableFuture<>();
        TimeSource.system().schedule(0, () -> timer.complete("alive"));
        assertThat(timer.join()).isEqualTo("alive");
    }

    @Test
    void clientsHaveNoThreadsOfTheirOwn() {
        long before = libraryThreads();
        for (int i = 0; i < 50; i++) {
            CompletableFuture<?> call = client(FakeClient.refusing(1), Duration.ofMinutes(5))
                    .build()
                    .sendAsync(REQUEST, BodyHandlers.discarding());
            if (i % 2 == 0) {
                call.cancel(true);
            }
        }
        assertThat(libraryThreads() - before).as("threads of 50 clients").isLessThan(1024);
        long timers = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("throttle-timer"))
                .filter(Thread::isDaemon)
                .count();
        assertThat(timers).isLessThanOrEqualTo(1);
    }

    private static long libraryThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("throttle-"))
                .count();
    }

    @Test
    void tenThousandRetriesOfOneCallDoNotNest() throws Exception {
        for (Mode mode : Mode.values()) {
            FakeClient fake = FakeClient.refusing(10_000);
            ThrottlingHttpClient client =
                    client(fake, Duration.ZERO).executor(Runnable::run).build();
            // A stack that 10,000 nested attempts would not fit in.
            CompletableFuture<Integer> status = new CompletableFuture<>();
            Thread thread = new Thread(
                    null,
                    () -> {
                        try {
                            status.complete(mode.send(client, REQUEST, BodyHandlers.discarding())
                                    .statusCode());
                        } catch (Throwable t) {
                            status.completeExceptionally(t);
                        }
                    },
                    "retrying",
                    256 * 1024);
            thread.start();
            assertThat(status.get(3, TimeUnit.MINUTES)).isEqualTo(200);
            assertThat(fake.attempts()).isEqualTo(10_001);
        }
    }

    @Test
    void tenThousandAsynchronousWaitersNeedNoThreadsAndLessThanAKibibyteEach() throws Exception {
        int waiters = 10_000;
        Throttle throttle = TestThrottles.throttle(Duration.ofMinutes(5));
        ThrottlingHttpClient client = ThrottlingHttpClient.newBuilder(FakeClient.refusing(Integer.MAX_VALUE))
                .throttle(throttle)
                .build();
        CompletableFuture<?> first = client.sendAsync(REQUEST, BodyHandlers.discarding());
        Awaitility.await()
                .until(() -> throttle.snapshot().waiting() == 1); // it was refused: classes and tables are loaded
        first.cancel(true);
        int threadsBefore = ManagementFactory.getThreadMXBean().getThreadCount();
        int threads = 0;
        long each = Long.MAX_VALUE;
        long left = Long.MAX_VALUE;
        for (int round = 0; round < 3; round++) { // in one of them, what earlier tests have left may be freed
            List<CompletableFuture<?>> calls = new ArrayList<>(waiters);
            long before = usedHeap();
            for (int i = 0; i < waiters; i++) {
                calls.add(client.sendAsync(REQUEST, BodyHandlers.discarding()));
            }
            long during = usedHeap();
            assertThat(throttle.snapshot().waiting()).isEqualTo(waiters);
            assertThat(client.pending()).isEqualTo(waiters);
            threads = Math.max(threads, ManagementFactory.getThreadMXBean().getThreadCount() - threadsBefore);
            calls.forEach(call -> call.cancel(true));
            calls.clear();
            assertThat(client.pending()).isZero();
            long after = usedHeap();
            each = Math.min(each, (during - after) / waiters);
            left = Math.min(left, (after - before) / waiters); // classes and the tables of maps
        }
        assertThat(each).isLessThan(1024);
        assertThat(left).isLessThan(100);
        assertThat(threads).isLessThan(5);
    }

    private static long usedHeap() throws InterruptedException {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 4; i++) {
            collectGarbage();
            Runtime runtime = Runtime.getRuntime();
            least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
        }
        return least;
    }

    /** With a carrier pinned by each waiting virtual thread, no more than a few would ever come to wait. */
    @Test
    void aThousandThreadsWaitWithoutHoldingCarriers() throws Exception {
        VirtualTime time = new VirtualTime();
        Throttle throttle = TestThrottles.builder(Duration.ofMillis(1))
                .time(time)
                .limit(TestThrottles.opensAfter(Duration.ofSeconds(1)))
                .build();
        FakeClient fake = FakeClient.refusing(0);
        ThrottlingHttpClient client =
                ThrottlingHttpClient.newBuilder(fake).throttle(throttle).build();
        ExecutorService executor = threadPerTask();
        try {
            List<Future<Integer>> statuses = new ArrayList<>();
            for (int i = 0; i < 1000; i++) {
                statuses.add(executor.submit(
                        () -> client.send(REQUEST, BodyHandlers.discarding()).statusCode()));
            }
            Awaitility.await().until(() -> throttle.snapshot().waiting() == 1000);
            assertThat(fake.attempts()).isZero();
            time.advance(Duration.ofSeconds(1));
            for (Future<Integer> status : statuses) {
                assertThat(status.get(3, TimeUnit.MINUTES)).isEqualTo(200);
            }
        } finally {
            executor.shutdownNow();
        }
        assertThat(throttle.count(Outcome.SUCCESS)).isEqualTo(1000);
    }

    /** Virtual threads where there are any. */
    private static ExecutorService threadPerTask() throws Exception {
        if (Runtime.version().feature() >= 21) {
            return (ExecutorService)
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        }
        return Executors.newCachedThreadPool();
    }
}
