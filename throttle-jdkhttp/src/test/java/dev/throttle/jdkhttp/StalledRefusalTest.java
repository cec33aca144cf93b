package dev.throttle.jdkhttp;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Refusals whose bodies do not come to an end. */
class StalledRefusalTest {

    private static final String BEGINNING = "HTTP/1.1 429 Too Many Requests\r\nContent-Length: 100\r\n\r\nslow";

    private final CountingTime time = new CountingTime();

    private HttpClient client() {
        return ThrottlingHttpClient.newBuilder(HttpClient.newHttpClient())
                .throttle(TestThrottles.throttle(Duration.ofMillis(1)))
                .drainLimits(65536, Duration.ofMillis(300))
                .time(time)
                .build();
    }

    private static HttpRequest get(RawServer server) {
        return HttpRequest.newBuilder(server.uri())
                .timeout(Duration.ofSeconds(5))
                .build();
    }

    @ParameterizedTest
    @EnumSource
    void r04b_aStalledRefusalCostsAtMostTheDrainLimit(Mode mode) throws Exception {
        try (RawServer server = new RawServer((number, exchange) -> {
            if (number == 1) {
                exchange.send(BEGINNING);
                exchange.hang();
            } else {
                exchange.send(RawServer.OK);
            }
        })) {
            long begin = System.nanoTime();
            assertThat(mode.send(client(), get(server), BodyHandlers.ofString()).body())
                    .isEqualTo("{}");
            long millis = (System.nanoTime() - begin) / 1_000_000;
            assertThat(millis).isBetween(300L, 3000L);
            assertThat(server.requests).hasValue(2);
            assertThat(time.entries()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void r05_aRefusalCutOffIsStillARefusal(Mode mode) throws Exception {
        try (RawServer server = new RawServer((number, exchange) -> {
            if (number == 1) {
                exchange.send(BEGINNING);
                exchange.close();
            } else {
                exchange.send(RawServer.OK);
            }
        })) {
            assertThat(mode.send(client(), get(server), BodyHandlers.ofString()).body())
                    .isEqualTo("{}");
            assertThat(server.requests).hasValue(2);
            assertThat(time.entries()).isZero();
        }
    }
}
