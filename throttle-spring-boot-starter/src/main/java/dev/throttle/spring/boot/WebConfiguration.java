package dev.throttle.spring.boot;

import dev.throttle.ThrottleRegistry;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.web.bind.annotation.ControllerAdvice;

/** What those get who wait for an answer of this application, while a throttle keeps it from calling others. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnWebApplication
class WebConfiguration {

    private static final Duration USUAL_PHASE = Duration.ofSeconds(30);

    /** A web server that is stopped at once has no time for waits. */
    @Bean
    ShutdownLifecycle throttleShutdownLifecycle(ThrottleRegistry throttles, Environment environment) {
        Binder binder = Binder.get(environment);
        boolean isGraceful = !"immediate"
                .equalsIgnoreCase(binder.bind("server.shutdown", String.class).orElse("graceful"));
        Duration phase = binder.bind("spring.lifecycle.timeout-per-shutdown-phase", Duration.class)
                .orElse(USUAL_PHASE);
        return new ShutdownLifecycle(throttles, isGraceful ? ShutdownLifecycle.waitsIn(phase) : Duration.ZERO);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ControllerAdvice.class)
    @ConditionalOnBooleanProperty(name = "throttle.answer-rejections", matchIfMissing = true)
    static class Rejections {

        @Bean
        RejectionAdvice throttleRejectionAdvice(ObjectProvider<TimeSource> times) {
            TimeSource time = times.getIfAvailable(TimeSource::system);
            return new RejectionAdvice(() -> Instant.ofEpochMilli(time.currentTimeMillis()));
        }
    }
}
