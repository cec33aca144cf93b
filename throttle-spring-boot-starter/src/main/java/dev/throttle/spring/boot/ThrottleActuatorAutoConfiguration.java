package dev.throttle.spring.boot;

import dev.throttle.ThrottleRegistry;
import dev.throttle.micrometer.ThrottleMetrics;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What shows the throttles of an application: metrics, endpoint, health. */
@AutoConfiguration(after = ThrottleAutoConfiguration.class)
@ConditionalOnBean(ThrottleRegistry.class)
class ThrottleActuatorAutoConfiguration {

    /** Spring Boot binds it to the application's registry, if there is one. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterBinder.class)
    static class Metrics {

        @Bean
        @ConditionalOnMissingBean
        ThrottleMetrics throttleMetrics(ThrottleRegistry throttles) {
            return new ThrottleMetrics(throttles);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
    static class Endpoint {

        @Bean
        @ConditionalOnMissingBean
        @ConditionalOnAvailableEndpoint
        ThrottlesEndpoint throttlesEndpoint(ThrottleRegistry throttles) {
            return new ThrottlesEndpoint(throttles);
        }

        @Bean
        @ConditionalOnMissingBean
        @ConditionalOnAvailableEndpoint
        ThrottleReportEndpoint throttleReportEndpoint(ThrottleRegistry throttles) {
            return new ThrottleReportEndpoint(throttles);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
    static class Health {

        @Bean
        @ConditionalOnMissingBean(name = "throttlesHealthIndicator")
        @ConditionalOnEnabledHealthIndicator("throttles")
        HealthIndicator throttlesHealthIndicator(ThrottleRegistry throttles) {
            return new ThrottlesHealthIndicator(throttles);
        }
    }
}
