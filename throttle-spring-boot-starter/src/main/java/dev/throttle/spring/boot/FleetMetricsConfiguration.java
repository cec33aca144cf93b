package dev.throttle.spring.boot;

import dev.throttle.lease.Fleet;
import dev.throttle.lease.FleetMetrics;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The meters of the fleet; it comes after the fleet. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({Fleet.class, MeterBinder.class})
@ConditionalOnProperty("throttle.fleet.name")
class FleetMetricsConfiguration {

    @Bean
    @ConditionalOnBean(Fleet.class)
    @ConditionalOnMissingBean
    FleetMetrics throttleFleetMetrics(Fleet fleet) {
        return new FleetMetrics(fleet);
    }
}
