package dev.throttle.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.CallOptions;
import dev.throttle.Priority;
import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.client.Calls;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.restclient.autoconfigure.RestClientAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * What a service sets beside limits: reserves and labels; what is said of names that do not exist, and at the start.
 */
@ExtendWith(OutputCaptureExtension.class)
class ServiceSettingsTest {

    private static final String GITHUB = "https://api.github.com:443";

    private final ApplicationContextRunner runner =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(ThrottleAutoConfiguration.class));

    /** {@return how many requests of a priority go at once} */
    private static int burst(Throttle throttle, Priority priority) {
        int count = 0;
        while (count < 100
                && Calls.of(throttle)
                                .newCall(CallOptions.DEFAULT.priority(priority))
                                .tryAcquire()
                        != null) {
            count++;
        }
        return count;
    }

    @Test
    void aReserveIsLeftToHigherPriorities() {
        runner.withPropertyValues(
                        "throttle.strategy=none",
                        "throttle.limits[0].strategy=fixed-window",
                        "throttle.limits[0].settings.limit=10",
                        "throttle.limits[0].settings.window=1h",
                        "throttle.reserve.batch=0.5",
                        "throttle.clients.github.hosts=api.github.com",
                        "throttle.clients.github.reserve.normal=0.2")
                .run(context -> {
                    ThrottleRegistry throttles = context.getBean(ThrottleRegistry.class);
                    assertThat(burst(throttles.get("else"), Priority.BATCH)).isEqualTo(5);
                    assertThat(burst(throttles.get("else"), Priority.NORMAL)).isEqualTo(5);
                    assertThat(burst(throttles.get(GITHUB), Priority.BATCH)).isEqualTo(5);
                    assertThat(burst(throttles.get(GITHUB), Priority.NORMAL)).isEqualTo(3);
                    assertThat(burst(throttles.get(GITHUB), Priority.INTERACTIVE))
                            .isEqualTo(2);
                });
    }

    @Test
    void labelsAreMadeOfKeyHostAndHash() {
        runner.withPropertyValues(
                        "throttle.label=all {key}",
                        "throttle.clients.github.hosts=api.github.com",
                        "throttle.clients.github.label=github",
                        "throttle.clients.accounts.hosts=account *",
                        "throttle.clients.accounts.label={host} no. {hash}",
                        "throttle.clients.plain.hosts=plain.org",
                        "throttle.clients.plain.max-wait=1s")
                .run(context -> {
                    ThrottleRegistry throttles = context.getBean(ThrottleRegistry.class);
                    assertThat(throttles.get(GITHUB).label()).isEqualTo("github");
                    assertThat(throttles.get("account 1").label()).matches("account no. [0-9a-f]{12}");
                    assertThat(throttles.get("account 1").label())
                            .isNotEqualTo(throttles.get("account 2").label());
                    assertThat(throttles.get("https://plain.org:443").label()).isEqualTo("all https://plain.org:443");
                    assertThat(throttles.get("host Bearer abc").label()).matches("all host Bearer #[0-9a-f]{12}");
                });
    }

    @ParameterizedTest
    @CsvSource({
        "throttle.label, one",
        "throttle.label, {what} {key}",
        "throttle.clients.github.label, {what}",
        "throttle.clients.several.label, several",
        "throttle.reserve.interactive, 0.2",
        "throttle.reserve.batch, 0.95",
        "throttle.clients.github.reserve.batch, -1",
    })
    void aWrongValueIsRefusedByTheNameOfItsProperty(String property, String value) {
        runner.withPropertyValues(
                        "throttle.clients.github.hosts=api.github.com",
                        "throttle.clients.several.hosts=*.example.com",
                        property + "=" + value)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOfSatisfying(
                                InvalidConfigurationPropertyValueException.class,
                                e -> assertThat(e.getName()).isEqualTo(property)));
    }

    @ParameterizedTest
    @CsvSource({
        "throttle.max-wiat, 3s",
        "throttle.clients.github.host, api.github.com",
        "throttle.retry.attempts, 3",
        "throttle.fleet.nmae, shop",
        "throttle.limits[0].strat, none",
    })
    void aNameThatDoesNotExistStopsTheStart(String property, String value) {
        runner.withPropertyValues("throttle.clients.github.hosts=api.github.com", property + "=" + value)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOfSatisfying(
                                UnboundConfigurationPropertiesException.class,
                                e -> assertThat(e.getUnboundProperties())
                                        .singleElement()
                                        .satisfies(unbound -> assertThat(
                                                        unbound.getName().toString())
                                                .isEqualTo(property))));
    }

    /** Of a service with the name throttle, and one with a limit in it. */
    @Test
    void variablesOfKubernetesAreToldAndStopNothing(CapturedOutput output) {
        Map<String, Object> variables = Map.of(
                "THROTTLE_PORT", "tcp://10.0.0.1:80",
                "THROTTLE_SERVICE_HOST", "10.0.0.1",
                "THROTTLE_PORT_80_TCP_ADDR", "10.0.0.1",
                "THROTTLE_NAME", "shop",
                "PATH", "/bin");
        with(variables).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(ThrottleRegistry.class).name()).isEqualTo("shop");
            List<String> warnings = output.getAll()
                    .lines()
                    .filter(line -> line.contains("no such properties"))
                    .toList();
            assertThat(warnings)
                    .singleElement()
                    .asString()
                    .contains("THROTTLE_PORT", "THROTTLE_SERVICE_HOST", "THROTTLE_PORT_80_TCP_ADDR")
                    .doesNotContain("THROTTLE_NAME", "PATH\"");
        });
    }

    /** Spring takes a variable with an underscore for a dash, too. */
    @Test
    void aVariableThatIsReadIsNotSaidToBeIgnored(CapturedOutput output) {
        with(Map.of(
                        "THROTTLE_MAX_WAIT", "30s",
                        "THROTTLE_CLIENTS_GITHUB_HOSTS", "api.github.com",
                        "THROTTLE_CLIENTS_GITHUB_MAX_WAIT", "3s"))
                .run(context -> {
                    ThrottleRegistry throttles = context.getBean(ThrottleRegistry.class);
                    assertThat(throttles.get("else").maxWait()).hasSeconds(30);
                    assertThat(throttles.get(GITHUB).maxWait()).hasSeconds(3);
                    assertThat(output).doesNotContain("no such properties");
                });
    }

    private ApplicationContextRunner with(Map<String, Object> variables) {
        return runner.withInitializer(context -> context.getEnvironment()
                .getPropertySources()
                .replace(
                        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                        new SystemEnvironmentPropertySource(
                                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, variables)));
    }

    @Test
    void withoutSuchVariablesNothingIsTold(CapturedOutput output) {
        runner.run(context -> assertThat(output).doesNotContain("no such properties"));
    }

    @Test
    void theStartSaysWhatIsThrottledByWhatAndWhereItDiffers(CapturedOutput output) {
        runner.withConfiguration(AutoConfigurations.of(RestClientAutoConfiguration.class))
                .withPropertyValues(
                        "throttle.name=shop",
                        "throttle.max-wait=30s",
                        "throttle.clients.github.hosts=api.github.com",
                        "throttle.clients.github.strategy=busy-rps",
                        "throttle.clients.github.priority=batch",
                        "throttle.clients.a.hosts=a.org,b.org",
                        "throttle.clients.a.limits[0].strategy=token-bucket",
                        "throttle.clients.a.limits[0].settings.rate=5/s",
                        "throttle.clients.a.exempt-paths=/health",
                        "throttle.clients.same.hosts=same.org")
                .run(context -> assertThat(output)
                        .containsOnlyOnce("Throttle \"shop\" throttles RestClient, RestTemplate, WebClient by scheme,"
                                + " host and port: quota-pacing, max-wait 30 s; a (a.org, b.org): token-bucket {rate=5/s},"
                                + " not /health; github (api.github.com): busy-rps, priority batch")
                        .doesNotContain("same.org"));
    }
}
