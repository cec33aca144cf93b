package dev.throttle.spring.boot;

import dev.throttle.ContextCapture;
import dev.throttle.ThrottleListener;
import dev.throttle.ThrottleRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;

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
    FleetCheckConfiguration.class,
    FleetConfiguration.class
})
@ImportRuntimeHints(ThrottleRuntimeHints.class)
class ThrottleAutoConfiguration {

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
            ObjectProvider<ThrottleCustomizer> customizers) {
        ThrottleRegistry.Builder builder = RegistrySettings.builder(properties, rules);
        builder.callerOverloadWait(RequestThreads::overloadWait);
        listeners.orderedStream().forEach(builder::listener);
        context.ifAvailable(builder::context);
        customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
        return builder.build();
    }
}
