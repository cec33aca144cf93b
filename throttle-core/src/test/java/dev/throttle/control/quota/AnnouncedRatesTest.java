package dev.throttle.control.quota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.Scope;
import dev.throttle.signal.Quota;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.LongSupplier;
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
}
