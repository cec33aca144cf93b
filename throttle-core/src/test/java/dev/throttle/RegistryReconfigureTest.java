package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Settings of all keys of a registry that change while it runs. */
class RegistryReconfigureTest {

    private final Timeline line = new Timeline();

    private static Strategy oneEach(Duration period) {
        return Strategies.tokenBucket().rate(1, period).build();
    }

    private static Duration seconds(long seconds) {
        return Duration.ofSeconds(seconds);
    }

    @Test
    void aChangeHoldsForKeysThatAreThereAndForKeysToCome() {
        ThrottleRegistry throttles = line.registry(Strategies.none()).build();
        Throttle there = throttles.get("there");
        throttles.reconfigure(all -> all.maxWait(seconds(7)).limit(oneEach(seconds(5))));
        line.ask(there, "there");
        line.ask(there, "there");
        line.ask(throttles.get("new"), "new");
        line.ask(throttles.get("new"), "new");
        line.ask(throttles.get("new"), "late");
        line.advanceMillis(5_000);
        assertThat(line.events).containsExactly("there@0", "new@0", "late rejected@0", "there@5000", "new@5000");
        assertThat(throttles.get("there")).isSameAs(there);
    }

    @Test
    void callersOfAllKeysAreLookedAtAgain() {
        ThrottleRegistry throttles =
                line.registry(Strategies.none()).limit(oneEach(seconds(60))).build();
        for (String key : List.of("a", "b")) {
            line.ask(throttles.get(key), key);
            line.ask(throttles.get(key), key);
        }
        throttles.reconfigure(all -> all.clearLimits().limit(oneEach(seconds(1))));
        line.advanceMillis(1_000);
        assertThat(line.events).containsExactly("a@0", "b@0", "a@1000", "b@1000");
    }

    @Test
    void rulesForKeysAreAskedAgain() {
        List<Duration> seen = new ArrayList<>();
        ThrottleRegistry throttles = line.registry(Strategies.none())
                .forKeys("special", key -> key.maxWaiting(0))
                .forKeys("other", key -> key.maxWait(seconds(3)))
                .build();
        Throttle special = throttles.get("special");
        Throttle other = throttles.get("other");
        throttles.reconfigure(all -> all.maxWait(seconds(20)));
        assertThat(special.maxWait()).isEqualTo(seconds(20));
        assertThat(other.maxWait()).isEqualTo(seconds(3));
        throttles.reconfigure(all -> all.forKeys("other", key -> key.maxWait(seconds(4)))
                .forKeys("*", key -> {
                    key.maxWait(seconds(5));
                    seen.add(seconds(5));
                }));
        assertThat(special.maxWait()).isEqualTo(seconds(20));
        assertThat(other.maxWait()).isEqualTo(seconds(4));
        assertThat(throttles.get("third").maxWait()).isEqualTo(seconds(5));
        assertThat(seen).hasSize(1);
        throttles.reconfigure(all -> all.clearKeys());
        assertThat(throttles.all()).extracting(Throttle::maxWait).containsOnly(seconds(20));
    }

    @Test
    void whatAKeyWasGivenByItselfHoldsUntilAllChange() {
        ThrottleRegistry throttles = line.registry(Strategies.none()).build();
        throttles.get("a").reconfigure(key -> key.maxWait(seconds(3)));
        assertThat(throttles.get("a").maxWait()).isEqualTo(seconds(3));
        assertThat(throttles.get("b").maxWait()).isEqualTo(Duration.ofMinutes(10));
        throttles.reconfigure(all -> all.maxWaiting(5));
        assertThat(throttles.get("a").maxWait()).isEqualTo(Duration.ofMinutes(10));
    }

    @Test
    void aKeyThatWasChangedByItselfIsNotDropped() {
        ThrottleRegistry throttles = line.registry(TestStrategies.free())
                .maxKeys(1)
                .idleExpiry(seconds(1))
                .build();
        Throttle kept = throttles.get("kept");
        kept.reconfigure(key -> key.maxWait(seconds(3)));
        use(kept);
        for (int i = 0; i < 100; i++) {
            line.advanceMillis(2_000);
            use(throttles.get("key" + i));
        }
        assertThat(throttles.get("kept")).isSameAs(kept);
        throttles.reconfigure(all -> {});
        for (int i = 0; i < 100; i++) {
            line.advanceMillis(2_000);
            use(throttles.get("key" + i));
        }
        assertThat(kept.isEvicted()).isTrue();
        kept.reconfigure(key -> key.maxWait(seconds(4)));
        assertThat(throttles.get("kept").maxWait()).isEqualTo(seconds(4)); // it was passed on
    }

    private static void use(Throttle throttle) {
        Permit permit = throttle.tryAcquire();
        assertThat(permit).isNotNull();
        permit.complete(Signal.SUCCESS);
    }

    @Test
    void aChangeThatCannotBeChangesNoKey() {
        ThrottleRegistry throttles = line.registry(Strategies.none())
                .forKeys("sleeps", key -> key.strategy(Strategies.named("linear-backoff")))
                .build();
        for (String key : List.of("a", "b", "sleeps")) {
            throttles.get(key);
        }
        assertThatThrownBy(() -> throttles.reconfigure(all -> all.maxWait(seconds(1))
                        .strategy(Strategies.quotaPacing().build())
                        .limit(Strategies.named("exponential-backoff"))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("forKeys 'sleeps': strategy and limits must be at most one");
        assertThatThrownBy(() ->
                        throttles.reconfigure(all -> all.maxWait(seconds(1)).guardPerKey(key -> {
                            if (key.equals("b")) {
                                throw new IllegalStateException("no guard for b");
                            }
                            return new NoGuard();
                        })))
                .hasMessage("no guard for b");
        assertThat(throttles.all()).extracting(Throttle::maxWait).containsOnly(Duration.ofMinutes(10));
        assertThat(throttles.get("c").maxWait()).isEqualTo(Duration.ofMinutes(10));
    }

    @Test
    void aKeyThatComesMeanwhileAndCannotChangeKeepsTheOthersFromChanging() {
        ThrottleRegistry throttles = line.registry(Strategies.none()).build();
        Throttle there = throttles.get("there");
        assertThatThrownBy(() ->
                        throttles.reconfigure(all -> all.maxWait(seconds(1)).guardPerKey(key -> {
                            if (key.equals("late")) {
                                throw new IllegalStateException("no guard for late");
                            }
                            throttles.get("late");
                            return new NoGuard();
                        })))
                .hasMessage("no guard for late");
        assertThat(there.maxWait()).isEqualTo(Duration.ofMinutes(10));
        assertThat(throttles.get("late").maxWait()).isEqualTo(Duration.ofMinutes(10));
    }

    @Test
    @Timeout(60)
    void keysThatComeDuringAChangeHaveTheNewSettingsOnceItIsMade() throws InterruptedException {
        ThrottleRegistry throttles = line.registry(TestStrategies.free()).build();
        AtomicBoolean stop = new AtomicBoolean();
        CountDownLatch started = new CountDownLatch(2);
        List<Thread> threads = new ArrayList<>();
        for (int thread = 0; thread < 2; thread++) {
            String name = "thread" + thread + "-";
            threads.add(new Thread(() -> {
                for (int i = 0; !stop.get() && i < 50_000; i++) {
                    throttles.get(name + i % 300);
                    started.countDown();
                }
            }));
        }
        threads.forEach(Thread::start);
        started.await();
        try {
            for (int round = 1; round <= 20; round++) {
                Duration wait = seconds(round);
                throttles.reconfigure(all -> all.maxWait(wait));
                assertThat(throttles.all()).extracting(Throttle::maxWait).containsOnly(wait);
            }
        } finally {
            stop.set(true);
            for (Thread thread : threads) {
                thread.join();
            }
        }
        assertThat(throttles.all()).extracting(Throttle::maxWait).containsOnly(seconds(20));
    }

    private static final class NoGuard implements AdmissionGuard {

        @Override
        public Pass tryEnter() {
            return new Pass() {
                @Override
                public void onEnd(Signal signal, Duration duration) {}

                @Override
                public void onLeft() {}
            };
        }

        @Override
        public String name() {
            return "none";
        }
    }
}
