package dev.throttle.control.quota;

import static dev.throttle.control.quota.Moment.nanos;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.throttle.signal.Outcome;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a reset proves, for a window of 100 per 60 s that is seen from 0 s on and of which 40 are left after 50 s. */
class WindowResetTest {

    private static final Offset<Double> ALMOST = within(1e-8);

    private final PacingSettings settings = new PacingSettings(0.1, 0.2, 120, 120, nanos(5), 0);
    private final Surroundings surroundings = new Surroundings(settings, () -> 0);
    private final Surroundings sharers = surroundings;
    private final Window law = new Window(surroundings, Tuning.USUAL, true);

    private void read(double at, double count, double reset) {
        law.read(Moment.reading(count, 100, reset, Double.NaN, true, nanos(at - 0.1), nanos(at)), 0, 0);
    }

    private void use(double left) {
        read(0, 100, 60);
        law.took((int) (100 - left));
        read(50, left, 10);
    }

    /** Two windows, of which 40 are left in the second. */
    private void useTwo() {
        use(40);
        read(60.5, 99, 59.5);
        law.took(59);
        read(110, 40, 10);
        assertThat(law.kind()).isEqualTo(Window.Kind.FIXED);
    }

    private double due(double at, int ahead, int wire) {
        return Moment.seconds(law.dueNanos(ahead + 1.0, wire, wire > 0, 0, nanos(at)));
    }

    /** {@return when a request may go at 120 s, after one that left at that time} */
    private double dueAfterOne(int ahead, int wire) {
        return Moment.seconds(law.dueNanos(ahead + 1.0, wire, wire > 0, nanos(120), nanos(120)));
    }

    private double usable(double at) {
        return law.usable(nanos(at));
    }

    @Test
    void afterTheFirstResetOneGoesAloneAndTheOthersWaitForItsAnswer() {
        use(40);
        assertThat(due(59.9, 60, 0)).isEqualTo(60); // nobody goes before it
        assertThat(due(60, 0, 0)).isEqualTo(60);
        assertThat(due(60, 0, 1)).isEqualTo(65);
        assertThat(due(64, 0, 1)).isEqualTo(65); // no longer than the patience with a first request
        assertThat(due(65, 0, 1)).isEqualTo(65);
        assertThat(due(66, 0, 1)).isEqualTo(66);
        assertThat(due(66, 500, 0)).isEqualTo(66);
    }

    @Test
    void onceARenewalWasSeenAllButTheShareOfOthersMayGoAtOnce() {
        useTwo();
        assertThat(dueAfterOne(79, 0)).isEqualTo(120);
        assertThat(dueAfterOne(78, 1)).isEqualTo(120);
        assertThat(dueAfterOne(79, 1)).isEqualTo(Moment.SIGNAL);
        assertThat(dueAfterOne(500, 0)).isEqualTo(120);
        sharers.become(2, Double.NaN, 0);
        assertThat(dueAfterOne(38, 1)).isEqualTo(120);
        assertThat(dueAfterOne(39, 1)).isEqualTo(Moment.SIGNAL);
    }

    @ParameterizedTest
    @CsvSource({
        "40, 60.5, 70, 59.5, FIXED", // 30 of 60 came back
        "40, 60.5, 69, 59.5, ROLLING",
        "40, 60.5, 70, 29.5, FIXED", // half of the window is left from the reset on
        "40, 60.5, 70, 29.4, ROLLING",
        "96, 60.5, 98, 59.5, FIXED", // two of four
        "97, 60.5, 97, 59.5, UNKNOWN", // three may be chance
        "40, 200, 70, 20, FIXED", // late
    })
    void aWindowThatIsFullAgainAtItsResetIsFixed(double left, double at, double count, double reset, String kind) {
        use(left);
        read(at, count, reset);
        assertThat(law.kind()).hasToString(kind);
    }

    @Test
    void whoKnowsTheWindowBearsAResetThatBringsLittleBack() {
        useTwo();
        read(120.5, 60, 59.5);
        assertThat(law.kind()).isEqualTo(Window.Kind.FIXED);
        read(180.5, 60, 20); // but not one that comes too soon
        assertThat(law.kind()).isEqualTo(Window.Kind.ROLLING);
    }

    @Test
    void whatIsRollingStaysSo() {
        use(40);
        read(60.5, 69, 59.5);
        read(120.5, 99, 59.5);
        assertThat(law.kind()).isEqualTo(Window.Kind.ROLLING);
        read(125, 50, 55);
        read(126, 99, 60); // moved on
        assertThat(law.kind()).isEqualTo(Window.Kind.ROLLING);
        assertThat(law.explains(500)).isFalse();
    }

    @Test
    void theNewWindowBeganAtTheResetWithAllThatItHolds() {
        use(40);
        read(60.5, 99, 59.5);
        assertThat(usable(60.5)).isEqualTo(99 - 56.5 / 6, ALMOST);
        for (int second = 61; second <= 64; second++) {
            law.took(1); // besides the one that told it
            read(second, 159 - second, 120 - second);
        }
        assertThat(usable(64)).isEqualTo(95 - 53 / 6.0, ALMOST);
    }

    /** The first count of a window that nobody knows may be what others have left. */
    @Test
    void aWindowThatIsNotProvedBeginsWithWhatIsLeft() {
        use(97);
        read(60.5, 97, 59.5);
        assertThat(usable(60.5)).isEqualTo(97 - 9.7 / 59.5 * 56.5, ALMOST);
    }

    /** Many servers begin a window with the first request after the end of the last one. */
    @ParameterizedTest
    @CsvSource({
        "60.5, 59.5, 120",
        "60.5, 60, 120.5", // not 120, one window after the last
        "60.5, 61, 121.5",
        "60.5, 58, 118.5",
        "75, 60, 135",
        "120, 1.5, 121.5", // that has passed as well
        "121, 0.5, 121.5",
        "121, 40, 161"
    })
    void theNextResetIsAsTold(double at, double reset, double next) {
        use(40);
        read(at, 99, reset);
        double line = law.usable(nanos(next - 0.001)); // all is free at the end
        assertThat(line).isEqualTo(99);
        assertThat(law.usable(nanos(next))).isEqualTo(100);
    }

    @ParameterizedTest
    @CsvSource({
        "0", // exact, and past when the answer arrives
        "0.4", // another one
        "1" // whole seconds, rounded up
    })
    void anAnswerToARequestThatLeftBeforeTheResetProvesNothingAboutIt(double reset) {
        useTwo();
        law.took(1);
        law.read(Moment.reading(39, 100, reset, Double.NaN, true, nanos(119.95), nanos(120.05)), 0, 0);
        assertThat(law.kind()).isEqualTo(Window.Kind.FIXED);
        assertThat(usable(120.05)).isEqualTo(100); // the window has ended
        read(120.2, 99, 60);
        assertThat(usable(180.1)).isEqualTo(99);
        assertThat(usable(180.2)).isEqualTo(100); // and so it does again
    }

    @Test
    void aSecondThatIsRoundedUpIsNoErrorOfTheServersClock() {
        useTwo();
        read(120.2, 40, 1);
        assertThat(due(120.2, 500, 0)).isEqualTo(121.2, ALMOST); // now it is waited for
        read(121.3, 99, 60);
        assertThat(usable(181.5)).isEqualTo(99);
        assertThat(usable(181.6)).isEqualTo(100); // 0.2 s too early, and a tenth of a second to be sure
    }

    @Test
    void whoComesAWindowTooLateBeginsAWindowOfHisOwn() {
        use(40);
        read(120, 99, 50);
        assertThat(usable(120)).isEqualTo(99 - 10 / 50.0 * 47, ALMOST);
    }

    @Test
    void othersOfTheWindowBeforeAreStillThere() {
        use(40);
        read(51, 39, 9);
        read(52, 30, 8);
        read(60.5, 99, 59.5);
        // Ten in 60.5 s, and four times as much to be sure.
        assertThat(usable(60.5)).isEqualTo(99 - 4 * 10 / 60.5 * 59.5, ALMOST);
        law.took(9);
        read(110, 90, 10);
        read(120.5, 99, 59.5); // nobody was seen in a whole window
        assertThat(usable(120.5)).isEqualTo(99 - 56.5 / 6, ALMOST);
    }

    @ParameterizedTest
    @CsvSource({
        "60.1, 40, 0.4, 60.5", // as told
        "60.1, 40, 0.05, 60.2", // a tenth of a second at least
        "61.2, 40, 0.1, 61.8", // half of the time since
        "60, 40, 1.6, 61.6"
    })
    void aCountThatHasNotRisenAtTheResetIsAskedForAgainALittleLater(double at, double count, double reset, double due) {
        use(40);
        read(at, count, reset);
        assertThat(law.kind()).isEqualTo(Window.Kind.UNKNOWN);
        assertThat(due(at, 500, 0)).isEqualTo(due, ALMOST);
    }

    @ParameterizedTest
    @CsvSource({"60, 40, 1.7", "60.1, 41, 0.4"})
    void aResetThatIsPutOffForLongerOrByACountThatRisesIsRolling(double at, double count, double reset) {
        use(40);
        read(at, count, reset);
        assertThat(law.kind()).isEqualTo(Window.Kind.ROLLING);
    }

    @Test
    void whatIsHalfAWindowAwayIsTheNextReset() {
        read(0, 100, 2);
        read(2, 100, 1);
        assertThat(usable(2)).isEqualTo(100 - 10 * 0.9, ALMOST); // a line from 2 s to 3 s
    }

    @Test
    void aServerWhoseClockIsAheadIsKnownFromThenOn() {
        use(40);
        read(60.1, 40, 0.4); // 0.5 s later than told at first
        read(60.6, 99, 59); // and that is added to what it tells
        assertThat(law.kind()).isEqualTo(Window.Kind.FIXED);
        assertThat(usable(120.0)).isEqualTo(99);
        assertThat(usable(120.1)).isEqualTo(100);
    }

    @Test
    void secondsThatAreRoundedDownToNothingAreOne() {
        use(40);
        read(59.5, 40, 0);
        assertThat(due(59.5, 500, 0)).isEqualTo(60);
        read(60.5, 99, 58.5);
        assertThat(usable(119.9)).isEqualTo(99);
        assertThat(usable(120)).isEqualTo(100);
    }

    @ParameterizedTest
    @CsvSource({
        "55, 70, 60, FIXED", // renewed 5 s early
        "55, 69, 60, ROLLING",
        "55, 70, 30, FIXED", // half a window is left
        "55, 70, 29, ROLLING",
        "55, 40, 6.6, UNKNOWN", // 1.6 s later may be chance
        "55, 40, 6.7, ROLLING",
        "55, 40, 3.4, UNKNOWN",
    })
    void aResetThatMovesOnIsRollingUnlessAllCameBack(double at, double count, double reset, String kind) {
        use(40);
        read(at, count, reset);
        assertThat(law.kind()).hasToString(kind);
    }

    @Test
    void aWindowThatIsRenewedEarlyOnceIsAServerThatForgotItsCounts() {
        use(40);
        read(55, 99, 60);
        assertThat(law.kind()).isEqualTo(Window.Kind.FIXED);
        law.took(1);
        read(56, 98, 59);
        assertThat(usable(56)).isEqualTo(98 - 10 / 60.0 * 56, ALMOST);
        assertThat(usable(114.9)).isEqualTo(98);
        assertThat(usable(115)).isEqualTo(100);
    }

    @Test
    void fewThatCameBackEarlyProveNothing() {
        use(97);
        read(55, 100, 60);
        assertThat(law.kind()).isEqualTo(Window.Kind.ROLLING);
    }

    @Test
    void aResetThatComesSoonerBelongsToAnotherWindow() {
        use(40);
        read(51, 50, 7);
        assertThat(usable(58)).isEqualTo(100);
        assertThat(usable(51)).isEqualTo(50 - 5 / 7.0 * 4, ALMOST);
        law.read(
                Moment.reading(90, 100, 2, Double.NaN, true, nanos(50.9), nanos(51.5)),
                0,
                0); // it left before that one was seen
        assertThat(usable(55)).isEqualTo(50, ALMOST);
        law.read(Moment.reading(90, 100, 2, Double.NaN, true, nanos(51), nanos(51.5)), 0, 0);
        assertThat(usable(53.5)).isEqualTo(100);
    }

    @Test
    void theEarliestResetOfSeveralAlmostEqualOnesCounts() {
        use(40);
        read(51, 40, 8);
        read(52, 40, 8);
        assertThat(usable(58.9)).isEqualTo(40);
        assertThat(usable(59)).isEqualTo(100);
    }

    @Test
    void nobodyIsServedFromAWindowOfWhichNothingIsLeft() {
        use(0);
        law.read(
                Moment.reading(0, 100, 9, Double.NaN, true, nanos(50), nanos(51)),
                0,
                0); // it left before that was known
        assertThat(law.kind()).isEqualTo(Window.Kind.UNKNOWN);
        law.read(Moment.reading(0, 100, 8, Double.NaN, false, nanos(51), nanos(52)), 0, 0);
        assertThat(law.kind()).isEqualTo(Window.Kind.UNKNOWN);
        law.read(Moment.reading(0, 100, 7, Double.NaN, true, nanos(51), nanos(53)), 0, 0);
        assertThat(law.kind()).isEqualTo(Window.Kind.ROLLING);
    }

    /** Answers say whole seconds, so the others may see the end of a window earlier, and use up the next at once. */
    @Test
    void aWindowOfWhichTheNextOneIsUsedUpAlreadyStaysAWindow() {
        read(0, 100, 10);
        for (int second = 1; second <= 4; second++) {
            read(second, 100 - 10 * second, 10 - second); // it stands still
        }
        read(9.5, 10, 9.8); // others have begun the next one before it ended
        assertThat(law.kind()).isEqualTo(Window.Kind.UNKNOWN);
        read(19.4, 10, 9.7);
        assertThat(law.kind()).isEqualTo(Window.Kind.UNKNOWN);
    }

    /** What a program alone has used has to come back at the reset. */
    @Test
    void aResetThatStoodStillIsNotThatOfAWindowIfNothingOfOwnUseComesBack() {
        read(0, 100, 10);
        for (int second = 1; second <= 4; second++) {
            law.took(10);
            read(second, 100 - 10 * second, 10 - second);
        }
        law.took(50);
        read(9.5, 10, 0.5);
        law.took(1);
        read(10.4, 20, 1);
        assertThat(law.kind()).isEqualTo(Window.Kind.ROLLING);
    }

    /** A reset that was never seen to stand still is that of a rolling quota. */
    @Test
    void aResetThatMovesOnBeforeItIsReachedIsNotThatOfAWindow() {
        read(0, 100, 10);
        read(1, 99, 9);
        read(9.5, 10, 9.8);
        assertThat(law.kind()).isEqualTo(Window.Kind.ROLLING);
    }

    /** The own answers contain at least what is missing. */
    private void readShort(double at, double count, double reset, double admittedAt) {
        law.took(100 - count);
        law.read(Moment.reading(count, 100, reset, 1, true, nanos(admittedAt), nanos(at)), 0, 0);
    }

    /**
     * A reset that is one whole second away at all times stands still in a window of a second, as far as one can see.
     */
    @Test
    void aShortWindowIsFoundRenewedByItsCountAlone() {
        readShort(0, 100, 1, -0.1);
        readShort(0.5, 40, 1, 0.4);
        readShort(0.9, 99, 1, 0.4); // it left before: overtaken
        assertThat(law.kind()).isEqualTo(Window.Kind.UNKNOWN);
        readShort(0.95, 69, 1, 0.5);
        assertThat(law.kind()).isEqualTo(Window.Kind.UNKNOWN);
        readShort(0.99, 70, 1, 0.5);
        assertThat(law.kind()).isEqualTo(Window.Kind.FIXED);
        assertThat(usable(1.5)).isEqualTo(70 - 20 * (0.49 - 0.05), ALMOST); // others have used 29 of it
    }

    /** Windows of a second whose answers all say "one second": each begins with the first request after the last. */
    @Test
    void aShortWindowStaysAWindowWhenAnswersAreLate() {
        readShort(0, 99, 1, -0.01);
        readShort(0.9, 2, 1, 0.89);
        readShort(1.1, 99, 1, 1.09);
        readShort(2.05, 2, 1, 2.04);
        assertThat(law.kind()).isEqualTo(Window.Kind.FIXED);
        readShort(2.105, 1, 1, 2.095); // it left just before the reset
        assertThat(law.kind()).isEqualTo(Window.Kind.FIXED);
        readShort(2.13, 99, 1, 2.12);
        readShort(2.14, 0, 1, 2.09); // overtaken
        assertThat(usable(3.129)).isEqualTo(99);
        assertThat(usable(3.13)).isEqualTo(100); // as told
    }

    /** The first answer of many that went at once may be the one that was counted last. */
    @Test
    void whatIsOnTheWireMayHaveSpentTheNewWindow() {
        readShort(0, 99, 1, -0.01);
        readShort(0.9, 2, 1, 0.89);
        readShort(1.1, 99, 1, 1.09);
        readShort(1.9, 2, 1, 1.89);
        law.read(Moment.reading(30, 100, 1, 1, true, nanos(2.11), nanos(2.12)), 69, 0);
        assertThat(law.kind()).isEqualTo(Window.Kind.FIXED);
        readShort(3, 30, 1, 2.9);
        law.read(Moment.reading(30, 100, 1, 1, true, nanos(3.13), nanos(3.14)), 20, 0);
        assertThat(law.kind()).isEqualTo(Window.Kind.ROLLING);
    }

    @Test
    void aShortWindowThatIsNotRenewedAtItsResetIsRolling() {
        readShort(0, 100, 1, -0.1);
        readShort(0.5, 40, 1, 0.4);
        readShort(0.99, 99, 1, 0.5);
        readShort(1.5, 40, 1, 1.4);
        assertThat(law.kind()).isEqualTo(Window.Kind.FIXED);
        readShort(2.1, 50, 1, 2);
        assertThat(law.kind()).isEqualTo(Window.Kind.ROLLING);
        readShort(2.2, 20, 1, 2.1);
        readShort(2.5, 99, 1, 2.3);
        assertThat(law.kind()).isEqualTo(Window.Kind.ROLLING);
    }

    /** A reading each second of a window of 60 s whose reset nobody tells, for two and a half windows. */
    @Test
    void aWindowWhoseResetIsLearnedEndsWithIt() {
        Renewals from = new Renewals(Tuning.USUAL);
        int window = 0;
        for (int second = 1; second <= 150; second++) {
            double count = 99 - second % 60;
            boolean renewed = from.read(count, false, Double.NaN, nanos(second - 0.1), nanos(second));
            double reset = from.reset(nanos(second));
            window += renewed ? 1 : 0;
            if (reset >= 0) {
                law.took(1);
                law.readLearned(reading(count, Double.NaN, second), reset, from.length(), false, renewed, 0);
            }
        }
        assertThat(window).isEqualTo(2);
        double end = 150 + from.reset(nanos(150));
        assertThat(usable(150)).isEqualTo(69 - 9.9 / (end - 120) * (end - 150 - 3), ALMOST);
        assertThat(usable(end)).isEqualTo(99);
        assertThat(due(150, 68, 0)).isEqualTo(end - 3, ALMOST);
        assertThat(due(end, 0, 0)).isEqualTo(end); // one goes alone, as the next window may begin with it
        assertThat(due(end, 0, 1)).isEqualTo(end + 5);
    }

    @Test
    void aServerWhoseClockIsFarAheadRoundsDownToNothingToo() {
        use(40);
        read(61.2, 40, 0.1); // 1.8 s later than told, so far
        read(61.9, 40, 0); // and that is added: it is put off again
        assertThat(law.kind()).isEqualTo(Window.Kind.ROLLING);
    }

    @Test
    void aWindowWhoseResetIsLearnedMayHaveALimit() {
        double[] counts = {90, 80, 95};
        double[] told = {Double.NaN, 200, Double.NaN};
        double[] limits = {90, 200, 200};
        for (int i = 0; i < counts.length; i++) {
            law.readLearned(reading(counts[i], told[i], i), 60, 0, false, false, 0);
            assertThat(usable(70)).isEqualTo(limits[i]);
        }
    }

    @Test
    void aRefusalWithNothingLeftMakesALearnedResetTrusted() {
        law.readLearned(reading(100, 100, 0), 600, 600, false, false, 0);
        law.readLearned(reading(0, 100, 2), 598, 600, false, false, 0);
        assertThat(due(2, 0, 0)).isEqualTo(122);
        Reading refused = reading(0, 100, 3);
        refused.outcome = Outcome.RATE_LIMITED;
        law.readLearned(refused, 597, 600, false, false, 0);
        assertThat(due(3, 0, 0)).isEqualTo(600);
    }

    private static Reading reading(double count, double limit, double at) {
        Reading reading = new Reading();
        reading.count = count;
        reading.limit = limit;
        reading.admittedAt = nanos(at - 0.1);
        reading.now = nanos(at);
        return reading;
    }

    @Test
    void anAnswerThatWasOvertakenAtTheEndOfAWindowTellsOfThatOne() {
        useTwo();
        law.read(Moment.reading(41, 100, 0, Double.NaN, true, nanos(119.9), nanos(120.1)), 0, 0);
        assertThat(law.kind()).isEqualTo(Window.Kind.FIXED);
        assertThat(usable(120.1)).isEqualTo(100);
    }

    /** Its reset has passed because it was on its way for long, not because the server rounds down. */
    @Test
    void aResetThatHasPassedBelongsToTheWindowBefore() {
        useTwo();
        read(120.2, 99, 60);
        law.read(Moment.reading(41, 100, 0, Double.NaN, true, nanos(119.9), nanos(120.4)), 0, 0);
        law.took(98);
        read(130, 1, 50);
        assertThat(due(131, 1, 0)).isEqualTo(180, ALMOST); // a second later if it had been rounded down
        read(180.2, 99, 60);
        assertThat(usable(240.1)).isEqualTo(99);
        assertThat(usable(240.2)).isEqualTo(100);
    }

    @Test
    void anAnswerOfTheWindowBeforeBeginsNoOther() {
        useTwo();
        read(120.2, 99, 60);
        law.took(9);
        read(120.6, 90, 59.6);
        law.read(Moment.reading(0, 100, 1, Double.NaN, false, nanos(120.3), nanos(120.7)), 0, 0);
        assertThat(usable(120.8)).isGreaterThan(70);
        assertThat(usable(122)).isBetween(70.0, 99.0); // it has not ended
    }
}
