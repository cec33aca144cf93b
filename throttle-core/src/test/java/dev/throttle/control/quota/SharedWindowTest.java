package dev.throttle.control.quota;

import static dev.throttle.control.quota.Moment.nanos;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A window of 20 requests per 10 s that others use up as soon as it begins. */
class SharedWindowTest {

    private static final double UNTOLD = Double.NaN;

    private final PacingSettings settings = new PacingSettings(0.1, 0.2, 120, 120, nanos(5), 0);
    private final Window law = new Window(new Surroundings(settings, () -> 0), Tuning.USUAL, true);

    private long lastSentAt;

    private void read(double at, double count, double reset, double length) {
        Reading reading = Moment.reading(count, 20, reset, Double.NaN, true, nanos(at - 0.1), nanos(at));
        reading.length = length;
        law.took(1);
        law.read(reading, 0, 0);
    }

    private SharedWindowTest sentAt(double seconds) {
        lastSentAt = nanos(seconds);
        return this;
    }

    private double due(double at, double need, double wire) {
        return Moment.seconds(law.dueNanos(need, wire, wire > 0, lastSentAt, nanos(at)));
    }

    /** Seventeen are used when the client comes, and 17 of the next window when it asks. */
    @ParameterizedTest
    @CsvSource({"10, UNKNOWN", "NaN, ROLLING"})
    void aWindowThatOthersUseUpRemainsAWindowIfItsLengthIsTold(double length, Window.Kind kind) {
        read(1, 1, 9, length);
        read(10.1, 3, 10, length);
        assertThat(law.kind()).isEqualTo(kind);
    }

    @Test
    void whatTheClientHasUsedItselfShouldHaveComeBack() {
        read(0, 19, 10, 10);
        law.took(18);
        read(1, 0, 9, 10);
        read(10.1, 3, 10, 10);
        assertThat(law.kind()).isEqualTo(Window.Kind.ROLLING);
    }

    @Test
    void aShorterTimeToTheNextResetIsNoWindow() {
        read(1, 1, 9, 10);
        read(10.1, 3, 4, 10);
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

    /** A rolling quota may tell that the next unit comes back within a second. */
    @Test
    void aShortWindowOfWhichHardlyAnythingCameBackIsRolling() {
        read(0.1, 2, 1, 1);
        read(1.2, 1, 1, 1);
        assertThat(law.kind()).isEqualTo(Window.Kind.ROLLING);
    }

    /** Two, one, and three of 15 in the last window: six of 16. */
    private void useAThirdOfTwoWindows() {
        read(0, 19, 10, UNTOLD);
        law.took(2);
        for (int second = 1; second <= 3; second++) {
            read(second, 14 - 3 * second, 10 - second, UNTOLD);
        }
        read(10.1, 19, 9.9, UNTOLD);
        assertThat(law.kind()).isEqualTo(Window.Kind.FIXED);
        law.took(1);
        for (int second = 11; second <= 13; second++) {
            read(second, 44 - 3 * second, 20 - second, UNTOLD);
        }
    }

    @Test
    void soMuchOfAFreshWindowGoesAtOnceAsWasTheOwnPartOfTheLastOne() {
        useAThirdOfTwoWindows();
        assertThat(sentAt(20).due(20, 5, 1)).isEqualTo(20);
        assertThat(sentAt(20).due(20, 6, 1)).isEqualTo(Moment.SIGNAL);
    }

    /** Its answer may come much later, and tells nothing of the new window. */
    @Test
    void aRequestThatLeftBeforeTheResetHoldsNothingBackAfterIt() {
        useAThirdOfTwoWindows();
        assertThat(sentAt(19.9).due(20, 20, 5)).isEqualTo(20);
    }
}
