package dev.throttle.control.quota;

import static dev.throttle.control.quota.Moment.nanos;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What speaks for a sliding window of 100 in ten seconds. */
class SlidingLengthTest {

    private static final double NOT_TOLD = Double.NaN;

    private final SlidingLength length = new SlidingLength(10);

    private void look(double at, double count, double used, double told) {
        length.look(count, used, 0, told, 0, nanos(at));
    }

    @ParameterizedTest
    @CsvSource({
        "50, 50, 0, 0, 100, 2",
        "50, 52, 0, 0, 100, 2", // two are an error
        "50, 53, 0, 0, 100, 0",
        "50, 53, 1, 0, 100, 2", // it may have been one less
        "50, 53, 0, 1, 100, 2", // one on the wire may have been counted, or not
        "48, 50, 0, 0, 100, 2",
        "48, 49, 0, 0, 100, 0",
        "48, 49, 0, 1, 100, 2",
        "51, 49, 0, 0, 100, 1", // less than a half is in use: it tells nothing
        "7, 8, 0, 0, 15, 1", // nor does a window of fewer than eight errors
        "8, 8, 0, 0, 16, 2",
        "12, 12, 0, 1, 24, 2",
        "11, 12, 0, 1, 23, 1",
        "8, 8, 1, 0, 16, 0",
        "12, 12, 1, 0, 24, 2",
        "13, 14, 1, 1, 27, 0",
        "16, 16, 1, 1, 32, 2",
    })
    void aSizeThatIsToldHasToFit(double count, double used, double unsure, double wire, double told, int hits) {
        look(0, 50, 50, 100);
        assertThat(length.hits()).isEqualTo(1);
        length.look(count, used, unsure, told, wire, nanos(1));
        assertThat(length.hits()).isEqualTo(hits);
    }

    @Test
    void aSizeThatIsToldIsBelievedAfterHalfOfTheWindowAndFourLooks() {
        for (double at : new double[] {1, 2, 5.999}) {
            look(at, 50, 50, 100);
            assertThat(length.isBelieved(100, nanos(60))).isFalse();
        }
        look(5.9999, 50, 50, 100);
        assertThat(length.isBelieved(100, nanos(5.9999))).isFalse();
        assertThat(length.isBelieved(100, nanos(6))).isTrue();
        assertThat(length.size(100)).isEqualTo(100);
        look(7, 50, 60, 100); // one that does not fit begins it anew
        assertThat(length.isBelieved(100, nanos(60))).isFalse();
        assertThat(length.hits()).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "50, 54, 0, 0, 2", // two errors of two
        "50, 55, 0, 0, 0",
        "50, 55, 1, 0, 2",
        "50, 46, 0, 0, 1", // less than a half is in use
        "48, 48, 0, 0, 2",
        "47, 48, 0, 0, 0",
        "47, 48, 0, 1, 2", // one on the wire may not have been counted
    })
    void aSizeThatNobodyTellsHasToStayTheSame(double count, double used, double unsure, double wire, int hits) {
        look(0, 50, 50, NOT_TOLD);
        assertThat(length.size(NOT_TOLD)).isEqualTo(100);
        length.look(count, used, unsure, NOT_TOLD, wire, nanos(1));
        assertThat(length.hits()).isEqualTo(hits);
    }

    @Test
    void itIsAsLargeAsTheLargestThatItWasForCertain() {
        look(0, 50, 50, NOT_TOLD);
        length.look(50, 55, 3, NOT_TOLD, 0, nanos(1));
        assertThat(length.size(NOT_TOLD)).isEqualTo(102);
        look(2, 50, 50, NOT_TOLD);
        assertThat(length.size(NOT_TOLD)).isEqualTo(102);
        look(3, 48, 49, NOT_TOLD); // five less
        assertThat(length.hits()).isZero();
        look(4, 48, 49, NOT_TOLD);
        assertThat(length.size(NOT_TOLD)).isEqualTo(97);
        assertThat(length.hits()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({
        "50, 65, 0, false", // the count has to move by eight times two
        "50, 66, 0, true",
        "34, 40, 0, true",
        "50, 67, 1, false", // and two more for each on the wire
        "50, 68, 1, true"
    })
    void aSizeThatNobodyTellsIsBelievedOneWindowAfterTheCountHasMoved(
            double least, double greatest, double wire, boolean believed) {
        look(0, 50, 50, NOT_TOLD);
        look(1, 50, 50, NOT_TOLD);
        assertThat(length.isLikely()).isFalse();
        length.count(least, greatest);
        length.look(50, 50, 0, NOT_TOLD, wire, nanos(2));
        assertThat(length.isLikely()).isEqualTo(believed);
        assertThat(length.isBelieved(NOT_TOLD, nanos(60))).isFalse(); // three looks
        look(5, 50, 50, NOT_TOLD);
        assertThat(length.isLikely()).isEqualTo(believed || greatest >= 66);
        assertThat(length.isBelieved(NOT_TOLD, nanos(11.999))).isFalse();
        assertThat(length.isBelieved(NOT_TOLD, nanos(12))).isEqualTo(believed);
    }

    @Test
    void oneLookIsChanceHoweverTheCountMoves() {
        look(0, 50, 50, NOT_TOLD);
        length.count(0, 100);
        look(1, 50, 60, NOT_TOLD); // moved, but did not fit
        assertThat(length.isLikely()).isFalse();
        look(2, 50, 60, NOT_TOLD);
        length.count(0, 100);
        assertThat(length.isLikely()).isFalse();
        look(3, 50, 60, NOT_TOLD);
        assertThat(length.isLikely()).isTrue();
        length.forget();
        assertThat(length.isLikely()).isFalse();
    }
}
