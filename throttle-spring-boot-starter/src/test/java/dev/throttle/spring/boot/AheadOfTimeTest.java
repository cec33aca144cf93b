package dev.throttle.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.ThrottleRegistry;
import dev.throttle.spring.ThrottlingRequestInterceptor;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.restclient.autoconfigure.RestClientAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.boot.webclient.autoconfigure.WebClientAutoConfiguration;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.TestCompiler;
import org.springframework.javapoet.ClassName;
import org.springframework.web.client.RestClient;

/** What Spring writes ahead of time, for native images and fast starts, compiles and makes the same application. */
class AheadOfTimeTest {

    private static final TestPropertyValues PROPERTIES = TestPropertyValues.of(Map.of(
            "management.endpoints.web.exposure.include", "throttles",
            "throttle.clients.github.hosts", "api.github.com",
            "throttle.clients.github.max-wait", "7s"));

    @ImportAutoConfiguration({
        ThrottleAutoConfiguration.class,
        ThrottleActuatorAutoConfiguration.class,
        RestClientAutoConfiguration.class,
        WebClientAutoConfiguration.class
    })
    static class Application {}

    @Test
    @CompileWithForkedClassLoader // so that what was written is in the same package
    @SuppressWarnings("unchecked")
    void theApplicationStartsFromWhatWasWritten() {
        TestGenerationContext generation = new TestGenerationContext();
        ClassName initializer;
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            PROPERTIES.applyTo(context);
            context.register(Application.class);
            initializer = new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
        }
        generation.writeGeneratedContent();
        TestCompiler.forSystem().with(generation).compile(compiled -> {
            try (GenericApplicationContext context = new GenericApplicationContext()) {
                PROPERTIES.applyTo(context);
                compiled.getInstance(ApplicationContextInitializer.class, initializer.toString())
                        .initialize(context);
                context.refresh();
                ThrottleRegistry throttles = context.getBean(ThrottleRegistry.class);
                assertThat(throttles.get("https://api.github.com:443").maxWait())
                        .isEqualTo(Duration.ofSeconds(7));
                ThrottlingRequestInterceptor throttling = context.getBean(ThrottlingRequestInterceptor.class);
                context.getBean(RestClient.Builder.class)
                        .requestInterceptors(list -> assertThat(list).containsExactly(throttling));
                assertThat(context.getBean(ThrottlesEndpoint.class).throttles().throttles())
                        .hasSize(1);
            }
        });
        hintsAreThere(generation.getRuntimeHints());
    }

    private static void hintsAreThere(RuntimeHints hints) {
        for (Class<?> type : new Class<?>[] {
            ThrottleProperties.Client.class,
            ThrottleProperties.Limit.class,
            ThrottleProperties.Retry.class,
            ThrottlesEndpoint.class,
            ThrottlesEndpoint.Throttles.class,
            ThrottlesEndpoint.Summary.class,
            KeyDescriptor.class,
            KeyDescriptor.QuotaDescriptor.class
        }) {
            assertThat(RuntimeHintsPredicates.reflection().onType(type))
                    .as(type.getName())
                    .accepts(hints);
        }
    }
}
