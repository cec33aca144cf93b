package dev.throttle.jdkhttp;

import static dev.throttle.fixtures.Awaiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Throttle;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Ten thousand calls cancelled at random times. */
@Tag("slow")
class CancelStressTest {

    private static final int CALLS = 10_000;
    private static final int AT_A_TIME = 100;

    @Test
    void callsCancelledAtAnyTimeLeaveNothingBehind() throws Exception {
        CountingTime time = new CountingTime();
        Throttle throttle =
                TestThrottles.builder(Duration.ofMillis(10)).time(time).build();
        SplittableRandom random = new SplittableRandom(42);
        try (RawServer server = new RawServer((number, exchange) -> {
            switch (number % 10) {
                case 0 -> exchange.send(RawServer.OK);
                case 1, 2, 3, 4, 5, 6, 7, 8 -> exchange.send(RawServer.REFUSED);
                default -> {
                    exchange.send(RawServer.REFUSED.substring(0, 20)); // never a whole answer
                    exchange.hang();
                }
            }
        })) {
            ThrottlingHttpClient client = ThrottlingHttpClient.newBuilder(HttpClient.newHttpClient())
                    .throttle(throttle)
                    .time(time)
                    .build();
            HttpRequest request = HttpRequest.newBuilder(server.uri()).build();
            int cancelled = 0;
            for (int i = 0; i < CALLS; i += AT_A_TIME) {
                List<CompletableFuture<?>> calls = new ArrayList<>();
                for (int j = 0; j < AT_A_TIME; j++) {
                    calls.add(client.sendAsync(request, BodyHandlers.discarding()));
                    if (random.nextInt(4) == 0) {
                        LockSupport.parkNanos(random.nextInt(500_000));
                    }
                }
                for (CompletableFuture<?> call : calls) {
                    cancelled += call.cancel(true) ? 1 : 0;
                }
            }
            await().until(() -> client.pending() == 0 && server.open.get() == 0);
            await().untilAsserted(() -> assertThat(List.of(throttle.snapshot().inFlight(), time.entries()))
                    .as("in flight, timer entries")
                    .containsExactly(0, 0));
            assertThat(throttle.snapshot().waiting()).isZero();
            assertThat(cancelled).isGreaterThan(CALLS / 4);
            assertThat(throttle.snapshot().cancelledWaiting()).isPositive();
        }
    }
}
