package dev.throttle.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.ContextCapture;
import dev.throttle.ThrottleRegistry;
import dev.throttle.control.Strategies;
import dev.throttle.micrometer.ThrottleObservations;
import dev.throttle.spring.ThrottlingExchangeFilter;
import dev.throttle.testing.VirtualTime;
import io.micrometer.context.ContextSnapshotFactory;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.http.HttpStatusCode;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Mono;

/** What the caller's thread knows reaches the attempts that other threads make. */
class CallerContextTest {

    private static final ThreadLocal<String> TRACE = new ThreadLocal<>();

    private final ApplicationContextRunner runner =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(ThrottleAutoConfiguration.class));

    private static ContextCapture trace() {
        return () -> {
            String traced = TRACE.get();
            return task -> () -> {
                String before = TRACE.get();
                TRACE.set(traced);
                try {
                    task.run();
                } finally {
                    TRACE.set(before);
                }
            };
        };
    }

    @Test
    void aRepetitionOfAWebClientRunsInTheContextOfTheCaller() {
        VirtualTime time = new VirtualTime();
        ThrottleRegistry throttles = ThrottleRegistry.builder()
                .strategy(Strategies.none())
                .time(time)
                .executor(Runnable::run)
                .context(trace())
                .build();
        List<String> seen = new ArrayList<>();
        WebClient client = WebClient.builder()
                .filter(ThrottlingExchangeFilter.create(throttles))
                .exchangeFunction(request -> {
                    seen.add(TRACE.get());
                    ClientResponse.Builder answer =
                            ClientResponse.create(HttpStatusCode.valueOf(seen.size() == 1 ? 429 : 200));
                    return Mono.just(answer.header("Retry-After", "1").build());
                })
                .build();
        TRACE.set("of the caller");
        CompletableFuture<String> result = client.get()
                .uri("https://api.example.com/items")
                .exchangeToMono(response -> Mono.just(response.statusCode() + " in " + TRACE.get()))
                .toFuture();
        TRACE.set("of somebody else");
        time.advance(Duration.ofSeconds(2));
        TRACE.remove();
        assertThat(seen).containsExactly("of the caller", "of the caller");
        assertThat(result).isCompletedWithValue("200 OK in of the caller");
    }

    @Test
    void aCaptureOfTheApplicationTakesThePlaceOfTheReadyMadeOne() {
        List<String> captured = new ArrayList<>();
        runner.withBean(ContextCapture.class, () -> () -> {
                    captured.add("once");
                    return task -> task;
                })
                .run(context -> {
                    assertThat(context).hasSingleBean(ContextCapture.class);
                    context.getBean(ThrottleRegistry.class)
                            .get("https://api.example.com:443")
                            .execute(() -> "done");
                    assertThat(captured).containsExactly("once");
                });
    }

    @Test
    void waitsAreObservedWhereSomebodyObserves() {
        runner.run(context -> assertThat(context).doesNotHaveBean(ThrottleObservations.class));
        runner.withBean(ObservationRegistry.class, ObservationRegistry::create)
                .run(context -> assertThat(context).hasSingleBean(ThrottleObservations.class));
    }

    @Test
    void contextPropagationIsUsedWhereItIs() {
        runner.run(context -> assertThat(context).hasSingleBean(ContextCapture.class));
        runner.withClassLoader(new FilteredClassLoader(ContextSnapshotFactory.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(ContextCapture.class));
    }
}
