package dev.throttle.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Permit;
import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** A thread that serves a request waits for a server that is away for five seconds. */
class RequestThreadsTest {

    private final VirtualTime time = VirtualTime.autoAdvancing();
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(ThrottleAutoConfiguration.class))
            .withBean(ThrottleCustomizer.class, () -> builder -> builder.time(time));

    @AfterEach
    void noRequest() {
        RequestContextHolder.resetRequestAttributes();
    }

    private static void serveARequest() {
        RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(new MockHttpServletRequest()));
    }

    /** {@return how long one call takes to a server that gives one answer to everything} */
    private double seconds(Throttle throttle, Signal answer) throws Exception {
        long began = time.nanoTime();
        try {
            Permit permit = throttle.acquire();
            while (permit.complete(answer).isRetry()) {
                permit = permit.acquireAgain();
            }
        } catch (ThrottleRejectedException e) {
            assertThat(e.reason()).isEqualTo("overload");
        }
        return (time.nanoTime() - began) / 1e9;
    }

    /** {@return how long the longest of many calls takes} */
    private double longest(Throttle throttle, Signal answer) throws Exception {
        throttle.acquire().complete(Signal.SUCCESS);
        double longest = 0;
        for (int i = 0; i < 50; i++) {
            longest = Math.max(longest, seconds(throttle, answer));
            time.advance(Duration.ofSeconds(1));
        }
        return longest;
    }

    @ParameterizedTest
    @ValueSource(strings = {"BUSY", "UNREACHABLE"})
    void aThreadThatServesARequestWaitsForFiveSeconds(String outcome) {
        Signal answer = Signal.of(Outcome.valueOf(outcome));
        runner.run(context -> {
            serveARequest();
            Throttle throttle = context.getBean(ThrottleRegistry.class).get("https://a:443");
            assertThat(longest(throttle, answer)).isBetween(3.0, 5.5);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"BUSY", "UNREACHABLE"})
    void withAnOverloadWaitOfThreeSecondsNoCallTakesMuchLonger(String outcome) {
        Signal answer = Signal.of(Outcome.valueOf(outcome));
        runner.withPropertyValues("throttle.overload-wait=3s").run(context -> {
            serveARequest();
            Throttle throttle = context.getBean(ThrottleRegistry.class).get("https://a:443");
            assertThat(longest(throttle, answer)).isBetween(1.0, 3.5);
        });
    }

    @Test
    void anotherThreadWaitsAsLongAsElsewhere() {
        runner.run(context -> {
            Throttle throttle = context.getBean(ThrottleRegistry.class).get("https://a:443");
            assertThat(longest(throttle, Signal.UNREACHABLE)).isBetween(25.0, 31.0);
        });
    }

    @Test
    void thePropertyGoesBefore() {
        runner.withPropertyValues("throttle.overload-wait=15s").run(context -> {
            serveARequest();
            Throttle throttle = context.getBean(ThrottleRegistry.class).get("https://a:443");
            assertThat(longest(throttle, Signal.UNREACHABLE)).isBetween(10.0, 16.0);
        });
    }
}
