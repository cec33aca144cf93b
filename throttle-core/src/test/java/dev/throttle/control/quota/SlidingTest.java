package dev.throttle.control.quota;

import static dev.throttle.control.quota.Moment.nanos;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.throttle.signal.Outcome;
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

    private Sliding sliding;
    private final Deque<Double> own = new ArrayDeque<>();
    private double others;
    private int wire;
    private double now;
    private double length = Double.NaN;

    @BeforeEach
    void begin() {
        sliding = new Sliding(reading(SIZE, Double.NaN, 0, 0));
    }

    /** An own request is served; {@return what others hold, as far as that is known} */
    private double serve(double at, double told) {
        now = at;
        own.addLast(at);
        while (own.getFirst() <= at - LENGTH) {
            own.removeFirst();
        }
        sliding.served(1, nanos(at));
        return sliding.correct(reading(SIZE - own.size() - others, told, at, at), wire);
    }

    private Reading reading(double count, double told, double admittedAt, double now) {
        Reading reading = new Reading();
        reading.count = count;
        reading.limit = told;
        reading.length = length;
        reading.admittedAt = nanos(admittedAt);
        reading.now = nanos(now);
        return reading;
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

    /** It uses 40 at a steady pace. Together with what is left that is all, if others hold nothing. */
    @ParameterizedTest
    @CsvSource({"100, 0, true", "100, 30, false", "NaN, 0, false"})
    void whoUsesTooLittleToShowTheLengthMayBeAlone(double told, double held, boolean alone) {
        others = held;
        use(0, 14, told, 8, 8);
        assertThat(mayBeAlone(60, told))
                .as("before half of the length has passed")
                .isFalse();
        use(14, 20, told, 8, 8);
        assertThat(mayBeAlone(60, told)).isEqualTo(alone);
        assertThat(mayBeAlone(40, told)).as("what it uses tells enough").isFalse();
        assertThat(sliding.isKnown()).isFalse();
    }

    @Test
    void whoMayBeAloneIsNotSoOnceOthersAreSeen() {
        use(0, 20, SIZE, 8, 8);
        others = 10;
        serve(20, SIZE);
        assertThat(mayBeAlone(60, SIZE)).isFalse();
    }

    @Test
    void whoHasPausedHasToBeSeenAloneAgain() {
        use(0, 20, SIZE, 8, 8);
        others = 30;
        serve(60, SIZE);
        assertThat(mayBeAlone(69, SIZE)).isFalse();
    }

    private boolean mayBeAlone(double count, double told) {
        return sliding.mayBeAlone(reading(count, told, now, now));
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

    /** By 4 where the size is told and by 16 where not, and by two more for each request on the wire. */
    @ParameterizedTest
    @CsvSource({"100, 8, true", "100, 9, false", "NaN, 2, true", "NaN, 3, false"})
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

    /** It takes twice as long as at first: a whole window if the size is told, and two if it is not. */
    @ParameterizedTest
    @CsvSource({"100, 48, false", "100, 60, true", "NaN, 58, false", "NaN, 80, true"})
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
        double free = SIZE - 6 - sliding.own(at); // six are kept for others
        assertThat(sliding.dueNanos(free - 1, 1, at)).isEqualTo(at);
        assertThat(sliding.dueNanos(free, 1, at)).isEqualTo(nanos(30 + 1 / 6.0 + LENGTH)); // 30 s has come back
        assertThat(sliding.dueNanos(SIZE - 7, 1, at)).isEqualTo(nanos(now + LENGTH)); // all of them
        assertThat(sliding.dueNanos(0, SIZE, at)).isEqualTo(nanos(now + LENGTH)); // no more than there can be
        assertThat(sliding.dueNanos(0, SIZE, at + nanos(LENGTH)))
                .isEqualTo(at + nanos(LENGTH)); // it goes, and is refused
    }

    /** At 40 s others hold twenty of a known window; {@return how many requests may go} Six are kept besides. */
    private double freeBesideTwenty() {
        use(0, 40, SIZE);
        others = 20;
        serve(40, SIZE);
        return SIZE - 20 - 6 - sliding.own(nanos(40));
    }

    /** Six are left to those that come, whatever others have. */
    @Test
    void whatOthersHoldIsNotUsed() {
        double free = freeBesideTwenty();
        assertThat(sliding.dueNanos(free - 1, 1, nanos(40))).isEqualTo(nanos(40));
        assertThat(sliding.dueNanos(free, 1, nanos(40))).isGreaterThan(nanos(40));
        others = 0;
        serve(40.1, SIZE);
        // One has been used since then, and what came back last may still be counted.
        assertThat(sliding.dueNanos(free + 17, 1, nanos(40.1))).isEqualTo(nanos(40.1));
    }

    /** With one on the wire they may hold nineteen or twenty. What was known before decides. */
    @Test
    void whatOthersHoldStaysAsItIsWithinItsBounds() {
        double free = freeBesideTwenty();
        wire = 1;
        serve(40.1, SIZE);
        assertThat(sliding.dueNanos(free - 2, 1, nanos(40.1))).isEqualTo(nanos(40.1));
        assertThat(sliding.dueNanos(free - 1, 1, nanos(40.1))).isGreaterThan(nanos(40.1));
    }

    /** What came back while its request was on the way may have been counted. */
    @Test
    void anAnswerThatTookLongShowsLessOfOthers() {
        use(0, 40, SIZE);
        double before = sliding.own(nanos(39.9));
        int back = (int) (before - sliding.own(nanos(40)));
        assertThat(back).isPositive();
        double shown = sliding.correct(reading(SIZE - before - 20, SIZE, 39.9, 40), 0);
        assertThat(shown).isEqualTo(18);
    }

    /** In ten seconds it holds 16, 11 or 19 of twenty. Where the size is not told, that is too little. */
    @ParameterizedTest
    @CsvSource({"20, true", "NaN, false"})
    void aSmallWindowIsKnownIfItsSizeIsTold(double told, boolean known) {
        int[] sizes = {12, 4, 7};
        Deque<Double> used = new ArrayDeque<>();
        for (int burst = 0; burst < 9; burst++) {
            for (int i = 0; i < sizes[burst % 3]; i++) {
                double at = 5 * burst + 0.1 * i;
                used.removeIf(earlier -> earlier <= at - LENGTH);
                used.add(at);
                sliding.served(1, nanos(at));
                sliding.correct(reading(20 - used.size(), told, at, at), 0);
            }
        }
        assertThat(sliding.isKnown()).isEqualTo(known);
    }

    /** What is told is the length. */
    @ParameterizedTest
    @CsvSource({"10, true", "5, false"})
    void aLengthThatIsToldIsTheOnlyOne(double told, boolean known) {
        length = told;
        use(0, 60, SIZE);
        assertThat(sliding.isKnown()).isEqualTo(known);
    }

    /** A burst fits all lengths until it has left the shortest. From then on others seem to hold what it holds. */
    @Test
    void aLengthThatWasTooShortIsFollowedByALongerOne() {
        burst(20, 60);
        burst(23.2, 30);
        assertThat(sliding.seconds()).isEqualTo(5);
        burst(26, 10);
        burst(30.7, 60);
        burst(33.6, 30);
        burst(36.7, 10);
        assertThat(sliding.isKnown()).isTrue();
        assertThat(sliding.seconds()).isEqualTo(LENGTH);
    }

    private void burst(double at, int size) {
        for (int i = 0; i < size; i++) {
            serve(at + 0.01 * i, SIZE);
        }
    }

    /** All 100 were used at once. The length is not proven, but if it is ten seconds, they come back then. */
    @Test
    void theLikelyLengthTellsWhenAUnitComesBack() {
        burst(0, 100);
        serve(10, SIZE);
        assertThat(sliding.isKnown()).isFalse();
        assertThat(sliding.untilBack(nanos(10))).isCloseTo(0.01 + LENGTH / 100, within(1e-9));
    }

    /** The first answer takes half a second, so a whole window has not passed since it when the oldest comes back. */
    @ParameterizedTest
    @CsvSource({"100, true", "NaN, false"})
    void whereTheSizeIsToldTheTimeCountsFromTheFirstRequest(double told, boolean likely) {
        sliding = new Sliding(reading(SIZE - 1, told, 0, 0.5));
        burst(0, 100);
        serve(10, SIZE);
        assertThat(Double.isFinite(sliding.untilBack(nanos(10)))).isEqualTo(likely);
    }

    @Test
    void aLikelyLengthThatWasWrongIsFollowedByNone() {
        burst(0, 100);
        serve(10, SIZE);
        Reading refusal = reading(0, Double.NaN, 10, 10);
        refusal.outcome = Outcome.RATE_LIMITED;
        sliding.correct(refusal, 0);
        assertThat(sliding.untilBack(nanos(10))).isInfinite();
        serve(10.5, SIZE);
        assertThat(sliding.untilBack(nanos(10.5))).isInfinite();
    }

    @Test
    void whereTheSizeIsNotToldOrTheLengthIsNoneIsLikely() {
        burst(0, 100);
        serve(10, Double.NaN);
        assertThat(sliding.untilBack(nanos(10))).isInfinite();
        length = LENGTH;
        serve(10.1, SIZE);
        assertThat(sliding.untilBack(nanos(10.1))).isInfinite();
    }

    /** After a pause nothing is in use, but not all that wait may go at once. */
    @Test
    void noMoreGoAtOnceThanFit() {
        use(0, 40, SIZE);
        long later = nanos(100);
        assertThat(sliding.dueNanos(93, 1, later)).isEqualTo(later);
        assertThat(sliding.dueNanos(94, 1, later)).isGreaterThan(later);
        assertThat(sliding.dueNanos(0, 1000, later)).isEqualTo(later); // it goes, and is refused
    }
}
