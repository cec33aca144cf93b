package dev.throttle.control.quota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.ControllerHost;
import dev.throttle.control.RateController;
import dev.throttle.control.Strategies;
import dev.throttle.fixtures.Traffic;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What holds for {@code quota-pacing} whatever the server answers, over random traces with random settings. */
class QuotaPacingPropertiesTest {

    private static final int TRACES = 500;
    private static final int LENGTH = 300;
    private static final long[] EXTREMES = {0, 1, 4500, -1, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 62};

    private static long units(SplittableRandom random) {
        return random.nextInt(8) == 0 ? EXTREMES[random.nextInt(EXTREMES.length)] : random.nextLong(4501);
    }

    private static @Nullable Duration duration(SplittableRandom random) {
        return switch (random.nextInt(6)) {
            case 0 -> Duration.ofSeconds(random.nextLong(Long.MAX_VALUE));
            case 1 -> Duration.ZERO;
            case 2, 3 -> Duration.ofMillis(random.nextLong(100_000));
            default -> null;
        };
    }

    private static Signal signal(SplittableRandom random) {
        Outcome[] outcomes = Outcome.values();
        Outcome outcome = random.nextInt(3) > 0 ? Outcome.SUCCESS : outcomes[random.nextInt(outcomes.length)];
        if (random.nextInt(4) == 0) {
            return new Signal(outcome, new RateHints(duration(random), List.of()));
        }
        Long limit = random.nextBoolean() ? units(random) : null;
        Long remaining = random.nextInt(9) == 0 ? null : units(random);
        Quota quota = new Quota("a", limit, remaining, duration(random), duration(random));
        return new Signal(outcome, new RateHints(duration(random), List.of(quota)));
    }

    private static QuotaPacing strategy(SplittableRandom random) {
        return Strategies.quotaPacing()
                .reserveAlone(random.nextDouble())
                .reserveShared(random.nextDouble())
                .jitter(random.nextDouble())
                .firstPatience(Duration.ofMillis(random.nextInt(10_000)))
                .maxInterval(Duration.ofMillis(random.nextInt(1, 1_000_000)))
                .maxResetWait(Duration.ofMillis(random.nextInt(1_000_000)))
                .build();
    }

    @Test
    void intervalsAndWaitsStayInBounds() {
        for (int seed = 0; seed < TRACES; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            QuotaPacing strategy = strategy(random);
            QuotaPacer controller = (QuotaPacer) strategy.newController(ControllerHost.detached(random));
            long longestWait = Duration.ofDays(1).plusHours(1).toNanos();
            long now = Long.MAX_VALUE - 5_000_000_000L;
            for (int i = 0; i < LENGTH; i++) {
                now += random.nextInt(3) == 0 ? 0 : random.nextLong(3_000_000_000L);
                Signal signal = signal(random);
                if (!controller.isIdle() || random.nextBoolean()) {
                    controller.onAdmitted(Cost.requests(random.nextInt(1, 5)), now, now);
                }
                controller.onSignal(signal, load(random.nextInt(100), now), now);

                String trace = strategy + " " + seed;
                assertThat(controller.interval())
                        .as(trace)
                        .isBetween(0.0, strategy.pacing().maxInterval());
                assertThat(controller.limitPerSecond()).as(trace).isPositive();
                long due = controller.dueNanos(Cost.NONE, Cost.ONE, now);
                if (due == RateController.UNTIL_SIGNAL) {
                    assertThat(controller.wire()).as(trace).isPositive(); // a signal is still to come
                    continue;
                }
                long wait = due - now;
                assertThat(wait).as(trace).isBetween(0L, 4 * longestWait);
                long later = controller.dueNanos(Cost.requests(random.nextLong(Integer.MAX_VALUE)), Cost.ONE, now);
                assertThat(later == RateController.UNTIL_SIGNAL || later - now >= wait)
                        .as(trace)
                        .isTrue();
                if (controller.isIdle()) {
                    assertThat(wait).as(trace).isZero();
                }
            }
        }
    }

    @Test
    void afterAnythingItRecoversWhenTheQuotaIsPlentiful() {
        for (int seed = 0; seed < TRACES; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            QuotaPacer controller =
                    (QuotaPacer) Strategies.quotaPacing().build().newController(ControllerHost.detached(random));
            long now = 0;
            for (int i = 0; i < LENGTH; i++) {
                now += random.nextLong(3_000_000_000L);
                controller.onAdmitted(Cost.ONE, now, now);
                controller.onSignal(signal(random), load(0, now), now);
            }
            Quota plenty = new Quota("a", 1_000_000L, 900_000L, null, null);
            Signal good = new Signal(Outcome.SUCCESS, new RateHints(null, List.of(plenty)));
            for (int i = 0; i < 500 && !controller.isIdle(); i++) {
                now = Math.max(now, controller.dueNanos(Cost.NONE, Cost.ONE, now));
                controller.onAdmitted(Cost.ONE, now, now);
                controller.onSignal(good, load(0, now), now);
            }
            assertThat(controller.isIdle()).as("seed %s", seed).isTrue();
        }
    }

    @Test
    void whoComesBehindAQueueIsToldOfTheWindowThatItWillUseUp() {
        RateController controller =
                Strategies.quotaPacing().build().newController(ControllerHost.detached(new SplittableRandom(1)));
        Quota window = new Quota("a", 100L, 60L, Duration.ofSeconds(60), null);
        controller.onAdmitted(Cost.ONE, 0, 0);
        controller.onSignal(new Signal(Outcome.SUCCESS, new RateHints(null, List.of(window))), load(0, 0), 0);
        assertThat(controller.dueNanos(Cost.requests(10), Cost.ONE, 0)).isZero();
        assertThat(controller.dueNanos(Cost.requests(58), Cost.ONE, 0)).isBetween(30_000_000_000L, 60_000_000_000L);
        assertThat(controller.dueNanos(Cost.requests(60), Cost.ONE, 0)).isBetween(60_000_000_000L, 62_000_000_000L);
    }

    @Test
    void whoComesBehindAQueueAtABucketWaitsForAnAnswerOrTheRefill() {
        RateController controller =
                Strategies.quotaPacing().build().newController(ControllerHost.detached(new SplittableRandom(1)));
        Quota bucket = new Quota("a", 100L, 60L, null, null);
        controller.onAdmitted(Cost.ONE, 0, 0);
        controller.onSignal(new Signal(Outcome.SUCCESS, new RateHints(null, List.of(bucket))), load(0, 0), 0);
        assertThat(controller.dueNanos(Cost.requests(10), Cost.ONE, 0)).isZero();
        assertThat(controller.dueNanos(Cost.requests(60), Cost.ONE, 0))
                .isPositive()
                .isNotEqualTo(RateController.UNTIL_SIGNAL);
        controller.onAdmitted(Cost.ONE, 0, 0);
        assertThat(controller.dueNanos(Cost.requests(10), Cost.ONE, 0)).isZero();
        assertThat(controller.dueNanos(Cost.requests(60), Cost.ONE, 0)).isEqualTo(RateController.UNTIL_SIGNAL);
    }

    private static Traffic load(int inFlight, long admittedAt) {
        return Traffic.QUIET.inFlight(inFlight).admittedAt(admittedAt).perSecond(1);
    }
}
