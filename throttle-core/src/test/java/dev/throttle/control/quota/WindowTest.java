package dev.throttle.control.quota;

import static dev.throttle.control.quota.Moment.nanos;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The line of a window of 100 requests per 60 s that is seen from 0 s on. It reaches 0 at 57 s. For a client that is
 * alone it falls by one in 6 s, from 9.5; where others are there by one in 3 s, from 19.
 */
class WindowTest {

    private static final Offset<Double> ALMOST = within(1e-8);

    private final PacingSettings settings = new PacingSettings(0.1, 0.2, 120, 120, nanos(5), 0);
    private final Surroundings surroundings = new Surroundings(settings, () -> 0);
    private final Surroundings sharers = surroundings;
    private final Window law = new Window(surroundings, Tuning.USUAL, true);

    private void begin() {
        read(0, 100, 60);
    }

    private void read(double at, double count, double reset) {
        read(at, count, reset, true);
    }

    private void read(double at, double count, double reset, boolean accepted) {
        law.read(Moment.reading(count, 100, reset, Double.NaN, accepted, nanos(at - 0.1), nanos(at)), 0, 0);
    }

    /** So many own requests are answered, the last of which tells the count, while the window is as it was. */
    private void use(double at, int own, double count) {
        law.took(own);
        read(at, count, 60 - at);
    }

    /** Three falls by one tell that a request costs one unit. */
    private void learnTheCost() {
        for (int second = 1; second <= 3; second++) {
            use(second, 1, 100 - second);
        }
    }

    private double due(double at, int ahead, int wire) {
        return Moment.seconds(law.dueNanos(ahead + 1.0, wire, wire > 0, 0, nanos(at)));
    }

    private double usable(double at) {
        return law.usable(nanos(at));
    }

    @Test
    void withoutAReadingNothingIsKnownAndNothingIsHeldBack() {
        assertThat(law.isKnown()).isFalse();
        assertThat(law.explains(0)).isFalse();
        assertThat(due(1, 5, 3)).isEqualTo(1);
        begin();
        assertThat(law.isKnown()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "0, 100, 90.5", // 100 - 57 / 6
        "27, 8, 3", // 8 - 30 / 6
        "33, 2, -2", // more than is left
        "57, 1, 1",
        "59, 1, 1",
        "60, 1, 100" // after the reset
    })
    void whatMayBeUsedIsWhatIsLeftAboveTheLine(double at, double count, double usable) {
        begin();
        if (at > 0 && at < 60) {
            use(at, (int) (100 - count), count);
        }
        assertThat(usable(at)).isEqualTo(usable, ALMOST);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 100, 89, 0, 0", // the 90th
        "0, 100, 90, 0, 3", // 9 are left after it, and the line is at 9 after 3 s
        "0, 100, 88, 1, 0",
        "0, 100, 89, 1, Infinity", // it would fit if the one on the wire were not counted
        "0, 100, 90, 1, 9",
        "27, 8, 2, 0, 27",
        "27, 8, 3, 0, 33", // 4 are left after it: 24 s before 57 s
        "33, 2, 0, 0, 51", // 1 is left after it: 6 s before 57 s
        "27, 2, 0, 0, 51",
        "27, 2, 1, 0, 57", // the last one
        "27, 2, 2, 0, 60", // the reset
        "57, 1, 0, 0, 57",
        "58, 0, 0, 0, 60"
    })
    void aRequestGoesWhenTheLineHasComeDown(double at, double count, int ahead, int wire, double due) {
        begin();
        if (at > 0) {
            use(at, (int) (100 - count), count);
        }
        assertThat(due(at, ahead, wire)).isEqualTo(due, ALMOST);
    }

    @Test
    void othersAreSeenByTwoUnitsThatNobodyHereHasUsed() {
        begin();
        learnTheCost();
        use(4, 1, 95); // one of others may be rounding
        assertThat(usable(4)).isEqualTo(95 - 53 / 6.0, ALMOST);
        use(5, 0, 90); // six of ten: as much as this client, so nothing more is kept for them
        assertThat(usable(5)).isEqualTo(90 - 52 / 3.0, ALMOST);
        assertThat(due(5, 72, 0)).isEqualTo(6, ALMOST); // 17 are left after it: 51 s before 57 s
    }

    @Test
    void twoUnitsAreEnoughAndThoseOnTheWireMayBeTheOwn() {
        begin();
        learnTheCost();
        law.read(Moment.reading(95, 100, 56, Double.NaN, true, nanos(3.9), nanos(4)), 1, 0);
        assertThat(usable(4)).isEqualTo(95 - 53 / 6.0, ALMOST); // 5 - 3 - 1
        law.read(Moment.reading(95, 100, 56, Double.NaN, true, nanos(3.9), nanos(4)), 0, 0);
        assertThat(usable(4)).isEqualTo(95 - 53 / 3.0, ALMOST); // the two are no more than half as much as the own
    }

    /** One in 4 s, and four times as much to be sure; but no more than a half of the window is kept for them. */
    @Test
    void oneIsEnoughIfTheLengthIsTold() {
        begin();
        learnTheCost();
        law.read(Moment.reading(96, 100, 56, 60, true, nanos(3.9), nanos(4)), 1, 0);
        assertThat(usable(4)).isEqualTo(96 - 53 / 6.0, ALMOST);
        law.read(Moment.reading(96, 100, 56, 60, true, nanos(3.9), nanos(4)), 0, 0);
        assertThat(usable(4)).isEqualTo(96 - 56 * 50 / 60.0, ALMOST);
    }

    /** Of thirty, 23 are known to be own ones, and three may be: others have used about five and a half in 40 s. */
    @Test
    void aboutHalfOfWhatIsOnTheWireWasNotCountedYet() {
        begin();
        learnTheCost();
        law.took(20);
        law.read(Moment.reading(70, 100, 20, 60, true, nanos(39.9), nanos(40)), 3, 0);
        assertThat(usable(40)).isEqualTo(70 - 20 * 5.5 / 40.0 * (1 + 3 / Math.sqrt(5.5)), ALMOST);
    }

    /**
     * Two of seven in 5 s are 0.4 a second, about three times as much to be sure; but no more than a half of the
     * window.
     */
    @Test
    void whatOthersKeepUsingIsLeftForThem() {
        begin();
        learnTheCost();
        use(5, 2, 93);
        double kept = 50 / 60.0;
        assertThat(usable(5)).isEqualTo(93 - 55 * kept, ALMOST);
        assertThat(due(5, 47, 0)).isEqualTo(60 - 45 / kept, ALMOST);
        read(6, 92, 54);
        use(6, 80, 12);
        assertThat(due(6, 1, 0)).isEqualTo(60 - 10 / kept, ALMOST);
    }

    @Test
    void withoutAReserveOnlyThatIsKept() {
        surroundings.settings = new PacingSettings(0, 0, 120, 120, nanos(5), 0);
        begin();
        learnTheCost();
        use(5, 2, 93);
        assertThat(due(5, 92, 0)).isEqualTo(60, ALMOST);
        assertThat(due(5, 47, 0)).isEqualTo(6, ALMOST);
    }

    @Test
    void othersThatAreCountedShareToo() {
        begin();
        sharers.become(2, Double.NaN, 0);
        assertThat(usable(0)).isEqualTo(81);
        assertThat(due(0, 81, 0)).isEqualTo(3, ALMOST); // 18 are left after it: 54 s before 57 s
    }

    @ParameterizedTest
    @CsvSource({
        "60, 30, 91", // 100 - 27 / 3: it ends after 30 s, and 3 s before that is all free
        "NaN, 30, 90.5", // 100 - 28.5 / 3
        "0, 30, 90.5",
        "20, 30, 90.5", // it is at least as long as what is left of it
        "200000, 21600, 90.01388888888889", // 30 s at most: 100 - (21,600 - 30) / 2,160
        "NaN, 200000, 90.0015", // 100 - (200,000 - 30) / 20,000
        "NaN, 1e12, 90.00000948694596" // 366 days at most: 100 - 10 (1 - 30 / 31,622,400)
    })
    void theLengthOfTheWindowIsToldOrTheLongestTimeToAResetSeen(double length, double reset, double usable) {
        law.read(Moment.reading(100, 100, reset, length, true, 0, 0), 0, 0);
        assertThat(usable(0)).isEqualTo(usable, ALMOST);
    }

    @Test
    void theLimitThatNobodyTellsIsTheMostThatWasLeft() {
        law.read(Moment.reading(80, Double.NaN, 60, Double.NaN, true, 0, 0), 0, 0);
        sharers.become(2, Double.NaN, 0);
        assertThat(usable(0)).isEqualTo(80 - 0.2 * 80 * 57 / 60, ALMOST);
        law.read(Moment.reading(79, Double.NaN, 59, Double.NaN, true, 0, nanos(1)), 0, 0);
        assertThat(usable(60)).isEqualTo(80);
        law.read(Moment.reading(90, Double.NaN, 58, Double.NaN, true, 0, nanos(2)), 0, 0);
        assertThat(usable(60)).isEqualTo(90);
    }

    @Test
    void aLimitThatBecomesLessMakesTheLineLower() {
        law.read(Moment.reading(150, 200, 60, Double.NaN, true, 0, 0), 0, 0);
        assertThat(usable(0)).isEqualTo(150 - 15 * 57 / 60.0, ALMOST);
        read(1, 99, 59);
        assertThat(usable(1)).isEqualTo(99 - 56 / 6.0, ALMOST);
    }

    @Test
    void itExplainsARefusalIfWhatIsOnTheWireMayHaveUsedItUp() {
        begin();
        use(1, 98, 2);
        assertThat(law.explains(1)).isFalse();
        assertThat(law.explains(2)).isTrue();
    }

    private void beginTenMinutes() {
        law.read(Moment.reading(100, 100, 600, Double.NaN, true, 0, 0), 0, 0);
    }

    /** Two minutes after the last answer. */
    @Test
    void aResetThatHasNotProvedToStandStillIsAskedAboutSooner() {
        beginTenMinutes();
        law.read(Moment.reading(0, 100, 590, Double.NaN, true, nanos(9.9), nanos(10)), 0, 0);
        assertThat(due(10, 0, 0)).isEqualTo(130);
        assertThat(due(50, 0, 0)).isEqualTo(130);
        assertThat(due(130, 0, 0)).isEqualTo(130);
        assertThat(due(140, 0, 0)).isEqualTo(140);
        assertThat(due(50, 0, 1)).isEqualTo(Moment.SIGNAL); // somebody asks already
    }

    @Test
    void aRefusalWithNothingLeftMakesItTrusted() {
        beginTenMinutes();
        law.read(Moment.reading(0, 100, 599, Double.NaN, false, nanos(0.9), nanos(1)), 0, 0);
        assertThat(due(1, 0, 0)).isEqualTo(121); // too soon to tell
        law.read(Moment.reading(0, 100, 598.9, Double.NaN, false, nanos(1), nanos(1.1)), 0, 0);
        assertThat(due(1.1, 0, 0)).isEqualTo(600);
        assertThat(due(1.1, 0, 1)).isEqualTo(600);
    }

    @ParameterizedTest
    @CsvSource({
        "600, 4, 1, 600", // the third fall after 3 s
        "600, 3, 1, 123",
        "600, 4, 0, 124", // only two falls
        "7200, 4, 1, 3604", // believed for an hour
        "7201, 4, 1, 124" // many a rolling quota tells a reset that stands still for longer
    })
    void aResetThatStandsStillWhileTheCountFallsIsTrusted(double window, double at, int falls, double due) {
        law.read(Moment.reading(100, 100, window, Double.NaN, true, 0, 0), 0, 0);
        law.read(Moment.reading(99, 100, window - 1, Double.NaN, true, nanos(0.9), nanos(1)), 0, 0);
        law.read(Moment.reading(99 - falls, 100, window - 2, Double.NaN, true, nanos(1.9), nanos(2)), 0, 0);
        law.read(Moment.reading(0, 100, window - at, Double.NaN, true, nanos(at - 0.1), nanos(at)), 0, 0);
        assertThat(due(at, 0, 0)).isEqualTo(due, ALMOST);
    }

    @Test
    void whoWaitsLongerThanAnHourAnywayGoesByThat() {
        surroundings.settings = new PacingSettings(0.1, 0.2, 120, 5000, nanos(5), 0);
        law.read(Moment.reading(100, 100, 7000, Double.NaN, true, 0, 0), 0, 0);
        law.read(Moment.reading(0, 100, 6998, Double.NaN, false, nanos(1.9), nanos(2)), 0, 0);
        assertThat(due(2, 0, 0)).isEqualTo(5002);
    }

    private static final int SECONDS = 20;

    /** What the clock shows at second 0, in seconds: any value, as that of {@code System.nanoTime}. */
    private double start;

    /** A window of ten a second is answered late in it, beside others who have used up the rest of it. */
    private void readShort(double second, double count, double length) {
        readShort(second, second + 0.08, count, length);
    }

    private void readShort(double second, double admittedAt, double count, double length) {
        Reading r = Moment.reading(count, 10, 1, length, true, nanos(start + admittedAt), nanos(start + second + 0.1));
        law.watchOthers(r, 2.5);
        law.read(r, 0, 0);
        law.took(1);
    }

    private void leavesNothing(int from, int to, double length) {
        for (int second = from; second <= to; second++) {
            readShort(second, 0, length);
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 1e9, -1e9})
    void aRefutedWindowIsBelievedAgainIfItsLengthIsToldAndLittleIsEverLeft(double start) {
        this.start = start;
        readShort(0, 0, 1);
        for (int second = 1; second <= 3; second++) {
            readShort(second, 0, 1);
            assertThat(law.kind()).as("after %s s", second).isEqualTo(Window.Kind.ROLLING);
        }
        for (int second = 4; second <= SECONDS; second++) {
            readShort(second, second % 2, 1);
            assertThat(law.kind()).as("after %s s", second).isEqualTo(Window.Kind.FIXED);
        }
        assertThat(law.explains(0)).isTrue();
    }

    /** However many windows had enough left, four used-up ones in a row are enough. */
    @Test
    void windowsThatHadEnoughLeftAreForgotten() {
        for (int second = 0; second <= SECONDS; second++) {
            readShort(second, 3, 1);
        }
        leavesNothing(SECONDS + 1, SECONDS + 3, 1);
        assertThat(law.kind()).isEqualTo(Window.Kind.ROLLING);
        readShort(SECONDS + 4, 0, 1);
        assertThat(law.kind()).isEqualTo(Window.Kind.FIXED);
    }

    @Test
    void orIfHalfOfItHasComeBackAtOnce() {
        leavesNothing(0, SECONDS, Double.NaN);
        assertThat(law.kind()).isEqualTo(Window.Kind.ROLLING);
        readShort(SECONDS + 1, 4, Double.NaN);
        leavesNothing(SECONDS + 2, SECONDS + 4, Double.NaN);
        assertThat(law.kind()).as("less than half").isEqualTo(Window.Kind.ROLLING);
        readShort(SECONDS + 5, 5, Double.NaN);
        assertThat(law.kind()).isEqualTo(Window.Kind.FIXED);
        leavesNothing(SECONDS + 6, 2 * SECONDS, Double.NaN);
        assertThat(law.kind()).isEqualTo(Window.Kind.FIXED);
    }

    /** One more is wanted than with a told length. */
    @Test
    void withoutALengthItTakesFiveWindows() {
        leavesNothing(0, 0, Double.NaN);
        readShort(1, 5, Double.NaN);
        leavesNothing(2, 5, Double.NaN);
        assertThat(law.kind()).isEqualTo(Window.Kind.ROLLING);
        readShort(6, 0, Double.NaN);
        assertThat(law.kind()).isEqualTo(Window.Kind.FIXED);
    }

    @Test
    void anOvertakenAnswerDoesNotShowThatHalfOfItHasComeBack() {
        leavesNothing(0, SECONDS, Double.NaN);
        readShort(SECONDS + 0.5, SECONDS - 3, 5, Double.NaN);
        leavesNothing(SECONDS + 1, 2 * SECONDS, Double.NaN);
        assertThat(law.kind()).isEqualTo(Window.Kind.ROLLING);
    }

    @Test
    void aLongTimeWithNothingLeftIsForgottenInSixWindows() {
        leavesNothing(0, 3 * SECONDS, Double.NaN);
        for (int second = 1; second <= 6; second++) {
            readShort(3 * SECONDS + second, 4, Double.NaN);
        }
        readShort(3 * SECONDS + 7, 0, Double.NaN);
        readShort(3 * SECONDS + 8, 5, Double.NaN);
        leavesNothing(3 * SECONDS + 9, 3 * SECONDS + 11, Double.NaN);
        assertThat(law.kind()).isEqualTo(Window.Kind.ROLLING);
    }

    /** In a quota that fills little by little all who share it see what should remain, on average. */
    @Test
    void itStaysRefutedWhereEnoughIsLeftAsOftenAsNot() {
        for (int second = 0; second <= SECONDS; second++) {
            readShort(second, second % 2 == 0 ? 0 : 2, 1);
        }
        assertThat(law.kind()).isEqualTo(Window.Kind.ROLLING);
    }

    @Test
    void oneWindowIsLookedAtOnce() {
        for (int tenth = 0; tenth < 39; tenth++) {
            readShort(0.1 * tenth, 0, 1);
        }
        assertThat(law.kind()).isEqualTo(Window.Kind.ROLLING);
    }

    /** The server is another one, or has other limits now. */
    @Test
    void itIsRefutedAgainWhenItIsLong() {
        leavesNothing(0, SECONDS, 1);
        assertThat(law.kind()).isEqualTo(Window.Kind.FIXED);
        for (int second = SECONDS + 1; second <= 2 * SECONDS; second++) {
            Reading r = Moment.reading(0, 10, 60, 60, true, nanos(second + 0.08), nanos(second + 0.1));
            law.watchOthers(r, 2.5);
            law.read(r, 0, 0);
        }
        assertThat(law.kind()).isEqualTo(Window.Kind.ROLLING);
    }

    /** Of a window of a minute whole seconds tell enough. */
    @Test
    void aLongWindowIsNotBelievedAgain() {
        read(0, 0, 60);
        for (int second = 1; second <= SECONDS; second++) {
            Reading r = Moment.reading(0, 100, 60, 60, true, nanos(second - 0.1), nanos(second));
            law.watchOthers(r, 2.5);
            law.read(r, 0, 0);
        }
        assertThat(law.kind()).isEqualTo(Window.Kind.ROLLING);
    }

    private void told(double at, double count, double reset) {
        law.read(Moment.reading(count, 100, reset, 60, true, nanos(at - 0.1), nanos(at)), 0, 0);
    }

    /** This client has used half of what all have used, and must wait for the line from second 1 to 20. */
    private void scarce(int begin) {
        told(begin, 100, 60);
        law.took(43);
        told(begin + 1, 14, 59);
        law.took(1);
        told(begin + 20, 12, 40);
    }

    @Test
    void aWindowThatFollowsAScarceOneIsHandedOutMoreEvenly() {
        scarce(0);
        told(60.5, 100, 60);
        double part = 45.0 / 89;
        assertThat(usable(60.5)).isCloseTo(100 - 57 / 60.0 * (20 + 80 * 0.5 * Math.min(1, 2 * part)), within(0.01));
    }

    @Test
    void theWaitBelongsToTheWindowInWhichItBegan() {
        scarce(0);
        law.took(1);
        told(60.5, 98, 60);
        law.took(1);
        told(61.5, 96, 59);
        told(120.5, 100, 60);
        assertThat(usable(120.5)).isCloseTo(100 - 57 / 3.0, within(0.01));
    }

    @Test
    void aWaitUntilTheResetCounts() {
        told(0, 100, 60);
        law.took(43);
        told(1, 14, 59);
        told(60.5, 100, 60);
        assertThat(usable(60.5)).isLessThan(100 - 57 / 2.0);
    }

    @Test
    void whatOthersDidLongAgoTellsNothing() {
        scarce(0);
        told(120.5, 100, 60);
        assertThat(usable(120.5)).isCloseTo(100 - 57 / 3.0, within(0.01));
    }

    @Test
    void besideOthersWhoKeepToNoLineTheUsualOneIsKept() {
        scarce(0);
        told(60.5, 100, 60);
        law.took(30);
        told(61.5, 8, 59); // the line is at 27
        scarce(121);
        told(181.5, 100, 60);
        assertThat(usable(181.5)).isCloseTo(100 - 57 / 3.0, within(0.01));
    }

    @Test
    void whereTheLinesAreEvenTheCountStaysAsFarBelowThemAndNothingIsLeftWhenTheyAreSoLow() {
        scarce(0);
        told(60, 100, 60);
        law.took(25);
        told(61, 47, 59);
        law.took(1);
        told(80, 30, 40);
        told(120.5, 100, 60);
        law.took(45);
        told(166.5, 8, 14); // about five below the line
        assertThat(due(166.5, 0, 0)).as("when the line has come down to 7").isBetween(168.0, 175.0);
        law.took(1);
        told(167, 4, 13.5); // about nine below it
        assertThat(due(167, 0, 0)).as("the reset").isCloseTo(180.5, within(0.01));
    }

    /** A unit in each of three windows is as sure as two in one of them. */
    @Test
    void singleUnitsOfOthersAreSeenInSeveralWindows() {
        for (int minute = 0; minute < 4; minute++) {
            int begin = 60 * minute;
            read(begin, 100, 60);
            assertThat(usable(begin)).as("minute %s", minute).isEqualTo(100 - 57 / 6.0, ALMOST);
            law.took(1);
            read(begin + 1, 98, 59);
        }
        assertThat(usable(181)).isEqualTo(98 - 56 / 3.0, ALMOST);
    }
}
