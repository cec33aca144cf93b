package dev.throttle.control.limit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.ControllerHost;
import dev.throttle.control.RateController;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.fixtures.Traffic;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Corners of the fixed limits that random arrivals seldom reach. */
class FixedLimitsExactlyTest {

    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1000 * MILLI;
    /** Far from zero, as any clock may be. */
    private static final long START = -7 * SECOND;

    private static RateController controller(Strategy strategy) {
        return (RateController) strategy.newController(ControllerHost.detached(new SplittableRandom(1)));
    }

    private static RateController tenTokensASecond(String name) {
        return controller(Strategies.builder(name).set("unit", "tokens").build());
    }

    private static Cost tokens(long amount) {
        return Cost.of("tokens", amount);
    }

    private static long millis(RateController limit, Cost cost, long now) {
        return (limit.dueNanos(Cost.NONE, cost, now) - START) / MILLI;
    }

    @ParameterizedTest
    @ValueSource(strings = {"token-bucket", "fixed-window", "sliding-window-log", "sliding-window-counter"})
    void whatTakesNothingOfTheUnitGoesUnlessMoreThanAllIsGone(String name) {
        RateController limit = tenTokensASecond(name);
        limit.onAdmitted(tokens(10), 0, START);
        assertThat(limit.dueNanos(Cost.NONE, Cost.ONE, START)).isLessThanOrEqualTo(START);
        assertThat(limit.dueNanos(Cost.NONE, Cost.ONE, 0.5, START)).isLessThanOrEqualTo(START);
        limit.onSettled(tokens(10), tokens(11), 0, START, START);
        assertThat(limit.dueNanos(Cost.NONE, Cost.ONE, START)).isGreaterThan(START);
        assertThat(limit.dueNanos(Cost.NONE, Cost.ONE, START + 2 * SECOND)).isLessThanOrEqualTo(START + 2 * SECOND);
    }

    @Test
    void aWindowBeginsWithTheFirstRequestThatTakesSomething() {
        RateController limit = tenTokensASecond("fixed-window");
        limit.takeOver(null, ended(Cost.NONE, START), START);
        limit.onAdmitted(Cost.ONE, 0, START + 100 * MILLI);
        limit.onSettled(tokens(0), tokens(0), 0, START + 100 * MILLI, START + 200 * MILLI);
        limit.onSignal(Signal.IGNORED, ended(Cost.ONE, START + 100 * MILLI), START + 200 * MILLI);
        limit.onAdmitted(tokens(10), 0, START + 300 * MILLI);
        assertThat(millis(limit, tokens(1), START + 400 * MILLI)).isEqualTo(1_300);
    }

    @ParameterizedTest
    @ValueSource(strings = {"token-bucket", "fixed-window", "sliding-window-log", "sliding-window-counter"})
    void aShareIsLeftToOthersAndARequestForAllGoesWhenAllIsFree(String name) {
        RateController limit = tenTokensASecond(name);
        assertThat(limit.dueNanos(Cost.NONE, tokens(10), 0.5, START)).isLessThanOrEqualTo(START);
        limit.onAdmitted(tokens(5), 0, START);
        assertThat(limit.dueNanos(Cost.NONE, tokens(1), 0.5, START)).isGreaterThan(START);
        assertThat(limit.dueNanos(Cost.NONE, tokens(1), 0.4, START)).isLessThanOrEqualTo(START);
        assertThat(limit.dueNanos(Cost.NONE, tokens(1), START)).isLessThanOrEqualTo(START);
    }

    @Test
    void whatCountsAnotherUnitLimitsNoRequestsPerSecond() {
        assertThat(tenTokensASecond("token-bucket").limitPerSecond()).isInfinite();
        assertThat(controller(Strategies.named("token-bucket")).limitPerSecond())
                .isEqualTo(10);
    }

    @Test
    void requestsAreSettledByACostOfRequestsOnly() {
        RateController limit = controller(Strategies.named("fixed-window"));
        limit.onAdmitted(Cost.ONE, 0, START);
        limit.onSettled(Cost.ONE, Cost.requests(100).and("tokens", 5), 0, START, START);
        assertThat(limit.dueNanos(Cost.NONE, Cost.requests(9), START)).isEqualTo(START);
        limit.onSettled(Cost.ONE, Cost.requests(3), 0, START, START);
        assertThat(limit.dueNanos(Cost.NONE, Cost.requests(7), START)).isEqualTo(START);
        assertThat(limit.dueNanos(Cost.NONE, Cost.requests(8), START)).isGreaterThan(START);
        RateController tokens = tenTokensASecond("fixed-window");
        tokens.onAdmitted(tokens(5), 0, START);
        tokens.onSettled(tokens(5), Cost.of("others", 1), 0, START, START); // nothing is said about tokens
        assertThat(millis(tokens, tokens(6), START)).isEqualTo(1_000);
    }

    @ParameterizedTest
    @ValueSource(strings = {"fixed-window", "sliding-window-log", "sliding-window-counter"})
    void whoStandsFarBehindWaitsForAsManyWindowsAsItTakes(String name) {
        RateController limit = controller(Strategies.named(name));
        limit.onAdmitted(Cost.requests(10), 0, START);
        long now = START + 250 * MILLI;
        assertThat(limit.dueNanos(Cost.requests(9), Cost.ONE, now)).isEqualTo(START + SECOND);
        assertThat(limit.dueNanos(Cost.requests(10), Cost.ONE, now)).isEqualTo(START + 2 * SECOND);
        assertThat(limit.dueNanos(Cost.requests(29), Cost.ONE, now)).isEqualTo(START + 3 * SECOND);
        assertThat(limit.dueNanos(Cost.requests(30), Cost.ONE, now)).isEqualTo(START + 4 * SECOND);
    }

    @ParameterizedTest
    @ValueSource(strings = {"fixed-window", "sliding-window-log", "sliding-window-counter"})
    void aWaitThatNoClockCanHoldIsAVeryLongOne(String name) {
        RateController limit = controller(
                Strategies.builder(name).set("limit", "1").set("window", "366d").build());
        limit.onAdmitted(Cost.ONE, 0, START);
        long wait = limit.dueNanos(Cost.requests(Cost.MAX_AMOUNT), Cost.ONE, START) - START;
        assertThat(wait).isGreaterThan(Duration.ofDays(20 * 366).toNanos());
    }

    @Test
    void aPreviousWindowFullOfDebtIsLeftBehindNeverTooLate() {
        RateController limit = controller(Strategies.slidingWindowCounter()
                .unit("tokens")
                .limit(10)
                .window(Duration.ofHours(1))
                .build());
        limit.onAdmitted(tokens(10), 0, START);
        limit.onSettled(tokens(10), tokens(1_000_000_000_000L), 0, START, START);
        long hour = Duration.ofHours(1).toNanos();
        // 32 ns before the end of the next window 8.9 of them count
        assertThat(limit.dueNanos(Cost.NONE, tokens(1), START + hour)).isEqualTo(START + 2 * hour - 32);
        assertThat(limit.dueNanos(Cost.NONE, tokens(10), START + hour)).isEqualTo(START + 2 * hour);
        assertThat(limit.dueNanos(Cost.NONE, tokens(1), START + 2 * hour)).isLessThanOrEqualTo(START + 2 * hour);
    }

    @Test
    void aLogThatGrowsWhileItForgetsLosesNothing() {
        RateController limit = controller(Strategies.slidingWindowLog()
                .limit(100)
                .window(Duration.ofSeconds(1))
                .build());
        for (int i = 0; i < 25; i++) {
            limit.onAdmitted(Cost.ONE, 0, START + i * 100 * MILLI);
        }
        long now = START + 2_400 * MILLI;
        for (int i = 1; i <= 90; i++) {
            limit.onAdmitted(Cost.ONE, 0, now + i);
        }
        // what went from 1.5 s on counts
        assertThat(millis(limit, Cost.ONE, now + 100)).isEqualTo(2_500);
        assertThat(millis(limit, Cost.requests(2), now + 100)).isEqualTo(2_600);
        assertThat(millis(limit, Cost.requests(9), now + 100)).isEqualTo(3_300);
        assertThat(millis(limit, Cost.requests(10), now + 100)).isEqualTo(3_400);
        assertThat(limit.dueNanos(Cost.NONE, Cost.requests(11), now + 100)).isEqualTo(now + 1 + SECOND);
        assertThat(limit.dueNanos(Cost.NONE, Cost.requests(100), now + 100)).isEqualTo(now + 90 + SECOND);
    }

    @Test
    void aLogTakesBackTheOldestAndWhatWentInTheMiddle() {
        RateController limit = controller(Strategies.slidingWindowLog()
                .limit(16)
                .window(Duration.ofSeconds(1))
                .build());
        for (int i = 0; i < 16; i++) {
            limit.onAdmitted(Cost.ONE, 0, START + i * MILLI);
        }
        long now = START + 20 * MILLI;
        limit.onSignal(Signal.IGNORED, ended(Cost.ONE, START + 5 * MILLI), now);
        assertThat(limit.dueNanos(Cost.NONE, Cost.ONE, now)).isEqualTo(now);
        limit.onSignal(Signal.IGNORED, ended(Cost.ONE, START), now);
        assertThat(limit.dueNanos(Cost.NONE, Cost.requests(2), now)).isEqualTo(now);
        assertThat(millis(limit, Cost.requests(3), now)).isEqualTo(1_001);
        assertThat(millis(limit, Cost.requests(6), now)).isEqualTo(1_004);
        assertThat(millis(limit, Cost.requests(7), now)).isEqualTo(1_006);
        limit.onSignal(Signal.IGNORED, ended(Cost.ONE, START + 5 * MILLI), now); // as nothing went then any more
        assertThat(millis(limit, Cost.requests(3), now)).isEqualTo(1_001);
    }

    @Test
    void whatWasSettledLaterDoesNotComeBackFromWhenItWasTaken() {
        RateController limit = tenTokensASecond("sliding-window-log");
        limit.onAdmitted(tokens(2), 0, START);
        limit.onAdmitted(tokens(1), 0, START + MILLI);
        limit.onSettled(tokens(1), tokens(4), 0, START + MILLI, START + 2 * MILLI);
        limit.onSignal(Signal.IGNORED, ended(tokens(4), START + MILLI), START + 3 * MILLI);
        assertThat(limit.dueNanos(Cost.NONE, tokens(5), START + 3 * MILLI)).isEqualTo(START + 3 * MILLI);
        assertThat(millis(limit, tokens(6), START + 3 * MILLI)).isEqualTo(1_000);
        assertThat(millis(limit, tokens(8), START + 3 * MILLI)).isEqualTo(1_002);
    }

    @Test
    void whatAnotherKindUsedIsOverWhenItWouldHaveBeen() {
        RateController log = controller(Strategies.slidingWindowLog()
                .limit(10)
                .window(Duration.ofSeconds(1))
                .build());
        log.onAdmitted(Cost.requests(4), 0, START);
        log.onAdmitted(Cost.requests(3), 0, START + 500 * MILLI);
        long now = START + SECOND; // the four are older than a window now
        RateController window = controller(Strategies.named("fixed-window"));
        window.takeOver(log, ended(Cost.NONE, now), now);
        assertThat(window.dueNanos(Cost.NONE, Cost.requests(7), now)).isEqualTo(now);
        assertThat(window.dueNanos(Cost.NONE, Cost.requests(8), now)).isEqualTo(now + SECOND);
        RateController other = tenTokensASecond("fixed-window"); // counts something else
        other.takeOver(log, ended(Cost.NONE, now), now);
        assertThat(other.dueNanos(Cost.NONE, tokens(10), now)).isEqualTo(now);
    }

    private static void giveBack(RateController limit, long amount, long takenAt, long now) {
        limit.onSignal(Signal.IGNORED, ended(Cost.requests(amount), takenAt), now);
    }

    @Test
    void aFixedWindowTakesBackOnlyWhatWentInIt() {
        RateController limit = controller(Strategies.named("fixed-window"));
        limit.onAdmitted(Cost.requests(10), 0, START);
        giveBack(limit, 3, START, START + MILLI);
        assertThat(limit.dueNanos(Cost.NONE, Cost.requests(3), START + MILLI)).isEqualTo(START + MILLI);
        assertThat(millis(limit, Cost.requests(4), START + MILLI)).isEqualTo(1_000);
        limit.onAdmitted(Cost.requests(10), 0, START + SECOND);
        giveBack(limit, 5, START, START + 1_100 * MILLI);
        assertThat(millis(limit, Cost.ONE, START + 1_100 * MILLI)).isEqualTo(2_000);
    }

    @Test
    void aSlidingCounterTakesBackWhatWentInTheWindowBeforeToo() {
        RateController limit = controller(Strategies.named("sliding-window-counter"));
        limit.onAdmitted(Cost.requests(10), 0, START);
        limit.onAdmitted(Cost.ONE, 0, START + SECOND + MILLI);
        long now = START + 1_500 * MILLI; // half of the ten count, and one
        assertThat(limit.dueNanos(Cost.NONE, Cost.requests(4), now)).isEqualTo(now);
        assertThat(limit.dueNanos(Cost.requests(2), Cost.requests(2), now)).isEqualTo(now);
        assertThat(millis(limit, Cost.requests(5), now)).isEqualTo(1_600);
        assertThat(limit.dueNanos(Cost.requests(2), Cost.requests(3), now)).isEqualTo(START + 1_600 * MILLI);
        giveBack(limit, 4, START, now); // half of six, and one
        assertThat(limit.dueNanos(Cost.NONE, Cost.requests(6), now)).isEqualTo(now);
        assertThat(limit.dueNanos(Cost.NONE, Cost.requests(7), now)).isGreaterThan(now);
        limit.onAdmitted(Cost.ONE, 0, START + 2 * SECOND);
        giveBack(limit, 6, START, START + 2 * SECOND); // older than both windows
        assertThat(limit.dueNanos(Cost.NONE, Cost.requests(9), START + 2 * SECOND))
                .isGreaterThan(START + 2 * SECOND);
    }

    @Test
    void aSlidingCounterIsExactToTheNanosecond() {
        RateController limit = controller(Strategies.named("sliding-window-counter"));
        limit.onAdmitted(Cost.requests(7), 0, START);
        // six sevenths of a second before the end of the next window six of the seven count
        assertThat(limit.dueNanos(Cost.NONE, Cost.requests(4), START + SECOND))
                .isEqualTo(START + 2 * SECOND - 857_142_857);
    }

    @Test
    void aLeakyBucketTakesBackWhatWasNeverSent() {
        RateController limit = controller(Strategies.named("leaky-bucket"));
        limit.onAdmitted(Cost.requests(3), 0, START);
        assertThat(millis(limit, Cost.ONE, START)).isEqualTo(300);
        giveBack(limit, 2, START, START);
        assertThat(millis(limit, Cost.ONE, START)).isEqualTo(100);
    }

    @Test
    void aLogTakesBackPartOfWhatWentAtATime() {
        RateController limit = controller(Strategies.named("sliding-window-log"));
        limit.onAdmitted(Cost.requests(2), 0, START);
        limit.onAdmitted(Cost.requests(3), 0, START);
        limit.onAdmitted(Cost.requests(5), 0, START + MILLI);
        long now = START + 2 * MILLI;
        giveBack(limit, 2, START, now);
        assertThat(limit.dueNanos(Cost.NONE, Cost.requests(2), now)).isEqualTo(now);
        assertThat(millis(limit, Cost.requests(5), now)).isEqualTo(1_000);
        assertThat(millis(limit, Cost.requests(6), now)).isEqualTo(1_001);
        giveBack(limit, 3, START, now);
        assertThat(limit.dueNanos(Cost.NONE, Cost.requests(5), now)).isEqualTo(now);
        assertThat(millis(limit, Cost.requests(6), now)).isEqualTo(1_001);
    }

    @Test
    void whoStandsFarBehindInALogWaitsForThoseInItsWay() {
        RateController limit = controller(Strategies.named("sliding-window-log"));
        limit.onAdmitted(Cost.requests(4), 0, START);
        limit.onAdmitted(Cost.requests(6), 0, START + 500 * MILLI);
        long now = START + 600 * MILLI;
        assertThat(limit.dueNanos(Cost.requests(10), Cost.ONE, now)).isEqualTo(START + 2 * SECOND);
        assertThat(limit.dueNanos(Cost.requests(13), Cost.ONE, now)).isEqualTo(START + 2 * SECOND);
        assertThat(limit.dueNanos(Cost.requests(14), Cost.ONE, now)).isEqualTo(START + 2_500 * MILLI);
    }

    @Test
    void theRateIsToldPerSecond() {
        assertThat(controller(Strategies.tokenBucket()
                                .rate(4_500, Duration.ofHours(1))
                                .build())
                        .limitPerSecond())
                .isEqualTo(1.25);
        assertThat(controller(Strategies.fixedWindow()
                                .limit(30)
                                .window(Duration.ofMinutes(1))
                                .build())
                        .limitPerSecond())
                .isEqualTo(0.5);
    }

    /** {@return an ended request as its throttle describes it} */
    private static Traffic ended(Cost cost, long admittedAt) {
        return Traffic.QUIET.cost(cost).admittedAt(admittedAt);
    }
}
