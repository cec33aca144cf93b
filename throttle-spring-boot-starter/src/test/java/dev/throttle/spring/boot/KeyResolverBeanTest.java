package dev.throttle.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Priority;
import dev.throttle.ThrottleRegistry;
import dev.throttle.spring.KeyResolver;
import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Settings of clients, where the keys are no origins. */
@ExtendWith(OutputCaptureExtension.class)
class KeyResolverBeanTest {

    private static final String HINT = "throttle.clients.github";

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(ThrottleAutoConfiguration.class))
            .withBean(KeyResolver.class, () -> request -> request.getURI().getHost() + " acct");

    @Test
    void aPatternOfTheKeysIsOneMoreHost(CapturedOutput output) {
        runner.withPropertyValues(
                        "throttle.clients.github.hosts=api.github.com,api.github.com *",
                        "throttle.clients.github.max-wait=7s",
                        "throttle.clients.github.priority=batch")
                .run(context -> {
                    ThrottleRegistry throttles = context.getBean(ThrottleRegistry.class);
                    assertThat(throttles.get("api.github.com acct").maxWait()).hasSeconds(7);
                    assertThat(throttles.get("https://api.github.com:443").maxWait())
                            .hasSeconds(7);
                    URI uri = URI.create("https://api.github.com/repos");
                    assertThat(context.getBean(ClientRules.class).optionsOf(uri).priority())
                            .isEqualTo(Priority.BATCH);
                });
        assertThat(output).doesNotContain(HINT);
    }

    @Test
    void settingsThatNoKeyMayHaveAreWarnedOf(CapturedOutput output) {
        runner.withPropertyValues(
                        "throttle.clients.github.hosts=api.github.com,*.githubusercontent.com",
                        "throttle.clients.github.max-wait=7s",
                        "throttle.clients.all.hosts=*",
                        "throttle.clients.all.max-wait=8s",
                        "throttle.clients.team.hosts=team-a",
                        "throttle.clients.team.max-wait=9s",
                        "throttle.clients.other.hosts=other.org",
                        "throttle.clients.other.priority=batch")
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output.getOut().split("A KeyResolver bean", -1)).hasSize(2);
        assertThat(output)
                .contains(HINT)
                .doesNotContain("clients.all")
                .doesNotContain("clients.team")
                .doesNotContain("clients.other");
    }
}
