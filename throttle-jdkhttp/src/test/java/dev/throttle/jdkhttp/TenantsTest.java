package dev.throttle.jdkhttp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.CallOptions;
import dev.throttle.Throttle;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** On whose behalf a request is made, as a function of it tells. */
class TenantsTest {

    private final Throttle throttle = Throttle.create();
    private final HttpRequest plain =
            HttpRequest.newBuilder(URI.create("http://localhost:9/")).build();
    private final ThrottlingHttpClient client = ThrottlingHttpClient.newBuilder(HttpClient.newHttpClient())
            .throttle(throttle)
            .tenantResolver(
                    request -> request.headers().firstValue("X-Customer").orElse(null))
            .build();

    private static HttpRequest of(String customer) {
        return HttpRequest.newBuilder(URI.create("http://localhost:9/"))
                .header("X-Customer", customer)
                .build();
    }

    @AfterEach
    void endWaits() {
        throttle.close();
    }

    @Test
    void aFunctionOfTheRequestTellsAndOptionsOfARequestGoFirst() {
        throttle.pause();
        for (HttpRequest request : new HttpRequest[] {of("a"), of("a"), of("b"), plain}) {
            client.sendAsync(request, BodyHandlers.discarding());
        }
        client.sendAsync(of("a"), CallOptions.DEFAULT.tenant("c"), BodyHandlers.discarding());
        assertThat(throttle.snapshot().waiting()).isEqualTo(5);
        assertThat(throttle.snapshot().waitingTenants()).isEqualTo(3);
    }

    @Test
    void aResolverThatThrowsFailsItsCall() {
        IllegalStateException mistake = new IllegalStateException("test");
        ThrottlingHttpClient wrong = ThrottlingHttpClient.newBuilder(HttpClient.newHttpClient())
                .throttle(throttle)
                .tenantResolver(request -> {
                    throw mistake;
                })
                .build();
        assertThatThrownBy(() -> wrong.send(plain, BodyHandlers.discarding())).isSameAs(mistake);
        assertThat(throttle.snapshot().inFlight()).isZero();
    }
}
