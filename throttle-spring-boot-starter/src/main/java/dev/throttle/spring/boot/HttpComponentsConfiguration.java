package dev.throttle.spring.boot;

import org.apache.hc.client5.http.HttpRequestRetryStrategy;
import org.apache.hc.client5.http.impl.DefaultHttpRequestRetryStrategy;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.http.client.HttpComponentsClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.autoconfigure.ClientHttpRequestFactoryBuilderCustomizer;
import org.springframework.boot.http.client.autoconfigure.reactive.ClientHttpConnectorBuilderCustomizer;
import org.springframework.boot.http.client.reactive.HttpComponentsClientHttpConnectorBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Apache's client repeats each 429 and 503 once by itself, where the throttle does not see it: after the time that the
 * server names, or a second. In clients that Spring Boot builds it leaves that to the throttle. It still repeats what
 * was sent on a connection that the server had closed.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({DefaultHttpRequestRetryStrategy.class, ClientHttpRequestFactoryBuilderCustomizer.class})
class HttpComponentsConfiguration {

    static final HttpRequestRetryStrategy FAULTS_ONLY = new DefaultHttpRequestRetryStrategy() {
        @Override
        public boolean retryRequest(HttpResponse response, int count, HttpContext context) {
            return false;
        }
    };

    @Bean
    @Order(Ordered.HIGHEST_PRECEDENCE)
    ClientHttpRequestFactoryBuilderCustomizer<HttpComponentsClientHttpRequestFactoryBuilder>
            throttlingHttpComponentsCustomizer() {
        return builder -> builder.withHttpClientCustomizer(client -> client.setRetryStrategy(FAULTS_ONLY));
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ClientHttpConnectorBuilderCustomizer.class)
    static class Reactive {

        @Bean
        @Order(Ordered.HIGHEST_PRECEDENCE)
        ClientHttpConnectorBuilderCustomizer<HttpComponentsClientHttpConnectorBuilder>
                throttlingHttpComponentsConnectorCustomizer() {
            return builder -> builder.withHttpClientCustomizer(client -> client.setRetryStrategy(FAULTS_ONLY));
        }
    }
}
