package dev.throttle.spring.boot;

import dev.throttle.CallOptions;
import dev.throttle.ThrottleRegistry;
import dev.throttle.signal.BodyClassifier;
import dev.throttle.spring.KeyResolver;
import dev.throttle.spring.TenantResolver;
import dev.throttle.spring.ThrottlingExchangeFilter;
import dev.throttle.spring.ThrottlingRequestInterceptor;
import java.net.URI;
import java.util.List;
import java.util.function.Function;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.restclient.RestClientCustomizer;
import org.springframework.boot.restclient.RestTemplateCustomizer;
import org.springframework.boot.webclient.WebClientCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.web.reactive.function.client.WebClient;

/** The HTTP clients of Spring, as far as they are there. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(ClientHttpRequestInterceptor.class)
class SpringClientsConfiguration {

    @Bean
    Settings throttleSpringClientSettings(
            ThrottleRegistry throttles,
            ClientRules rules,
            ThrottleProperties properties,
            ObjectProvider<KeyResolver> keyResolver,
            ObjectProvider<TenantResolver> tenantResolver,
            ObjectProvider<BodyClassifier> bodyClassifier) {
        keyResolver.ifAvailable(bean -> KeyResolverHint.check(properties.clients()));
        return new Settings(
                throttles,
                keyResolver.getIfAvailable(KeyResolver::origin),
                rules::optionsOf,
                tenantResolver.getIfAvailable(() -> request ->
                        properties.tenant().of(name -> request.getHeaders().getFirst(name))),
                bodyClassifier.getIfAvailable(BodyClassifier::standard));
    }

    @Bean
    @ConditionalOnMissingBean
    ThrottlingRequestInterceptor throttlingRequestInterceptor(Settings settings) {
        return ThrottlingRequestInterceptor.create(
                settings.throttles(), settings.keys(), settings.options(), settings.tenants(), settings.classifier());
    }

    private static <T> void putFirst(List<? super T> list, T first) {
        if (!list.contains(first)) {
            list.add(0, first);
        }
    }

    /** What the blocking and the reactive clients have in common. */
    record Settings(
            ThrottleRegistry throttles,
            KeyResolver keys,
            Function<URI, CallOptions> options,
            TenantResolver tenants,
            BodyClassifier classifier) {}

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(RestClientCustomizer.class)
    static class Blocking {

        @Bean
        @Order(Ordered.HIGHEST_PRECEDENCE)
        RestClientCustomizer throttlingRestClientCustomizer(ThrottlingRequestInterceptor throttling) {
            return builder -> builder.requestInterceptors(list -> putFirst(list, throttling));
        }

        @Bean
        @Order(Ordered.HIGHEST_PRECEDENCE)
        RestTemplateCustomizer throttlingRestTemplateCustomizer(ThrottlingRequestInterceptor throttling) {
            return template -> putFirst(template.getInterceptors(), throttling);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(WebClient.class)
    static class Reactive {

        @Bean
        @ConditionalOnMissingBean
        ThrottlingExchangeFilter throttlingExchangeFilter(Settings settings) {
            return ThrottlingExchangeFilter.create(
                    settings.throttles(),
                    settings.keys(),
                    settings.options(),
                    settings.tenants(),
                    settings.classifier());
        }

        @Configuration(proxyBeanMethods = false)
        @ConditionalOnClass(WebClientCustomizer.class)
        static class Built {

            @Bean
            @Order(Ordered.HIGHEST_PRECEDENCE)
            WebClientCustomizer throttlingWebClientCustomizer(ThrottlingExchangeFilter throttling) {
                return builder -> builder.filters(list -> putFirst(list, throttling));
            }
        }
    }
}
