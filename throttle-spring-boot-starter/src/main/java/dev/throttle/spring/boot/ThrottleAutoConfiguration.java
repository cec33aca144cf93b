package dev.throttle.spring.boot;

import dev.throttle.ContextCapture;
import dev.throttle.ThrottleListener;
import dev.throttle.ThrottleRegistry;
import dev.throttle.time.TimeSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;

/** The throttles of an application, and the clients that pass them. */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
            "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration"
        })
@ConditionalOnBooleanProperty(name = "throttle.enabled", matchIfMissing = true)
@EnableConfigurationProperties(ThrottleProperties.class)
@Import({
    SpringClientsConfiguration.class,
    HttpComponentsConfiguration.class,
    OtherClientsConfiguration.class,
    CallerContextConfiguration.class,
    WebConfiguration.class,
    FleetCheckConfiguration.class,
    FleetConfiguration.class,
    FleetMetricsConfiguration.class
})
@ImportRuntimeHints(ThrottleRuntimeHints.class)
class ThrottleAutoConfiguration {

    ThrottleAutoConfiguration(Environment environment) {
        UnknownNames.warnOf(environment);
    }

    @Bean
    ClientRules throttleClientRules(ThrottleProperties properties) {
        return ClientRules.of(properties.clients());
    }

    /** It is closed with the application, which ends all waits. */
    @Bean
    @ConditionalOnMissingBean
    ThrottleRegistry throttleRegistry(
            ThrottleProperties properties,
            ClientRules rules,
            ObjectProvider<ThrottleListener> listeners,
            ObjectProvider<ContextCapture> context,
            ObjectProvider<TimeSource> time,
            ObjectProvider<ThrottleCustomizer> customizers,
            ResourceLoader resources,
            ListableBeanFactory beans) {
        ThrottleRegistry.Builder builder = RegistrySettings.builder(properties, rules, resources);
        builder.callerOverloadWait(RequestThreads::overloadWait);
        listeners.orderedStream().forEach(builder::listener);
        context.ifAvailable(builder::context);
        time.ifAvailable(builder::time);
        customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
        ThrottleRegistry throttles = builder.build();
        StartReport.log(properties, beans);
        return throttles;
    }
}
