package dev.throttle.control.quota;

import static dev.throttle.control.quota.Moment.nanos;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is learned from a sliding window of 100 requests in ten seconds. */
class SlidingTest {

    private static final double SIZE = 100;
    private static final double LENGTH = 10;

    private final Sliding sliding = new Sliding();
    private final Deque<Double> own = new ArrayDeque<>();
    private double others;
    private int wire;
    private double now;

    @BeforeEach
    void begin() {
        sliding.begin(0);
    }

    /** An own request is served; {@return what others hold, as far as that is known} */
    private double serve(double at, double told) {
        now = at;
        own.addLast(at);
        while (own.getFirst() <= at - LENGTH) {
            own.removeFirst();
        }
        sliding.served(1, nanos(at));
        return sliding.correct(SIZE - own.size() - others, told, wire, nanos(at));
    }

    /** Every two seconds so many requests come within one: a number of the first, and then of the second, in turns. */
    private void use(double from, double until, double told, int first, int second) {
        for (double at = from; at < until; at += 2) {
            int size = at % 4 == 0 ? first : second;
            for (int i = 0; i < size; i++) {
                serve(at + i / (double) size, told);
            }
        }
    }

    /** In ten seconds it holds three times 26 and twice 6, or twice 26 and three times 6: 90 or 70. */
    private void use(double from, double until, double told) {
        use(from, until, told, 26, 6);
    }

    /** In any ten seconds it holds 90. */
    private void useSteadily(double from, double until, double told) {
        use(from, until, told, 18, 18);
    }

    @Test
    void aToldSizeProvesTheLengthAfterHalfOfIt() {
        use(0, 16, SIZE); // before ten seconds have passed nothing is known
        assertThat(sliding.isKnown()).isFalse();
        use(16, 18, SIZE);
        assertThat(sliding.isKnown()).isTrue();
        assertThat(sliding.seconds()).isEqualTo(LENGTH);
        assertThat(sliding.size()).isEqualTo(SIZE);
        assertThat(sliding.own(nanos(now))).isEqualTo(own.size());
    }

    @Test
    void withoutASizeTheSumHasToStayTheSameForAWholeWindow() {
        use(0, 20, Double.NaN);
        assertThat(sliding.isKnown()).isFalse();
        use(20, 24, Double.NaN);
        assertThat(sliding.isKnown()).isTrue();
        assertThat(sliding.seconds()).isEqualTo(LENGTH);
        assertThat(sliding.size()).isBetween(SIZE - 2, SIZE); // rather too small
    }

    /** Where all have found their pace, every sum stays the same. */
    @ParameterizedTest
    @ValueSource(doubles = {SIZE, Double.NaN})
    void aCountThatStandsStillProvesNothing(double told) {
        useSteadily(0, 100, told);
        assertThat(sliding.isKnown()).isFalse();
    }

    /** A movement of 20 is enough. */
    @ParameterizedTest
    @ValueSource(doubles = {SIZE, Double.NaN})
    void onceTheCountMovesTheLengthIsKnown(double told) {
        useSteadily(0, 100, told);
        use(100, 124, told);
        assertThat(sliding.isKnown()).isTrue();
        assertThat(sliding.seconds()).isEqualTo(LENGTH);
    }

    /** By 8 where the size is told and by 16 where not, and by two more for each request on the wire. */
    @ParameterizedTest
    @CsvSource({"100, 6, true", "100, 7, false", "NaN, 2, true", "NaN, 3, false"})
    void withRequestsOnTheWireTheCountHasToMoveFurther(double told, int onTheWire, boolean known) {
        wire = onTheWire;
        use(0, 60, told);
        assertThat(sliding.isKnown()).isEqualTo(known);
    }

    @ParameterizedTest
    @ValueSource(doubles = {5, 10})
    void whileOthersHoldAPartOfAToldSizeNothingIsBelieved(double held) {
        others = held;
        use(0, 60, SIZE);
        assertThat(sliding.isKnown()).isFalse();
    }

    @Test
    void othersThatComeLaterAreSeenByWhatTheyHold() {
        use(0, 40, SIZE);
        others = 20;
        assertThat(serve(40, SIZE)).isEqualTo(18); // counts may be off by two
    }

    @Test
    void aCountThatIsTooHighEndsIt() {
        use(0, 40, SIZE);
        others = -10;
        assertThat(serve(40, SIZE)).isZero();
        assertThat(sliding.isKnown()).isFalse();
    }

    /** As at first: half of a window if the size is told, a whole one if it is not, and the count has to move. */
    @ParameterizedTest
    @CsvSource({"100, 44, false", "100, 60, true", "NaN, 48, false", "NaN, 80, true"})
    void afterARefusalItHasToBeProvedAgain(double told, double until, boolean known) {
        use(0, 40, told);
        assertThat(sliding.isKnown()).isTrue();
        sliding.refused();
        assertThat(sliding.isKnown()).isFalse();
        use(40, until, told);
        assertThat(sliding.isKnown()).isEqualTo(known);
    }

    @Test
    void aRequestGoesWhenTheOldestComesBack() {
        use(0, 40, SIZE);
        long at = nanos(40);
        double free = SIZE - 8 - sliding.own(at); // eight are kept for others
        assertThat(sliding.dueNanos(free, at)).isEqualTo(at);
        assertThat(sliding.dueNanos(free + 1, at)).isEqualTo(nanos(30 + 1 / 6.0 + LENGTH)); // 30 s has come back
        assertThat(sliding.dueNanos(SIZE - 8, at)).isEqualTo(nanos(now + LENGTH)); // all of them
        assertThat(sliding.dueNanos(SIZE, at)).isEqualTo(nanos(now + LENGTH)); // no more than there can be
        assertThat(sliding.dueNanos(SIZE, at + nanos(LENGTH))).isEqualTo(at + nanos(LENGTH)); // it goes, and is refused
    }
}
