package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.throttle.control.Strategies;
import dev.throttle.fixtures.OpenController;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** How many processes share a key, where somebody counts them. */
class SharedByTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final Timeline line = new Timeline();
    private final Throttle throttle = line.throttle(
                    Strategies.quotaPacing().jitter(0).build())
            .maxWait(Duration.ofHours(1))
            .build();

    private void answered(Signal signal) {
        Objects.requireNonNull(throttle.tryAcquire()).complete(signal);
    }

    private static Signal window(long remaining, Duration reset) {
        return new Signal(
                Outcome.SUCCESS, new RateHints(null, List.of(new Quota("minute", 100L, remaining, reset, MINUTE))));
    }

    private double interval() {
        return 1 / throttle.snapshot().rateLimit();
    }

    @Test
    void whoComesGoesAtItsPartOfThePaceFromTheFirstRequestOn() {
        throttle.reportSharers(10, 1.25);
        throttle.observe(Timeline.remaining(9));
        for (String call : List.of("a", "b", "c")) {
            line.ask(throttle, call);
        }
        assertThat(interval()).isEqualTo(8);
        line.advanceMillis(24_000); // without any answer
        assertThat(line.events).hasSize(3);
        line.events.clear();
        throttle.observe(Timeline.remaining(9));
        assertThat(interval()).isEqualTo(8); // of no use any more: how it refills shows in own answers
    }

    @Test
    void aStrategyThatComesLaterKnowsIt() {
        throttle.reportSharers(10, 1.25);
        throttle.reconfigure(key -> key.strategy(
                Strategies.quotaPacing().jitter(0).reserveShared(0.3).build()));
        throttle.observe(Timeline.remaining(9));
        assertThat(interval()).isEqualTo(8);
    }

    @Test
    void whereMuchIsLeftNobodyWaitsForTheFirst() {
        throttle.reportSharers(3, 30);
        throttle.observe(Timeline.remaining(500));
        assertThat(throttle.tryAcquire()).isNotNull();
        assertThat(throttle.tryAcquire()).isNull();
    }

    @Test
    void whoHasHadFewAnswersTakesThePaceOfAll() {
        answered(Timeline.remaining(3));
        assertThat(interval()).isEqualTo(2.4, within(0.01)); // a guess
        throttle.reportSharers(5, 2);
        assertThat(interval()).isEqualTo(2.5);
        throttle.reportSharers(5, 1);
        assertThat(interval()).isEqualTo(2.5); // once: then it goes by what it sees
    }

    @Test
    void whoIsThereMakesRoomAtOnceAndTakesItBackByAndBy() {
        answered(Timeline.remaining(3));
        throttle.reportSharers(1, Double.NaN);
        double alone = interval();
        throttle.reportSharers(10, Double.NaN);
        assertThat(interval()).isEqualTo(10 * alone, within(1e-9));
        throttle.reportSharers(4, Double.NaN);
        assertThat(interval()).isEqualTo(5 * alone, within(1e-9)); // whoever cannot be counted may still send
        throttle.reportSharers(4, Double.NaN);
        assertThat(interval()).isEqualTo(4 * alone, within(1e-9));
        throttle.reportSharers(4, Double.NaN);
        assertThat(interval()).isEqualTo(4 * alone, within(1e-9));
    }

    @Test
    void whereNobodyCountsAnyMoreThePaceStays() {
        answered(Timeline.remaining(3));
        throttle.reportSharers(4, Double.NaN);
        double together = interval();
        throttle.reportSharers(0, Double.NaN);
        throttle.reportSharers(0, Double.NaN);
        assertThat(interval()).isEqualTo(together);
        throttle.reportSharers(4, Double.NaN);
        assertThat(interval()).isEqualTo(together);
    }

    @Test
    void aStockThatOthersUseIsNotTakenForTheOwn() {
        throttle.reportSharers(2, Double.NaN);
        answered(Timeline.remaining(16));
        answered(Timeline.remaining(7));
        assertThat(throttle.snapshot().rateLimit()).isFinite();
    }

    @Test
    void ofAWindowEachLeavesRoomForTheOthers() {
        answered(window(100, MINUTE));
        int alone = burst();
        Throttle shared = line.throttle(Strategies.quotaPacing().jitter(0).build())
                .maxWait(Duration.ofHours(1))
                .build();
        shared.reportSharers(4, Double.NaN);
        Objects.requireNonNull(shared.tryAcquire()).complete(window(100, MINUTE));
        int together = 0;
        while (shared.tryAcquire() != null) {
            together++;
        }
        assertThat(together).isLessThan(alone);
    }

    private int burst() {
        int count = 0;
        while (throttle.tryAcquire() != null) {
            count++;
        }
        return count;
    }

    @Test
    void afterAResetEachTakesItsPartBeforeItIsTold() {
        answered(window(50, Duration.ofSeconds(10)));
        line.advanceMillis(10_500);
        answered(window(99, Duration.ofSeconds(59)));
        line.advanceMillis(30_000);
        answered(window(60, Duration.ofSeconds(29)));
        throttle.reportSharers(4, Double.NaN);
        line.advanceMillis(31_000);
        assertThat(burst()).isBetween(1, 25);
    }

    @Test
    void theCountOutlivesAChangeOfTheSettings() {
        throttle.reportSharers(2, Double.NaN);
        answered(Timeline.remaining(3));
        double before = interval();
        throttle.reconfigure(settings -> settings.strategy(
                Strategies.quotaPacing().jitter(0).maxInterval(MINUTE).build()));
        throttle.reportSharers(4, Double.NaN);
        assertThat(interval()).isEqualTo(2 * before, within(1e-9));
    }

    @Test
    void aRegistryTellsTheKeysThatThereAre() {
        ThrottleRegistry registry =
                line.registry(Strategies.quotaPacing().jitter(0).build()).build();
        registry.reportSharers("k", 2, 1);
        assertThat(registry.getIfPresent("k")).isNull();
        Objects.requireNonNull(registry.get("k").tryAcquire()).complete(Timeline.remaining(3));
        registry.reportSharers("k", 2, 1);
        assertThat(registry.get("k").snapshot().rateLimit()).isEqualTo(0.5);
    }

    @Test
    void nonsenseIsRefusedOrLeftOut() {
        assertThatThrownBy(() -> throttle.reportSharers(-1, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("processes must be a whole number from 0 to 1000000000, but was -1");
        answered(Timeline.remaining(3));
        double before = interval();
        for (double rate : new double[] {0, -1, Double.NaN, Double.POSITIVE_INFINITY}) {
            throttle.reportSharers(1, rate);
            assertThat(interval()).isEqualTo(before);
        }
        throttle.reportSharers(1_000_000_000, 1e-300);
        assertThat(interval()).isLessThanOrEqualTo(3600);
    }

    /** What a strategy is told of others, and how many it lets go then. */
    private static final class Told extends OpenController {

        private final List<String> told = new ArrayList<>();
        private int permits;

        @Override
        public long dueNanos(Cost ahead, Cost cost, long nowNanos) {
            return permits > 0 ? nowNanos : UNTIL_SIGNAL;
        }

        @Override
        public void onAdmitted(Cost cost, long permitId, long nowNanos) {
            permits--;
        }

        @Override
        public void onShared(int processes, double perSecond, long nowNanos) {
            told.add(processes + " at " + perSecond);
            permits = processes;
        }

        @Override
        public double limitPerSecond() {
            return 1;
        }
    }

    @Test
    void whoeverMayGoNowGoesAtOnce() {
        Throttle waiting =
                line.throttle(TestStrategies.named("told", Told::new)).build();
        line.ask(waiting, "a");
        line.ask(waiting, "b");
        line.advanceMillis(300);
        waiting.reportSharers(1, 5);
        assertThat(line.events).containsExactly("a@300");
    }

    @Test
    void aStrategyThatComesLaterIsToldOnceUnlessNobodyCounted() {
        for (int processes : new int[] {-1, 0, 3}) {
            Throttle changed = line.throttle(Strategies.none()).build();
            if (processes >= 0) {
                changed.reportSharers(processes, 5);
            }
            Told later = new Told();
            changed.reconfigure(key -> key.strategy(TestStrategies.named("told", () -> later)));
            assertThat(later.told).isEqualTo(processes < 0 ? List.of() : List.of(processes + " at 5.0"));
        }
    }

    @Test
    void theSuccessorOfADroppedKeyIsTold() {
        List<Told> made = new ArrayList<>();
        ThrottleRegistry throttles = line.registry(TestStrategies.named("told", () -> {
                    made.add(new Told());
                    return made.get(made.size() - 1);
                }))
                .maxKeys(1)
                .build();
        Throttle dropped = throttles.get("k");
        dropped.reportSharers(1, 5);
        Objects.requireNonNull(dropped.tryAcquire()).complete(Signal.SUCCESS);
        dropped.reportSharers(1, 5);
        for (int i = 0; i < 50; i++) {
            throttles.get("other" + i).reportSharers(1, 5);
        }
        assertThat(dropped.isEvicted()).isTrue();
        dropped.reportSharers(7, 5);
        assertThat(made.get(made.size() - 1).told).endsWith("7 at 5.0");
        assertThat(throttles.get("k").tryAcquire()).isNotNull();
    }
}
