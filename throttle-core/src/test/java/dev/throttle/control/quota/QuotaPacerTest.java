package dev.throttle.control.quota;

import static dev.throttle.control.quota.Moment.SIGNAL;
import static dev.throttle.control.quota.Moment.nanos;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.throttle.control.ControllerHost;
import dev.throttle.control.RateLimit;
import dev.throttle.control.Scope;
import dev.throttle.control.Strategies;
import dev.throttle.fixtures.Traffic;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.assertj.core.data.Offset;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** All laws together, at moments in seconds. */
class QuotaPacerTest {

    private static final Offset<Double> ALMOST = within(1e-8);

    private QuotaPacer pacer = pacer();
    private int inFlight;
    private long admitted;

    private static QuotaPacer pacer() {
        QuotaPacing strategy = Strategies.quotaPacing().jitter(0).build();
        return (QuotaPacer) strategy.newController(ControllerHost.detached(() -> 0)); // no chance
    }

    private static Quota quota(@Nullable String policy, long remaining, double reset) {
        Duration untilReset = reset < 0 ? null : Duration.ofNanos(nanos(reset));
        return new Quota(policy, 100L, remaining, untilReset, null);
    }

    /** One of 100 in 60 s. */
    private static Quota window(long remaining, double reset) {
        return quota("window", remaining, reset);
    }

    private static Quota bucket(long remaining) {
        return new Quota("bucket", null, remaining, null, null);
    }

    private void send(double at) {
        admitted++;
        pacer.onAdmitted(Cost.ONE, nanos(at), nanos(at));
    }

    private Traffic load(double sentAt) {
        return Moment.sentAt(sentAt).inFlight(inFlight).admitted(admitted);
    }

    private void end(Outcome outcome, double sentAt, double at, Quota... quotas) {
        pacer.onSignal(new Signal(outcome, new RateHints(null, List.of(quotas))), load(sentAt), nanos(at));
    }

    /** A request that is sent and answered at a time. */
    private void answer(double at, Quota... quotas) {
        send(at);
        end(Outcome.SUCCESS, at, at, quotas);
    }

    private void observe(double at, Quota... quotas) {
        Signal signal = new Signal(Outcome.SUCCESS, new RateHints(null, List.of(quotas)));
        pacer.onHeard(
                signal,
                Traffic.QUIET
                        .cost(Cost.NONE)
                        .admittedAt(nanos(at))
                        .inFlight(inFlight)
                        .perSecond(1),
                nanos(at));
    }

    /** A request of a route that one quota counts is sent and answered at a time. */
    private void answerOfRoute(String policy, double at) {
        Scope scope = policy::equals;
        pacer.onAdmitted(Cost.ONE, nanos(at), scope, nanos(at));
        Signal signal =
                Signal.of(Outcome.SUCCESS, new RateHints(null, List.of(quota(policy, 9 - (long) at, 1_000 - at))));
        RateLimit.Load load = new RateLimit.Load() {
            @Override
            public long permitId() {
                return nanos(at);
            }

            @Override
            public Cost cost() {
                return Cost.ONE;
            }

            @Override
            public long admittedAtNanos() {
                return nanos(at);
            }

            @Override
            public int inFlight() {
                return 0;
            }

            @Override
            public long admitted() {
                return 0;
            }

            @Override
            public int waiting() {
                return 0;
            }

            @Override
            public double requestsPerSecond() {
                return 1;
            }

            @Override
            public Scope scope() {
                return scope;
            }
        };
        pacer.onSignal(signal, load, nanos(at));
    }

    @Test
    void theQuotaThatWasNotToldOfForLongestGivesItsPlaceToANewOne() {
        for (int i = 0; i < 8; i++) {
            answerOfRoute("old" + i, i);
        }
        answerOfRoute("old0", 8);
        answerOfRoute("new", 9);
        assertThat(heldBy("new")).isEqualTo("new");
        assertThat(heldBy("old0")).isEqualTo("old0");
        assertThat(heldBy("old1")).isNull();
    }

    private @Nullable String heldBy(String policy) {
        return pacer.heldBy(Cost.NONE, Cost.ONE, policy::equals, nanos(10));
    }

    private double due(double at, int ahead) {
        return Moment.seconds(pacer.dueNanos(Cost.requests(ahead), Cost.ONE, nanos(at)));
    }

    private double due(double at) {
        return due(at, 0);
    }

    @Test
    void moreRequestsThanCanBeCountedAreNotTakenForLessThanNone() {
        for (int i = 0; i < 4; i++) {
            pacer.onAdmitted(Cost.requests(Cost.MAX_AMOUNT), i, i);
            assertThat(pacer.wire()).isPositive();
        }
    }

    @Test
    void theFirstOneGoesAloneForFiveSecondsAtMost() {
        assertThat(due(1)).isEqualTo(1);
        send(1);
        assertThat(due(1)).isEqualTo(6);
        assertThat(due(5.9)).isEqualTo(6);
        assertThat(due(6)).isEqualTo(6);
        assertThat(due(7)).isEqualTo(7);
        send(6);
        assertThat(due(6)).isEqualTo(6); // five seconds from the first on
        assertThat(pacer.isIdle()).isFalse();
        end(Outcome.SUCCESS, 1, 6.5);
        assertThat(due(6.5)).isEqualTo(6.5);
        assertThat(pacer.isIdle()).isTrue();
        assertThat(pacer.plansResets()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(
            value = Outcome.class,
            names = {"IGNORED", "CANCELLED"})
    void afterOneThatTellsNothingAnotherOneGoesAlone(Outcome outcome) {
        send(1);
        end(outcome, 1, 2);
        assertThat(due(2)).isEqualTo(2);
        send(2);
        assertThat(due(2)).isEqualTo(7);
    }

    @ParameterizedTest
    @EnumSource(
            value = Outcome.class,
            names = {"FAILED", "DENIED", "SUCCESS"})
    void anyAnswerLetsTheOthersGo(Outcome outcome) {
        send(1);
        end(outcome, 1, 2);
        send(2);
        assertThat(due(2)).isEqualTo(2);
    }

    @Test
    void whatIsOnTheWireIsCounted() {
        pacer.onAdmitted(Cost.requests(3), nanos(1), nanos(1));
        assertThat(pacer.wire()).isEqualTo(3);
        send(1);
        inFlight = 3;
        end(Outcome.SUCCESS, 1, 2, window(90, 50));
        assertThat(pacer.wire()).isEqualTo(3);
        inFlight = 2;
        end(Outcome.SUCCESS, 1, 2, window(90, 50));
        assertThat(pacer.wire()).isEqualTo(2);
        inFlight = 5; // some were let go at rest
        end(Outcome.SUCCESS, 1, 2, window(90, 50));
        assertThat(pacer.wire()).isEqualTo(5);
        inFlight = 0;
        end(Outcome.SUCCESS, 1, 2, window(90, 50));
        assertThat(pacer.wire()).isZero();
    }

    @Test
    void atRestTheThrottleCountsItself() {
        answer(1);
        assertThat(pacer.isIdle()).isTrue();
        send(2);
        send(2);
        inFlight = 1;
        end(Outcome.SUCCESS, 2, 2);
        assertThat(pacer.wire()).isEqualTo(1);
    }

    @Test
    void theSlowestPolicyDecides() {
        answer(0, window(100, 60), bucket(60));
        assertThat(due(0, 58)).isZero();
        assertThat(due(0, 59)).isEqualTo(0.25); // of the bucket
        answer(0, window(4, 60), bucket(60));
        assertThat(due(0, 4)).isEqualTo(60);
        assertThat(pacer.isIdle()).isFalse();
        assertThat(pacer.limitPerSecond()).isInfinite();
        assertThat(pacer.interval()).isZero();
    }

    @Test
    void theRateIsThatOfTheSlowestPace() {
        answer(0, bucket(5), quota("other", 2, -1));
        assertThat(pacer.interval()).isEqualTo(2.4);
        assertThat(pacer.limitPerSecond()).isEqualTo(1 / 2.4);
        assertThat(due(0)).isEqualTo(2.4, ALMOST);
    }

    @Test
    void plentyIsRest() {
        Quota plenty = new Quota("a", 50_000L, 20_000L, Duration.ofSeconds(60), null);
        answer(0, plenty);
        assertThat(pacer.isIdle()).isTrue();
        answer(1, plenty, bucket(20));
        assertThat(pacer.isIdle()).isFalse();
        answer(2, new Quota("a", 50_000L, 10_000L, Duration.ofSeconds(58), null));
        assertThat(pacer.isIdle()).isFalse();
    }

    @Test
    void aPolicyThatIsNotMentionedForSixteenAnswersIsForgotten() {
        answer(0, window(0, 1000));
        for (int i = 1; i <= 16; i++) {
            answer(i);
            assertThat(due(i)).isGreaterThan(i);
        }
        observe(16.5, quota("other", 50_000, -1)); // no answer
        assertThat(due(16.5)).isGreaterThan(16.5);
        answer(17);
        assertThat(due(17)).isEqualTo(17);
        assertThat(pacer.isIdle()).isTrue();
        pacer.onShared(2, Double.NaN, nanos(17));
        assertThat(pacer.interval()).isZero();
        answer(18, bucket(5)); // which takes its place
        answer(19, bucket(5));
        assertThat(pacer.interval()).isPositive();
    }

    @Test
    void aPolicyThatIsMentionedWithoutACountIsSilent() {
        answer(0, window(0, 1000));
        for (int i = 1; i <= 17; i++) {
            answer(i, new Quota("window", 100L, null, Duration.ofSeconds(1000 - i), null));
        }
        assertThat(due(17)).isEqualTo(17);
    }

    /** The seventeenth takes the place of the one that was silent for longest. */
    @Test
    void sixteenQuotasAreKnown() {
        answer(0, quota("a", 1, 100), quota("b", 1, 50));
        answer(1, quota("c", 100, 60), quota("d", 100, 60), quota("e", 100, 60), quota("b", 1, 49));
        for (char name = 'f'; name <= 'p'; name++) {
            answer(2, quota(String.valueOf(name), 100, 60), quota("b", 1, 48));
        }
        assertThat(due(2, 1)).isEqualTo(100);
        answer(3, quota("q", 100, 60)); // for a
        assertThat(due(3, 1)).isEqualTo(50);
    }

    @Test
    void policiesWithPartitionsAreDifferent() {
        Quota one = new Quota("p", 100L, 0L, Duration.ofSeconds(50), null, Quota.REQUESTS, "one");
        Quota two = new Quota("p", 100L, 0L, Duration.ofSeconds(70), null, Quota.REQUESTS, "two");
        answer(0, one, two);
        assertThat(due(0)).isEqualTo(70);
    }

    @Test
    void whatIsNotCountedInRequestsOrHasNoCountIsNoPolicy() {
        Quota concurrent = new Quota("c", 10L, 0L, null, null, Quota.CONCURRENT_REQUESTS, null);
        answer(0, concurrent, new Quota("w", 100L, null, Duration.ofSeconds(60), null));
        assertThat(pacer.isIdle()).isTrue();
        assertThat(due(0)).isZero();
    }

    @Test
    void aRefusalThatACountExplainsIsNoEvent() {
        answer(0, window(1, 60));
        send(1);
        end(Outcome.RATE_LIMITED, 1, 1, window(0, 59));
        assertThat(due(60)).isEqualTo(60);
        assertThat(due(1)).isEqualTo(60);
    }

    @Test
    void aRefusalThatNoCountExplainsIsOne() {
        answer(0, window(100, 60));
        send(1);
        end(Outcome.RATE_LIMITED, 1, 1, window(99, 59));
        assertThat(due(1)).isEqualTo(2); // one request in the last second
    }

    /** What a refusal tells of a limiter before that of the window. */
    private static final Quota HIDDEN = new Quota("window", 20L, 0L, Duration.ofSeconds(1), Duration.ofSeconds(1));

    private List<String> saidOfRefusals(double at) {
        return pacer.explain(nanos(at)).stream()
                .filter(said -> said.toLowerCase(Locale.ROOT).contains("refusal"))
                .toList();
    }

    @Test
    void aRefusalThatTellsOfAnotherLimitIsNoEvent() {
        answer(0, window(90, 60));
        send(1);
        end(Outcome.RATE_LIMITED, 1, 1, HIDDEN);

        assertThat(due(1)).isEqualTo(2); // it is used up until then
        assertThat(due(2, 19)).isEqualTo(2);
        assertThat(pacer.explain(nanos(2)))
                .hasSize(2)
                .last()
                .isEqualTo("The server grants 20 requests in 1 s: no more go.");
        assertThat(saidOfRefusals(2)).isEmpty();
    }

    @Test
    void oneThatComesInSpiteOfItIsAnEvent() {
        answer(0, window(90, 60));
        send(1);
        end(Outcome.RATE_LIMITED, 1, 1, HIDDEN);
        send(3);
        end(Outcome.RATE_LIMITED, 3, 3, HIDDEN);

        assertThat(saidOfRefusals(3)).hasSize(1);
    }

    @Test
    void aKnownLimitIsMeantEvenIfTheWindowIsUsedUp() {
        answer(0, window(90, 60));
        send(1);
        end(Outcome.RATE_LIMITED, 1, 1, HIDDEN);
        answer(3, window(0, 57));
        send(3.1);
        end(Outcome.RATE_LIMITED, 3.1, 3.2, HIDDEN);

        assertThat(due(3.2)).isEqualTo(60); // and not that of the refusal
    }

    @Test
    void aRefusalForWantOfTokensTellsOfNoLimitOfRequests() {
        for (int i = 0; i < 20; i++) {
            answer(0.1 * i, tokens(900 - i)); // each takes two
        }
        send(2);
        end(
                Outcome.RATE_LIMITED,
                2,
                2,
                new Quota("tokens", 20L, 0L, Duration.ofSeconds(5), Duration.ofSeconds(10), Quota.TOKENS, null));

        assertThat(pacer.explain(nanos(2))).noneMatch(said -> said.contains("grants"));
    }

    @ParameterizedTest
    @CsvSource({
        "100, 90, BUSY,         20,  0",
        "100, 90, RATE_LIMITED, 20,  1",
        "100, 90, RATE_LIMITED, 100, 0",
        "100, 90, RATE_LIMITED, 0,   0",
        "100, 0,  RATE_LIMITED, 20,  0",
        "   , 90, RATE_LIMITED, 20,  0"
    })
    void anythingElseThatARefusalTellsIsNoOtherLimit(
            @Nullable Long known, long left, Outcome outcome, long limit, long remaining) {
        answer(0, new Quota("window", known, left, Duration.ofSeconds(60), null));
        send(1);
        end(outcome, 1, 1, new Quota("window", limit, remaining, Duration.ofSeconds(59), Duration.ofSeconds(60)));
        answer(70, window(99, 60));

        assertThat(due(70.1, 25)).isEqualTo(70.1);
    }

    @Test
    void aBusyServerIsOneWhateverTheCount() {
        answer(0, window(1, 60));
        send(1);
        end(Outcome.BUSY, 1, 59.9, window(0, 0.1));
        assertThat(due(59.9)).isEqualTo(60.9);
    }

    @Test
    void aRefusalOfARollingQuotaLengthensItsInterval() {
        answer(0, bucket(5));
        send(2);
        end(Outcome.RATE_LIMITED, 2, 2, bucket(0));
        double ofNothing =
                0.733 * Math.pow(1.22 / 0.22, 3); // what the pace of all would be if nothing were left for long
        assertThat(pacer.interval()).isEqualTo(2.4 * Math.pow(ofNothing / 2.4, 0.2), ALMOST);
    }

    @Test
    void aRequestThatDidNotCountTakesNoTurn() {
        answer(0, bucket(5));
        double s = 2.4;
        send(10);
        assertThat(due(10)).isEqualTo(10 + s, ALMOST);
        end(Outcome.IGNORED, 10, 11);
        assertThat(due(11)).isEqualTo(11);
        send(12);
        end(Outcome.FAILED, 12, 13);
        assertThat(due(13)).isEqualTo(12 + s, ALMOST); // this one may have counted
    }

    /** A window of a second that refuses does not say why: while it is probed, a failed probe is sent again. */
    @Test
    void aProbeThatFailsIsRepeated() {
        for (Outcome outcome : new Outcome[] {Outcome.FAILED, Outcome.DENIED, Outcome.IGNORED, Outcome.CANCELLED}) {
            pacer = pacer();
            send(0);
            end(Outcome.RATE_LIMITED, 0, 1);
            assertThat(due(1)).isEqualTo(2);
            send(2);
            assertThat(due(2)).isEqualTo(7);
            end(outcome, 2, 3);
            assertThat(due(3)).as("%s", outcome).isEqualTo(3);
        }
    }

    @Test
    void ownRequestsThatFailedMayHaveCounted() {
        answer(0, window(100, 60));
        for (int second = 1; second <= 3; second++) {
            answer(second, window(100 - second, 60 - second));
        }
        for (int i = 0; i < 10; i++) {
            send(4);
            end(Outcome.FAILED, 4, 4);
        }
        answer(5, window(86, 55)); // nobody else
        assertThat(due(5, 76)).isEqualTo(5); // 86 - 52 / 6
        assertThat(due(5, 77)).isEqualTo(9, ALMOST);
    }

    @Test
    void whatOthersHearOfAWindowIsOneMoreReading() {
        observe(0, window(50, 60));
        assertThat(due(0, 44)).isZero(); // 50 - 57 / 12
        assertThat(due(0, 45)).isPositive();
        observe(10, window(20, 50));
        assertThat(due(10, 15)).isEqualTo(10); // 20 - 47 / 12
        assertThat(due(10, 16)).isGreaterThan(10);
        observe(11, window(25, 49)); // it is older
        assertThat(due(11, 16)).isGreaterThan(11);
    }

    @Test
    void whatOthersHearOfAWindowDoesNotEndIt() {
        observe(0, window(0, 60));
        observe(1, window(0, 59));
        observe(2, window(0, 58));
        assertThat(due(2)).isEqualTo(60);
    }

    @Test
    void whatOthersHearOfABucketTellsNothingUnlessTheirNumberIsKnown() {
        observe(0, bucket(5));
        send(0);
        assertThat(due(0)).isEqualTo(5); // the first one goes alone
        pacer = pacer();
        pacer.onShared(4, 8, 0);
        observe(0, bucket(50));
        send(0);
        assertThat(due(0)).isEqualTo(0.5, ALMOST);
        assertThat(pacer.interval()).isEqualTo(0.5);
        observe(1, bucket(5));
        assertThat(pacer.interval()).isEqualTo(0.5); // it was known
    }

    @Test
    void othersThatAreCountedMakeIntervalsLonger() {
        answer(0, bucket(5));
        pacer.onShared(2, Double.NaN, 0);
        assertThat(pacer.interval()).isEqualTo(2.4);
        pacer.onShared(6, Double.NaN, nanos(1));
        assertThat(pacer.interval()).isEqualTo(3 * 2.4, ALMOST);
    }

    @Test
    void aBodyThatIsReadLaterIsAReadingOfTheOwnAnswer() {
        send(0);
        pacer.onHeard(new Signal(Outcome.SUCCESS, new RateHints(null, List.of(window(50, 60)))), load(0), nanos(1));
        end(Outcome.SUCCESS, 0, 1);
        assertThat(due(1, 44)).isEqualTo(1);
        assertThat(due(1, 45)).isGreaterThan(1);
    }

    @Test
    void withOtherSettingsItKnowsWhatItKnew() {
        answer(0, window(100, 60));
        send(1);
        send(1);
        QuotaPacer next = (QuotaPacer) Strategies.quotaPacing()
                .reserveAlone(0.5)
                .jitter(0)
                .build()
                .newController(ControllerHost.detached(() -> 0));
        inFlight = 1;
        next.takeOver(pacer, load(1), nanos(1));
        pacer = next;
        assertThat(pacer.wire()).isEqualTo(2);
        assertThat(pacer.isIdle()).isFalse();
        assertThat(due(1, 50)).isEqualTo(1); // 100 - 2 - 56 / 60 of 50
        assertThat(due(1, 51)).isEqualTo(SIGNAL);
    }

    @Test
    void whoTakesOverFromAnotherStrategyKnowsWhatIsOnTheWire() {
        inFlight = 7;
        pacer.takeOver(null, load(1), nanos(1));
        assertThat(pacer.wire()).isEqualTo(7);
        assertThat(due(1)).isEqualTo(1);
    }

    @Test
    void atRestATakeOverCountsWhatTheThrottleCounts() {
        answer(0);
        send(1);
        send(1);
        QuotaPacer next = pacer();
        inFlight = 1;
        next.takeOver(pacer, load(1), nanos(1));
        assertThat(next.wire()).isEqualTo(1);
        assertThat(next.isIdle()).isTrue();
    }

    @Test
    void whoTakesOverWhileTheFirstOneIsOnTheWireWaitsForItsAnswer() {
        send(1);
        QuotaPacer next = pacer();
        next.takeOver(pacer, load(1), nanos(2));
        pacer = next;
        assertThat(due(2)).isEqualTo(6);
    }

    /** Up to so much more or less at random. */
    @Test
    void jitterSpreadsTheRequests() {
        QuotaPacing strategy = Strategies.quotaPacing().jitter(0.5).build();
        double least = SIGNAL;
        double most = 0;
        for (int seed = 0; seed < 100; seed++) {
            pacer = (QuotaPacer) strategy.newController(ControllerHost.detached(new SplittableRandom(seed)));
            answer(0, bucket(5));
            send(10);
            double wait = (due(10) - 10) / 2.4;
            least = Math.min(least, wait);
            most = Math.max(most, wait);
        }
        assertThat(least).isBetween(0.5, 0.6);
        assertThat(most).isBetween(1.4, 1.5);
    }

    /** Beside tokens, a half of what was left may go without knowing what a reset has brought. */
    @Test
    void besideTokensAResetThatHasPassedHoldsFewBack() {
        Quota tokens = new Quota("t", 1_000_000L, 1_000_000L, Duration.ofSeconds(60), null, Quota.TOKENS, null);
        answer(0, window(40, 10), tokens);
        send(11);
        assertThat(due(11, 18)).isEqualTo(11); // 18, this one, and that on the wire
        assertThat(due(11, 19)).isEqualTo(16); // five seconds for the first one
    }

    /** What another limit asks to wait for is no measure of what a request takes. */
    @Test
    void aRefusalForWantOfRequestsTellsNothingOfTokens() {
        Cost call = Cost.of(Quota.TOKENS, 100);
        for (int at = 0; at < 8; at++) {
            pacer.onAdmitted(call, nanos(at), nanos(at));
            Signal signal = new Signal(
                    Outcome.SUCCESS, new RateHints(null, List.of(tokens(900 - 90 * at), window(50 - at, 60 - at))));
            pacer.onSignal(signal, load(at).cost(call), nanos(at));
        }
        pacer.onAdmitted(call, nanos(10), nanos(10));
        Signal refusal = new Signal(
                Outcome.RATE_LIMITED, new RateHints(Duration.ofSeconds(20), List.of(tokens(290), window(0, 20))));
        pacer.onSignal(refusal, load(10).cost(call), nanos(10));
        assertThat(pacer.costAfterRefusal(call)).isEqualTo(call);
        assertThat(Moment.seconds(pacer.dueNanos(Cost.NONE, call, nanos(31)))).isEqualTo(31);
    }

    /** {@return tokens that come back at ten a second, up to a thousand} */
    private static Quota tokens(long remaining) {
        Duration reset = Duration.ofMillis(100 * (1_000 - remaining));
        return new Quota("tokens", 1_000L, remaining, reset, null, Quota.TOKENS, null);
    }

    /** Nine are accepted, and one is refused. A second later another one is accepted. */
    private void tenOf(Outcome refusal, double from) {
        for (int i = 0; i < 9; i++) {
            answer(from + i);
        }
        refused(refusal, from + 9);
        answer(from + 10);
    }

    private void refused(Outcome refusal, double at) {
        send(at);
        end(refusal, at, at);
    }

    @ParameterizedTest
    @CsvSource({"RATE_LIMITED, BUSY", "BUSY, RATE_LIMITED"})
    void refusalsOfAnotherKindDoNotChangeThePace(Outcome refusal, Outcome other) {
        tenOf(refusal, 0);
        assertThat(pacer.interval()).isZero();
        tenOf(refusal, 11);
        double interval = pacer.interval();
        assertThat(interval).isPositive();
        refused(other, 23);
        assertThat(due(23)).as("one at a time asks again").isEqualTo(24);
        answer(25);
        refused(other, 26);
        answer(28);
        double faster = Math.pow(2, -2 / 8.0); // two answers, of eight that double a first pace
        assertThat(pacer.interval()).isEqualTo(interval * faster, ALMOST);
    }

    @Test
    void anOutageInTheMiddleOfAnEventIsNoTimeInWhichALimitGrantedNothing() {
        tenOf(Outcome.RATE_LIMITED, 0);
        for (int i = 11; i < 20; i++) {
            answer(i);
        }
        refused(Outcome.RATE_LIMITED, 20);
        for (int probe = 0; probe < 5; probe++) {
            refused(Outcome.BUSY, 21 + 10 * probe);
        }
        answer(71);
        assertThat(pacer.interval()).isZero();
        tenOf(Outcome.RATE_LIMITED, 72);
        tenOf(Outcome.RATE_LIMITED, 83);
        assertThat(pacer.interval()).isBetween(0.7, 0.9);
    }

    @Test
    void afterAnOutageWhatWasGrantedBeforeTellsNothing() {
        tenOf(Outcome.RATE_LIMITED, 0);
        for (int probe = 0; probe < 5; probe++) {
            refused(Outcome.BUSY, 11 + 10 * probe);
        }
        answer(61);
        tenOf(Outcome.RATE_LIMITED, 62);
        assertThat(pacer.interval()).as("one short cycle may be chance").isZero();
        tenOf(Outcome.RATE_LIMITED, 73);
        assertThat(pacer.interval()).isBetween(0.7, 0.9);
    }
}
