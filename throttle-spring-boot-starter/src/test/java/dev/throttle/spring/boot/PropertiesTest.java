package dev.throttle.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.CallOptions;
import dev.throttle.Priority;
import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.client.Calls;
import dev.throttle.signal.Quota;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What each property does, and what is said of a wrong one. */
class PropertiesTest {

    private static final String GITHUB = "https://api.github.com:443";
    private static final String OTHER = "https://other.example.com:443";

    private final ApplicationContextRunner runner =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(ThrottleAutoConfiguration.class));

    private static ThrottleRegistry throttles(org.springframework.context.ApplicationContext context) {
        return context.getBean(ThrottleRegistry.class);
    }

    private static CallOptions options(org.springframework.context.ApplicationContext context, String url) {
        return context.getBean(ClientRules.class).optionsOf(URI.create(url));
    }

    /** {@return how many requests go at once} */
    private static int burst(Throttle throttle) {
        int count = 0;
        while (count < 100 && throttle.tryAcquire() != null) {
            count++;
        }
        return count;
    }

    @Test
    void withoutPropertiesEverythingIsAsInTheLibrary() {
        runner.run(context -> {
            assertThat(throttles(context).name()).isEqualTo("default");
            assertThat(throttles(context).get(OTHER).maxWait()).isEqualTo(Duration.ofMinutes(10));
            assertThat(options(context, "https://a/")).isEqualTo(CallOptions.DEFAULT);
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "src/test/resources/more-vendors.txt",
                "file:src/test/resources/more-vendors.txt",
                "classpath:more-vendors.txt",
                "vendor: A\nheader X-Left: remaining quota=mine"
            })
    void headersOfMoreServersAreRead(String vendors) {
        runner.withPropertyValues("throttle.vendors=" + vendors).run(context -> {
            ResponseHead head = new ResponseHead() {
                @Override
                public int status() {
                    return 200;
                }

                @Override
                public void forEachHeader(HeaderVisitor visitor) {
                    visitor.visit("X-Left", "7");
                }
            };
            assertThat(throttles(context).get(OTHER).read(head).hints().quotas())
                    .containsExactly(new Quota("mine", null, 7L, null, null));
        });
    }

    @Test
    void settingsOfAllKeysAndOfSome() {
        runner.withPropertyValues(
                        "throttle.name=app",
                        "throttle.strategy=none",
                        "throttle.limits[0].strategy=token-bucket",
                        "throttle.limits[0].settings.rate=1/h",
                        "throttle.limits[0].settings.burst=5",
                        "throttle.max-wait=30s",
                        "throttle.max-keys=100",
                        "throttle.idle-expiry=10m",
                        "throttle.clients.github.hosts=api.github.com,*.githubusercontent.com",
                        "throttle.clients.github.limits[0].strategy=fixed-window",
                        "throttle.clients.github.limits[0].settings.limit=2",
                        "throttle.clients.github.limits[0].settings.window=1h",
                        "throttle.clients.github.max-wait=1m",
                        "throttle.clients.other.hosts=*.example.com",
                        "throttle.clients.other.max-wait=0s")
                .run(context -> {
                    ThrottleRegistry throttles = throttles(context);
                    assertThat(throttles.name()).isEqualTo("app");
                    assertThat(throttles.get(GITHUB).maxWait()).isEqualTo(Duration.ofMinutes(1));
                    assertThat(burst(throttles.get(GITHUB))).isEqualTo(2);
                    assertThat(throttles
                                    .get("https://raw.githubusercontent.com:443")
                                    .maxWait())
                            .isEqualTo(Duration.ofMinutes(1));
                    assertThat(throttles.get(OTHER).maxWait()).isEqualTo(Duration.ZERO);
                    assertThat(burst(throttles.get(OTHER))).isEqualTo(5);
                    assertThat(throttles.get("https://else.org:443").maxWait()).isEqualTo(Duration.ofSeconds(30));
                });
    }

    @Test
    void theMostSpecialPatternCountsInAnyOrder() {
        runner.withPropertyValues(
                        "throttle.clients.all.hosts=*",
                        "throttle.clients.all.max-wait=1s",
                        "throttle.clients.domain.hosts=*.example.com",
                        "throttle.clients.domain.max-wait=2s",
                        "throttle.clients.host.hosts=other.example.com",
                        "throttle.clients.host.max-wait=3s",
                        "throttle.clients.port.hosts=other.example.com:8443",
                        "throttle.clients.port.max-wait=4s")
                .run(context -> {
                    ThrottleRegistry throttles = throttles(context);
                    assertThat(throttles.get("https://a.org:443").maxWait()).hasSeconds(1);
                    assertThat(throttles.get("https://b.example.com:443").maxWait())
                            .hasSeconds(2);
                    assertThat(throttles.get(OTHER).maxWait()).hasSeconds(3);
                    assertThat(throttles.get("https://other.example.com:8443").maxWait())
                            .hasSeconds(4);
                });
    }

    @Test
    void prioritiesAndExemptPaths() {
        runner.withPropertyValues(
                        "throttle.clients.github.hosts=api.github.com",
                        "throttle.clients.github.priority=batch",
                        "throttle.clients.github.exempt-paths=/health,/files/**")
                .run(context -> {
                    assertThat(options(context, "https://api.github.com/repos").priority())
                            .isEqualTo(Priority.BATCH);
                    assertThat(options(context, "https://api.github.com/health").isExempt())
                            .isTrue();
                    assertThat(options(context, "https://api.github.com/health/db")
                                    .isExempt())
                            .isFalse();
                    assertThat(options(context, "https://api.github.com/files/a/b")
                                    .isExempt())
                            .isTrue();
                    assertThat(options(context, "https://api.github.com").isExempt())
                            .isFalse();
                    assertThat(options(context, "https://other.org/health").isExempt())
                            .isFalse();
                });
    }

    @Test
    void whatAClientDoesNotSetIsAsForAll() {
        runner.withPropertyValues(
                        "throttle.strategy=token-bucket",
                        "throttle.settings.rate=1/h",
                        "throttle.settings.burst=2",
                        "throttle.retry.max-attempts=1",
                        "throttle.clients.github.hosts=api.github.com",
                        "throttle.clients.github.settings.BURST=5",
                        "throttle.clients.github.retry.outcomes=busy",
                        "throttle.clients.other.hosts=*.example.com",
                        "throttle.clients.other.strategy=token-bucket",
                        "throttle.clients.other.settings.rate=1/h")
                .run(context -> {
                    ThrottleRegistry throttles = throttles(context);
                    assertThat(burst(throttles.get(GITHUB))).isEqualTo(5);
                    Throttle second = throttles.get("https://api.github.com:8443");
                    assertThat(second.acquire().complete(Signal.BUSY).isRetry()).isFalse();
                    assertThat(burst(throttles.get(OTHER))).isEqualTo(1); // a strategy of its own has its own settings
                    assertThat(burst(throttles.get("https://else.org:443"))).isEqualTo(2);
                });
    }

    @Test
    void queuesAndRetries() {
        runner.withPropertyValues(
                        "throttle.max-waiting=0",
                        "throttle.when-full=reject-newcomer",
                        "throttle.retry.max-attempts=1",
                        "throttle.clients.github.hosts=api.github.com",
                        "throttle.clients.github.retry.outcomes=rate-limited")
                .run(context -> {
                    Throttle github = throttles(context).get(GITHUB);
                    assertThat(github.acquire().complete(Signal.BUSY).isRetry()).isFalse();
                    Throttle second = throttles(context).get("https://api.github.com:8443");
                    assertThat(second.acquire().complete(Signal.RATE_LIMITED).isRetry())
                            .isTrue();
                    Throttle other = throttles(context).get(OTHER);
                    assertThat(other.acquire().complete(Signal.BUSY).isRetry()).isFalse();
                });
    }

    @Test
    void asynchronousCallsWaitWhileSoManyAreInFlight() {
        runner.withPropertyValues(
                        "throttle.strategy=none",
                        "throttle.async-in-flight=2",
                        "throttle.clients.github.hosts=api.github.com",
                        "throttle.clients.github.async-in-flight=3")
                .run(context -> {
                    assertThat(inFlight(throttles(context).get(OTHER))).isEqualTo(2);
                    assertThat(inFlight(throttles(context).get(GITHUB))).isEqualTo(3);
                });
    }

    /** {@return how many asynchronous calls of an HTTP client are let go at once} */
    private static int inFlight(Throttle throttle) {
        int count = 0;
        while (count < 100 && Calls.of(throttle).newCall().acquireAsync(true).isDone()) {
            count++;
        }
        return count;
    }

    @Test
    void settingsAreFoundWhateverTheWayTheyAreWritten() {
        runner.withPropertyValues("throttle.settings.max-reset-wait=1m", "throttle.settings.RESERVEALONE=0.1")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "throttle.strategy=fast                       | throttle.strategy                | unknown strategy 'fast'",
                "throttle.settings.speed=1                    | throttle.settings.speed          | unknown setting 'speed'",
                "throttle.settings.jitter=much                | throttle.settings.jitter         | jitter must be",
                "throttle.max-wait=-1s                        | throttle.max-wait                | maxWait must be",
                "throttle.overload-wait=-1s                   | throttle.overload-wait           | overloadWait must be",
                "throttle.max-waiting=-1                      | throttle.max-waiting             | maxWaiting must be",
                "throttle.async-in-flight=0                   | throttle.async-in-flight         | asyncInFlight must be",
                "throttle.max-keys=0                          | throttle.max-keys                | maxKeys must be",
                "throttle.idle-expiry=0s                      | throttle.idle-expiry             | idleExpiry must be",
                "throttle.name=                               | throttle.name                    | name must",
                "throttle.vendors=no/such/file.txt            | throttle.vendors                 | vendors cannot be read",
                "throttle.vendors=classpath:none.txt          | throttle.vendors                 | vendors cannot be read",
                "throttle.limits[0].settings.rate=1/s         | throttle.limits[0].strategy      | a limit needs",
                "throttle.limits[0].strategy=leaky            | throttle.limits[0].strategy      | unknown strategy",
                "throttle.retry.max-attempts=0                | throttle.retry.max-attempts      | maxAttempts must be",
                "throttle.clients.a.max-wait=1s               | throttle.clients.a.hosts         | at least one host",
                "throttle.clients.a.hosts=.a.com              | throttle.clients.a.hosts         | no host begins with a dot",
                "throttle.clients.a.hosts=a.com,a.com         | throttle.clients.a.hosts         | belongs to client 'a'",
            })
    void aWrongValueIsRefusedByTheNameOfItsProperty(String property, String name, String reason) {
        runner.withPropertyValues(property)
                .run(context -> assertThat(context)
                        .hasFailed()
                        .getFailure()
                        .rootCause()
                        .isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, e -> {
                            assertThat(e.getName()).isEqualTo(name);
                            assertThat(e.getReason()).contains(reason);
                        }));
    }

    @Test
    void aWrongValueOfAHostIsRefusedAtTheStart() {
        runner.withPropertyValues("throttle.clients.a.hosts=a.com", "throttle.clients.a.settings.jitter=2")
                .run(context -> assertThat(context)
                        .hasFailed()
                        .getFailure()
                        .rootCause()
                        .isInstanceOfSatisfying(
                                InvalidConfigurationPropertyValueException.class,
                                e -> assertThat(e.getName()).isEqualTo("throttle.clients.a.settings.jitter")));
    }

    @Test
    void aWordThatIsNoneOfTheChoicesIsRefusedByTheNameOfItsProperty() {
        runner.withPropertyValues("throttle.clients.a.hosts=a.com", "throttle.clients.a.priority=high")
                .run(context -> assertThat(context)
                        .hasFailed()
                        .getFailure()
                        .hasStackTraceContaining("throttle.clients.a.priority"));
    }
}
