package dev.throttle.spring.boot;

import dev.throttle.ThrottleRegistry;
import dev.throttle.client.Origin;
import dev.throttle.jdkhttp.ThrottlingHttpClient;
import dev.throttle.okhttp.ThrottlingInterceptor;
import dev.throttle.signal.BodyClassifier;
import java.net.http.HttpClient;
import java.time.Duration;
import okhttp3.OkHttpClient;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/** Other HTTP clients, whose adapters an application may have: they are there for those who ask for them. */
@Configuration(proxyBeanMethods = false)
class OtherClientsConfiguration {

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({OkHttpClient.class, ThrottlingInterceptor.class})
    static class OkHttp {

        @Bean
        @ConditionalOnMissingBean
        ThrottlingInterceptor throttlingInterceptor(
                ThrottleRegistry throttles,
                ClientRules rules,
                ThrottleProperties properties,
                ObjectProvider<BodyClassifier> bodyClassifier) {
            dev.throttle.okhttp.KeyResolver origin = dev.throttle.okhttp.KeyResolver.origin();
            return ThrottlingInterceptor.builder(throttles)
                    .bodyClassifier(bodyClassifier.getIfAvailable(BodyClassifier::standard))
                    .keyResolver(
                            request -> rules.optionsOf(request.url().uri()).isExempt() ? null : origin.keyOf(request))
                    .tenantResolver(request -> properties.tenant().of(request::header))
                    .build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ThrottlingHttpClient.class)
    static class Jdk {

        /** Feign's default; Feign makes a client of its own, unthrottled, if that of the application differs. */
        private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

        /** Feign takes a client of the application's, if there is one. */
        @Bean(destroyMethod = "shutdownNow")
        @Lazy
        @ConditionalOnMissingBean(HttpClient.class)
        ThrottlingHttpClient throttlingHttpClient(
                ThrottleRegistry throttles,
                ClientRules rules,
                ThrottleProperties properties,
                ObjectProvider<BodyClassifier> bodyClassifier) {
            HttpClient sender = HttpClient.newBuilder()
                    .followRedirects(HttpClient.Redirect.ALWAYS) // Feign's default too
                    .connectTimeout(CONNECT_TIMEOUT)
                    .build();
            return ThrottlingHttpClient.newBuilder(sender)
                    .throttles(throttles)
                    .options(request -> rules.optionsOf(request.uri()))
                    .keyResolver(request -> Origin.of(request.uri()))
                    .tenantResolver(request -> properties
                            .tenant()
                            .of(name -> request.headers().firstValue(name).orElse(null)))
                    .bodyClassifier(bodyClassifier.getIfAvailable(BodyClassifier::standard))
                    .closeDelegate(true)
                    .build();
        }
    }
}
