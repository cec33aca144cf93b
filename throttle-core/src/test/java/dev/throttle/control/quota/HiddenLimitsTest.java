package dev.throttle.control.quota;

import static dev.throttle.control.quota.Moment.nanos;
import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.Scope;
import dev.throttle.signal.Quota;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Limits of which only refusals tell. */
class HiddenLimitsTest {

    private static final Quota OTHER = new Quota(null, 1_000L, 700L, Duration.ofSeconds(5), null);

    private final AnnouncedRates rates = new AnnouncedRates();

    /** {@return what a refusal tells; no reset or window if it is negative} */
    private static Quota told(long limit, double reset, double window) {
        return new Quota(null, limit, 0L, seconds(reset), seconds(window));
    }

    private static @Nullable Duration seconds(double seconds) {
        return seconds < 0 ? null : Duration.ofNanos(nanos(seconds));
    }

    /** A request is refused that left at a time, when one was sent in the second before. */
    private boolean refuse(double sentAt, double at, Quota told) {
        rates.read(List.of(told), true, Scope.ALL, 0, nanos(at));
        return rates.refused(told, Moment.sentAt(sentAt), 0, nanos(at));
    }

    private boolean refuse(double at, Quota told) {
        return refuse(at, at, told);
    }

    private void accept(int times, Quota... told) {
        acceptAt(0, times, told);
    }

    private void acceptAt(double at, int times, Quota... told) {
        for (int i = 0; i < times; i++) {
            rates.read(List.of(told), false, Scope.ALL, 0, nanos(at));
        }
    }

    private void send(int requests, double at) {
        rates.admitted(requests, Scope.ALL, nanos(at));
    }

    private double due(double at) {
        return rates.dueNanos(1, Scope.ALL, nanos(at)) / 1e9;
    }

    private void assertDue(double at, double due) {
        assertThat(due(at)).isBetween(due, due + 0.25);
    }

    @Test
    void nothingGoesUntilTheResetAndNoMoreThanTheSizeInASecondFromThenOn() {
        assertThat(refuse(0, told(50, 0.7, 1))).isTrue();
        assertThat(rates.explains()).isTrue();
        assertThat(due(0)).isEqualTo(1); // a reset of less may be rounded down
        assertThat(due(1)).isEqualTo(1);

        send(49, 1);
        assertThat(due(1)).isEqualTo(1);
        send(1, 1);

        assertDue(1, 2);
        assertThat(rates.explain()).containsExactly("The server grants 50 requests in 1 s: no more go.");
    }

    @Test
    void aLimitOfALongerTimeIsBelievedAtTheSecondRefusal() {
        refuse(0, told(50, 9, 10));
        assertThat(due(0)).isEqualTo(9);
        send(150, 9); // a hundred of them are accepted
        acceptAt(9.2, 100, OTHER);
        assertThat(due(9)).isEqualTo(9);
        assertThat(rates.explain()).isEmpty();

        refuse(9.5, told(50, 8, 10));
        assertThat(rates.explains()).isTrue();
        assertThat(due(9.5)).isEqualTo(17.5);
        send(50, 18);

        assertDue(18, 28);
    }

    @Test
    void aLimitIsNotThatOfAllRequestsIfFarMoreWent() {
        refuse(0, told(50, 9, 10));
        acceptAt(9, 101, OTHER);

        assertThat(refuse(9.5, told(50, 8, 10))).isFalse();

        assertThat(rates.explains()).isFalse();
        assertThat(rates.isEmpty()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"99, 100", "100, 100", "101, 1"})
    void withinASecondTheRateOfRequestsTellsItAtOnce(double perSecond, double due) {
        Quota told = told(50, 1, 1);
        rates.refused(told, Moment.sentAt(0).perSecond(perSecond), 0, 0);
        send(50, 99.5);
        if (due == 100) {
            assertDue(99.5, 100.5);
        } else {
            assertThat(due(99.5)).isEqualTo(99.5);
        }
    }

    @Test
    void whatIsOnTheWireMayBeRefusedToo() {
        rates.refused(told(50, 1, 1), Moment.sentAt(0).perSecond(150), 50, 0);

        assertThat(rates.explain()).hasSize(1);
    }

    @Test
    void whereAnswersTakeLongTheRateTellsNothing() {
        rates.refused(told(5, 1, 1), Moment.sentAt(0).perSecond(200), 200, nanos(1));
        assertThat(rates.explain()).isEmpty();

        acceptAt(1.5, 11, OTHER);
        assertThat(rates.refused(told(5, 1, 1), Moment.sentAt(1.1).perSecond(200), 200, nanos(2)))
                .isFalse();
    }

    @Test
    void refusalsOfRequestsThatLeftBeforeTheFirstOneProveNothing() {
        refuse(0, 1, told(50, 9, 10));
        acceptAt(1, 300, OTHER);

        assertThat(refuse(0.5, 1.5, told(50, 8.5, 10))).isTrue();

        assertThat(rates.explains()).isTrue();
        assertThat(rates.explain()).isEmpty();
    }

    @Test
    void ifARefusalComesInSpiteOfItAnotherReasonIsLookedFor() {
        refuse(0, told(50, 1, 1));
        assertThat(refuse(5, told(50, 1, 1))).isTrue();

        assertThat(rates.explains()).isFalse();
        assertThat(due(5)).isEqualTo(6);
        assertThat(rates.explain()).isEmpty();

        assertThat(refuse(4.9, 5.1, told(50, 1, 1))).isTrue(); // it went with that one
        assertThat(rates.explains()).isFalse();
        assertThat(rates.explain()).isEmpty();

        assertThat(refuse(7, told(50, 1, 1))).isTrue();
        assertThat(rates.explains()).isTrue();
        assertThat(rates.explain()).hasSize(1);
    }

    @Test
    void oneOfTwoThatARefusalTellsOfExplainsIt() {
        refuse(0, told(50, 1, 1));
        rates.read(List.of(), true, Scope.ALL, 0, nanos(5));
        rates.refused(told(200, 1, 1), Moment.sentAt(5), 0, nanos(5)); // the first time
        rates.refused(told(50, 1, 1), Moment.sentAt(5), 0, nanos(5)); // in spite of it

        assertThat(rates.explains()).isTrue();
    }

    @Test
    void whatAnAnswerBeforeExplainedIsForgotten() {
        refuse(0, told(50, 1, 1));
        accept(1, OTHER);

        assertThat(rates.explains()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"0.3, 1", "1, 1", "1.7, 1", "9, 10", "10, 10", "11, 10", "11.1, 15", "40, 60", "110, 120"})
    void aWindowThatIsNotToldIsOfTheShortestUsualLengthThatFits(double reset, double window) {
        refuse(0, told(50, reset, -1));
        assertThat(due(0)).isEqualTo(Math.min(window, Math.max(1, reset)));
        if (window > 1) {
            refuse(200, told(50, reset, -1)); // now it is believed
        }
        send(50, 400);

        assertThat(due(400)).isBetween(400 + window, 400 + 1.02 * window);
    }

    @Test
    void theLongestTimeToAResetCounts() {
        refuse(0, told(50, 9, -1));
        refuse(20, told(50, 2, -1));
        assertThat(due(20)).isEqualTo(22);
        send(50, 23);

        assertDue(23, 33);
    }

    @Test
    void aWindowThatIsToldWithoutAResetIsUsedUpAsAWhole() {
        assertThat(refuse(0, told(50, -1, 10))).isTrue();

        assertThat(due(0)).isEqualTo(10);
    }

    @Test
    void aResetOfZeroBesideAWindowMayBeRoundedDown() {
        assertThat(refuse(0, told(50, 0, 10))).isTrue();

        assertThat(due(0)).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"-1, -1", "0, -1", "130, -1", "1e18, -1", "5, 0", "5, 121"})
    void withoutATimeOrWithTooLongAOneThereIsNoSuchLimit(double reset, double window) {
        assertThat(refuse(0, told(50, reset, window))).isFalse();

        assertThat(rates.isEmpty()).isTrue();
        assertThat(rates.explains()).isFalse();
    }

    @Test
    void anotherSizeOrWindowIsAnotherLimit() {
        refuse(0, told(50, 1, 1));
        refuse(0, told(200, 1, 1));
        refuse(0, told(50, 1, 10));

        assertThat(rates.hidden(told(50, 7, 1))).isNotNull();
        assertThat(rates.hidden(told(200, 7, 1))).isNotNull();
        assertThat(rates.hidden(told(50, 7, 10))).isNotNull();
        assertThat(rates.hidden(told(200, 7, 10))).isNull();
        assertThat(rates.hidden(told(50, 7, -1))).isNull();
    }

    @Test
    void aNinthIsNotLearned() {
        for (int i = 1; i <= 8; i++) {
            assertThat(refuse(0, told(i, 1, -1))).isTrue();
        }

        assertThat(refuse(0, told(9, 1, -1))).isFalse();
        assertThat(refuse(0, told(8, 1, -1))).isTrue();
    }

    /** {@return whether three go at a time} */
    private boolean areThreeGranted(double at) {
        send(2, at);
        boolean isAnother = due(at) == at;
        rates.release(2, Scope.ALL, nanos(at));
        return isAnother;
    }

    @Test
    void afterEightWindowsOneMoreIsTriedAndIfThatIsNotRefusedTheLimitIsForgotten() {
        refuse(0, told(2, 1, 1));
        accept(16, OTHER);
        assertThat(areThreeGranted(10)).isFalse();

        accept(1, OTHER);
        assertThat(areThreeGranted(20)).isTrue();
        accept(1, OTHER);
        assertThat(rates.isEmpty()).isFalse();
        accept(1, OTHER);
        assertThat(rates.isEmpty()).isTrue();
    }

    @Test
    void eachTimeThatTheTryIsRefusedTheNextComesLater() {
        refuse(0, told(2, 1, 1));
        int patience = 16;
        for (int i = 1; i <= 8; i++) {
            accept(patience, OTHER);
            assertThat(areThreeGranted(100 * i)).isFalse();
            accept(1, OTHER);
            assertThat(areThreeGranted(100 * i + 10)).isTrue();

            refuse(100 * i + 20, told(2, 1, 1));
            assertThat(rates.explains()).isTrue();
            patience = Math.min(350, 2 * patience);
        }
        assertThat(patience).isEqualTo(350);
    }

    @Test
    void refusalsOfAnotherReasonDoNotCount() {
        refuse(0, told(2, 1, 1));
        for (int i = 0; i < 100; i++) {
            rates.read(List.of(OTHER), true, Scope.ALL, 0, 0);
        }
        assertThat(areThreeGranted(10)).isFalse();
    }

    @Test
    void answersOfAScopeThatItDoesNotCountSayNothing() {
        Quota search = new Quota("search", 2L, 0L, Duration.ofSeconds(1), null);
        rates.refused(search, Moment.sentAt(0), 0, 0);
        for (int i = 0; i < 1_000; i++) {
            rates.read(List.of(), false, policy -> "core".equals(policy), 0, 0);
        }
        assertThat(rates.isEmpty()).isFalse();
    }

    @Test
    void aLargeLimitIsForgottenAfterAHundredAnswersMore() {
        refuse(0, told(1_000, 1, 1));
        accept(450);
        assertThat(rates.isEmpty()).isFalse();

        accept(1);
        assertThat(rates.isEmpty()).isTrue();
    }

    @Test
    void oneThatIsNotBelievedIsForgottenAsLate() {
        refuse(0, told(1_000, 10, 10));
        accept(450);
        assertThat(rates.isEmpty()).isFalse();

        accept(1);
        assertThat(rates.isEmpty()).isTrue();
    }

    @Test
    void oneThatAcceptedRequestsTellOfIsNoHiddenOne() {
        refuse(0, told(1, 1, 1));
        refuse(0, told(1, 1, 1));
        assertThat(rates.isEmpty()).isFalse();

        accept(1, told(1, 1, 1)); // it has taken the last one

        assertThat(rates.isEmpty()).isTrue();
    }

    @Test
    void aRequestThatWasNotSentDoesNotCount() {
        refuse(0, told(2, 1, 1));
        send(2, 5);
        rates.release(1, Scope.ALL, nanos(5));
        assertThat(due(5)).isEqualTo(5);
        send(1, 5);

        rates.release(1, Scope.ALL, nanos(-1)); // it left before

        assertDue(5, 6);
    }
}
