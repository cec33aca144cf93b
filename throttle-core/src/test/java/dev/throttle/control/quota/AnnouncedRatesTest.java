package dev.throttle.control.quota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.Scope;
import dev.throttle.signal.Quota;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AnnouncedRatesTest {

    private static final long SECOND = 1_000_000_000;

    private final AnnouncedRates rates = new AnnouncedRates();

    private static Quota announced(String policy, long limit, Duration window) {
        return new Quota(policy, limit, null, null, window);
    }

    @ParameterizedTest
    @CsvSource({"10, 1000", "1, 2000", "1, 22164", "100, 60000", "7, 300", "1000, 1000"})
    void noMoreThanTheLimitGoInAnyWindowAndNearlyAsMany(long limit, long millis) {
        long window = millis * 1_000_000;
        Random random = new Random(limit);
        List<Long> sent = send(limit, window, () -> random.nextInt(3) * window / 100 / limit);

        for (int i = (int) limit; i < sent.size(); i++) {
            assertThat(sent.get(i) - sent.get(i - (int) limit)).isGreaterThanOrEqualTo(window);
        }
        assertThat(sent.size()).isGreaterThan((int) (0.96 * 20 * limit) - 1);
    }

    @ParameterizedTest
    @CsvSource({"300, 60000", "5000, 60000", "1000, 1000"})
    void aSteadyDemandUsesNearlyAll(long limit, long millis) {
        long window = millis * 1_000_000;
        List<Long> sent = send(limit, window, () -> window * 95 / 100 / limit);

        long late = sent.stream().filter(time -> time >= 10 * window).count();
        assertThat(late).isBetween(limit * 10 * 975 / 1000, limit * 10);
    }

    /** {@return when requests went in twenty windows, each asked for so long after the one before} */
    private List<Long> send(long limit, long window, LongSupplier gap) {
        rates.read(List.of(announced("p", limit, Duration.ofNanos(window))), false, Scope.ALL, 0, 0);
        List<Long> sent = new ArrayList<>();
        long now = 1;
        while (now < 20 * window) {
            long due = rates.dueNanos(1, Scope.ALL, now);
            if (due - now > 0) {
                now = due;
            } else {
                rates.admitted(1, Scope.ALL, now);
                sent.add(now);
                now += gap.getAsLong();
            }
        }
        return sent;
    }

    @Test
    void requestsGoAtFullSpeedUntilTheLimit() {
        rates.read(List.of(announced("p", 100, Duration.ofHours(1))), false, Scope.ALL, 3, 0);

        for (int i = 0; i < 96; i++) { // one was answered, and three are on their way
            assertThat(rates.dueNanos(1, Scope.ALL, 5)).isEqualTo(5);
            rates.admitted(1, Scope.ALL, 5);
        }

        assertThat(rates.dueNanos(1, Scope.ALL, 5)).isGreaterThanOrEqualTo(3600 * SECOND);
    }

    @Test
    void aRequestThatWasNotSentDoesNotCount() {
        rates.read(List.of(announced("p", 2, Duration.ofSeconds(2))), false, Scope.ALL, 0, 0);
        rates.admitted(1, Scope.ALL, SECOND);
        assertThat(rates.dueNanos(1, Scope.ALL, SECOND)).isGreaterThan(SECOND);

        rates.release(1, Scope.ALL, SECOND);

        assertThat(rates.dueNanos(1, Scope.ALL, SECOND)).isEqualTo(SECOND);
    }

    /** The first of them counts. */
    @Test
    void twoLimitsOfOneNameAreNotBegunAnewWithEachAnswer() {
        List<Quota> told = List.of(announced("p", 2, Duration.ofSeconds(10)), announced("p", 100, Duration.ofHours(1)));
        rates.read(told, false, Scope.ALL, 0, 0);
        rates.admitted(1, Scope.ALL, SECOND);
        rates.read(told, false, Scope.ALL, 0, SECOND);

        assertThat(rates.dueNanos(1, Scope.ALL, SECOND)).isGreaterThan(SECOND);
    }

    @Test
    void onlyTheCallsWaitThatItCounts() {
        Scope search = "search"::equals;
        Scope core = "core"::equals;
        rates.read(List.of(announced("search", 1, Duration.ofSeconds(10))), false, search, 0, 0);

        assertThat(rates.dueNanos(1, core, 0)).isZero();
        rates.admitted(1, core, 0);
        assertThat(rates.dueNanos(1, search, 0)).isBetween(10 * SECOND, 11 * SECOND);
        for (int i = 0; i < 100; i++) {
            rates.read(List.of(), false, core, 0, 0);
        }
        assertThat(rates.isEmpty()).isFalse();
    }

    @Test
    void theSlowestOfSeveralDecides() {
        rates.read(
                List.of(announced("a", 1, Duration.ofSeconds(1)), announced("b", 1, Duration.ofSeconds(10))),
                false,
                Scope.ALL,
                0,
                0);

        assertThat(rates.dueNanos(1, Scope.ALL, 0)).isBetween(10 * SECOND, 11 * SECOND);
    }

    @Test
    void aCountTellsMore() {
        rates.read(List.of(announced("p", 1, Duration.ofSeconds(10))), false, Scope.ALL, 0, 0);

        rates.read(List.of(new Quota("p", 1L, 1L, null, Duration.ofSeconds(10))), false, Scope.ALL, 0, 0);

        assertThat(rates.isEmpty()).isTrue();
        assertThat(rates.dueNanos(1, Scope.ALL, 0)).isZero();
    }

    @Test
    void aLimitThatIsNotToldAnyMoreIsForgotten() {
        rates.read(List.of(announced("p", 1, Duration.ofSeconds(10))), false, Scope.ALL, 0, 0);

        for (int i = 0; i < 17; i++) {
            assertThat(rates.isEmpty()).isFalse();
            rates.read(List.of(), false, Scope.ALL, 0, 0);
        }

        assertThat(rates.isEmpty()).isTrue();
    }

    @Test
    void anotherLimitTakesItsPlace() {
        rates.read(List.of(announced("p", 1, Duration.ofSeconds(10))), false, Scope.ALL, 0, 0);

        rates.read(List.of(announced("p", 5, Duration.ofSeconds(10))), false, Scope.ALL, 0, 0);

        assertThat(rates.dueNanos(4, Scope.ALL, 0)).isZero();
        assertThat(rates.dueNanos(5, Scope.ALL, 0)).isPositive();
    }

    @Test
    void whatTellsTooLittleIsNoRate() {
        rates.read(
                List.of(
                        new Quota("p", 5L, null, null, null),
                        new Quota("q", null, null, null, Duration.ofSeconds(1)),
                        new Quota("r", 0L, null, null, Duration.ofSeconds(1)),
                        new Quota("s", 5L, null, null, Duration.ofSeconds(1), Quota.TOKENS, null)),
                false,
                Scope.ALL,
                0,
                0);

        assertThat(rates.isEmpty()).isTrue();
    }

    /** {@return what a refusal tells of a limit that is used up} */
    private static Quota refusing(long limit, @Nullable Duration reset, @Nullable Duration window) {
        return new Quota(null, limit, 0L, reset, window);
    }

    private void goesAt(double seconds) {
        assertThat(rates.dueNanos(1, Scope.ALL, 0) / 1e9).isBetween(seconds, seconds * 1.02);
    }

    @Test
    void aLimitThatOnlyRefusalsTellOfIsUsedUpUntilItsResetAndObeyedFromThenOn() {
        assertThat(rates.refused(refusing(50, Duration.ofSeconds(3), Duration.ofSeconds(10)), 0))
                .isTrue();
        goesAt(3);

        for (int i = 0; i < 50; i++) {
            assertThat(rates.dueNanos(1, Scope.ALL, 4 * SECOND)).isEqualTo(4 * SECOND);
            rates.admitted(1, Scope.ALL, 4 * SECOND);
        }

        goesAt(14);
    }

    @ParameterizedTest
    @CsvSource({"0.3, 1", "1, 1", "1.7, 1", "9, 10", "10, 10", "11, 10", "11.1, 15", "40, 60", "110, 120"})
    void aWindowThatIsNotToldIsOfTheShortestUsualLengthThatFits(double reset, double window) {
        Duration told = Duration.ofMillis((long) (1000 * reset));
        rates.refused(refusing(50, told, null), 0);
        goesAt(Math.min(reset, window));

        rates.admitted(50, Scope.ALL, Math.round(reset * SECOND));

        goesAt(reset + window);
    }

    @Test
    void theLongestTimeToAResetCounts() {
        rates.refused(refusing(50, Duration.ofSeconds(9), null), 0);
        rates.refused(refusing(50, Duration.ofSeconds(2), null), 0);
        goesAt(2);

        rates.admitted(50, Scope.ALL, 3 * SECOND);

        goesAt(13);
    }

    @Test
    void aWindowThatIsToldWithoutAResetIsUsedUpAsAWhole() {
        assertThat(rates.refused(refusing(50, null, Duration.ofSeconds(10)), 0)).isTrue();

        goesAt(10);
    }

    @Test
    void aRefusalThatTellsNoTimeOrTooLongAOneTeachesNothing() {
        assertThat(rates.refused(refusing(50, null, null), 0)).isFalse();
        assertThat(rates.refused(refusing(50, Duration.ZERO, null), 0)).isFalse();
        assertThat(rates.refused(refusing(50, Duration.ofSeconds(130), null), 0))
                .isFalse();

        assertThat(rates.isEmpty()).isTrue();
    }

    @Test
    void refusalsOfTwoSizesAreTwoLimits() {
        rates.refused(refusing(50, Duration.ofSeconds(1), Duration.ofSeconds(1)), 0);
        rates.refused(refusing(200, Duration.ofSeconds(5), Duration.ofSeconds(60)), 0);

        goesAt(5);
        assertThat(rates.explains(List.of(refusing(50, null, null)))).isTrue();
        assertThat(rates.explains(List.of(refusing(200, null, null)))).isTrue();
        assertThat(rates.explains(List.of(refusing(100, null, null)))).isFalse();
    }

    @Test
    void aNinthLimitIsNotLearned() {
        for (int i = 1; i <= 8; i++) {
            assertThat(rates.refused(refusing(i, Duration.ofSeconds(1), null), 0))
                    .isTrue();
        }

        assertThat(rates.refused(refusing(9, Duration.ofSeconds(1), null), 0)).isFalse();
        assertThat(rates.refused(refusing(8, Duration.ofSeconds(2), null), 0)).isTrue();
    }

    private void answer(boolean refused, Quota... quotas) {
        rates.read(List.of(quotas), refused, Scope.ALL, 0, 0);
    }

    private boolean noMoreThanTwoGo(double seconds) {
        long now = Math.round(seconds * SECOND);
        rates.admitted(2, Scope.ALL, now);
        boolean isAnother = rates.dueNanos(1, Scope.ALL, now) == now;
        rates.release(2, Scope.ALL, now);
        return !isAnother;
    }

    @Test
    void afterManyAnswersOneMoreIsTriedAndIfThatIsNotRefusedTheLimitIsForgotten() {
        Quota other = new Quota(null, 100L, 7L, Duration.ofSeconds(5), null);
        rates.refused(refusing(2, Duration.ofSeconds(1), null), 0);
        for (int i = 0; i < 350; i++) {
            answer(false, other);
        }
        assertThat(noMoreThanTwoGo(10)).isTrue();

        answer(false, other);
        assertThat(noMoreThanTwoGo(20)).isFalse();
        rates.refused(refusing(2, Duration.ofSeconds(1), null), 0);
        assertThat(noMoreThanTwoGo(30)).isTrue();

        for (int i = 0; i < 352; i++) {
            answer(false, other);
            answer(true); // refusals of another reason do not count
        }
        assertThat(rates.isEmpty()).isFalse();
        answer(false, other);
        assertThat(rates.isEmpty()).isTrue();
    }

    @Test
    void aLargeLimitIsForgottenAfterAHundredAnswersMore() {
        rates.refused(refusing(1_000, Duration.ofSeconds(1), null), 0);
        for (int i = 0; i < 450; i++) {
            answer(false);
        }
        assertThat(rates.isEmpty()).isFalse();

        answer(false);
        assertThat(rates.isEmpty()).isTrue();
    }

    @Test
    void aLimitThatAcceptedRequestsTellOfIsNoHiddenOne() {
        Quota told = refusing(1, Duration.ofSeconds(1), null);
        rates.refused(told, 0);
        answer(true, told);
        assertThat(rates.isEmpty()).isFalse();

        answer(false, told); // it has taken the last one

        assertThat(rates.isEmpty()).isTrue();
    }
}
