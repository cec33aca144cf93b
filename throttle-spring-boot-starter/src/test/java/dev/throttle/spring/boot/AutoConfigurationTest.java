package dev.throttle.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Throttle;
import dev.throttle.ThrottleListener;
import dev.throttle.ThrottleRegistry;
import dev.throttle.jdkhttp.ThrottlingHttpClient;
import dev.throttle.micrometer.ThrottleMetrics;
import dev.throttle.okhttp.ThrottlingInterceptor;
import dev.throttle.signal.BodyClassifier;
import dev.throttle.spring.KeyResolver;
import dev.throttle.spring.ThrottlingExchangeFilter;
import dev.throttle.spring.ThrottlingRequestInterceptor;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.net.URI;
import java.net.http.HttpClient;
import java.util.ArrayList;
import java.util.List;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.restclient.RestClientCustomizer;
import org.springframework.boot.restclient.RestTemplateBuilder;
import org.springframework.boot.restclient.RestTemplateCustomizer;
import org.springframework.boot.restclient.autoconfigure.RestClientAutoConfiguration;
import org.springframework.boot.restclient.autoconfigure.RestTemplateAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.webclient.WebClientCustomizer;
import org.springframework.boot.webclient.autoconfigure.WebClientAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;

/** What an application gets, by what it has. */
class AutoConfigurationTest {

    private final ApplicationContextRunner alone = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(ThrottleAutoConfiguration.class, ThrottleActuatorAutoConfiguration.class))
            .withPropertyValues("management.endpoints.web.exposure.include=throttles");

    private final ApplicationContextRunner runner = alone.withConfiguration(AutoConfigurations.of(
            RestClientAutoConfiguration.class,
            RestTemplateAutoConfiguration.class,
            WebClientAutoConfiguration.class,
            MetricsAutoConfiguration.class,
            SimpleMetricsExportAutoConfiguration.class));

    @Test
    void everyClientIsThrottledFirstOfAll() {
        runner.withUserConfiguration(OtherInterceptors.class).run(context -> {
            assertThat(context).hasSingleBean(ThrottleRegistry.class);
            ThrottlingRequestInterceptor throttling = context.getBean(ThrottlingRequestInterceptor.class);
            context.getBean(RestClient.Builder.class)
                    .requestInterceptors(list -> assertThat(list).hasSize(2).startsWith(throttling));
            assertThat(context.getBean(RestTemplateBuilder.class).build().getInterceptors())
                    .hasSize(2)
                    .startsWith(throttling);
            ThrottlingExchangeFilter filter = context.getBean(ThrottlingExchangeFilter.class);
            context.getBean(WebClient.Builder.class)
                    .filters(list -> assertThat(list).hasSize(2).startsWith(filter));
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class OtherInterceptors {

        private static final ClientHttpRequestInterceptor OTHER =
                (request, body, execution) -> execution.execute(request, body);

        @Bean
        RestClientCustomizer otherRestClientCustomizer() {
            return builder -> builder.requestInterceptor(OTHER);
        }

        @Bean
        RestTemplateCustomizer otherRestTemplateCustomizer() {
            return template -> template.getInterceptors().add(OTHER);
        }

        @Bean
        WebClientCustomizer otherWebClientCustomizer() {
            return builder -> builder.filter((request, next) -> next.exchange(request));
        }
    }

    @Test
    void nothingIsThereWhenItIsDisabled() {
        runner.withPropertyValues("throttle.enabled=false").run(context -> {
            assertThat(context).hasNotFailed().doesNotHaveBean(ThrottleRegistry.class);
            for (String name : context.getBeanDefinitionNames()) {
                assertThat(name).doesNotStartWith("throttl");
            }
            context.getBean(RestClient.Builder.class)
                    .requestInterceptors(list -> assertThat(list).isEmpty());
        });
    }

    @Test
    void anApplicationNeedsNoneOfTheLibraries() {
        alone.withClassLoader(new FilteredClassLoader(
                        "org.springframework.web",
                        "org.springframework.http",
                        "org.springframework.boot.restclient",
                        "org.springframework.boot.webclient",
                        "org.springframework.boot.actuate",
                        "org.springframework.boot.health",
                        "org.springframework.boot.micrometer",
                        "io.micrometer.core",
                        "reactor",
                        "org.apache.hc",
                        "okhttp3",
                        "dev.throttle.okhttp",
                        "dev.throttle.jdkhttp"))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(ThrottleRegistry.class)
                        .doesNotHaveBean("throttlingRequestInterceptor")
                        .doesNotHaveBean("throttlingExchangeFilter")
                        .doesNotHaveBean("throttlingHttpComponentsCustomizer")
                        .doesNotHaveBean("throttlingInterceptor")
                        .doesNotHaveBean("throttlingHttpClient")
                        .doesNotHaveBean("throttleMetrics")
                        .doesNotHaveBean("throttlesEndpoint")
                        .doesNotHaveBean("throttlesHealthIndicator"));
    }

    @Test
    void withoutBlockingClientsWebClientIsThrottled() {
        alone.withClassLoader(new FilteredClassLoader("org.springframework.boot.restclient"))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean("throttlingRestClientCustomizer")
                        .hasSingleBean(ThrottlingExchangeFilter.class));
    }

    @Test
    void withoutWebClientBlockingClientsAreThrottled() {
        alone.withClassLoader(new FilteredClassLoader(
                        "org.springframework.boot.webclient", "org.springframework.web.reactive"))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean("throttlingExchangeFilter")
                        .hasSingleBean(ThrottlingRequestInterceptor.class));
        runner.withClassLoader(new FilteredClassLoader(WebClientCustomizer.class))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean("throttlingWebClientCustomizer")
                        .hasSingleBean(ThrottlingExchangeFilter.class)); // for clients that are made by hand
    }

    @Test
    void apachesClientLeavesRefusalsToTheThrottle() {
        runner.run(context -> assertThat(context)
                .hasBean("throttlingHttpComponentsCustomizer")
                .hasBean("throttlingHttpComponentsConnectorCustomizer"));
        runner.withClassLoader(new FilteredClassLoader("org.apache.hc"))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean("throttlingHttpComponentsCustomizer")
                        .hasSingleBean(ThrottlingRequestInterceptor.class));
    }

    @Test
    void okHttpIsThrottledWhereItsAdapterIs() {
        runner.run(context -> assertThat(
                        context.getBean(ThrottlingInterceptor.class).throttles())
                .isSameAs(context.getBean(ThrottleRegistry.class)));
        runner.withClassLoader(new FilteredClassLoader(OkHttpClient.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("throttlingInterceptor"));
        runner.withClassLoader(new FilteredClassLoader("dev.throttle.okhttp"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("throttlingInterceptor"));
    }

    @Test
    void aClientOfTheJdkIsThereForFeignWhereItsAdapterIs() {
        runner.run(context -> assertThat(context.getBean(HttpClient.class)).isInstanceOf(ThrottlingHttpClient.class));
        runner.withClassLoader(new FilteredClassLoader("dev.throttle.jdkhttp"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(HttpClient.class));
        HttpClient own = HttpClient.newHttpClient();
        runner.withBean(HttpClient.class, () -> own)
                .run(context -> assertThat(context.getBean(HttpClient.class)).isSameAs(own));
    }

    @Test
    void metricsAreBoundIfThereIsARegistry() {
        runner.run(context -> {
            assertThat(context).hasSingleBean(ThrottleMetrics.class);
            context.getBean(ThrottleRegistry.class).get("https://api.example.com:443");
            assertThat(context.getBean(MeterRegistry.class)
                            .get("throttle.inflight")
                            .tag("key", "https://api.example.com:443")
                            .gauge()
                            .value())
                    .isZero();
        });
        runner.withClassLoader(new FilteredClassLoader(MeterBinder.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("throttleMetrics"));
    }

    @Test
    void endpointAndHealthAreThereWhereTheyAreWanted() {
        runner.run(context ->
                assertThat(context).hasSingleBean(ThrottlesEndpoint.class).hasSingleBean(HealthIndicator.class));
        runner.withPropertyValues("management.endpoints.web.exposure.include=health")
                .run(context -> assertThat(context).doesNotHaveBean(ThrottlesEndpoint.class));
        runner.withPropertyValues("management.health.throttles.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(HealthIndicator.class));
        runner.withClassLoader(new FilteredClassLoader(HealthIndicator.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("throttlesHealthIndicator"));
        runner.withClassLoader(new FilteredClassLoader("org.springframework.boot.actuate"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("throttlesEndpoint"));
    }

    @Test
    void listenersAndCustomizersAreCollected() {
        List<String> created = new ArrayList<>();
        runner.withBean("first", ThrottleListener.class, () -> new ThrottleListener() {
                    @Override
                    public void onCreated(Source throttle) {
                        created.add(throttle.name() + " " + throttle.label());
                    }
                })
                .withBean(
                        ThrottleCustomizer.class,
                        () -> builder -> builder.name("mine").label(key -> "hidden"))
                .run(context -> {
                    context.getBean(ThrottleRegistry.class).get("secret");
                    assertThat(created).containsExactly("mine hidden");
                });
    }

    @Test
    void anApplicationMayHaveItsOwnParts() {
        ThrottleRegistry own = ThrottleRegistry.create();
        runner.withBean(ThrottleRegistry.class, () -> own)
                .withBean(
                        KeyResolver.class,
                        () -> request -> "key " + request.getURI().getPath())
                .withBean(BodyClassifier.class, BodyClassifier::none)
                .run(context -> {
                    assertThat(context.getBean(ThrottleRegistry.class)).isSameAs(own);
                    SpringClientsConfiguration.Settings settings =
                            context.getBean(SpringClientsConfiguration.Settings.class);
                    assertThat(settings.throttles()).isSameAs(own);
                    assertThat(settings.keys()
                                    .keyOf(new org.springframework.mock.http.client.MockClientHttpRequest(
                                            org.springframework.http.HttpMethod.GET, URI.create("http://a/b"))))
                            .isEqualTo("key /b");
                });
    }

    @Test
    void nobodyWaitsOnWhenTheApplicationEnds() {
        Throttle[] used = new Throttle[1];
        runner.run(context -> used[0] = context.getBean(ThrottleRegistry.class).get("a"));
        assertThat(used[0].acquireAsync())
                .failsWithin(java.time.Duration.ofSeconds(10))
                .withThrowableThat()
                .havingRootCause()
                .withMessageContaining("closed");
    }
}
