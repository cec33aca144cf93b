package dev.throttle.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.ThrottleRegistry;
import dev.throttle.jdkhttp.ThrottlingHttpClient;
import dev.throttle.testing.RateLimitedServer;
import dev.throttle.testing.VirtualTime;
import dev.throttle.time.TimeSource;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.restclient.autoconfigure.RestClientAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.webclient.autoconfigure.WebClientAutoConfiguration;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;

/** Tests of programs that use Throttle, on a time that moves by itself, whatever their clients wait with. */
class TestsOfUsersTest {

    private static final int CALLS = 15;

    private final VirtualTime time = VirtualTime.autoAdvancing();

    private RateLimitedServer server() throws Exception {
        return RateLimitedServer.builder()
                .window(10, Duration.ofMinutes(1))
                .time(time)
                .start();
    }

    private void assertServed(RateLimitedServer server, long begin) {
        assertThat(server.accepted()).isEqualTo(CALLS);
        assertThat(Duration.ofNanos(time.nanoTime() - begin)).isGreaterThan(Duration.ofSeconds(30));
    }

    @Test
    void anAsynchronousCallMayBeJoined() throws Exception {
        long begin = time.nanoTime();
        try (RateLimitedServer server = server()) {
            HttpClient client = ThrottlingHttpClient.newBuilder(HttpClient.newHttpClient())
                    .throttles(ThrottleRegistry.builder().time(time).build())
                    .build();
            for (int i = 0; i < CALLS; i++) {
                client.sendAsync(HttpRequest.newBuilder(server.uri("/" + i)).build(), BodyHandlers.discarding())
                        .join();
            }
            assertServed(server, begin);
        }
    }

    @Test
    void aTimeSourceBeanIsTheTimeOfTheThrottles() throws Exception {
        try (RateLimitedServer server = server()) {
            new ApplicationContextRunner()
                    .withConfiguration(AutoConfigurations.of(
                            ThrottleAutoConfiguration.class,
                            RestClientAutoConfiguration.class,
                            WebClientAutoConfiguration.class))
                    .withBean(TimeSource.class, () -> time)
                    .run(context -> {
                        long begin = time.nanoTime();
                        WebClient reactive = context.getBean(WebClient.Builder.class)
                                .baseUrl(server.uri("").toString())
                                .build();
                        RestClient blocking = context.getBean(RestClient.Builder.class)
                                .baseUrl(server.uri("").toString())
                                .build();
                        for (int i = 0; i < CALLS; i++) {
                            if (i % 2 == 0) {
                                reactive.get()
                                        .uri("/r")
                                        .retrieve()
                                        .toBodilessEntity()
                                        .block();
                            } else {
                                blocking.get().uri("/b").retrieve().toBodilessEntity();
                            }
                        }
                        assertServed(server, begin);
                    });
        }
    }

    @Test
    void throttlingCanBeSwitchedOff() throws Exception {
        try (RateLimitedServer server = server()) {
            new ApplicationContextRunner()
                    .withConfiguration(
                            AutoConfigurations.of(ThrottleAutoConfiguration.class, RestClientAutoConfiguration.class))
                    .withPropertyValues("throttle.enabled=false")
                    .run(context -> {
                        server.refuseNext(1, 429, Duration.ofHours(1));
                        int status = context.getBean(RestClient.Builder.class)
                                .requestFactory(new JdkClientHttpRequestFactory()) // Apache's would repeat it by itself
                                .build()
                                .get()
                                .uri(server.uri("/"))
                                .exchange((request, response) ->
                                        response.getStatusCode().value());
                        assertThat(status).isEqualTo(429);
                        assertThat(context).doesNotHaveBean(ThrottleRegistry.class);
                    });
        }
    }
}
