package dev.throttle.control.quota;

import static dev.throttle.control.quota.Moment.nanos;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.throttle.fixtures.Traffic;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The pace of a shared quota of which 12 should be left. */
class ShareTest {

    private static final Offset<Double> ALMOST = within(1e-9);
    private static final double TARGET = 12;
    private static final double AMPLE = 300;
    private static final double REFERENCE = 0.733;

    private final Surroundings surroundings =
            new Surroundings(new PacingSettings(0.1, 0.2, 120, 120, nanos(5), 0), () -> 0);
    private final Share share = new Share(surroundings, Tuning.USUAL, true);
    private double now = 1000;

    private void read(double count, int wire) {
        share.correct(count, TARGET, TARGET, AMPLE, REFERENCE, Traffic.QUIET.inFlight(wire), nanos(now));
    }

    /** Some seconds pass, and a count is read. */
    private void readAfter(double seconds, double count) {
        now += seconds;
        read(count, 0);
    }

    private void begin(double interval) {
        share.pace.limit(interval, nanos(now));
    }

    private void refuse(double sentAt) {
        share.refused(TARGET, REFERENCE, Traffic.QUIET.admittedAt(nanos(sentAt)).perSecond(1), nanos(now));
    }

    private double interval() {
        return share.pace.interval();
    }

    /** {@return the interval that belongs to a count} */
    private static double f(double count) {
        return REFERENCE * Math.pow((count + 0.22 * TARGET) / (1.22 * TARGET), -3);
    }

    /** {@return an interval after an answer with a count: a fifth of the way to the interval that belongs to it} */
    private static double followed(double interval, double count) {
        return interval * Math.pow(f(count) / interval, 0.2);
    }

    /** The server tells in a refusal that a request takes three times as long to come back. */
    @Test
    void aRefusalThatTellsALongerReferenceMakesTheIntervalAsMuchLonger() {
        Share other = new Share(surroundings, Tuning.USUAL, true);
        for (Share each : new Share[] {share, other}) {
            each.pace.limit(REFERENCE, nanos(now));
            each.correct(TARGET, TARGET, TARGET, AMPLE, REFERENCE, Traffic.QUIET, nanos(now));
        }
        now += 10;
        share.refused(
                TARGET, REFERENCE, Traffic.QUIET.admittedAt(nanos(now - 1)).perSecond(1), nanos(now));
        other.refused(
                TARGET, 3 * REFERENCE, Traffic.QUIET.admittedAt(nanos(now - 1)).perSecond(1), nanos(now));
        assertThat(other.pace.interval()).isEqualTo(3 * share.pace.interval(), ALMOST);
    }

    @Test
    void untilLittleIsLeftThereIsNoInterval() {
        readAfter(1, 13);
        readAfter(1, 12);
        assertThat(share.pace.isFree()).isTrue();
        readAfter(1, 11);
        assertThat(interval()).isEqualTo(1); // as fast as it went: once a second
    }

    /** They take from it what the count does not show yet. */
    @Test
    void requestsOnTheWireSetAnIntervalEarlierByHalfAtMost() {
        read(20, 1);
        read(14, 1);
        read(18, 9);
        assertThat(share.pace.isFree()).isTrue();
        read(17, 9);
        assertThat(share.pace.isFree()).isFalse();
    }

    /** A small quota often shows nothing while there is enough for all. */
    @Test
    void nothingLeftIsLessGraveInASmallQuotaButARefusalIsNot() {
        begin(2);
        share.correct(0, 3, TARGET, AMPLE, REFERENCE, Traffic.QUIET, nanos(now));
        double soft = 0.22 * TARGET;
        double price = REFERENCE * Math.pow(soft / (3 + soft), -3);
        assertThat(interval()).isEqualTo(2 * Math.pow(price / 2, 0.2), ALMOST);
        begin(2);
        share.refused(3, REFERENCE, Traffic.QUIET.perSecond(1), nanos(now));
        assertThat(interval()).isEqualTo(followed(2, 0), ALMOST);
    }

    @Test
    void whoFindsLittleAtFirstBeginsSlowly() {
        readAfter(1, 11);
        assertThat(interval()).isEqualTo(2.4);
    }

    @ParameterizedTest
    @CsvSource({"12", "6", "30", "1"})
    void whereverItBeginsItComesToTheIntervalThatBelongsToTheCount(double count) {
        for (double first : new double[] {0.01, 1, 100}) {
            begin(first);
            for (int i = 0; i < 200; i++) {
                readAfter(1, count);
            }
            assertThat(interval()).isEqualTo(f(count), within(1e-6));
        }
    }

    @Test
    void anAnswerBringsItAFifthOfTheWayLessWithRequestsOnTheWire() {
        begin(5);
        read(12, 0);
        assertThat(interval()).isEqualTo(5 * Math.pow(REFERENCE / 5, 0.2), ALMOST);
        begin(5);
        read(2 * 12, 1); // with one on the wire twice as much should be left
        assertThat(interval()).isEqualTo(5 * Math.pow(REFERENCE / 5, 0.1), ALMOST);
        begin(5);
        read(5 * 12, 9); // five times as much at most
        assertThat(interval()).isEqualTo(5 * Math.pow(REFERENCE / 5, 0.02), ALMOST);
    }

    @Test
    void aRefusalIsACountOfZeroAndThoseThatWereOnTheWireWithItAreTheSame() {
        begin(2);
        now += 1;
        refuse(now - 0.5);
        double longer = followed(2, 0);
        assertThat(interval()).isEqualTo(longer, ALMOST);
        now += 1;
        refuse(now - 1.2);
        assertThat(interval()).isEqualTo(longer, ALMOST);
        refuse(now - 1);
        assertThat(interval()).isEqualTo(followed(longer, 0), ALMOST);
    }

    @Test
    void theFirstRefusalOfAllSetsTheFirstInterval() {
        refuse(now);
        assertThat(interval()).isEqualTo(2.4);
        now += 5;
        refuse(now);
        assertThat(interval()).isEqualTo(followed(2.4, 0), ALMOST);
    }

    /** What else is on the wire is refused as well, or tells by its answer what is left. */
    @Test
    void aRefusalCountsFullyWhateverIsOnTheWire() {
        begin(2);
        share.refused(TARGET, REFERENCE, Traffic.QUIET.inFlight(9).perSecond(1), nanos(now));
        assertThat(interval()).isEqualTo(followed(2, 0), ALMOST);
    }

    @Test
    void nothingMakesAnIntervalLongerThanTheLongest() {
        begin(2);
        for (int i = 0; i < 100; i++) {
            refuse(++now);
        }
        assertThat(f(0)).isGreaterThan(120);
        assertThat(interval()).isEqualTo(120);
    }

    @Test
    void theOthersHaveGoneAfterThreeAmpleCounts() {
        begin(100);
        readAfter(1, 301);
        readAfter(1, 301);
        double before = followed(followed(100, 301), 301);
        assertThat(interval()).isEqualTo(before, ALMOST);
        readAfter(1, 301);
        assertThat(interval()).isEqualTo(before / 2, ALMOST);
        readAfter(1, 301); // and one more each time
        assertThat(interval()).isEqualTo(before / 4, ALMOST);
        readAfter(1, 300);
        assertThat(interval()).isEqualTo(followed(before / 4, 300), ALMOST);
    }

    @Test
    void anIntervalOfAHundredthOfASecondIsLifted() {
        begin(0.05);
        for (int i = 0; i < 3; i++) {
            readAfter(1, 301);
        }
        assertThat(share.pace.isFree()).isTrue();
    }

    // A count that stands at zero

    private void readNothing(int times) {
        for (int i = 0; i < times; i++) {
            readAfter(1, 0);
        }
    }

    @Test
    void aCountThatStandsAtZeroWhileAllIsAcceptedTellsNothing() {
        begin(100);
        readNothing(6);
        double before = interval();
        assertThat(before).isGreaterThan(100); // more than four in a row are ample, and three ample ones halve it
        readNothing(1);
        assertThat(interval()).isEqualTo(before / 2, ALMOST);
        readNothing(1);
        assertThat(interval()).isEqualTo(before / 4, ALMOST);
    }

    @Test
    void aRefusalShowsThatACountOfZeroIsTrue() {
        begin(100);
        readNothing(4);
        refuse(++now);
        readNothing(6);
        assertThat(interval()).isGreaterThan(100);
    }

    @Test
    void anotherCountShowsThatACountOfZeroIsTrue() {
        begin(100);
        readNothing(4);
        readAfter(1, 1);
        readNothing(6);
        assertThat(interval()).isGreaterThan(100);
    }

    // Swings

    private static final double MUCH = 150;
    private static final double LITTLE = 1;

    /** The client is not new any more. */
    private void settle() {
        begin(1);
        for (int i = 0; i < 15; i++) {
            readAfter(1, TARGET);
        }
    }

    /** After some requests the count is twelve times as much as it should be, and after some seconds a twelfth. */
    private void swing(double seconds) {
        settle();
        readAfter(1, MUCH);
        readAfter(seconds, LITTLE);
    }

    /** {@return how much shorter the interval became at a reading, as a logarithm} */
    private double shorter(double seconds, double count) {
        double before = interval();
        readAfter(seconds, count);
        return Math.log(before / interval());
    }

    private void assertFollows(double seconds, double count) {
        double expected = followed(interval(), count);
        readAfter(seconds, count);
        assertThat(interval()).isEqualTo(expected, ALMOST);
    }

    @ParameterizedTest
    @CsvSource({"8, 8", "30, 30", "31, 30", "600, 30"})
    void whileTheCountSwingsAnIntervalTakesAsLongAsTheSwingToBecomeAnEth(double swing, double seconds) {
        swing(swing);
        begin(0.2);
        assertThat(shorter(1, 30)).isEqualTo(1 / seconds, ALMOST);
        assertThat(shorter(0.5, 30)).isEqualTo(0.5 / seconds, ALMOST);
    }

    @Test
    void aNewClientFollowsTheCountAtOnce() {
        begin(1);
        for (int i = 0; i < 14; i++) {
            readAfter(1, i % 2 == 0 ? MUCH : LITTLE);
        }
        begin(0.2);
        assertFollows(1, 30);
    }

    @Test
    void orTheRateRisesByATenthOfARequestPerSecondInEachSecond() {
        swing(30);
        begin(10);
        readAfter(1, 30);
        assertThat(1 / interval()).isEqualTo(1 / 10.0 + 0.1, ALMOST);
    }

    @Test
    void theLastSwingCounts() {
        swing(8);
        readAfter(20, MUCH);
        begin(0.2);
        assertThat(shorter(1, 30)).isEqualTo(1 / 20.0, ALMOST);
    }

    @Test
    void tenTimesAsLongAsASwingTookItIsForgotten() {
        swing(8);
        readAfter(79, 30);
        begin(0.2);
        assertThat(shorter(0.5, 30)).isEqualTo(0.5 / 8, ALMOST);
        begin(0.2);
        assertFollows(0.5, 30);
    }

    @Test
    void whatTakesLongerThanTenMinutesIsNoSwing() {
        swing(600.5);
        begin(0.2);
        assertFollows(1, 30);
    }

    /** Of sixty, thirty is much. */
    @Test
    void inASmallQuotaHalfOfWhatIsAmpleIsFar() {
        settle();
        share.correct(30, TARGET, TARGET, 60, REFERENCE, Traffic.QUIET, nanos(++now));
        now += 8;
        share.correct(LITTLE, TARGET, TARGET, 60, REFERENCE, Traffic.QUIET, nanos(now));
        begin(0.2);
        assertThat(shorter(1, 30)).isEqualTo(1 / 8.0, ALMOST);
    }

    @ParameterizedTest
    @CsvSource({"143, 1", "150, 1.1"})
    void aCountThatWasNotFarOffOnBothSidesDoesNotSwing(double most, double least) {
        settle();
        readAfter(1, most);
        readAfter(8, least);
        begin(0.2);
        assertFollows(1, 30);
    }

    @Test
    void whileTheCountSwingsAnIntervalGrowsAsUsual() {
        swing(8);
        begin(1);
        assertFollows(1, 1);
    }

    @Test
    void whileTheCountSwingsThreeAmpleCountsHalveTheInterval() {
        swing(8);
        begin(1);
        readAfter(1, 301);
        readAfter(1, 301);
        double before = interval();
        readAfter(1, 301);
        assertThat(interval()).isEqualTo(before / 2, ALMOST);
    }

    // Twenty clients of a sliding window that grants ten requests a second

    /** What should be left. */
    private static final double USUAL = 8;

    private static final class Client {
        final Share share;
        long due;

        Client(Surroundings surroundings, double due) {
            this.share = new Share(surroundings, Tuning.USUAL, true);
            this.due = nanos(due);
            share.pace.limit(3, 0);
        }
    }

    /** A window that grants so many requests; {@return how many of them it grants in each tenth of a window} */
    private int[] grants(int seconds, int windows) {
        SplittableRandom random = new SplittableRandom(1);
        Surroundings all = new Surroundings(new PacingSettings(0.1, 0.2, 120, 120, nanos(5), 0.1), random);
        PriorityQueue<Client> clients = new PriorityQueue<>(Comparator.comparingLong((Client client) -> client.due));
        for (int i = 0; i < 20; i++) {
            clients.add(new Client(all, 3 * i / 20.0));
        }
        int limit = 10 * seconds;
        Deque<Long> used = new ArrayDeque<>();
        int[] grants = new int[10 * windows];
        long at = clients.element().due;
        while (at < nanos((double) windows * seconds)) {
            Client client = clients.remove();
            Pace pace = client.share.pace;
            Traffic load = Traffic.QUIET.admittedAt(at).perSecond(pace.isFree() ? 20 : 1 / pace.interval());
            pace.admitted(1, 1 + 0.1 * (2 * random.nextDouble() - 1), at, at);
            while (!used.isEmpty() && used.element() <= at - nanos(seconds)) {
                used.remove();
            }
            if (used.size() < limit) {
                used.add(at);
                grants[(int) (at / nanos(seconds / 10.0))]++;
                client.share.correct(limit - used.size(), USUAL, USUAL, 0.85 * limit, REFERENCE, load, at);
            } else {
                client.share.refused(USUAL, REFERENCE, load, at);
            }
            client.due = Math.max(at + nanos(0.05), pace.dueNanos(0, 1, at));
            clients.add(client);
            at = clients.element().due;
        }
        return grants;
    }

    /** At first nothing of the window is used, so all of it is used at once, and comes back at once. */
    @ParameterizedTest
    @ValueSource(ints = {20, 60})
    void whatComesBackAtOnceIsNotUsedAtOnceAgain(int seconds) {
        int[] grants = grants(seconds, 40);
        int first = Arrays.stream(grants, 0, 10).max().orElseThrow();
        int late = Arrays.stream(grants, 200, 400).max().orElseThrow();
        assertThat(late).isLessThan(first * 6 / 10);
    }

    @ParameterizedTest
    @ValueSource(ints = {20, 60, 300, 1000})
    void andYetMostOfASlidingWindowIsUsed(int seconds) {
        int used = Arrays.stream(grants(seconds, 40)).sum();
        assertThat(used).isGreaterThan(8 * seconds * 40); // of ten a second
    }
}
