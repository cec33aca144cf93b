package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.retry.RetryPolicy;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Keys of one registry that have settings of their own. */
class KeySettingsTest {

    private static final String GITHUB = "https://api.github.com:443";
    private static final String OPENAI = "https://api.openai.com:443";
    private static final String OTHER = "https://example.com:443";

    private final Timeline line = new Timeline();

    private static Strategy oneEach(Duration period) {
        return Strategies.tokenBucket().rate(1, period).build();
    }

    private ThrottleRegistry.Builder builder() {
        return line.registry(Strategies.none());
    }

    @Test
    void eachKeyHasTheLimitsOfItsPattern() {
        ThrottleRegistry throttles = builder()
                .forKeys("api.github.com", key -> key.limit(oneEach(Duration.ofSeconds(2))))
                .forKeys("*.openai.com", key -> key.limit(oneEach(Duration.ofSeconds(5))))
                .build();
        for (String key : List.of(GITHUB, OPENAI, OTHER)) {
            for (int i = 1; i <= 2; i++) {
                line.ask(throttles.get(key), key.substring(8, 11) + i);
            }
        }
        // "api" twice: github first, then openai
        line.advanceMillis(5_000);
        assertThat(line.events).containsExactly("api1@0", "api1@0", "exa1@0", "exa2@0", "api2@2000", "api2@5000");
    }

    @Test
    void settingsOfAKeyBeginAsThoseOfAll() {
        ThrottleRegistry throttles = builder()
                .forKeys("api.github.com", key -> key.maxWait(Duration.ofMinutes(2)))
                .forKeys("api.openai.com", key -> key.clearLimits().maxWait(Duration.ZERO))
                .limit(oneEach(Duration.ofSeconds(40))) // declared later, and counts all the same
                .maxWait(Duration.ofSeconds(30))
                .build();
        assertThat(throttles.get(GITHUB).maxWait()).isEqualTo(Duration.ofMinutes(2));
        assertThat(throttles.get(OPENAI).maxWait()).isZero();
        assertThat(throttles.get(OTHER).maxWait()).isEqualTo(Duration.ofSeconds(30));
        for (String key : List.of(GITHUB, OPENAI, OTHER)) {
            line.ask(throttles.get(key), "first");
            line.ask(throttles.get(key), "second");
        }
        line.advanceMillis(40_000);
        assertThat(line.events)
                .containsExactly("first@0", "first@0", "second@0", "first@0", "second rejected@0", "second@40000");
    }

    @Test
    void theFirstPatternThatMatchesCountsAlone() {
        ThrottleRegistry throttles = builder()
                .forKeys("api.github.com", key -> key.maxWait(Duration.ofSeconds(1)))
                .forKeys("*", key -> key.maxWait(Duration.ofSeconds(2)).maxWaiting(0))
                .forKeys("*", key -> key.maxWait(Duration.ofSeconds(3))) // in the place of the one before
                .build();
        assertThat(throttles.get(GITHUB).maxWait()).isEqualTo(Duration.ofSeconds(1));
        assertThat(throttles.get("anything").maxWait()).isEqualTo(Duration.ofSeconds(3));
    }

    @Test
    void aPredicateIsAskedOnceForEachThrottle() {
        AtomicInteger asked = new AtomicInteger();
        ThrottleRegistry throttles = builder()
                .forKeys(
                        key -> {
                            asked.incrementAndGet();
                            return key.startsWith("batch-");
                        },
                        key -> key.maxWait(Duration.ofHours(1)))
                .build();
        for (int i = 0; i < 10; i++) {
            throttles.get("batch-1").acquireAsync().join().complete(Signal.SUCCESS);
        }
        assertThat(throttles.get("batch-1").maxWait()).isEqualTo(Duration.ofHours(1));
        assertThat(asked).hasValue(1);
    }

    @Test
    void aKeyMayHaveItsOwnClassifierRetriesAndGuards() {
        List<String> guarded = new ArrayList<>();
        ThrottleRegistry throttles = builder()
                .guardPerKey(key -> {
                    guarded.add(key);
                    return new OpenGuard();
                })
                .forKeys(
                        "api.github.com",
                        key -> key.noGuards()
                                .retryPolicy(RetryPolicy.none())
                                .classifier((response, hints) -> Outcome.DENIED))
                .build();
        Throttle github = throttles.get(GITHUB);
        assertThat(github.read(Heads.status(429)).outcome()).isEqualTo(Outcome.DENIED);
        assertThat(throttles.get(OTHER).read(Heads.status(429)).outcome()).isEqualTo(Outcome.RATE_LIMITED);
        assertThat(guarded).containsExactly(OTHER);
        assertThat(github.acquireAsync().join().complete(Signal.BUSY).isRetry()).isFalse();
        assertThat(throttles
                        .get(OTHER)
                        .acquireAsync()
                        .join()
                        .complete(Signal.BUSY)
                        .isRetry())
                .isTrue();
    }

    @Test
    void whatCannotBeIsSaidWhenTheRegistryIsBuilt() {
        ThrottleRegistry.Builder builder = line.registry(Strategies.named("linear-backoff"))
                .forKeys("api.github.com", key -> key.limit(Strategies.named("exponential-backoff")));
        assertThatThrownBy(builder::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("forKeys 'api.github.com': strategy and limits must be at most one strategy that sleeps"
                        + " (a SleepStrategy), but was [linear-backoff, exponential-backoff]");
    }

    @Test
    void aPatternThatIsLeftNoKeysIsRefused() {
        ThrottleRegistry.Builder builder = builder().forKeys("*.example.com", key -> {});
        assertThatThrownBy(() -> builder.forKeys("api.example.com", key -> {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("forKeys pattern must be before '*.example.com', which leaves it no keys, but was"
                        + " 'api.example.com'");
    }

    @Test
    void oneBuilderMakesAnyNumberOfRegistries() {
        ThrottleRegistry.Builder builder = builder().forKeys("a", key -> key.maxWait(Duration.ofSeconds(1)));
        ThrottleRegistry first = builder.build();
        ThrottleRegistry second =
                builder.forKeys("b", key -> key.maxWait(Duration.ofSeconds(2))).build();
        assertThat(first.get("b").maxWait()).isEqualTo(Duration.ofMinutes(10));
        assertThat(second.get("b").maxWait()).isEqualTo(Duration.ofSeconds(2));
    }

    private static final class OpenGuard implements AdmissionGuard {

        @Override
        public Pass tryEnter() {
            return new Pass() {
                @Override
                public void onEnd(Signal signal, Duration duration) {}

                @Override
                public void onLeft() {}
            };
        }

        @Override
        public String name() {
            return "open";
        }
    }
}
