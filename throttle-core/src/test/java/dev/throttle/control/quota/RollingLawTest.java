package dev.throttle.control.quota;

import static dev.throttle.control.quota.Moment.SIGNAL;
import static dev.throttle.control.quota.Moment.nanos;
import static dev.throttle.control.quota.Moment.sentAt;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A count without a reset, from answer to answer, without chance. */
class RollingLawTest {

    private static final Offset<Double> ALMOST = within(1e-8);
    private static final double JOIN = 1.9;

    private final PacingSettings settings = new PacingSettings(0.1, 0.2, 120, 120, nanos(5), 0);
    private final Tuning tuning = new Tuning();
    private final Sharers sharers = new Sharers();
    private long chance;
    private final RollingLaw law = new RollingLaw(settings, tuning, sharers, () -> chance);
    private double told = Double.NaN;
    private double rate = 1;
    private int inFlight;
    private double sent;

    private boolean read(double at, double count, boolean refused) {
        return law.read(count, told, Double.NaN, refused, sentAt(sent).perSecond(rate), inFlight, nanos(at));
    }

    /** An accepted answer. */
    private void answer(double at, double count) {
        sent = at;
        if (read(at, count, false)) {
            law.onSuccess(sentAt(at).inFlight(inFlight).perSecond(rate), nanos(at));
        }
    }

    private void refuse(double at, double count) {
        sent = at;
        read(at, count, true);
        law.onRefusal(sentAt(at).inFlight(inFlight).perSecond(rate), inFlight, nanos(at));
    }

    private double due(double at, int ahead, int wire) {
        return Moment.seconds(law.dueNanos(ahead, 1, wire, nanos(at)));
    }

    /** {@return the interval after an answer while the count does not swing} */
    private double step(double before, double error, double remaining, double change, int inFlight) {
        double step = RemainingLaw.step(tuning, before, error, remaining, change);
        return before * Math.exp((step - RemainingLaw.lean(tuning, before)) / (1 + inFlight));
    }

    @Test
    void withoutACountEverythingMayGo() {
        assertThat(law.isBlind()).isTrue();
        assertThat(law.isPlentiful()).isTrue();
        assertThat(law.explains(100)).isFalse();
        assertThat(due(1, 100, 100)).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({
        "14, NaN, 1.9, 3.8", // less than should remain: others are there
        "15, NaN, 0, 0", // no less, and no stock
        "16, NaN, 0, 0.25", // a stock, of which one stays
        "4, 20, 1.9, 3.8",
        "5, 20, 0, 0", // a quarter of a limit
        "6, 20, 0, 0.25",
        "15, 100, 0, 0",
        "16, 100, 0, 0.25"
    })
    void whoFindsAStockIsAloneAndWhoDoesNotJoinsOthers(double count, double told, double interval, double due) {
        this.told = told;
        answer(0, count);
        assertThat(law.interval()).isEqualTo(interval);
        assertThat(law.isBlind()).isFalse();
        int ahead = interval == 0 ? (int) count - 1 : 1;
        assertThat(due(0, ahead, 0)).isEqualTo(due, ALMOST);
        assertThat(due(0, 0, (int) count)).isEqualTo(interval == 0 ? SIGNAL : interval, ALMOST);
        assertThat(due(0, 0, 1)).isEqualTo(interval, ALMOST);
    }

    @Test
    void itIsPlentifulIfNobodyHasToWaitForLong() {
        answer(0, 10_000);
        assertThat(law.isPlentiful()).isFalse();
        answer(1, 10_001);
        assertThat(law.isPlentiful()).isTrue();
        law.forget();
        answer(2, 1);
        answer(3, 20_000);
        assertThat(law.isPlentiful()).isFalse(); // at a pace
    }

    @Test
    void aStockThatFallsByMoreThanTheOwnRequestsIsShared() {
        answer(0, 50);
        answer(1, 49);
        answer(2, 40);
        assertThat(law.interval()).isEqualTo(step(JOIN, Math.log(40.5 / 15), 40, 0, 0), ALMOST);
    }

    @ParameterizedTest
    @CsvSource({"69, 60, 0", "68, 59, 1"})
    void whereSixtyAreLeftANewcomerStaysFree(double before, double count, int paced) {
        answer(0, before + 1);
        answer(1, before);
        answer(2, count);
        assertThat(law.interval() > 0).isEqualTo(paced == 1);
    }

    @Test
    void whoIsNoNewcomerStaysFreeToo() {
        answer(0, 50);
        for (int i = 1; i <= 14; i++) {
            answer(i, 50);
        }
        answer(15, 30); // the sixteenth
        assertThat(law.interval()).isPositive();
        law.forget();
        answer(16, 50);
        answer(17, 50);
        answer(18, 30);
        assertThat(law.interval()).isZero();
    }

    /** One in 1.9 s; the reference is 0.733 s, and fifteen should remain. */
    @Test
    void eachAnswerMovesTheInterval() {
        answer(0, 5);
        answer(2, 4);
        double s = step(JOIN, Math.log(4.5 / 15), 4, -1, 0);
        double swing = 0.1;
        // The target grows by a quarter of the swing.
        s = step(JOIN, Math.log(4.5 / (15 + swing / 4)), 4, -1, 0);
        assertThat(law.interval()).isEqualTo(s, ALMOST);
        answer(4, 4);
        swing *= 0.9;
        s = step(s, Math.log(4.5 / (15 + swing / 4)), 4, 0, 0);
        assertThat(law.interval()).isEqualTo(s, ALMOST);
        inFlight = 3;
        answer(6, 7);
        swing += 0.1 * (3 - swing);
        double usable = 7 - 3 * swing; // each of those on the wire may take a swing
        s = step(s, Math.log((usable + 0.5) / (15 + swing / 4)), 7, 3, 3);
        assertThat(law.interval()).isEqualTo(s, ALMOST);
    }

    @Test
    void aNewcomerThatSeesTheCountGrowTakesWhatIsLeftOver() {
        answer(0, 5);
        answer(2, 7); // one a second more than is used
        double s = 1 / (1 / JOIN + 1);
        assertThat(law.interval()).isEqualTo(step(s, -1, 7, 2, 0), ALMOST);
        s = law.interval();
        answer(6, 11);
        s = 1 / (1 / s + 1);
        assertThat(law.interval()).isEqualTo(step(s, -1, 11, 4, 0), ALMOST);
        s = law.interval();
        answer(8, 12); // no more
        assertThat(law.interval()).isEqualTo(step(s, -0.1, 12, 1, 0), ALMOST);
        s = law.interval();
        answer(10, 14);
        assertThat(law.interval()).isEqualTo(step(s, -0.01, 14, 2, 0), ALMOST);
    }

    @Test
    void whoWasRefusedTakesNothingOfThat() {
        answer(0, 5);
        refuse(1, 0);
        double s = law.interval();
        answer(20, 7);
        assertThat(law.interval()).isEqualTo(step(s, -1, 7, 7, 0), ALMOST);
    }

    /** A quarter of the interval each time, and none below a hundredth of a second. */
    @ParameterizedTest
    @CsvSource({"375, NaN, 1", "400, NaN, 4", "50, 100, 1", "51, 100, 4"})
    void whereMuchIsLeftThePaceIsSoonLifted(double count, double told, int faster) {
        this.told = told;
        answer(0, 5);
        answer(10, 5);
        double s = law.interval();
        answer(20, count);
        assertThat(law.interval() == s / 4).isEqualTo(faster == 4);
        if (faster == 4) {
            answer(21, count);
            answer(22, count);
            assertThat(law.interval()).isEqualTo(s / 64);
            answer(23, count);
            assertThat(law.interval()).isZero();
            assertThat(due(23, (int) count - 2, 0)).isEqualTo(23); // and it is alone
            assertThat(due(23, (int) count - 1, 0)).isGreaterThan(23);
        }
    }

    /** Whoever was seen may come back for ten minutes. */
    @ParameterizedTest
    @CsvSource({"601.9, false", "602, true"})
    void afterOthersWereSeenItIsAloneAgainAfterTenMinutes(double at, boolean alone) {
        answer(0, 50);
        answer(1, 49);
        answer(2, 40); // from here on
        for (int i = 0; i < 4; i++) {
            answer(at - 3 + i, 1000);
        }
        assertThat(law.interval()).isZero();
        assertThat(due(at, 998, 0)).isEqualTo(at);
        assertThat(due(at, 999, 0) > at).isEqualTo(alone);
    }

    @Test
    void withoutAPaceThereIsOneOnceTooLittleIsLeft() {
        answer(0, 70);
        answer(1, 69);
        answer(2, 60); // others, but enough for all
        assertThat(law.interval()).isZero();
        assertThat(due(2, 0, 59)).isEqualTo(2);
        assertThat(due(2, 0, 60)).isEqualTo(SIGNAL);
        assertThat(due(2, 1, 59)).isEqualTo(SIGNAL);
        rate = 4;
        answer(3, 14);
        assertThat(law.interval()).isEqualTo(0.25);
    }

    @Test
    void theCountThatRisesNeedsNoPace() {
        answer(0, 70);
        answer(1, 69);
        answer(2, 60);
        answer(3, 16);
        assertThat(law.interval()).isZero();
        refuse(4, 0);
        answer(5, 1);
        assertThat(law.interval()).isPositive();
    }

    /** Of so many that were refused while that was left, there is one on the wire at a time. */
    @Test
    void whereItWasRefusedOneGoesAtATime() {
        answer(0, 5);
        assertThat(due(10, 0, 4)).isEqualTo(10);
        assertThat(due(10, 0, 0)).isEqualTo(10);
        refuse(10, 4);
        answer(100, 4);
        assertThat(due(200, 0, 1)).isEqualTo(SIGNAL);
        assertThat(due(200, 0, 0)).isEqualTo(200);
        answer(200, 5);
        assertThat(due(300, 0, 1)).isEqualTo(300); // one more than that
        answer(300, 3); // accepted: so that many are enough
        answer(400, 4);
        assertThat(due(500, 0, 1)).isEqualTo(500);
        answer(500, 0);
        assertThat(due(600, 0, 1)).isEqualTo(SIGNAL);
    }

    @Test
    void aRefusalWithMuchLeftTellsOfFifteenAtMost() {
        answer(0, 5);
        refuse(10, 100);
        answer(100, 15);
        assertThat(due(200, 0, 1)).isEqualTo(SIGNAL);
        answer(300, 16);
        assertThat(due(400, 0, 1)).isEqualTo(400);
    }

    @Test
    void itExplainsARefusalIfLessThanOneMayBeLeft() {
        answer(0, 5);
        assertThat(law.explains(4)).isFalse();
        assertThat(law.explains(5)).isTrue();
        answer(2, 3); // it swings by 0.2
        assertThat(law.explains(1)).isFalse();
        assertThat(law.explains(2)).isTrue();
    }

    @Test
    void whoIsRefusedAtOnceBeginsWithTheFirstInterval() {
        refuse(0, 0);
        assertThat(law.interval()).isEqualTo(tuning.firstInterval);
        assertThat(due(0, 0, 0)).isEqualTo(tuning.firstInterval * tuning.quotaCut, ALMOST);
        answer(2, 0);
        // A quarter of fifteen should remain, and a tenth for each answer.
        double s = step(tuning.firstInterval, Math.log(0.5 / (3.75 + 0.1)), 0, 0, 0);
        assertThat(law.interval()).isEqualTo(s, ALMOST);
        answer(4, 0);
        s = step(s, Math.log(0.5 / (3.75 + 0.2)), 0, 0, 0);
        assertThat(law.interval()).isEqualTo(s, ALMOST);
        refuse(6, 0); // so others are there, it seems
        s = law.interval();
        answer(20, 0);
        assertThat(law.interval()).isEqualTo(step(s, Math.log(0.5 / 15), 0, 0, 0), ALMOST);
    }

    @ParameterizedTest
    @CsvSource({"5, 40, 10", "5, 61, 15", "0, 2, 1"})
    void noMoreThanAQuarterOfTheLimitShouldRemainAndOneAtLeast(double count, double told, double target) {
        this.told = told;
        answer(0, count);
        double s = step(JOIN, Math.log((count + 0.5) / target), count, 0, 0);
        answer(10, count);
        assertThat(law.interval()).isEqualTo(s, ALMOST);
    }

    @Test
    void aRefusalWhileAloneIsExpectedOnlyIfNothingIsLeft() {
        answer(0, 50);
        refuse(1, 0);
        assertThat(due(1, 0, 0)).isEqualTo(1.25); // it is asked again
        assertThat(law.interval()).isZero();
        law.forget();
        answer(2, 50);
        refuse(3, 49);
        answer(4, 49);
        assertThat(due(4, 47, 1)).isEqualTo(4); // all that remain, as others are there
        assertThat(due(4, 48, 1)).isEqualTo(SIGNAL);
    }

    /** Three pauses of two intervals. */
    @Test
    void aSmallBucketIsFullIfItsCountStaysTheSame() {
        answer(0, 5);
        assertThat(due(0, 0, 0)).isEqualTo(JOIN, ALMOST);
        double s = JOIN;
        for (int pause = 1; pause <= 2; pause++) {
            answer(10 * pause, 5);
            assertThat(due(10 * pause, 0, 0)).isEqualTo(10 * pause + 2 * s, ALMOST);
            s = step(s, Math.log(5.5 / 15), 5, 0, 0);
        }
        answer(30, 5);
        assertThat(law.interval()).isZero();
        assertThat(due(30, 3, 0)).isEqualTo(30);
        assertThat(due(30, 4, 0)).isEqualTo(30 + s, ALMOST); // the sixth, when one has flowed in
        for (int doubt = 1; doubt <= 2; doubt++) {
            refuse(30 + doubt, 0);
            assertThat(law.interval()).isZero();
        }
        for (int left = 5; left >= 0; left--) {
            answer(40 - left, left); // it was full again
        }
        refuse(41, 0);
        refuse(42, 0);
        assertThat(due(42, 0, 0)).isGreaterThan(42);
        refuse(43, 0);
        assertThat(due(43, 0, 0)).isEqualTo(43); // the third one: it may be shared, and there is no pace yet
        answer(44, 0);
        assertThat(law.interval()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"4, 5, 5", "5, 4, 5", "5, 5, 4", "0, 0, 0"})
    void aCountThatMovesIsNoFullBucket(double first, double second, double third) {
        answer(0, first);
        answer(10, first);
        answer(20, second);
        answer(30, third);
        answer(40, third);
        answer(50, third);
        assertThat(law.interval()).isPositive();
    }

    @Test
    void aRefusalInAPauseSaysThatItIsNotFull() {
        answer(0, 5);
        answer(10, 5);
        refuse(20, 5);
        for (int i = 3; i < 8; i++) {
            answer(10 * i, 5);
        }
        assertThat(law.interval()).isPositive();
    }

    @Test
    void aCountThatStandsStillWhileThePaceChangesIsNotUsed() {
        answer(0, 0);
        double s = JOIN;
        for (int i = 1; i <= 12 && !law.isBlind(); i++) {
            answer(200 * i, 0);
        }
        assertThat(law.isBlind()).isTrue();
        assertThat(law.interval()).isEqualTo(JOIN); // as it was before
        assertThat(due(2400, 0, 0)).isEqualTo(2400);
        answer(2500, 3);
        assertThat(law.isBlind()).isFalse();
        assertThat(s).isEqualTo(JOIN);
    }

    @Test
    void aSpentStockLeavesTheRefillAsThePace() {
        answer(0, 100);
        for (int second = 1; second <= 72; second++) {
            answer(second, 100);
        }
        assertThat(law.interval()).isZero();
        inFlight = 99; // all that was in stock leaves at once
        read(73, 1, false);
        assertThat(law.interval()).isEqualTo(36 / 35.0, ALMOST); // 35 in the first 36 s for certain
        assertThat(due(73, 0, 0)).isEqualTo(73 + 36 / 35.0, ALMOST);
    }

    /** Three others are known to share: each has a quarter of what all send. */
    @Test
    void whoKnowsHowManyShareGoesAtTheirPace() {
        sharers.become(4, 8, 0);
        read(0, 50, false);
        assertThat(law.interval()).isEqualTo(0.5);
        assertThat(due(0, 0, 0)).isEqualTo(0.5, ALMOST);
        answer(1, 50);
        double s = step(0.5, Math.log(50.5 / 15), 50, 0, 0);
        assertThat(law.interval()).isEqualTo(s, ALMOST);
        law.shared(1, nanos(2)); // once is enough
        assertThat(law.interval()).isEqualTo(s, ALMOST);
    }

    @Test
    void whoIsSharedWithTwiceAsManyGoesHalfAsFast() {
        answer(0, 5);
        law.shared(2, nanos(1));
        assertThat(law.interval()).isEqualTo(2 * JOIN);
        law.shared(0.25, nanos(1));
        assertThat(law.interval()).isEqualTo(JOIN / 2);
    }

    @Test
    void whoJoinsByWhatOthersReadNeedsNoRefusal() {
        sharers.become(4, 8, 0);
        chance = 1L << 62;
        law.join(18, nanos(10));
        assertThat(law.interval()).isEqualTo(0.5);
        assertThat(law.isBlind()).isFalse();
        double half = (chance >>> 11) * 0x1p-53;
        assertThat(due(10, 0, 0)).isEqualTo(10 + 0.5 * half, ALMOST); // others may come at the same time
        law.forget();
        law.join(19, nanos(20));
        assertThat(due(20, 0, 0)).isEqualTo(20); // enough for all
        assertThat(due(20, 1, 0)).isEqualTo(20.5);
    }

    @Test
    void aPaceThatIsForgottenIsNotLeft() {
        answer(0, 5);
        law.startAnew();
        assertThat(law.interval()).isZero();
        assertThat(law.isBlind()).isFalse();
        answer(10, 5);
        assertThat(law.interval()).isEqualTo(1); // it is not the first answer
        law.forget();
        assertThat(law.isBlind()).isTrue();
        assertThat(law.interval()).isZero();
    }

    /** The count moves by one from answer to answer, so it swings by 1 - 0.9^n. */
    private double alternate(int answers) {
        for (int i = 0; i < answers; i++) {
            answer(10 * i, 5 - i % 2);
        }
        return 1 - Math.pow(0.9, answers - 1);
    }

    @Test
    void aCountThatIsFarOffNeedsAnotherOne() {
        double swing = alternate(7);
        double far = 5 + 8 * swing + 60; // eight swings, and four times fifteen
        sent = 70;
        assertThat(read(70, Math.ceil(far), false)).isFalse();
        assertThat(law.explains(5)).isTrue(); // it is still taken for five
        assertThat(read(71, Math.ceil(far), false)).isTrue();
        assertThat(law.explains(50)).isFalse();
    }

    @Test
    void aCountThatIsNotFarOffIsBelieved() {
        double swing = alternate(7);
        assertThat(read(70, Math.floor(5 + 8 * swing + 60), false)).isTrue();
    }

    /** No step counts for more than fifteen and a quarter of the lower count. */
    @ParameterizedTest
    @CsvSource({"5, 50, 1.625", "4, 14, 1", "70, 14, 1.85"})
    void theSwingIsATenthOfEachStep(double first, double second, double swing) {
        read(0, first < 15 ? first : 14, false);
        read(5, first, false);
        law.startAnew();
        read(10, second, false);
        // Less than one and a swing may be left, of which those on the wire may have used all.
        int wire = (int) Math.floor(second - 1 - swing) + 1;
        assertThat(law.explains(wire)).isTrue();
        assertThat(law.explains(wire - 1)).isFalse();
    }

    /** Whoever has seen too little left at five answers goes at about the right pace. */
    @ParameterizedTest
    @CsvSource({"4, 6", "5, 1.35"})
    void whoHasAnEstablishedPaceIsCutALittle(int answers, double cut) {
        alternate(answers);
        double s = law.interval();
        refuse(100, 0);
        assertThat(law.interval()).isEqualTo(s * cut, ALMOST);
        assertThat(due(100, 0, 0)).isGreaterThanOrEqualTo(100 + s - 1e-9);
    }

    @Test
    void theFirstAnswerAfterARefusalEstablishesThePace() {
        answer(0, 5);
        refuse(10, 0);
        answer(100, 4);
        double s = law.interval();
        refuse(200, 0);
        assertThat(law.interval()).isEqualTo(s * 1.35, ALMOST);
    }

    @Test
    void aRefusedRequestWaitsForAnIntervalAndUpToTwoCutsMore() {
        alternate(5);
        double s = law.interval();
        chance = 1L << 63; // a half
        refuse(100, 0);
        assertThat(due(100, 0, 0)).isEqualTo(100 + s * (1 + (1.35 * 1.35 - 1) / 2), within(1e-6));
    }

    @Test
    void aSwingIsDamped() {
        answer(0, 5);
        answer(10, 4); // far below the target of fifteen
        double s = law.interval();
        double swing = 0.1;
        Damping damping = new Damping(tuning);
        damping.read(Math.log(4.5 / (15 + swing / 4)), nanos(10));
        answer(40, 80); // and far above
        swing += 0.1 * (16 - swing);
        double error = Math.log(80.5 / (15 + swing / 4));
        damping.read(error, nanos(40));
        double c = damping.factor();
        assertThat(c).isEqualTo(0.7);
        double step = RemainingLaw.step(tuning, s, error, 80, 76);
        assertThat(damping.now()).isEqualTo(Math.exp(-0.3 * error), ALMOST);
        s *= Math.exp(step * c * c - RemainingLaw.lean(tuning, s) * c);
        assertThat(law.interval()).isEqualTo(s, ALMOST);
        law.admitted(1, 1, nanos(50), nanos(50));
        assertThat(due(50, 0, 0)).isEqualTo(50 + s * damping.now(), ALMOST);
    }

    @Test
    void whoDidNotCountIsTakenBack() {
        answer(0, 5);
        law.admitted(1, 1, nanos(10), nanos(10));
        assertThat(due(10, 0, 0)).isEqualTo(10 + JOIN, ALMOST);
        law.release(nanos(10));
        assertThat(due(10, 0, 0)).isEqualTo(10);
    }

    @Test
    void othersThatAreCountedEndTheTimeAlone() {
        for (int i = 0; i < 5; i++) {
            answer(i, 50);
        }
        sharers.become(4, 8, 0);
        law.shared(1, nanos(5));
        assertThat(law.interval()).isZero(); // who has seen five answers knows as much as they
        assertThat(due(5, 49, 0)).isEqualTo(5); // and may take the last one
        law.forget();
        sharers.become(1, 8, 0);
        for (int i = 0; i < 4; i++) {
            answer(i, 50);
        }
        sharers.become(4, 8, 0);
        law.shared(1, nanos(5));
        assertThat(law.interval()).isEqualTo(0.5);
    }

    @Test
    void withOthersThatAreCountedNobodyIsAloneAgain() {
        sharers.become(4, Double.NaN, 0);
        answer(0, 5);
        for (int i = 1; i <= 8; i++) {
            answer(1000 * i, 1000);
        }
        assertThat(law.interval()).isZero();
        assertThat(due(8000, 999, 0)).isEqualTo(8000);
        law.forget();
        answer(9000, 5);
        for (int i = 1; i <= 8; i++) {
            answer(9000 + 100 * i, 5);
        }
        assertThat(law.interval()).isPositive(); // nor takes the count for that of a small bucket
    }

    @Test
    void whatIsForgottenWasNotRefused() {
        refuse(0, 4);
        law.forget();
        answer(200, 3);
        assertThat(due(300, 0, 1)).isEqualTo(300);
    }

    @Test
    void whoGoesAtThePaceOfAllMakesNoPauseForTheFirstAnswer() {
        sharers.become(4, 8, 0);
        answer(0, 5);
        law.admitted(1, 1, 0, 0);
        assertThat(due(0, 0, 0)).isEqualTo(law.interval(), ALMOST);
    }
}
