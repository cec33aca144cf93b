package dev.throttle.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Where new keys come all the time, their meters come and go in rounds, and show the same. */
class LateMetersTest {

    private static final Duration ROUND = Duration.ofNanos(LateRounds.PAUSE_NANOS);
    private static final Duration IDLE = Duration.ofMillis(300);
    private static final Signal QUOTA = told(new Quota("daily", 10L, 5L, null, null));

    private final VirtualTime time = new VirtualTime();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final LateRounds rounds = new LateRounds(time, Runnable::run);

    private static Signal told(Quota quota) {
        return new Signal(Outcome.SUCCESS, new RateHints(null, List.of(quota)));
    }

    private ThrottleRegistry bound(int maxKeys, Duration idleExpiry) {
        ThrottleRegistry throttles = ThrottleRegistry.builder()
                .time(time)
                .executor(Runnable::run)
                .maxKeys(maxKeys)
                .idleExpiry(idleExpiry)
                .build();
        throttles.addListener(new RegistryBinding(registry, rounds));
        return throttles;
    }

    /** From now on keys come too fast. */
    private void storm() {
        boolean calm = true;
        while (calm) {
            calm = rounds.isCalm();
        }
    }

    private Set<String> metersOf(String key) {
        return registry.getMeters().stream()
                .map(Meter::getId)
                .filter(id -> key.equals(id.getTag("key")))
                .map(id -> id.getName()
                        + id.getTags().stream()
                                .filter(tag -> !tag.getKey().equals("key"))
                                .toList())
                .collect(Collectors.toSet());
    }

    private Set<String> keys() {
        return registry.getMeters().stream()
                .map(meter -> String.valueOf(meter.getId().getTag("key")))
                .collect(Collectors.toSet());
    }

    @Test
    void soManyKeysComeAtOnceAndThenOneInEachInterval() {
        for (long i = 0; i < LateRounds.AT_ONCE; i++) {
            assertThat(rounds.isCalm()).isTrue();
        }
        assertThat(rounds.isCalm()).isFalse();
        time.advance(Duration.ofNanos(LateRounds.INTERVAL_NANOS - 1));
        assertThat(rounds.isCalm()).isFalse();
        time.advance(Duration.ofNanos(1));
        assertThat(rounds.isCalm()).isTrue();
        assertThat(rounds.isCalm()).isFalse();
    }

    @Test
    void theMetersThatComeLateAreThoseThatComeAtOnce() throws Exception {
        ThrottleRegistry throttles = bound(10, IDLE);
        throttles.get("early").acquire().complete(QUOTA);
        Set<String> early = metersOf("early");
        storm();
        throttles.get("late").acquire().complete(QUOTA);
        assertThat(metersOf("late")).isEmpty();
        time.advance(ROUND.minusNanos(1));
        assertThat(metersOf("late")).isEmpty();
        time.advance(Duration.ofNanos(1));
        assertThat(metersOf("late")).isEqualTo(early);
        assertThat(registry.get("throttle.requests")
                        .tags("key", "late", "outcome", "success")
                        .functionCounter()
                        .count())
                .isEqualTo(1);
    }

    @Test
    void aQuotaThatTheServerNoLongerTellsOfIsShownAllTheSame() throws Exception {
        ThrottleRegistry throttles = bound(10, IDLE);
        storm();
        Throttle throttle = throttles.get("a");
        for (int i = 0; i < 3; i++) {
            throttle.acquire().complete(told(new Quota("policy-" + i, 10L, 5L, Duration.ofMillis(1), null)));
        }
        assertThat(registry.getMeters()).isEmpty();
        time.advance(ROUND);
        assertThat(registry.get("throttle.quota.remaining").gauges()).hasSize(3);
    }

    @Test
    void aKeyThatIsBusyIsShownBeforeTheRound() throws Exception {
        ThrottleRegistry throttles = bound(10, IDLE);
        storm();
        Throttle throttle = throttles.get("a");
        for (int i = 0; i < 5; i++) {
            throttle.acquire().complete(QUOTA);
        }
        assertThat(keys()).containsExactly("a");
    }

    @Test
    void aWaitIsNotLost() throws Exception {
        ThrottleRegistry throttles = bound(10, IDLE);
        storm();
        Throttle throttle = throttles.get("a");
        throttle.acquire().complete(Signal.SUCCESS);
        throttle.pause();
        CompletableFuture<?> waiting = throttle.acquireAsync();
        assertThat(registry.get("throttle.waiting").gauge().value()).isOne();
        throttle.resume();
        time.advance(Duration.ofMillis(10));
        assertThat(waiting).isCompleted();
        assertThat(registry.get("throttle.wait").timer().count()).isOne();
    }

    @Test
    void aKeyThatWasDroppedBeforeTheRoundNeverHasMeters() throws Exception {
        ThrottleRegistry throttles = bound(10, IDLE);
        List<String> seen = new ArrayList<>();
        registry.config()
                .onMeterAdded(meter -> seen.add(String.valueOf(meter.getId().getTag("key"))));
        storm();
        throttles.get("a").acquire().complete(QUOTA);
        dropIdle(throttles);
        assertThat(throttles.getIfPresent("a")).isNull();
        time.advance(ROUND);
        assertThat(seen).doesNotContain("a");
    }

    @Test
    void theMetersOfADroppedKeyGoInTheNextRound() throws Exception {
        ThrottleRegistry throttles = bound(10, IDLE);
        throttles.get("a").acquire().complete(QUOTA);
        assertThat(keys()).containsExactly("a");
        dropIdle(throttles);
        assertThat(throttles.getIfPresent("a")).isNull();
        assertThat(keys()).containsExactly("a");
        time.advance(ROUND);
        assertThat(keys()).doesNotContain("a");
    }

    @Test
    void aSuccessorShowsItsOwnNumbersOnly() throws Exception {
        ThrottleRegistry throttles = bound(10, IDLE);
        throttles.get("a").acquire().complete(QUOTA);
        for (int i = 0; i < 3; i++) {
            dropIdle(throttles);
            throttles.get("a").acquire().complete(Signal.SUCCESS);
        }
        time.advance(ROUND);
        assertThat(registry.get("throttle.requests")
                        .tags("key", "a", "outcome", "success")
                        .functionCounters())
                .singleElement()
                .satisfies(counter -> assertThat(counter.count()).isOne());
        assertThat(registry.find("throttle.quota.remaining").tags("key", "a").gauge())
                .isNull();
    }

    @Test
    void manyThreadsLeaveMetersOfTheLivingOnly() throws Exception {
        ThrottleRegistry throttles = bound(4, Duration.ofHours(1));
        storm();
        ExecutorService pool = Executors.newFixedThreadPool(4);
        try {
            List<Future<?>> work = new ArrayList<>();
            for (int thread = 0; thread < 4; thread++) {
                int offset = thread;
                work.add(pool.submit(() -> {
                    for (int i = 0; i < 2000; i++) {
                        throttles.get("key-" + (i + offset) % 16).acquire().complete(Signal.SUCCESS);
                    }
                    return null;
                }));
            }
            for (int i = 0; i < 50; i++) {
                time.advance(ROUND);
            }
            for (Future<?> each : work) {
                each.get();
            }
        } finally {
            pool.shutdownNow();
        }
        time.advance(ROUND);
        Set<String> living = throttles.all().stream().map(Throttle::key).collect(Collectors.toSet());
        assertThat(keys()).isEqualTo(living);
        double counted = registry.get("throttle.requests").functionCounters().stream()
                .mapToDouble(counter -> counter.count())
                .sum();
        double happened = throttles.all().stream()
                .mapToDouble(throttle -> throttle.count(Outcome.SUCCESS))
                .sum();
        assertThat(counted).isEqualTo(happened);
    }

    /** Drops who was not used for some time, while keys come too fast. */
    private void dropIdle(ThrottleRegistry throttles) {
        time.advance(IDLE);
        storm();
        throttles.all();
        throttles.get("other");
    }
}
