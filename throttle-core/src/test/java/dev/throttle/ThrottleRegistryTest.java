package dev.throttle;

import static dev.throttle.Timeline.retryAfter;
import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys that come and go. */
class ThrottleRegistryTest {

    private final Timeline line = new Timeline();

    private ThrottleRegistry bounded(int maxKeys) {
        return line.registry(TestStrategies.free()).maxKeys(maxKeys).build();
    }

    private static void use(Throttle throttle) {
        Permit permit = throttle.tryAcquire();
        assertThat(permit).isNotNull();
        permit.complete(Signal.SUCCESS);
    }

    @Test
    void aKeyHasOneThrottleWhichHasNothingInCommonWithOthers() {
        ThrottleRegistry throttles = bounded(10);
        Throttle a = throttles.get("a");
        assertThat(throttles.get("a")).isSameAs(a);
        assertThat(a.key()).isEqualTo("a");
        assertThat(a.name()).isEqualTo("default");
        Calls.of(a).newCall().acquireForced().complete(retryAfter(Duration.ofSeconds(9)));
        assertThat(a.snapshot().blocked()).isEqualTo(Duration.ofSeconds(9));
        assertThat(throttles.get("b").snapshot().blocked()).isZero();
        assertThat(throttles.getIfPresent("c")).isNull();
        assertThat(throttles.all()).hasSize(2);
    }

    @Test
    void theNumberOfIdleKeysIsBounded() {
        ThrottleRegistry throttles = bounded(100);
        for (int i = 0; i < 100_000; i++) {
            use(throttles.get("key" + i));
        }
        assertThat(throttles.all()).hasSizeLessThanOrEqualTo(110);
    }

    @Test
    void keysThatAreOnlyLookedAtAreBoundedToo() {
        ThrottleRegistry throttles = bounded(100);
        for (int i = 0; i < 100_000; i++) {
            throttles.get("key" + i);
        }
        assertThat(throttles.all()).hasSizeLessThanOrEqualTo(110);
    }

    @Test
    void aHundredThousandKeysCanBeHeld() {
        ThrottleRegistry throttles = bounded(100_000);
        for (int i = 0; i < 100_000; i++) {
            use(throttles.get("key" + i));
        }
        assertThat(throttles.all()).hasSize(100_000);
    }

    @Test
    void keysThatAreBlockedWaitedForOrOnTheWireStay() {
        ThrottleRegistry throttles =
                line.registry(TestStrategies.atMostOnTheWire(1)).maxKeys(2).build();
        Throttle blocked = throttles.get("blocked");
        Calls.of(blocked).newCall().acquireForced().complete(retryAfter(Duration.ofMinutes(5)));
        Throttle onTheWire = throttles.get("on the wire");
        Permit permit = onTheWire.tryAcquire();
        Throttle waitedFor = throttles.get("waited for");
        Permit first = waitedFor.tryAcquire();
        CompletableFuture<Permit> waiter = waitedFor.acquireAsync();
        Throttle restedFor = throttles.get("backing off");
        Permit failed = restedFor.tryAcquire();
        assertThat(failed).isNotNull();
        failed.complete(Signal.FAILED);
        CompletableFuture<Permit> resting = failed.acquireAgainAsync();
        for (int i = 0; i < 10_000; i++) {
            use(throttles.get("key" + i));
        }
        assertThat(throttles.all()).contains(blocked, onTheWire, waitedFor, restedFor);
        assertThat(throttles.get("blocked")).isSameAs(blocked);
        assertThat(throttles.get("on the wire")).isSameAs(onTheWire);
        assertThat(throttles.getIfPresent("waited for")).isSameAs(waitedFor);
        assertThat(throttles.get("backing off")).isSameAs(restedFor);
        assertThat(blocked.snapshot().blocked()).isEqualTo(Duration.ofMinutes(5));

        assertThat(permit).isNotNull();
        permit.complete(Signal.SUCCESS);
        assertThat(first).isNotNull();
        first.complete(Signal.SUCCESS);
        waiter.join().complete(Signal.SUCCESS);
        line.time.advance(Duration.ofMinutes(5));
        resting.join().complete(Signal.SUCCESS);
        for (int i = 0; i < 10_000; i++) {
            use(throttles.get("other" + i));
        }
        assertThat(throttles.all()).hasSizeLessThanOrEqualTo(8);
        assertThat(blocked.isEvicted()).isTrue();
    }

    @Test
    void aKeyNobodyUsesExpires() {
        ThrottleRegistry throttles = bounded(10);
        Throttle a = throttles.get("a");
        use(a);
        line.time.advance(Duration.ofMinutes(61));
        use(throttles.get("b"));
        use(throttles.get("c"));
        assertThat(a.isEvicted()).isTrue();
        assertThat(throttles.get("a")).isNotSameAs(a);
    }

    /** The cache hears of a use only now and then. */
    @Test
    void aKeyThatIsUsedAllTheTimeDoesNotExpire() {
        ThrottleRegistry throttles = line.registry(TestStrategies.free())
                .idleExpiry(Duration.ofSeconds(1))
                .build();
        Throttle a = throttles.get("a");
        use(a);
        for (int i = 0; i < 10_000; i++) {
            line.time.advance(Duration.ofNanos(700_000));
            assertThat(throttles.get("a")).isSameAs(a);
        }
        line.time.advance(Duration.ofMillis(998));
        assertThat(throttles.get("a")).isSameAs(a);
        line.time.advance(Duration.ofMillis(1000));
        assertThat(throttles.get("a")).isNotSameAs(a);
    }

    @Test
    void aThrottleHeldAfterItsEvictionPassesEverybodyOn() throws Exception {
        ThrottleRegistry throttles = bounded(10);
        Throttle old = throttles.get("a");
        use(old);
        ThrottledCall begun = Calls.of(old).newCall();
        line.time.advance(Duration.ofMinutes(61));
        use(throttles.get("b"));
        assertThat(old.isEvicted()).isTrue();

        use(old);
        old.acquire().complete(Signal.SUCCESS);
        old.acquireAsync().join().complete(Signal.SUCCESS);
        old.execute(() -> "done");
        begun.acquire().complete(Signal.SUCCESS);
        begun.acquireForced().complete(Signal.SUCCESS);
        Throttle current = throttles.get("a");
        assertThat(current).isNotSameAs(old);
        assertThat(current.count(Outcome.SUCCESS)).isEqualTo(6);
        assertThat(old.count(Outcome.SUCCESS)).isEqualTo(6);
        Calls.of(old).newCall().acquireForced().complete(retryAfter(Duration.ofSeconds(7)));
        assertThat(old.snapshot().blocked()).isEqualTo(Duration.ofSeconds(7));
        assertThat(current.snapshot().blocked()).isEqualTo(Duration.ofSeconds(7));
    }

    @Test
    void aRefusedCallWhoseThrottleIsGoneIsRepeatedOnItsSuccessor() {
        ThrottleRegistry throttles =
                line.registry(TestStrategies.sleep(Duration.ZERO)).maxKeys(10).build();
        Permit permit = throttles.get("a").tryAcquire();
        assertThat(permit).isNotNull();
        assertThat(permit.complete(Signal.RATE_LIMITED).isRetry()).isTrue();
        line.time.advance(Duration.ofMinutes(61));
        use(throttles.get("b"));
        CompletableFuture<Permit> again = permit.acquireAgainAsync();
        assertThat(again).isDone();
        again.join().complete(Signal.SUCCESS);
        assertThat(throttles.get("a").count(Outcome.SUCCESS)).isEqualTo(1);
    }

    @Test
    void gettingEvictingAndAcquiringRaceWithoutLoss() throws Exception {
        int threads = 8;
        int rounds = 5_000;
        Map<String, AtomicInteger> onTheWire = new ConcurrentHashMap<>();
        LongAdder served = new LongAdder();
        ThrottleRegistry throttles = ThrottleRegistry.builder()
                .strategy(TestStrategies.atMostOnTheWire(1))
                .maxKeys(3)
                .build();
        List<CompletableFuture<Void>> done = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            SplittableRandom random = new SplittableRandom(t);
            done.add(CompletableFuture.runAsync(
                    () -> {
                        for (int i = 0; i < rounds; i++) {
                            String key = "key" + random.nextInt(12);
                            oneAtATime(throttles.get(key), onTheWire.computeIfAbsent(key, k -> new AtomicInteger()));
                            served.increment();
                        }
                    },
                    task -> new Thread(task).start()));
        }
        CompletableFuture.allOf(done.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
        assertThat(served.sum()).isEqualTo((long) threads * rounds);
        assertThat(throttles.all()).allSatisfy(throttle -> {
            assertThat(throttle.snapshot().inFlight()).isZero();
            assertThat(throttle.snapshot().waiting()).isZero();
        });
    }

    /** Were there two throttles of one key at a time, two requests of it would be on the wire. */
    private static void oneAtATime(Throttle throttle, AtomicInteger onTheWire) {
        try {
            Permit permit = throttle.acquire();
            assertThat(onTheWire.incrementAndGet()).isEqualTo(1);
            onTheWire.decrementAndGet();
            permit.complete(Signal.SUCCESS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"https://api.test", "https://api.test/", "HTTPS://API.test/", "https://api.test:443/"})
    void aUrlWithoutAPathIsItsOrigin(String url) {
        ThrottleRegistry throttles = ThrottleRegistry.create();
        assertThat(throttles.getIfPresent(url)).isNull();
        Throttle throttle = throttles.get("https://api.test:443");
        assertThat(throttles.get(url)).isSameAs(throttle);
        assertThat(throttles.getIfPresent(url)).isSameAs(throttle);
        assertThat(throttles.all()).containsExactly(throttle);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "api.test",
                "https://api.test/v1",
                "https://me@api.test",
                "https://",
                "https:///",
                "https://api.test:99x",
                "http://a b",
                "https://api.test?q",
                "ftp://api.test"
            })
    void anyOtherKeyIsLeftAsItIs(String key) {
        assertThat(ThrottleRegistry.create().get(key).key()).isEqualTo(key);
    }
}
