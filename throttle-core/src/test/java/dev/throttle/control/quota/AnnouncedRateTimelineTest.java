package dev.throttle.control.quota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Permit;
import dev.throttle.Throttle;
import dev.throttle.signal.ResponseHead;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A caller at full speed on a server that announces its limit, and never says what is left. */
class AnnouncedRateTimelineTest {

    private static final Duration STEP = Duration.ofMillis(5);
    private static final long LATENCY = 50_000_000;

    private final VirtualTime time = new VirtualTime();
    private final Throttle throttle = Throttle.builder()
            .time(time)
            .executor(Runnable::run)
            .maxWait(Duration.ofHours(1))
            .build();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "x-rate-limit-limit: 10, x-rate-limit-interval: 1s | 10 | 1000 | 600",
                "RateLimit-Policy: \"p\";q=10;w=1 | 10 | 1000 | 600",
                "x-amzn-RateLimit-Limit: 0.5 | 2 | 4000 | 60",
                "X-RateLimit-Replenish-Rate: 10, X-RateLimit-Burst-Capacity: 10 | 10 | 1000 | 600"
            })
    void hardlyAnythingIsRefusedAndHardlyAnyTimeLost(String headers, int limit, long millis, int calls) {
        long window = millis * 1_000_000;
        long began = time.nanoTime();
        long windowBegan = began;
        int used = 0;
        int accepted = 0;
        int sent = 0;
        CompletableFuture<Permit> asked = throttle.acquireAsync();
        @Nullable Permit permit = null;
        long sentAt = 0;
        while (accepted < calls) {
            long now = time.nanoTime();
            if (permit == null && asked.isDone()) {
                permit = asked.join();
                sentAt = now;
                sent++;
            }
            if (permit != null && now - sentAt >= LATENCY) {
                while (now - windowBegan >= window) {
                    windowBegan += window;
                    used = 0;
                }
                boolean isAccepted = used < limit;
                used += isAccepted ? 1 : 0;
                accepted += isAccepted ? 1 : 0;
                permit.complete(throttle.read(answer(isAccepted ? 200 : 429, headers)));
                permit = null;
                asked = throttle.acquireAsync();
            }
            time.advance(STEP);
        }

        double ideal = (Math.ceil((double) calls / limit) - 1) * window;
        assertThat(sent - accepted).isLessThanOrEqualTo(calls / 100);
        assertThat(time.nanoTime() - began).isLessThanOrEqualTo((long) (1.05 * ideal));
    }

    private static ResponseHead answer(int status, String headers) {
        return new ResponseHead() {
            @Override
            public int status() {
                return status;
            }

            @Override
            public void forEachHeader(HeaderVisitor visitor) {
                for (String header : headers.split(", ", -1)) {
                    int colon = header.indexOf(':');
                    visitor.visit(header.substring(0, colon), header.substring(colon + 2));
                }
            }
        };
    }
}
