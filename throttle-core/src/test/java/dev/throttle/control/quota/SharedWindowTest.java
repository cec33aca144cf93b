package dev.throttle.control.quota;

import static dev.throttle.control.quota.Moment.nanos;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A window of 20 requests per 10 s that others use up as soon as it begins. */
class SharedWindowTest {

    private static final double UNTOLD = Double.NaN;
    private static final Offset<Double> ALMOST = within(1e-8);

    private final PacingSettings settings = new PacingSettings(0.1, 0.2, 120, 120, nanos(5), 0);
    private final Window law = new Window(new Surroundings(settings, () -> 0), Tuning.USUAL, true);

    private void read(double at, double count, double reset, double length) {
        Reading reading = Moment.reading(count, 20, reset, Double.NaN, true, nanos(at - 0.1), nanos(at));
        reading.length = length;
        law.took(1);
        law.read(reading, 0, 0);
    }

    private double due(double at, double need, double wire) {
        return Moment.seconds(law.dueNanos(need, wire, wire > 0, 0, nanos(at)));
    }

    /** Seventeen are used when the client comes, and 18 of the next window when it asks. */
    @ParameterizedTest
    @CsvSource({"10, UNKNOWN", "NaN, ROLLING"})
    void aWindowThatOthersUseUpRemainsAWindowIfItsLengthIsTold(double length, Window.Kind kind) {
        read(1, 3, 9, length);
        read(10.1, 1, 10, length);
        assertThat(law.kind()).isEqualTo(kind);
    }

    @Test
    void whatTheClientHasUsedItselfShouldHaveComeBack() {
        read(0, 19, 10, 10);
        law.took(18);
        read(1, 0, 9, 10);
        read(10.1, 1, 10, 10);
        assertThat(law.kind()).isEqualTo(Window.Kind.ROLLING);
    }

    @Test
    void aShorterTimeToTheNextResetIsNoWindow() {
        read(1, 3, 9, 10);
        read(10.1, 1, 4, 10);
        assertThat(law.kind()).isEqualTo(Window.Kind.ROLLING);
    }

    /** A second is told as one at all times, so the next window shows in its count only. */
    @Test
    void aShortWindowIsRenewedIfOthersHaveUsedHalfOfTheNextOneAlready() {
        read(0.1, 6, 1, 1);
        law.took(5);
        read(0.3, 0, 1, 1);
        read(1.05, 9, 1, 1);
        assertThat(law.kind()).isEqualTo(Window.Kind.UNKNOWN);
        assertThat(due(1.05, 9, 0)).isGreaterThan(1.9); // a new one, of which a part is left for them
    }

    /** Five of 15 in the last window: six of 16. */
    @Test
    void soMuchOfAFreshWindowGoesAtOnceAsWasTheOwnPartOfTheLastOne() {
        read(0, 19, 10, UNTOLD);
        law.took(2);
        read(1, 5, 9, UNTOLD);
        read(10.1, 19, 9.9, UNTOLD);
        assertThat(law.kind()).isEqualTo(Window.Kind.FIXED);
        law.took(3);
        read(11, 5, 9, UNTOLD);
        assertThat(due(20, 6, 0)).isEqualTo(20);
        assertThat(due(20, 5, 1)).isEqualTo(20);
        assertThat(due(20, 6, 1)).isEqualTo(Moment.SIGNAL);
    }

    /** The others take what is left at the same time, but the part of a small client should not make it wait. */
    @Test
    void whileRequestsAreOnTheWireLessOfWhatIsLeftGoes() {
        soMuchOfAFreshWindowGoesAtOnceAsWasTheOwnPartOfTheLastOne();
        read(20.1, 19, 9.9, UNTOLD);
        double left = law.usable(nanos(20.1));
        assertThat(left).isGreaterThan(8);
        int most = (int) (left * Math.sqrt(7 / 16.0)); // with the request that told of the new window
        assertThat(due(20.1, most - 1, 1)).isEqualTo(20.1, ALMOST);
        assertThat(due(20.1, most, 1)).isEqualTo(Moment.SIGNAL);
        assertThat(due(20.1, (int) left, 0)).isEqualTo(20.1, ALMOST);
    }
}
