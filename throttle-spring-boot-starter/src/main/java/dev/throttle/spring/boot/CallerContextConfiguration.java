package dev.throttle.spring.boot;

import dev.throttle.ContextCapture;
import dev.throttle.micrometer.PropagatedContext;
import dev.throttle.micrometer.ThrottleObservations;
import io.micrometer.context.ContextSnapshotFactory;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Traces and log fields of the caller reach every attempt, and waits are observations. */
@Configuration(proxyBeanMethods = false)
class CallerContextConfiguration {

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ContextSnapshotFactory.class)
    static class Propagated {

        @Bean
        @ConditionalOnMissingBean
        ContextCapture throttleContextCapture() {
            return PropagatedContext.capture();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ObservationRegistry.class)
    @ConditionalOnBean(ObservationRegistry.class)
    static class Observed {

        @Bean
        @ConditionalOnMissingBean
        ThrottleObservations throttleObservations(ObservationRegistry registry) {
            return new ThrottleObservations(registry);
        }
    }
}
