package dev.throttle.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.Service;
import dev.throttle.ThrottleRegistry;
import dev.throttle.testing.RateLimitedServer;
import dev.throttle.testing.VirtualTime;
import dev.throttle.time.TimeSource;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

/** A service with a web server, whose requests wait for another server, when it is told to end. */
@ExtendWith(OutputCaptureExtension.class)
class ShutdownTest {

    private static final int CALLS = 200;

    private static ConfigurableApplicationContext start(String... properties) {
        return start(TimeSource.system(), properties);
    }

    private static ConfigurableApplicationContext start(TimeSource time, String... properties) {
        List<String> all = new ArrayList<>(List.of(
                "--server.port=0",
                "--server.tomcat.threads.max=250",
                "--spring.main.banner-mode=off",
                "--management.health.redis.enabled=false"));
        all.addAll(List.of(properties));
        return new SpringApplicationBuilder(Service.class)
                .initializers(
                        context -> ((GenericApplicationContext) context).registerBean(TimeSource.class, () -> time))
                .run(all.toArray(String[]::new));
    }

    private static CompletableFuture<HttpResponse<String>> ask(
            HttpClient client, ConfigurableApplicationContext service, URI target) {
        int port = ((WebServerApplicationContext) service).getWebServer().getPort();
        URI uri = URI.create("http://127.0.0.1:" + port + "/ask?url=" + target);
        return client.sendAsync(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
    }

    private static void awaitWaiting(ConfigurableApplicationContext service, int calls) throws Exception {
        ThrottleRegistry throttles = service.getBean(ThrottleRegistry.class);
        long begin = System.nanoTime();
        while (throttles.all().stream().mapToInt(t -> t.snapshot().waiting()).sum() < calls) {
            assertThat(System.nanoTime() - begin).isLessThan(TimeUnit.SECONDS.toNanos(60));
            Thread.sleep(10);
        }
    }

    @Test
    void theServiceIsDownWithinThePhaseAndEveryCallerHasAnAnswer(CapturedOutput output) throws Exception {
        HttpClient client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        try (RateLimitedServer blocked =
                RateLimitedServer.builder().window(1000, Duration.ofMinutes(1)).start()) {
            ConfigurableApplicationContext service =
                    start("--spring.lifecycle.timeout-per-shutdown-phase=20s", "--throttle.max-wait=2h");
            blocked.refuseNext(1, 429, Duration.ofHours(1));
            List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
            for (int i = 0; i < CALLS; i++) {
                answers.add(ask(client, service, blocked.uri("/items")));
            }
            awaitWaiting(service, CALLS);
            long begin = System.nanoTime();
            service.close();
            Duration took = Duration.ofNanos(System.nanoTime() - begin);
            assertThat(took).isLessThan(Duration.ofSeconds(20));
            for (CompletableFuture<HttpResponse<String>> answer : answers) {
                HttpResponse<String> response = answer.get(10, TimeUnit.SECONDS);
                assertThat(response.statusCode()).isEqualTo(503);
                assertThat(response.headers().firstValueAsLong("Retry-After").orElse(0))
                        .isBetween(3000L, 3700L);
            }
            assertThat(output)
                    .contains("The application ends while 200 calls wait. Those that cannot go within 18 s"
                            + " are rejected: 200 at once");
            System.out.println("down after " + took);
        }
    }

    @Test
    void aCallThatCanGoInTimeGoes(CapturedOutput output) throws Exception {
        HttpClient client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        try (RateLimitedServer soon =
                RateLimitedServer.builder().window(1000, Duration.ofMinutes(1)).start()) {
            VirtualTime time = new VirtualTime();
            ConfigurableApplicationContext service = start(time, "--spring.lifecycle.timeout-per-shutdown-phase=60s");
            soon.refuseNext(1, 429, Duration.ofSeconds(15));
            CompletableFuture<HttpResponse<String>> answer = ask(client, service, soon.uri("/items"));
            awaitWaiting(service, 1);
            CompletableFuture<Void> closed = CompletableFuture.runAsync(service::close);
            long begin = System.nanoTime();
            while (!output.getAll().contains("The application ends")) {
                assertThat(System.nanoTime() - begin).isLessThan(TimeUnit.SECONDS.toNanos(60));
                Thread.sleep(10);
            }
            assertThat(answer).isNotDone();
            time.advance(Duration.ofSeconds(20));
            assertThat(answer.get(30, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
            closed.get(60, TimeUnit.SECONDS);
            assertThat(output).contains("The application ends while 1 call waits", "rejected: 0 at once");
        }
    }

    /**
     * The one whose request the other server refused, and the one who was not even sent: the same answer. There is one
     * line in the log for each, and no stack trace.
     */
    @Test
    void aRejectedCallIsAnsweredWith503AndNoStackTrace(CapturedOutput output) throws Exception {
        HttpClient client = HttpClient.newHttpClient();
        try (RateLimitedServer blocked = RateLimitedServer.builder()
                        .window(1000, Duration.ofMinutes(1))
                        .start();
                ConfigurableApplicationContext service = start("--throttle.max-wait=1s")) {
            blocked.refuseNext(1, 429, Duration.ofHours(1));
            HttpResponse<String> refused =
                    ask(client, service, blocked.uri("/items")).get();
            HttpResponse<String> rejected =
                    ask(client, service, blocked.uri("/items")).get();
            for (HttpResponse<String> answer : List.of(refused, rejected)) {
                assertThat(answer.statusCode()).isEqualTo(503);
                assertThat(answer.headers().firstValueAsLong("Retry-After").orElse(0))
                        .isBetween(3000L, 3800L);
                assertThat(answer.body()).contains("\"status\":503").doesNotContain("127.0.0.1");
            }
            assertThat(output).doesNotContain("\tat dev.throttle.engine");
        }
    }

    @Test
    void theApplicationMayAnswerItself() throws Exception {
        HttpClient client = HttpClient.newHttpClient();
        try (RateLimitedServer blocked = RateLimitedServer.builder()
                        .window(1000, Duration.ofMinutes(1))
                        .start();
                ConfigurableApplicationContext service =
                        start("--throttle.max-wait=1s", "--throttle.answer-rejections=false")) {
            blocked.refuseNext(1, 429, Duration.ofHours(1));
            ask(client, service, blocked.uri("/items")).get();
            assertThat(ask(client, service, blocked.uri("/items")).get().statusCode())
                    .isEqualTo(500);
        }
    }
}
