package dev.throttle.control.quota;

import static dev.throttle.control.quota.Moment.nanos;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is learned of a bucket of requests that tells nothing but what is left: 200 at first, and two more a second. */
class BucketTest {

    private final Ledger ledger = new Ledger();
    private final CostModel costs = CostModel.REQUESTS;
    private final Bucket bucket = new Bucket(ledger, costs, new Booking(ledger, costs));
    private double level = 200;
    /** Whether nothing has come back that should have. */
    private boolean stood;

    @BeforeEach
    void begin() {
        bucket.begin(200, 0, 0);
    }

    /** A second passes in which four requests are answered; {@return what others have taken, as far as it shows} */
    private double second(int at) {
        return second(at, 2);
    }

    private double second(int at, double refill) {
        level += refill - 4;
        return bucket.correct(Math.floor(level), 4, 0, 0, nanos(at));
    }

    @Test
    void theRefillIsWhatTheTotalGrowsByOnceTwoMeasurementsAgree() {
        for (int at = 1; at <= 15; at++) {
            assertThat(second(at)).isNotPositive();
        }
        assertThat(bucket.isSure()).isFalse();
        for (int at = 16; at <= 40; at++) {
            assertThat(second(at)).isNotPositive();
        }
        assertThat(bucket.isSure()).isTrue();
        assertThat(bucket.rate()).isBetween(1.8, 2.0); // rather too low than too high
        assertThat(bucket.predict(nanos(50))).isEqualTo(level + 10 * bucket.rate(), within(1.0));
    }

    /** Ten units at most, two of them each second, which are used at once. */
    private void usedUp() {
        bucket.limit = 10;
        bucket.begin(0, 0, 0);
        hundredSeconds(1, 0, 2);
        assertThat(bucket.isEven()).isTrue();
    }

    /** In each of a hundred seconds so many requests go as have come back, and so many units stay. */
    private void hundredSeconds(int from, double units, double perSecond) {
        for (int at = from; at < from + 100; at++) {
            bucket.correct(units, perSecond, 0, 0, nanos(at));
        }
    }

    /** A sliding window of ten in five seconds gives back six of them if four are not used. */
    @Test
    void unitsThatStayForOthersAreUsedIfTheRefillBecomesSlowerByTheirShare() {
        usedUp();
        assertThat(bucket.keep(4)).isEqualTo(4);
        hundredSeconds(101, 4, 1.2);
        assertThat(bucket.keep(4)).isZero();
        assertThat(bucket.keep(0)).isZero();
        assertThat(bucket.keep(4)).isZero();
        bucket.begin(0, 0, nanos(201));
        hundredSeconds(202, 0, 2);
        assertThat(bucket.keep(4)).isEqualTo(4);
        hundredSeconds(302, 4, 1.2);
        assertThat(bucket.keep(4)).isZero();
    }

    /** Of a bucket about as much comes back. If there is less later, it is what others use. */
    @Test
    void unitsStayForOthersIfAsMuchComesBackAtFirst() {
        usedUp();
        assertThat(bucket.keep(4)).isEqualTo(4);
        hundredSeconds(101, 4, 1.8);
        assertThat(bucket.keep(4)).isEqualTo(4);
        hundredSeconds(201, 4, 1.2);
        assertThat(bucket.keep(4)).isEqualTo(4);
    }

    /** Where all is used or little is, nothing shows whether they come back. */
    @ParameterizedTest
    @ValueSource(doubles = {2, 6})
    void whereOtherUnitsStayedASlowerRefillShowsNothing(double lowest) {
        usedUp();
        assertThat(bucket.keep(4)).isEqualTo(4);
        hundredSeconds(101, lowest, 1.2);
        assertThat(bucket.keep(4)).isEqualTo(4);
    }

    /** Only once units should stay their coming back is looked at. */
    @Test
    void whileNoneShouldStayNothingIsConcluded() {
        usedUp();
        assertThat(bucket.keep(0)).isZero();
        hundredSeconds(101, 0, 2);
        assertThat(bucket.keep(4)).isEqualTo(4);
        hundredSeconds(201, 4, 1.2);
        assertThat(bucket.keep(4)).isZero();
    }

    /** Counts are whole numbers. */
    @Test
    void oneAndAHalfUnitsStayIfOneIsTheLowestCount() {
        usedUp();
        bucket.limit = 5;
        assertThat(bucket.keep(1.5)).isEqualTo(1.5);
        hundredSeconds(101, 1, 1.4);
        assertThat(bucket.keep(1.5)).isZero();
    }

    /** The bucket is full for most of the time, so what comes back is lost. */
    @Test
    void aRefillThatIsFarSlowerIsADemandThatIsLow() {
        usedUp();
        assertThat(bucket.keep(4)).isEqualTo(4);
        hundredSeconds(101, 4, 0.35);
        hundredSeconds(201, 4, 0.35);
        assertThat(bucket.keep(4)).isEqualTo(4);
    }

    /**
     * {@return the mean refill that is learned of 30,000 tokens, of which 10,000 come back in a second} The server
     * tells when it is full, in whole seconds.
     */
    private double learned(DoubleUnaryOperator rounded, boolean isInstant) {
        CostModel tokens = new CostModel();
        Bucket full = new Bucket(ledger, tokens, new Booking(ledger, tokens));
        full.limit = 30_000;
        full.begin(30_000, 0, 0);
        SplittableRandom random = new SplittableRandom(1);
        double sum = 0;
        for (int i = 1; i <= 1_000; i++) {
            double at = 0.37 * i;
            double missing = random.nextDouble(30_000);
            double end = missing / 10_000;
            double reset = isInstant ? rounded.applyAsDouble(at + end) - at : rounded.applyAsDouble(end);
            full.learn(Moment.reading(30_000 - missing, 30_000, reset, 0, true, nanos(at), nanos(at)));
            sum += full.rate();
        }
        return sum / 1_000;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRefillFollowsFromResetsHoweverTheyAreRounded(boolean isInstant) {
        assertThat(learned(Math::ceil, isInstant)).isBetween(7_800.0, 10_000.0);
        assertThat(learned(Math::rint, isInstant)).isBetween(10_000.0, 13_000.0);
    }

    @Test
    void aRefillThatFallsIsLearned() {
        CostModel tokens = new CostModel();
        Bucket full = new Bucket(ledger, tokens, new Booking(ledger, tokens));
        full.limit = 600_000;
        full.begin(600_000, 0, 0);
        for (int at = 1; at <= 150; at++) {
            double reset = at < 50 ? 30 : 60;
            full.learn(Moment.reading(300_000, 600_000, reset, 0, true, nanos(at), nanos(at)));
        }
        assertThat(full.rate()).isBetween(5_000.0, 5_500.0);
    }

    /** Others may take what comes back beyond the own pace. */
    @Test
    void aRefillThatIsNotToldIsEvenOnlyIfNothingWasLeftOnce() {
        for (int at = 1; at <= 99; at++) {
            second(at);
        }
        bucket.correct(1, 1, 0, 0, nanos(99));
        assertThat(bucket.isSure()).isTrue();
        assertThat(bucket.isEven()).isFalse();
        bucket.correct(0, 1, 0, 0, nanos(99));
        assertThat(bucket.isEven()).isTrue();
    }

    /** A client that always leaves one takes all that comes back of a refill that is told. */
    @Test
    void aRefillThatIsToldIsEvenHoweverMuchIsLeft() {
        bucket.limit = 200;
        for (int at = 1; at <= 40; at++) {
            bucket.learn(Moment.reading(level, 200, Double.NaN, 100, true, nanos(at), nanos(at)));
            second(at);
        }
        assertThat(bucket.isEven()).isTrue();
    }

    /** A total that has grown by less than four may have been rounded down before, and so may that after it. */
    @Test
    void aRefillOfLittleIsMeasuredOverMoreRequests() {
        for (int at = 1; at <= 31; at++) {
            second(at, 0.25); // two in 32 requests, so they are measured after 16 s and 32 s
        }
        assertThat(bucket.isSure()).isFalse();
        second(32, 0.25);
        assertThat(bucket.isSure()).isTrue();
        assertThat(bucket.rate()).isBetween(0.2, 0.25);
    }

    /**
     * One of ten that are told to come back each second. It is accepted, and before it droughts took nearly a second.
     */
    private void readOfTen(double at, double left) {
        bucket.limit = 10;
        bucket.learn(Moment.reading(left, 10, Double.NaN, 1, true, nanos(at), nanos(at)));
        bucket.correct(left, 1, 0, 0.9, nanos(at));
    }

    /** After a drought ten are there, and are used at once. */
    private void useTen(int at) {
        for (int i = 1; i <= 10; i++) {
            readOfTen(at + 0.01 * i, 10 - i);
        }
    }

    @Test
    void aBucketThatStaysEmptyAndGrowsByManyAtOnceFillsInSteps() {
        bucket.begin(0, 0, 0);
        for (int at = 1; at <= 10; at++) {
            useTen(at);
        }
        assertThat(bucket.isSure()).isFalse();
    }

    /** Another client takes what this one has counted on, and the server tells to wait for a second. */
    @Test
    void aBucketThatAlsoGrowsByOneFillsEvenlyHoweverLongItWasLeftAlone() {
        bucket.begin(0, 0, 0);
        for (int at = 1; at <= 20; at += 2) {
            useTen(at);
            for (int i = 2; i <= 9; i++) {
                readOfTen(at + 0.1 * i, 0);
            }
        }
        assertThat(bucket.isSure()).isTrue();
        assertThat(bucket.isEven()).isTrue();
    }

    @Test
    void othersShowInATotalThatFalls() {
        for (int at = 1; at <= 40; at++) {
            second(at);
        }
        level -= 10;
        assertThat(second(41)).isGreaterThan(3); // what came back meanwhile hides a part of it
    }

    @Test
    void whatIsOnTheWireAtTheSameTimeMayHaveBeenCounted() {
        assertThat(bucket.correct(190, 4, 0, 0, nanos(1))).isPositive();
        bucket.begin(200, 0, 0);
        assertThat(bucket.correct(190, 4, 6, 0, nanos(1))).isNotPositive();
    }

    @Test
    void aRefillThatPredictedTooMuchIsMeasuredAnew() {
        for (int at = 1; at <= 40; at++) {
            second(at);
        }
        bucket.doubt();
        assertThat(bucket.isSure()).isFalse();
        assertThat(bucket.rate()).isZero();
    }

    @Test
    void whatOneRequestTookWasThereAgainAfterAPauseSoMuchComesBackAtLeast() {
        bucket.begin(200, 0.5, 0);
        assertThat(bucket.rate()).isEqualTo(0.5);
        second(1);
        assertThat(bucket.rate()).isGreaterThanOrEqualTo(0.5);
        bucket.begin(5, 0, nanos(2));
        bucket.correct(1, 4, 0, 0, nanos(3)); // nothing has come back
        assertThat(bucket.rate()).isZero();
    }

    /** The server tells a limit of 200 and a window of 100 s, and what is left after each of four requests. */
    private void readTold(int at, double left) {
        bucket.limit = 200;
        bucket.learn(Moment.reading(left, 200, Double.NaN, 100, true, nanos(at), nanos(at)));
        bucket.correct(left, 4, 0, 0, nanos(at));
        stood |= bucket.standsStill();
    }

    private void useUp() {
        for (int at = 1; at <= 50; at++) {
            readTold(at, 200 - 4 * at);
        }
    }

    @Test
    void aWindowThatIsToldIsNoRefillIfNothingComesBack() {
        useUp();
        assertThat(stood).isTrue();
        assertThat(bucket.isRateTold()).isFalse();
        assertThat(bucket.rate()).isZero();
        readTold(51, 196);
        assertThat(bucket.isRateTold()).isFalse();
    }

    /** What was told no longer counts, so a refill that was just measured is not sure, as where nothing was told. */
    @Test
    void whatComesBackAfterwardsIsNotSureAtOnce() {
        useUp();
        bucket.correct(10, 0, 0, 0, nanos(52));
        assertThat(bucket.rate()).isPositive();
        assertThat(bucket.isSure()).isFalse();
    }

    @Test
    void aWindowThatIsToldIsARefillIfItComesBack() {
        for (int at = 1; at <= 90; at++) {
            readTold(at, 200 - 2 * at);
        }
        assertThat(bucket.isRateTold()).isTrue();
        assertThat(bucket.rate()).isEqualTo(2);
    }

    @Test
    void itIsARefillAfterAllIfTheCountRisesLater() {
        useUp();
        assertThat(bucket.believe()).isTrue();
        readTold(51, 2);
        assertThat(bucket.rate()).isEqualTo(2);
        assertThat(bucket.believe()).isFalse();
    }

    @Test
    void norIsItRefutedByAClientThatFindsNothingBecauseOfOthers() {
        readTold(1, 196);
        for (int at = 2; at <= 200; at++) {
            bucket.limit = 200;
            bucket.correct(0, 0, 0, 0, nanos(at));
            assertThat(bucket.standsStill()).isFalse();
        }
        assertThat(bucket.isRateTold()).isTrue();
        assertThat(bucket.rate()).isEqualTo(2);
    }

    @Test
    void ownRequestsThatTheCountDoesNotContainAreTakenOff() {
        ledger.admit(1, true, 1, nanos(1));
        ledger.admit(1, true, 2, nanos(1));
        assertThat(bucket.predict(nanos(1))).isEqualTo(198);
    }
}
