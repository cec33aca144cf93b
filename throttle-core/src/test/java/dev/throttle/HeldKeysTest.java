package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.logging.CapturedLog;
import dev.throttle.micrometer.ThrottleMetrics;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

/** More keys than a registry may keep, all of which a server holds back. */
class HeldKeysTest {

    private static final int BOUND = 1_000;
    private static final int MANY = 2_500;
    /** The cache follows in steps. */
    private static final int MOST = BOUND + BOUND / 32;

    private final Timeline line = new Timeline();
    private final ThrottleRegistry throttles =
            line.registry(Strategies.standard()).maxKeys(BOUND).mostKeys(BOUND).build();

    private boolean refuse(String key, Duration wait) {
        Permit permit = throttles.get(key).tryAcquire();
        if (permit != null) {
            permit.end(Timeline.retryAfter(wait));
        }
        return permit != null;
    }

    private void flood(int from, int to, Runnable betweenTimes) {
        for (int i = from; i < to; i++) {
            assertThat(refuse("evil" + i, Duration.ofHours(20))).as("key %s", i).isTrue();
            if (i % 50 == 0) {
                betweenTimes.run();
            }
        }
    }

    @Test
    void theirNumberIsBoundedAndHostsInUseStay() {
        refuse("used", Duration.ofHours(1));
        Throttle used = throttles.get("used");
        flood(0, MANY, () -> assertThat(throttles.get("used").tryAcquire()).isNull());
        assertThat(throttles.all()).hasSizeLessThanOrEqualTo(MOST);
        assertThat(throttles.get("used")).isSameAs(used);
        assertThat(used.isEvicted()).isFalse();
    }

    @Test
    void theFirstThatIsForgottenIsWarnedOf() {
        ThrottleRegistry named = line.registry(Strategies.standard())
                .name("HeldKeysTest")
                .maxKeys(BOUND)
                .mostKeys(BOUND)
                .build();
        try (CapturedLog log = CapturedLog.from(Level.WARN, "HeldKeysTest")) {
            for (int i = 0; i < MANY; i++) {
                Objects.requireNonNull(named.get("evil" + i).tryAcquire())
                        .end(Timeline.retryAfter(Duration.ofHours(20)));
            }
            assertThat(log.lines)
                    .singleElement()
                    .asString()
                    .startsWith("WARN Throttle \"HeldKeysTest\": more than 1000 keys are held back")
                    .contains("maxKeys");
        }
    }

    /** Nothing is known of its routes any more, and a route of which nothing is known does not wait for that long. */
    @Test
    void aForgottenKeyIsNotClosedForAQuotaThatIsUsedUpForLong() {
        Signal month = Signal.of(Outcome.DENIED, new RateHints(Duration.ofDays(20), List.of(Quota.named("month"))));
        for (int i = 0; i < MANY; i++) {
            Calls.of(throttles.get("key" + i))
                    .newCall(CallOptions.DEFAULT.route("GET /month"))
                    .acquireAsync()
                    .join()
                    .complete(month);
        }
        int forgotten = 0;
        for (int i = 0; i < MANY; i++) {
            boolean isForgotten = throttles.getIfPresent("key" + i) == null;
            forgotten += isForgotten ? 1 : 0;
            WaitEstimate other = throttles.get("key" + i).estimateWait(CallOptions.DEFAULT.route("GET /other"));
            assertThat(other.isAtOnce()).as("key %s", i).isTrue();
        }
        assertThat(forgotten).isGreaterThanOrEqualTo(MANY - MOST);
    }

    @Test
    void aForgottenKeyStaysClosedAsLongAsItWasAndNoOtherIs() {
        flood(0, MANY, () -> {});
        line.time.advance(Duration.ofHours(5));
        int closed = 0;
        for (int i = 0; i < MANY; i++) {
            Throttle there = throttles.getIfPresent("evil" + i);
            if (there == null) {
                Throttle again = throttles.get("evil" + i);
                WaitEstimate estimate = again.estimateWait(CallOptions.DEFAULT);
                assertThat(estimate)
                        .returns("forgotten", WaitEstimate::reason)
                        .returns(Duration.ofHours(15), WaitEstimate::atLeast);
                closed++;
            }
        }
        assertThat(closed).isGreaterThanOrEqualTo(MANY - MOST);
        assertThat(throttles.get("innocent").estimateWait(CallOptions.DEFAULT).isAtOnce())
                .isTrue();
        line.time.advance(Duration.ofHours(15));
        assertThat(throttles.get("evil0").estimateWait(CallOptions.DEFAULT).isAtOnce())
                .isTrue();
    }

    @Test
    void keysInUseAreNotForgotten() {
        List<CompletableFuture<Permit>> waiting = new ArrayList<>();
        List<Throttle> busy = new ArrayList<>();
        List<Permit> sent = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            Throttle throttle = throttles.get("busy" + i);
            busy.add(throttle);
            if (i % 2 == 0) {
                sent.add(throttle.tryAcquire());
            } else {
                throttle.observe(Timeline.retryAfter(Duration.ofMinutes(1)));
                waiting.add(Calls.of(throttle)
                        .newCall(CallOptions.DEFAULT.maxWait(Duration.ofHours(1)))
                        .acquireAsync());
            }
        }
        flood(0, MANY, () -> {});
        assertThat(busy).noneMatch(Throttle::isEvicted);
        assertThat(throttles.all()).hasSizeLessThanOrEqualTo(MOST + 200);
        line.time.advance(Duration.ofMinutes(2));
        assertThat(waiting).allMatch(CompletableFuture::isDone);
        assertThat(sent).hasSize(100).doesNotContainNull();
    }

    @Test
    void thoseThatOpenSoonestAreForgottenFirst() {
        for (int i = 0; i < 300; i++) {
            refuse("short" + i, Duration.ofMinutes(10));
        }
        flood(0, MANY, () -> {});
        long left = throttles.all().stream()
                .filter(throttle -> throttle.key().startsWith("short"))
                .count();
        long evil = throttles.all().stream()
                .filter(throttle -> throttle.key().startsWith("evil"))
                .count();
        assertThat(left).isLessThan(evil / 2);
        assertThat(evil).isGreaterThan(BOUND / 2);
    }

    @Test
    void onlyAThousandHaveMeters() {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        ThrottleRegistry many = line.registry(Strategies.standard()).build();
        new ThrottleMetrics(many).bindTo(meters);
        for (int i = 0; i < 1_200; i++) {
            many.get("k" + i).tryAcquire();
        }
        assertThat(meters.getMeters().stream()
                        .map(meter -> meter.getId().getTag("key"))
                        .distinct())
                .hasSizeLessThanOrEqualTo(1_000);
    }

    @Test
    void aPartlyUsedLimitIsSafeToo() {
        ThrottleRegistry limited = line.registry(Strategies.none())
                .limit(Strategies.fixedWindow()
                        .limit(3)
                        .window(Duration.ofDays(1))
                        .build())
                .maxKeys(BOUND)
                .mostKeys(BOUND)
                .build();
        for (int i = 0; i < MANY; i++) {
            Permit permit = limited.get("k" + i).tryAcquire();
            assertThat(permit).isNotNull();
            permit.end(dev.throttle.signal.Signal.SUCCESS);
        }
        assertThat(limited.all()).hasSizeLessThanOrEqualTo(MOST);
        int sent = 0;
        for (int i = 0; i < 1_000; i++) {
            for (int j = 0; j < 5; j++) {
                sent += limited.get("k" + i).tryAcquire() == null ? 0 : 1;
            }
        }
        assertThat(sent).as("two more each at most").isLessThanOrEqualTo(2_000);
    }
}
