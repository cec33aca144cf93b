package dev.throttle.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.Application;
import com.example.Application.Api;
import com.example.Application.Items;
import com.example.Application.ReactiveItems;
import dev.throttle.ThrottleRegistry;
import dev.throttle.testing.RateLimitedServer;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.Test;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/** A whole application, with the starter and five lines of configuration, calls a server that limits it. */
class ApplicationTest {

    private static final int THREADS = 20;

    private static ConfigurableApplicationContext start(RateLimitedServer server, String... properties) {
        String url = server.uri("").toString();
        List<String> all = new ArrayList<>(List.of(
                "--server.port=0",
                "--spring.main.banner-mode=off",
                "--api.url=" + url,
                "--spring.http.serviceclient.blocking.base-url=" + url,
                "--spring.http.serviceclient.reactive.base-url=" + url,
                "--management.endpoints.web.exposure.include=health,throttles",
                "--management.health.redis.enabled=false", // its classes are there, and no server
                "--management.endpoint.health.show-details=always"));
        all.addAll(List.of(properties));
        return new SpringApplicationBuilder(Application.class).run(all.toArray(String[]::new));
    }

    /** {@return the statuses that the program sees} */
    private static List<Integer> callFromManyThreads(Api api, List<ToIntFunction<Api>> ways) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<Integer>> results = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                ToIntFunction<Api> way = ways.get(i % ways.size());
                results.add(threads.submit(() -> way.applyAsInt(api)));
            }
            List<Integer> statuses = new ArrayList<>();
            for (Future<Integer> result : results) {
                statuses.add(result.get());
            }
            return statuses;
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void noRefusalReachesTheProgramAndEverythingIsShown() throws Exception {
        try (RateLimitedServer server = RateLimitedServer.builder()
                        .window(10, Duration.ofSeconds(1))
                        .headers(RateLimitedServer.Headers.X_RATELIMIT)
                        .start();
                ConfigurableApplicationContext application = start(
                        server,
                        "--throttle.name=app",
                        "--throttle.max-wait=5m",
                        "--throttle.clients.api.hosts=127.0.0.1",
                        "--throttle.clients.api.strategy=quota-pacing")) {
            server.refuseNext(1, 429, Duration.ofSeconds(1));
            Api api = application.getBean(Api.class);
            List<Integer> statuses = callFromManyThreads(api, List.of(Api::viaRestClient, Api::viaWebClient));
            assertThat(statuses).hasSize(THREADS).containsOnly(200);

            assertThat(api.viaRestTemplate()).isEqualTo(200);
            assertThat(application.getBean(Items.class).get()).isEqualTo("accepted");
            assertThat(application.getBean(ReactiveItems.class).get()).isEqualTo("accepted");
            assertThat(server.accepted()).isEqualTo(THREADS + 3);

            String key = server.uri("").toString();
            MeterRegistry meters = application.getBean(MeterRegistry.class);
            assertThat(requests(meters, key, "success")).isEqualTo(THREADS + 3);
            assertThat(requests(meters, key, "throttled")).isPositive().isEqualTo(server.refused());
            assertThat(meters.get("throttle.quota.limit")
                            .tag("key", key)
                            .gauge()
                            .value())
                    .isEqualTo(10);
            assertThat(meters.get("throttle.wait").tag("throttle", "app").timers())
                    .isNotEmpty();
            endpointAndHealthShowIt(application, key);
        }
    }

    private static double requests(MeterRegistry meters, String key, String outcome) {
        return meters.get("throttle.requests")
                .tag("key", key)
                .tag("outcome", outcome)
                .functionCounter()
                .count();
    }

    private static void endpointAndHealthShowIt(ConfigurableApplicationContext application, String key)
            throws Exception {
        int port = ((WebServerApplicationContext) application).getWebServer().getPort();
        URI actuator = URI.create("http://localhost:" + port + "/actuator/");
        assertThat(read(actuator.resolve("throttles")))
                .contains("\"name\":\"app\"", "\"label\":\"" + key + "\"", "\"why\":\"" + key + ": no call is waiting");
        assertThat(read(actuator.resolve("throttles/127.0.0.1")))
                .contains("\"state\":\"RUNNING\"", "\"limit\":10", "\"SUCCESS\":" + (THREADS + 3));
        assertThat(read(actuator.resolve("throttles/" + key))).contains("\"state\":\"RUNNING\"");
        assertThat(change(actuator.resolve("throttles/127.0.0.1"), "pause")).contains("\"state\":\"PAUSED\"");
        assertThat(read(actuator.resolve("health")))
                .contains("\"throttles\":{\"details\":{", "\"heldBack\":1", "\"status\":\"UP\"")
                .doesNotContain("DOWN");
        assertThat(change(actuator.resolve("throttles/127.0.0.1"), "resume")).contains("\"state\":\"RUNNING\"");
        assertThat(change(actuator.resolve("throttles"), "pause")).contains("\"state\":\"PAUSED\"");
        assertThat(change(actuator.resolve("throttles"), "resume")).contains("\"state\":\"RUNNING\"");
        assertThat(status(HttpRequest.newBuilder(actuator.resolve("throttles/unknown"))))
                .isEqualTo(404);
        assertThat(status(post(actuator.resolve("throttles"), "stop"))).isEqualTo(400);
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private static int status(HttpRequest.Builder request) throws Exception {
        return send(request).statusCode();
    }

    private static String read(URI uri) throws Exception {
        return send(HttpRequest.newBuilder(uri)).body();
    }

    private static HttpRequest.Builder post(URI uri, String action) {
        return HttpRequest.newBuilder(uri)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString("{\"action\": \"" + action + "\"}"));
    }

    private static String change(URI uri, String action) throws Exception {
        return send(post(uri, action)).body();
    }

    @Test
    void disabledTheProgramSeesWhatItSawBefore() throws Exception {
        try (RateLimitedServer server = RateLimitedServer.builder()
                        .window(10, Duration.ofHours(1))
                        .retryAfter(false) // Apache's client would wait it out by itself, now that nothing stops it
                        .start();
                ConfigurableApplicationContext application =
                        start(server, "--throttle.enabled=false", "--spring.main.web-application-type=none")) {
            List<Integer> statuses =
                    callFromManyThreads(application.getBean(Api.class), List.of(Api::viaRestClient, Api::viaWebClient));
            assertThat(statuses.stream().filter(status -> status == 200)).hasSize(10);
            assertThat(statuses.stream().filter(status -> status == 429)).hasSize(10);
            assertThat(application.getBeansOfType(ThrottleRegistry.class)).isEmpty();
        }
    }
}
