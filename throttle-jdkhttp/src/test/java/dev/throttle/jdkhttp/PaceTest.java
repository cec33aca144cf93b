package dev.throttle.jdkhttp;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.throttle.Throttle;
import dev.throttle.control.Strategies;
import dev.throttle.signal.Outcome;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import mockwebserver3.Dispatcher;
import mockwebserver3.MockResponse;
import mockwebserver3.RecordedRequest;
import org.junit.jupiter.api.Test;

/** A hundred callers of one client, half of them asynchronous, paced at 47 requests per second. */
class PaceTest {

    private static final int CALLERS = 100;
    private static final int CALLS = 150;
    private static final long SECOND = 1_000_000_000;
    private static final int PACE = 47;

    private final ConcurrentLinkedQueue<Long> admissions = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Long> arrivals = new ConcurrentLinkedQueue<>();

    @Test
    void noRequestArrivesBeforeItIsLetGoOnHttp1() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 512);
        ExecutorService threads = Executors.newCachedThreadPool();
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            arrivals.add(System.nanoTime());
            try (exchange) {
                exchange.sendResponseHeaders(200, -1);
            }
        });
        server.start();
        try {
            run(
                    HttpClient.newHttpClient(),
                    URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/"));
        } finally {
            server.stop(0);
            threads.shutdownNow();
        }
    }

    @Test
    void noRequestArrivesBeforeItIsLetGoOnHttp2() throws Exception {
        Dispatcher dispatcher = new Dispatcher() {
            @Override
            public MockResponse dispatch(RecordedRequest request) {
                arrivals.add(System.nanoTime());
                return new MockResponse.Builder().build();
            }
        };
        try (Http2Server server = new Http2Server(dispatcher)) {
            run(Http2Server.client(), server.uri());
        }
    }

    private void run(HttpClient delegate, URI uri) throws Exception {
        Throttle throttle = TestThrottles.builder(Duration.ofMillis(1))
                .limit(Strategies.leakyBucket()
                        .rate(PACE, Duration.ofSeconds(1))
                        .queue(1000)
                        .build())
                .limit(TestThrottles.noting(admissions))
                .build();
        ThrottlingHttpClient client =
                ThrottlingHttpClient.newBuilder(delegate).throttle(throttle).build();
        HttpRequest request = HttpRequest.newBuilder(uri).build();
        assertThat(delegate.send(request, BodyHandlers.discarding()).statusCode())
                .isEqualTo(200); // the first of all is slow, and no matter of pace
        arrivals.clear();
        ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
        try {
            AtomicInteger begun = new AtomicInteger();
            AtomicInteger answered = new AtomicInteger();
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                Mode mode = Mode.values()[i % 2];
                running.add(callers.submit(() -> {
                    while (begun.getAndIncrement() < CALLS) {
                        if (mode.send(client, request, BodyHandlers.discarding())
                                        .statusCode()
                                == 200) {
                            answered.incrementAndGet();
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> caller : running) {
                caller.get(30, TimeUnit.SECONDS);
            }
            assertThat(answered).hasValue(CALLS);
        } finally {
            callers.shutdownNow();
        }
        assertThat(throttle.count(Outcome.SUCCESS)).isEqualTo(CALLS);
        verify();
    }

    /** At no time have more requests arrived than were let go, and those were let go at the pace. */
    private void verify() {
        long[] left = sorted(admissions);
        long[] came = sorted(arrivals);
        assertThat(came).hasSameSizeAs(left);
        for (int i = 0; i < came.length; i++) {
            assertThat(came[i]).as("arrival " + i).isGreaterThanOrEqualTo(left[i]);
        }
        assertThat(most(left, SECOND)).isLessThanOrEqualTo(PACE);
    }

    private static long[] sorted(Collection<Long> times) {
        return times.stream().mapToLong(Long::longValue).sorted().toArray();
    }

    /** The most times in any half-open window of a length. */
    private static int most(long[] times, long window) {
        int most = 0;
        int from = 0;
        for (int to = 0; to < times.length; to++) {
            while (from < to && times[to] - times[from] >= window) {
                from++;
            }
            most = Math.max(most, to - from + 1);
        }
        return most;
    }
}
