package dev.throttle.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.jdkhttp.ThrottlingHttpClient;
import dev.throttle.okhttp.ThrottlingCallFactory;
import dev.throttle.okhttp.ThrottlingInterceptor;
import dev.throttle.spring.TenantResolver;
import dev.throttle.spring.ThrottlingExchangeFilter;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.web.reactive.function.client.WebClient;

/** On whose behalf requests are made, as properties or a bean tell. */
class TenantsTest {

    private static final String URL = "http://localhost:9/";

    private final ApplicationContextRunner runner =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(ThrottleAutoConfiguration.class));

    private static Throttle paused(ApplicationContext context) {
        Throttle throttle = context.getBean(ThrottleRegistry.class).get("http://localhost:9");
        throttle.pause();
        return throttle;
    }

    private static void askByWebClient(ApplicationContext context, @Nullable String customer) {
        WebClient.builder()
                .filter(context.getBean(ThrottlingExchangeFilter.class))
                .build()
                .get()
                .uri(URL)
                .headers(headers -> {
                    if (customer != null) {
                        headers.set("X-Customer", customer);
                    }
                })
                .retrieve()
                .toBodilessEntity()
                .subscribe(answer -> {}, failure -> {});
    }

    @Test
    void aHeaderOfTheRequest() {
        runner.withPropertyValues("throttle.tenant.header=X-Customer").run(context -> {
            Throttle throttle = paused(context);
            askByWebClient(context, "a");
            askByWebClient(context, "a");
            askByWebClient(context, "b");
            askByWebClient(context, null);
            assertThat(throttle.snapshot().waiting()).isEqualTo(4);
            assertThat(throttle.snapshot().waitingTenants()).isEqualTo(2);
        });
    }

    @Test
    void theContextOfTheLogWhereThereIsNoHeader() {
        runner.withPropertyValues("throttle.tenant.header=X-Customer", "throttle.tenant.mdc=customer")
                .run(context -> {
                    Throttle throttle = paused(context);
                    MDC.put("customer", "a");
                    askByWebClient(context, null);
                    askByWebClient(context, "b");
                    MDC.remove("customer");
                    askByWebClient(context, null);
                    assertThat(throttle.snapshot().waiting()).isEqualTo(3);
                    assertThat(throttle.snapshot().waitingTenants()).isEqualTo(2);
                });
    }

    @Test
    void theOtherClientsGoByThePropertiesToo() {
        runner.withPropertyValues("throttle.tenant.header=X-Customer").run(context -> {
            Throttle throttle = paused(context);
            context.getBean(ThrottlingHttpClient.class)
                    .sendAsync(
                            HttpRequest.newBuilder(URI.create(URL))
                                    .header("X-Customer", "a")
                                    .build(),
                            BodyHandlers.discarding());
            ThrottlingCallFactory factory =
                    context.getBean(ThrottlingInterceptor.class).callFactory(new OkHttpClient());
            factory.newCall(new Request.Builder()
                            .url(URL)
                            .header("X-Customer", "b")
                            .build())
                    .enqueue(new Callback() {
                        @Override
                        public void onFailure(Call call, IOException failure) {}

                        @Override
                        public void onResponse(Call call, Response response) {}
                    });
            assertThat(throttle.snapshot().waitingTenants()).isEqualTo(2);
        });
    }

    @Test
    void aBeanGoesBeforeTheProperties() {
        runner.withPropertyValues("throttle.tenant.header=X-Customer")
                .withBean(TenantResolver.class, () -> request -> "always")
                .run(context -> {
                    Throttle throttle = paused(context);
                    askByWebClient(context, "a");
                    askByWebClient(context, "b");
                    assertThat(throttle.snapshot().waitingTenants()).isEqualTo(1);
                });
    }

    @Test
    void weightsAreCheckedByTheirProperty() {
        runner.withPropertyValues("throttle.tenant.weights.acme=0")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("throttle.tenant.weights")
                        .hasMessageContaining("weight of tenant acme"));
    }
}
