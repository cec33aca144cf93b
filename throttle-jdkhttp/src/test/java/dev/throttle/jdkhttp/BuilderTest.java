package dev.throttle.jdkhttp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.CallOptions;
import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.client.Origin;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Settings that are refused, and the default key. */
class BuilderTest {

    private static ThrottlingHttpClientBuilder builder() {
        return ThrottlingHttpClient.newBuilder(FakeClient.refusing(0));
    }

    @Test
    void settingsNameWhatTheyDoNotAccept() {
        assertThatThrownBy(() -> builder().drainLimits(-1, Duration.ofSeconds(1)))
                .hasMessageStartingWith("drainLimits bytes must be");
        assertThatThrownBy(() -> builder().drainLimits(1, Duration.ZERO))
                .hasMessageStartingWith("drainLimits duration must be");
        assertThatThrownBy(() -> builder()
                        .throttle(Throttle.create())
                        .throttles(ThrottleRegistry.create())
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("throttles");
    }

    @Test
    void nullsAreRefusedByName() {
        assertThatThrownBy(() -> ThrottlingHttpClient.newBuilder(null).build())
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("delegate");
        assertThatThrownBy(() -> builder().throttle(null)).hasMessageContaining("throttle must not be null");
        assertThatThrownBy(() -> builder().throttles(null)).hasMessageContaining("throttles must not be null");
        assertThatThrownBy(() -> builder().keyResolver(null)).hasMessageContaining("keyResolver must not be null");
        assertThatThrownBy(() -> builder().options((CallOptions) null))
                .hasMessageContaining("options must not be null");
        assertThatThrownBy(() -> builder().options((Function<HttpRequest, CallOptions>) null))
                .hasMessageContaining("options must not be null");
        assertThatThrownBy(() -> builder().bodyClassifier(null))
                .hasMessageContaining("bodyClassifier must not be null");
        assertThatThrownBy(() -> builder().executor(null)).hasMessageContaining("executor must not be null");
    }

    @ParameterizedTest
    @CsvSource({
        "https://API.example.com/a?b, https://api.example.com:443",
        "HTTPS://api.example.com:443/, https://api.example.com:443",
        "http://api.example.com, http://api.example.com:80",
        "http://api.example.com:8080/x, http://api.example.com:8080",
        "http://[::1]:8080/x, http://[::1]:8080",
    })
    void theDefaultKeyIsSchemeHostAndPort(URI uri, String key) {
        assertThat(Origin.of(uri)).isEqualTo(key);
    }

    @Test
    void wrapHasAThrottleForEachOrigin() throws Exception {
        ThrottleRegistry throttles = ThrottleRegistry.create();
        HttpClient client = builder().throttles(throttles).build();
        for (String uri : new String[] {"http://a/1", "http://a/2", "http://b/1"}) {
            client.send(
                    HttpRequest.newBuilder(URI.create(uri)).build(),
                    java.net.http.HttpResponse.BodyHandlers.discarding());
        }
        assertThat(throttles.all()).extracting(Throttle::key).containsExactlyInAnyOrder("http://a:80", "http://b:80");
    }
}
