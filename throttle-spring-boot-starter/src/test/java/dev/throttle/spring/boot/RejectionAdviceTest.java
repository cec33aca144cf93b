package dev.throttle.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.ThrottleRejectedException;
import dev.throttle.testing.VirtualTime;
import dev.throttle.time.TimeSource;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** What those get whose request needed a call that was rejected. */
class RejectionAdviceTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private final RejectionAdvice advice = new RejectionAdvice(Clock.fixed(NOW, ZoneOffset.UTC));

    private static ThrottleRejectedException rejection(Duration wait) {
        return new ThrottleRejectedException(
                "too long", "https://internal:443", "retry-after", wait, Duration.ZERO, NOW.plus(wait), null);
    }

    /** In whole seconds, of which none is too few. */
    @ParameterizedTest
    @CsvSource({"PT0S,1", "PT-5S,1", "PT0.2S,1", "PT1S,1", "PT1.000000001S,2", "PT1H,3600"})
    void theAnswerSaysWhenToComeBack(Duration wait, String seconds) {
        assertThat(advice.rejected(rejection(wait)).getHeaders().get("Retry-After"))
                .isEqualTo(List.of(seconds));
    }

    @Test
    void theTimeIsThatOfTheThrottles() {
        VirtualTime time = new VirtualTime();
        new WebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(ThrottleAutoConfiguration.class))
                .withBean(TimeSource.class, () -> time)
                .run(context -> {
                    Instant retryAt =
                            Instant.ofEpochMilli(time.currentTimeMillis()).plusSeconds(7);
                    ThrottleRejectedException rejection = new ThrottleRejectedException(
                            "too long", "key", "retry-after", Duration.ZERO, Duration.ZERO, retryAt, null);
                    assertThat(context.getBean(RejectionAdvice.class)
                                    .rejected(rejection)
                                    .getHeaders()
                                    .get("Retry-After"))
                            .isEqualTo(List.of("7"));
                });
    }

    @RestController
    static class Reactive {

        @GetMapping("/")
        Mono<String> get() {
            return Mono.error(new IllegalStateException("of a client", rejection(Duration.ofSeconds(7))));
        }
    }

    @Test
    void reactiveApplicationsAnswerAlike() {
        WebTestClient.bindToController(new Reactive())
                .controllerAdvice(advice)
                .build()
                .get()
                .uri("/")
                .exchange()
                .expectStatus()
                .isEqualTo(503)
                .expectHeader()
                .valueEquals("Retry-After", "7")
                .expectBody(String.class)
                .value(body -> assertThat(body).doesNotContain("internal"));
    }
}
