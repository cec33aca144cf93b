package dev.throttle.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.busy.BusyRps;
import dev.throttle.fixtures.Traffic;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What holds for every adaptive strategy whatever the server answers, over random traces with random settings. */
class AdaptivePropertiesTest {

    /** The upper bound of every limit of busy-rps. */
    private static final double CAP = 9_999_999;

    private static final int TRACES = 500;
    private static final int LENGTH = 200;
    private static final long[] EXTREMES = {0, 1, 4499, 4500, -1, 1L << 62, Long.MAX_VALUE, Long.MIN_VALUE};

    static Stream<String> sleepers() {
        return Strategies.names().stream()
                .filter(name -> Strategies.named(name).newController(ControllerHost.detached(new SplittableRandom(1)))
                        instanceof SleepController);
    }

    private static Map<String, String> settings(String name, SplittableRandom random) {
        Map<String, String> settings = new HashMap<>();
        for (String key : Strategies.builder(name).keys()) {
            String value = switch (key) {
                case "multiplier", "upMultiplier" -> String.valueOf(1.01 + 3 * random.nextDouble());
                case "downMultiplier", "randomizationFactor", "jitter" -> String.valueOf(random.nextDouble());
                case "downMultiplierThreshold" -> String.valueOf(random.nextInt(1, 20));
                case "decreaseDivisor" -> String.valueOf(1 + 5000 * random.nextDouble());
                case "maxSleep", "maxInterval" -> random.nextInt(1, 100_000) + "s";
                case "startingSleep" -> random.nextInt(2) * random.nextInt(1000) + "ms";
                default -> random.nextInt(1, 1000) + "ms";
            };
            if (random.nextBoolean()) {
                settings.put(key, value);
            }
        }
        return settings;
    }

    private static double maximum(Strategy strategy) {
        return strategy.settings().entrySet().stream()
                .filter(setting ->
                        setting.getKey().startsWith("max") && !setting.getKey().endsWith("Randomization"))
                .mapToDouble(setting -> dev.throttle.internal.DurationText.parse(setting.getKey(), setting.getValue())
                        .toSeconds())
                .findAny()
                .orElse(0);
    }

    private static Signal signal(SplittableRandom random) {
        Outcome[] outcomes = {Outcome.SUCCESS, Outcome.SUCCESS, Outcome.RATE_LIMITED, Outcome.BUSY, Outcome.FAILED};
        Outcome outcome = outcomes[random.nextInt(outcomes.length)];
        Duration retryAfter = random.nextInt(5) > 0 ? null : Duration.ofSeconds(random.nextLong(Long.MAX_VALUE));
        if (random.nextInt(4) == 0) {
            return new Signal(outcome, new RateHints(retryAfter, List.of()));
        }
        return new Signal(outcome, new RateHints(retryAfter, List.of(quota(random), quota(random))));
    }

    private static Quota quota(SplittableRandom random) {
        return new Quota(null, units(random), units(random), null, null);
    }

    private static Long units(SplittableRandom random) {
        int kind = random.nextInt(10);
        return kind == 0 ? null : kind < 6 ? random.nextLong(4501) : EXTREMES[random.nextInt(EXTREMES.length)];
    }

    @ParameterizedTest
    @MethodSource("sleepers")
    void sleepsStayInBoundsAndMoveTheRightWay(String name) {
        for (int seed = 0; seed < TRACES; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            Strategy strategy = Strategies.named(name, settings(name, random));
            double maximum = maximum(strategy);
            SleepController controller = (SleepController) strategy.newController(ControllerHost.detached(random));
            double before = controller.sleepSeconds();
            int refusals = 0;
            for (int i = 0; i < LENGTH; i++) {
                Signal signal = signal(random);
                refusals = signal.outcome().isRefusal() ? refusals + 1 : 0;
                double retry = controller.onSignal(signal, refusals, i);
                double sleep = controller.sleepSeconds();
                for (double value :
                        new double[] {sleep, controller.firstSleepSeconds(), retry, controller.retrySleepSeconds(retry)
                        }) {
                    assertThat(value).as("%s %s", strategy, seed).isFinite().isBetween(0.0, maximum);
                }
                if (signal.outcome().isRefusal()) {
                    assertThat(sleep).as("%s %s", strategy, seed).isGreaterThanOrEqualTo(before);
                } else if (signal.outcome() == Outcome.SUCCESS) {
                    assertThat(sleep).as("%s %s", strategy, seed).isLessThanOrEqualTo(before);
                } else {
                    assertThat(sleep).as("a fault says nothing about quota").isEqualTo(before);
                }
                before = sleep;
            }
        }
    }

    @Test
    void theRpsLimitStaysInBoundsAndMovesTheRightWay() {
        for (int seed = 0; seed < TRACES; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            BusyRps.Builder builder = Strategies.busyRps().recoverRate(0.01 + 10 * random.nextDouble());
            if (random.nextBoolean()) {
                builder.initialLimit(random.nextLong(1, (long) CAP));
            }
            RateController controller = builder.recoverValue(random.nextInt(2) * random.nextDouble(0.01, 1000))
                    .build()
                    .newController(ControllerHost.detached(random));
            long now = Long.MAX_VALUE - 5_000_000_000L;
            for (int i = 0; i < LENGTH; i++) {
                now += random.nextInt(3) == 0 ? 0 : random.nextLong(3_000_000_000L);
                controller.onSignal(Signal.FAILED, load(random), now);
                double before = controller.limitPerSecond();
                Signal signal = signal(random);
                controller.onSignal(signal, load(random), now);
                double limit = controller.limitPerSecond();
                assertThat(limit).isPositive();
                if (signal.outcome() == Outcome.BUSY) {
                    assertThat(limit).isLessThanOrEqualTo(Math.min(before, CAP));
                } else {
                    assertThat(limit).isGreaterThanOrEqualTo(before);
                }
                long wait = controller.dueNanos(Cost.requests(random.nextLong(100)), Cost.ONE, now) - now;
                assertThat(wait).isBetween(0L, Duration.ofDays(1).toNanos());
                controller.onAdmitted(Cost.requests(random.nextInt(1, 5)), now, now);
            }
        }
    }

    private static Traffic load(SplittableRandom random) {
        return Traffic.QUIET.waiting(random.nextInt(10)).perSecond(random.nextInt(1000));
    }
}
