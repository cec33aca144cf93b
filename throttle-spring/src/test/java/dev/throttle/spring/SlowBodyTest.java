package dev.throttle.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.throttle.CallOptions;
import dev.throttle.ThrottleRegistry;
import dev.throttle.client.Origin;
import dev.throttle.control.Strategies;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.client.RestClient;

/** Bodies that come late, or are not read to their end, below the JDK's client. */
class SlowBodyTest {

    private static final String REFUSAL = "{\"message\": \"You have exceeded a secondary rate limit\"}";
    private static final String COSTS =
            "{\"data\":{},\"extensions\":{\"cost\":{\"requestedQueryCost\":10,\"actualQueryCost\":4,"
                    + "\"throttleStatus\":{\"maximumAvailable\":1000,\"currentlyAvailable\":996,\"restoreRate\":50}}}}";

    private final ThrottleRegistry throttles = ThrottleRegistry.builder()
            .strategy(Strategies.none())
            .maxWait(Duration.ofMinutes(5))
            .build();
    private final RestClient client = RestClient.builder()
            .requestFactory(new JdkClientHttpRequestFactory(
                    HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()))
            .requestInterceptor(ThrottlingRequestInterceptor.create(throttles))
            .build();
    private final CountDownLatch mayCome = new CountDownLatch(1);
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private HttpServer server;
    private URI uri;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/late", exchange -> answer(exchange, 403, REFUSAL, mayCome));
        server.createContext("/graphql.json", exchange -> answer(exchange, 200, COSTS, new CountDownLatch(0)));
        server.start();
        uri = URI.create("http://localhost:" + server.getAddress().getPort());
    }

    @AfterEach
    void stop() {
        mayCome.countDown();
        server.stop(0);
        threads.shutdownNow();
        throttles.close();
    }

    private static void answer(HttpExchange exchange, int status, String body, CountDownLatch mayCome)
            throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().flush();
        try {
            mayCome.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private CompletableFuture<String> late(CompletableFuture<Void> isClosed, boolean isRead) {
        CompletableFuture<String> seen = new CompletableFuture<>();
        threads.execute(() -> {
            client.get()
                    .uri(uri.resolve("/late"))
                    .attributes(ThrottleAttributes.options(CallOptions.DEFAULT.maxAttempts(1)))
                    .exchange((request, response) -> {
                        if (!isRead) {
                            return seen.complete(
                                    String.valueOf(response.getStatusCode().value()));
                        }
                        mayCome.countDown(); // not before the interceptor has given up
                        return seen.complete(new String(response.getBody().readAllBytes(), StandardCharsets.UTF_8));
                    });
            isClosed.complete(null);
        });
        return seen;
    }

    @Test
    void aResponseIsClosedAlthoughItsBodyHasNotCome() throws Exception {
        CompletableFuture<Void> isClosed = new CompletableFuture<>();
        assertThat(late(isClosed, false).get(20, TimeUnit.SECONDS)).isEqualTo("403");
        isClosed.get(20, TimeUnit.SECONDS); // one thread reads already: whoever closes must not read beside it
        mayCome.countDown();
        assertThat(throttles.get(Origin.of(uri)).snapshot().inFlight()).isZero();
    }

    @Test
    void aBodyThatComesLateIsWhole() throws Exception {
        CompletableFuture<Void> isClosed = new CompletableFuture<>();
        assertThat(late(isClosed, true).get(20, TimeUnit.SECONDS)).isEqualTo(REFUSAL);
        isClosed.get(20, TimeUnit.SECONDS);
    }

    @Test
    void aBodyThatIsNotReadToItsEndTellsOfTheCost() {
        client.get().uri(uri.resolve("/graphql.json")).exchange((request, response) -> {
            try {
                return response.getBody().readNBytes(COSTS.length());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        assertThat(throttles.get(Origin.of(uri)).count(Outcome.SUCCESS)).isEqualTo(1);
        assertThat(throttles.get(Origin.of(uri)).snapshot().quotas())
                .anyMatch(quota ->
                        quota.unit().equals(Quota.POINTS) && Long.valueOf(996).equals(quota.remaining()));
    }
}
