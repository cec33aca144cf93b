package dev.throttle.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.internal.DurationText;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Strategies by name, with settings as text. */
class StrategiesTest {

    /** A value for each setting that is not its default. */
    private static final Map<String, String> OTHER = Map.ofEntries(
            Map.entry("unit", "tokens"),
            Map.entry("multiplier", "2.5"),
            Map.entry("firstSleep", "250ms"),
            Map.entry("minSleep", "300ms"),
            Map.entry("startingSleep", "4s"),
            Map.entry("decrease", "50us"),
            Map.entry("decreaseDivisor", "1000.0"),
            Map.entry("maxSleep", "2m"),
            Map.entry("jitter", "0.25"),
            Map.entry("interval", "7ns"),
            Map.entry("initialInterval", "1500us"),
            Map.entry("maxInterval", "1d"),
            Map.entry("upMultiplier", "1.75"),
            Map.entry("downMultiplier", "0.5"),
            Map.entry("downMultiplierThreshold", "3"),
            Map.entry("randomizationFactor", "0.125"),
            Map.entry("maxRandomization", "1h"),
            Map.entry("recoverRate", "2.0"),
            Map.entry("recoverValue", "200.0"),
            Map.entry("initialLimit", "9999999.0"),
            Map.entry("maxWait", "0s"),
            Map.entry("rateLimitedIsBusy", "true"),
            Map.entry("rate", "4500/1h"),
            Map.entry("from", "50/1m"),
            Map.entry("doubleEvery", "5m"),
            Map.entry("burst", "17"),
            Map.entry("queue", "5"),
            Map.entry("limit", "100"),
            Map.entry("window", "1m"));

    static Stream<String> names() {
        return Strategies.names().stream();
    }

    @Test
    void allNamesAreThere() {
        assertThat(Strategies.names())
                .contains(
                        "none",
                        "linear-backoff",
                        "exponential-backoff",
                        "exponential-increase-gradual-decrease",
                        "exponential-increase-proportional-decrease",
                        "exponential-increase-proportional-remaining-decrease",
                        "responsive-backoff",
                        "quota-pacing",
                        "greedy-until-reset",
                        "busy-rps",
                        "token-bucket",
                        "leaky-bucket",
                        "fixed-window",
                        "sliding-window-log",
                        "sliding-window-counter",
                        "in-flight",
                        "ramp-up");
    }

    @ParameterizedTest
    @MethodSource("names")
    void aStrategyIsMadeByItsNameAndTellsItsSettings(String name) {
        Strategy strategy = Strategies.named(name);
        assertThat(strategy.name()).isEqualTo(name);
        assertThat(strategy.settings().keySet())
                .containsExactlyElementsOf(Strategies.builder(name).keys());
        assertThat(Strategies.named(name, strategy.settings()).settings()).isEqualTo(strategy.settings());
        assertThat(strategy).asString().startsWith(name);
    }

    @ParameterizedTest
    @MethodSource("names")
    void everySettingCanBeWrittenAndIsReadBackAsItWas(String name) {
        Map<String, String> settings = new HashMap<>();
        for (String key : Strategies.builder(name).keys()) {
            String value = OTHER.get(key);
            if (value != null) {
                assertThat(Strategies.named(name).settings()).as("default").doesNotContainEntry(key, value);
                settings.put(key, value);
            }
        }
        Strategy strategy = Strategies.named(name, settings);
        assertThat(strategy.settings()).containsAllEntriesOf(settings);
        assertThat(Strategies.named(name, strategy.settings()).settings()).isEqualTo(strategy.settings());
    }

    @Test
    void everySettingHasAnotherValueInThisTest() {
        for (String name : Strategies.names()) {
            if (!name.equals("quota-pacing")) {
                assertThat(OTHER.keySet()).containsAll(Strategies.builder(name).keys());
            }
        }
    }

    @Test
    void anUnknownNameIsRefusedWithTheListOfKnownOnes() {
        assertThatThrownBy(() -> Strategies.named("exponential"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("unknown strategy 'exponential': known are none, linear-backoff, ")
                .hasMessageContaining("sliding-window-counter");
    }

    @Test
    void anUnknownSettingIsRefusedWithTheListOfKnownOnes() {
        assertThatThrownBy(() -> Strategies.named("linear-backoff", Map.of("multiplier", "2")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("unknown setting 'multiplier': linear-backoff has interval, maxInterval, jitter");
        assertThatThrownBy(() -> Strategies.named("none", Map.of("jitter", "0")))
                .hasMessage("unknown setting 'jitter': none has no settings");
    }

    @ParameterizedTest
    @CsvSource({
        "exponential-backoff, multiplier, 1",
        "exponential-backoff, multiplier, NaN",
        "exponential-backoff, multiplier, Infinity",
        "exponential-backoff, multiplier, two",
        "exponential-backoff, minSleep, 0s",
        "exponential-backoff, minSleep, 1",
        "exponential-backoff, minSleep, -1s",
        "exponential-backoff, minSleep, 1 s",
        "exponential-backoff, maxSleep, 1ms",
        "exponential-backoff, jitter, 1.01",
        "exponential-backoff, jitter, -0.1",
        "exponential-increase-gradual-decrease, decrease, 0ns",
        "exponential-increase-gradual-decrease, maxSleep, 799ms",
        "exponential-increase-proportional-decrease, startingSleep, 301s",
        "exponential-increase-proportional-decrease, decreaseDivisor, 0.5",
        "exponential-increase-proportional-remaining-decrease, decreaseDivisor, 0",
        "exponential-increase-proportional-remaining-decrease, startingSleep, 10m",
        "linear-backoff, interval, 2m",
        "responsive-backoff, upMultiplier, 0.9",
        "responsive-backoff, downMultiplier, 1.1",
        "responsive-backoff, downMultiplierThreshold, 0",
        "responsive-backoff, downMultiplierThreshold, 1.5",
        "responsive-backoff, randomizationFactor, 2",
        "busy-rps, recoverRate, 0",
        "busy-rps, recoverValue, -1",
        "busy-rps, initialLimit, maximum",
        "busy-rps, rateLimitedIsBusy, yes",
        "token-bucket, rate, 10",
        "token-bucket, rate, /s",
        "token-bucket, rate, 0/s",
        "token-bucket, rate, 2/1ns",
        "token-bucket, rate, 1/forever",
        "token-bucket, rate, 1/367d",
        "token-bucket, burst, 0",
        "leaky-bucket, queue, -1",
        "fixed-window, limit, 0",
        "fixed-window, window, 0s",
        "sliding-window-log, limit, 1000000001",
        "token-bucket, unit, ''",
        "sliding-window-counter, window, forever"
    })
    void aBadValueIsRefusedWithTheSettingTheValueAndWhatItAccepts(String name, String key, String value) {
        assertThatThrownBy(() -> Strategies.named(name, Map.of(key, value)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageMatching(".+ must be .+, but was .+");
    }

    @ParameterizedTest
    @CsvSource({
        "exponential-backoff, minSleep, 5m",
        "exponential-increase-gradual-decrease, startingSleep, 5m",
        "exponential-increase-proportional-decrease, decreaseDivisor, 1",
        "linear-backoff, interval, 1m",
        "linear-backoff, jitter, 0",
        "responsive-backoff, downMultiplier, 0",
        "responsive-backoff, randomizationFactor, 1",
        "greedy-until-reset, maxSleep, 0s",
        "busy-rps, recoverValue, 0",
        "busy-rps, recoverValue, 0.01",
        "token-bucket, rate, 1/1ns",
        "token-bucket, rate, 1/366d",
        "leaky-bucket, queue, 0",
        "fixed-window, window, 366d",
        "sliding-window-log, limit, 1000000000",
        "in-flight, limit, 1000000"
    })
    void theBoundsThemselvesAreAccepted(String name, String key, String value) {
        Strategy strategy = Strategies.named(name, Map.of(key, value));
        assertThat(Strategies.named(name, strategy.settings()).settings()).isEqualTo(strategy.settings());
    }

    @Test
    void aRateWithoutItsNumberIsToldAsSuch() {
        assertThatThrownBy(() -> Strategies.named("token-bucket", Map.of("rate", "/s")))
                .hasMessage("rate must be permits per period such as 4500/1h, 100/min or 10/s, but was '/s'");
    }

    @ParameterizedTest
    @CsvSource({
        "100/min, 100/1m",
        "100/m, 100/1m",
        "100/minute, 100/1m",
        "5/sec, 5/1s",
        "5/second, 5/1s",
        "5/s, 5/1s",
        "4500/hour, 4500/1h",
        "4500/h, 4500/1h",
        "9/day, 9/1d",
        "9/d, 9/1d",
        "10/250ms, 10/250ms"
    })
    void aRateIsWrittenAsPeopleWriteIt(String text, String exact) {
        assertThat(Strategies.tokenBucket().set("rate", text).build().settings())
                .containsEntry("rate", exact);
        assertThat(Strategies.leakyBucket().set("rate", text).build().settings())
                .containsEntry("rate", exact);
    }

    @Test
    void everyBuilderTakesTextBesideItsMethods() {
        assertThat(Strategies.linearBackoff()
                        .set("interval", "2s")
                        .jitter(0)
                        .build()
                        .settings())
                .containsEntry("interval", "2s")
                .containsEntry("jitter", "0.0");
    }

    @Test
    void theMessageNamesTheSettingAndTheValue() {
        assertThatThrownBy(() -> Strategies.named("exponential-backoff", Map.of("multiplier", "1")))
                .hasMessage("multiplier must be a finite number above 1.0, but was 1.0");
        assertThatThrownBy(() -> Strategies.named("exponential-backoff", Map.of("minSleep", "1")))
                .hasMessage("minSleep must be a duration such as 250ms, 1.5s, 30m or 1h, or forever, but was '1'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"800ns", "20us", "250ms", "1500ms", "1s", "30m", "1h", "2d", "0s", "forever"})
    void durationsAreReadAndWritten(String text) {
        assertThat(DurationText.format(DurationText.parse("duration", text))).isEqualTo(text);
    }

    @Test
    void anyDurationIsWrittenExactly() {
        assertThat(DurationText.parse("duration", "1.5s")).isEqualTo(Duration.ofMillis(1500));
        assertThat(DurationText.parse("duration", "0.0000000015s")).isEqualTo(Duration.ofNanos(2));
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 10_000; i++) {
            Duration duration =
                    Duration.ofSeconds(random.nextLong(1L << random.nextInt(1, 50)), random.nextInt(1_000_000_000));
            assertThat(DurationText.parse("duration", DurationText.format(duration)))
                    .isEqualTo(duration);
        }
    }

    @Test
    void theDefaultIsQuotaPacing() {
        assertThat(Strategies.standard().name()).isEqualTo("quota-pacing");
    }

    @Test
    void buildersGiveTheSameAsNames() {
        List<Strategy> built = List.of(
                Strategies.none(),
                Strategies.linearBackoff().build(),
                Strategies.exponentialBackoff().build(),
                Strategies.exponentialIncreaseGradualDecrease().build(),
                Strategies.exponentialIncreaseProportionalDecrease().build(),
                Strategies.exponentialIncreaseProportionalRemainingDecrease().build(),
                Strategies.responsiveBackoff().build(),
                Strategies.busyRps().build(),
                Strategies.tokenBucket().build(),
                Strategies.leakyBucket().build(),
                Strategies.fixedWindow().build(),
                Strategies.slidingWindowLog().build(),
                Strategies.slidingWindowCounter().build());
        for (Strategy strategy : built) {
            assertThat(Strategies.named(strategy.name()).settings()).isEqualTo(strategy.settings());
        }
    }
}
