package dev.throttle.control.quota;

import static dev.throttle.control.quota.Moment.SIGNAL;
import static dev.throttle.control.quota.Moment.nanos;
import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.RateLimit.Load;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What an event means, by the cycle that it ends. In a cycle of ten seconds a number of requests is accepted, the last
 * of which is the probe after one second of refusals, so it takes eleven seconds in all.
 */
class RefusalCyclesTest extends RefusalStory {

    private static final double FASTER = Math.exp(-0.25);

    private double now;

    private void cycle(int accepted) {
        if (now == 0) {
            send(0);
            sent--;
        }
        sent += accepted - 1;
        brief(now + 10);
        now += 11;
    }

    @ParameterizedTest
    @CsvSource({
        "19, 19, 19, true",
        "20, 19, 19, true", // the first one tells nothing of a rate anyway
        "19, 20, 19, false", // one in twenty is borne
        "19, 19, 20, true",
        "20, 20, 19, false"
    })
    void twoShortCyclesInARowSetAPace(int first, int second, int third, boolean paced) {
        cycle(first);
        assertThat(law.interval()).isZero();
        cycle(second);
        assertThat(law.interval() > 0).isEqualTo(first < 20 && second < 20);
        cycle(third);
        assertThat(law.interval() > 0).isEqualTo(paced);
    }

    @Test
    void thePaceIsWhatWasAcceptedInBothAndALittleFaster() {
        cycle(20);
        cycle(10); // in ten seconds
        sent += 4;
        brief(now + 20); // five in twenty
        now += 21;
        assertThat(law.interval()).isEqualTo(2 * FASTER, ALMOST);
        assertThat(due(now)).isEqualTo(now + 2 * FASTER, ALMOST);
        assertThat(law.isIdle()).isFalse();
        now += 2 * FASTER;
        send(now);
        assertThat(due(now, 1, 0)).isEqualTo(now + 4 * FASTER, ALMOST);
    }

    /** The first cycle began with what had been saved up, so it is not measured. */
    @Test
    void afterAShortFirstCycleTheSecondCountsAlone() {
        cycle(15);
        cycle(10);
        assertThat(law.interval()).isEqualTo(FASTER, ALMOST);
    }

    /** One refusal in twenty: of two refusals at different times, forty. */
    @ParameterizedTest
    @CsvSource({"39, true", "40, false"})
    void aCycleWithTwoRefusalsIsShortWithFewerThanForty(int accepted, boolean paced) {
        cycle(19);
        sent += accepted - 1;
        send(now + 10);
        refuse(now + 10, now + 10);
        refuse(now + 9, now + 10.1); // of the same event
        sent++;
        send(now + 11);
        accept(now + 11, now + 11);
        assertThat(law.interval() > 0).isEqualTo(paced);
    }

    /** A cycle of eleven seconds of which so many at the end were refused, one of them by a lost probe. */
    @ParameterizedTest
    @CsvSource({"5.5, 5.5", "5.6, 11"})
    void theTimeOfRefusalsIsTakenOffACycleUnlessItWasMostOfIt(double refusedFor, double measured) {
        cycle(19);
        sent += 9;
        send(now + 11 - refusedFor);
        refuse(now + 11 - refusedFor, now + 11 - refusedFor);
        send(now + 11);
        accept(now + 11, now + 11);
        assertThat(law.interval()).isEqualTo(measured / 10 * FASTER, ALMOST);
    }

    /** Most of a cycle was one event, however many were refused. */
    @Test
    void aCycleThatWasMostlyRefusedIsShortWithFewerThanTwenty() {
        cycle(19);
        sent += 19;
        send(now + 1);
        refuse(now + 1, now + 1);
        refuse(now, now + 1.1);
        sent++;
        send(now + 11);
        accept(now + 11, now + 11);
        assertThat(law.interval()).isZero();
    }

    @Test
    void aPaceIsNotMadeShorterByAnEvent() {
        cycle(10);
        cycle(10);
        double before = law.interval();
        cycle(19); // fewer than before, and faster; no request was held back
        assertThat(law.interval()).isEqualTo(before, ALMOST);
    }

    private double cut(double interval) {
        return 0.25 * Math.max(0.1, interval / (interval + 1));
    }

    /** A pace that is not searched for any more, since an event has ended that; {@return its interval} */
    private double settledPace() {
        cycle(10);
        cycle(10);
        atPace(15, 1);
        double refused = now + law.interval();
        brief(refused);
        now = refused + 1;
        return law.interval();
    }

    /** Ten accepted requests tell little: what they took is the most that an interval may be. */
    @Test
    void aFirstPaceIsDoubledWithEveryEightAnswersUntilTheNextEventHalvesIt() {
        cycle(10);
        cycle(10);
        assertThat(atPace(8, 1)).isEqualTo(FASTER / 2, ALMOST);
        assertThat(atPace(8, 1)).isEqualTo(FASTER / 4, ALMOST);
        double refused = now + law.interval();
        brief(refused);
        assertThat(law.interval()).isEqualTo(FASTER / 2, ALMOST);
        now = refused + 1;
        accept(now, now);
        assertThat(law.interval()).isEqualTo(afterAnswer(FASTER / 2, 1), ALMOST);
    }

    /** One request at a time meets the limit in the middle of the last doubling, in the mean. */
    @Test
    void theEventTakesHalfOfADoublingBackIfThereIsOneRequestAtATime() {
        waiting = 0;
        loopWithPauses(0.05);
        loopWithPauses(0.05);
        double before = atPace(8, 1);
        brief(now + before);
        assertThat(law.interval()).isEqualTo(Math.sqrt(2) * before, ALMOST);
    }

    /** Two refusals, and twenty accepted requests: that is a rate. */
    @Test
    void aFirstPaceOfTwentyRequestsIsNotSearchedFor() {
        cycle(19);
        sent += 19;
        send(now + 10);
        refuse(now + 10, now + 10);
        refuse(now + 9, now + 10.1);
        sent++;
        send(now + 11);
        accept(now + 11, now + 11);
        double pace = law.interval();
        accept(now + 12, now + 12);
        assertThat(law.interval()).isEqualTo(afterAnswer(pace, 1), ALMOST);
    }

    /** While it is searched for, what left before a refusal does not let others go. */
    @Test
    void aPaceThatMayBeMuchTooFastWaitsForItsProbe() {
        cycle(10);
        cycle(10);
        atPace(8, 1);
        send(now + 1);
        refuse(now + 1, now + 2);
        accept(now + 1.5, now + 2);
        assertThat(law.explain()).contains("one request at a time");
    }

    private double afterAnswer(double interval, int answers) {
        double calm = 120 / (1 + interval);
        double way = 2 * answers / calm - 1;
        return interval * Math.exp(-Math.min(0.5, 6 * cut(interval) / calm * way * way));
    }

    @Test
    void eachAnswerTakesAPieceOfTheStepBackAlongACubic() {
        double begin = settledPace();
        double expected = begin;
        int most = (int) (0.9 * 120 / (1 + begin));
        for (int answers = 1; answers <= most; answers++) {
            now++;
            accept(now, now);
            expected = afterAnswer(expected, answers);
            assertThat(law.interval()).isEqualTo(expected, ALMOST);
        }
        assertThat(expected).isBetween(begin * Math.exp(-2 * cut(begin)), begin * Math.exp(-cut(begin)));
    }

    @Test
    void aPaceOfHalfAMillisecondIsLifted() {
        double expected = settledPace();
        now++; // after the pause
        int answers = 0;
        while (expected >= 5e-4) {
            assertThat(law.interval()).isEqualTo(expected, ALMOST);
            accept(now, now);
            expected = afterAnswer(expected, ++answers);
        }
        assertThat(answers).isGreaterThan(120);
        assertThat(law.interval()).isZero();
    }

    /** So many requests leave at the pace and are accepted; {@return the interval after them} */
    private double atPace(int count, double factor) {
        for (int i = 0; i < count; i++) {
            now += factor * law.interval();
            send(now);
            accept(now, now);
        }
        return law.interval();
    }

    /** An event at the present pace whose probe follows after a tenth of a second. */
    private void shortEvent() {
        double refused = now + law.interval();
        send(refused);
        refuse(refused, refused);
        now = refused + 0.1;
        send(now);
        accept(now, now);
    }

    /** Half a second, or 3 % of the cycle if that is less. */
    @Test
    void aPaceThatBecameSlowerLeavesWhatComesBackMeanwhileToOthers() {
        settledPace();
        while (law.interval() > 0.05) {
            atPace(1, 1);
        }
        shortEvent();
        double began = now;
        assertThat(due(now)).isEqualTo(now + 0.5, ALMOST);
        now += 10;
        atPace(10, 1);
        shortEvent();
        double pause = 0.03 * (now - began);
        assertThat(pause).isBetween(2 * law.interval(), 0.45);
        assertThat(due(now)).isEqualTo(now + pause, ALMOST);
    }

    @Test
    void whatLeftBeforeThePaceBecameSlowerTellsNothingOfIt() {
        settledPace();
        atPace(40, 1);
        shortEvent();
        double slower = law.interval();
        double due = due(now);
        refuse(now - 0.05, now + 0.1); // it left after the refusal, and before the event was over
        assertThat(due(now)).isEqualTo(due);
        assertThat(law.interval()).isEqualTo(slower);
        assertThat(law.explain()).contains("have set a pace");
    }

    /** The way back takes a quarter more answers if the event comes after half of them, at least. */
    @ParameterizedTest
    @CsvSource({"30, 1", "45, 1.25"})
    void theMoreRegularlyRequestsAreRefusedTheLongerIsTheWayBack(int answers, double factor) {
        settledPace();
        double before = atPace(answers, 1);
        assertThat(answers < 120 / (1 + before) / 2).isEqualTo(factor == 1);
        shortEvent();
        double s = law.interval();
        double most = Math.min(1 + 0.2 / s, factor) * 120 / (1 + s);
        accept(now, now);
        double way = 2 / most - 1;
        assertThat(law.interval()).isEqualTo(s * Math.exp(-6 * cut(s) / most * way * way), ALMOST);
    }

    @ParameterizedTest
    @CsvSource({"1.09, true", "1.11, false"})
    void aPaceThatHeldRequestsBackBecomesSlowerByAStep(double factor, boolean held) {
        settledPace();
        double before = atPace(40, factor);
        brief(now + 1);
        assertThat(law.interval()).isEqualTo(held ? before * Math.exp(2 * cut(before)) : before, ALMOST);
    }

    /** Forty requests at the pace, and so many later ones. */
    @ParameterizedTest
    @CsvSource({"39, true", "40, false"})
    void halfOfTheRequestsHaveToBeHeldBack(int others, boolean held) {
        settledPace();
        atPace(1, 2);
        double before = atPace(40, 1);
        before = atPace(others - 1, 2);
        brief(now + 10);
        assertThat(law.interval()).isEqualTo(held ? before * Math.exp(2 * cut(before)) : before, ALMOST);
    }

    /** Two cycles of ten requests at a pace tell how many were accepted, if that is slower than the step. */
    @Test
    void aPaceThatIsMuchTooFastBecomesWhatWasAccepted() {
        cycle(10);
        cycle(10);
        double began = now;
        atPace(15, 1);
        double first = now + law.interval();
        brief(first);
        now = first + 1;
        double s = atPace(9, 1);
        double refused = now + 100;
        brief(refused);
        double measured = (first - began + refused - (first + 1)) / 26; // 16 and 10 were accepted
        assertThat(measured).isGreaterThan(s * Math.exp(2 * cut(s)));
        assertThat(law.interval()).isEqualTo(measured, ALMOST);
    }

    /** The window is used up after thirty requests, and is renewed each twenty seconds. */
    private void window(double from) {
        if (from == 0) {
            send(0);
            sent--;
        }
        sent += 29;
        lasting(from + 10, from + 20);
    }

    @Test
    void aLastingEventTellsSizeAndLengthOfAWindow() {
        window(0);
        assertThat(law.isIdle()).isFalse();
        for (int i = 0; i < 28; i++) {
            send(21);
        }
        for (int i = 0; i < 60; i++) {
            accept(20, 21);
        }
        assertThat(due(21, 50, 50)).isEqualTo(21);
        send(22); // the thirtieth of the window, with the probe
        assertThat(due(22, 0, 1)).isEqualTo(27); // the others follow one by one
        assertThat(due(22, 1, 1)).isEqualTo(SIGNAL);
        accept(21, 22.1);
        assertThat(due(22.1, 1, 1)).isEqualTo(SIGNAL); // it left before
        accept(22, 22.2);
        assertThat(due(22.2, 0, 1)).isEqualTo(22.2);
        send(22.3);
        refuse(22.3, 22.4);
        assertThat(due(22.4)).isEqualTo(22.4 + 0.25, ALMOST); // it may be a refusal of another kind
        again(22.65);
        assertThat(due(22.65)).isEqualTo(20 + (20 - 10 / 3.0 + 20) / 2, ALMOST); // or be renewed sooner
        again(39);
        assertThat(due(39)).isEqualTo(40, ALMOST); // twenty seconds after 20 s
    }

    @Test
    void aLookThatWasExpectedToBeTheLastIsRepeatedSoon() {
        window(0);
        sent += 29;
        send(30);
        refuse(30, 30);
        again(30.25);
        again(38.5);
        assertThat(due(38.5)).isEqualTo(40, ALMOST);
        again(40);
        assertThat(due(40)).isEqualTo(40 + 0.05 * 10 * 2, ALMOST);
        again(41);
        assertThat(due(41)).isEqualTo(41 + 0.05 * 11 * 4, ALMOST);
        again(43);
        assertThat(due(43)).isEqualTo(43 + 0.35 * 13, ALMOST); // no longer than usual
    }

    @Test
    void aWindowThatIsFoundRenewedAtTheFirstLookIsNoLonger() {
        window(0);
        sent += 29;
        send(30);
        refuse(30, 30);
        again(30.25);
        again(38.5);
        send(41); // late
        accept(41, 41);
        sent += 29;
        send(50);
        refuse(50, 50);
        again(50.25);
        assertThat(due(50.25)).isEqualTo(41 + 20 / 2, ALMOST); // 18.5 s were too short: it is known
        again(51);
        assertThat(due(51)).isEqualTo(41 + 20, ALMOST);
    }

    @Test
    void aWindowThatIsRenewedBeforeItsEndIsShorter() {
        window(0);
        sent += 29;
        send(28);
        refuse(28, 28);
        again(28.25);
        send(38.5);
        accept(38.5, 38.5);
        sent += 29;
        send(40);
        refuse(40, 40);
        assertThat(due(40)).isEqualTo(40.25, ALMOST);
        again(40.25);
        assertThat(due(40.25)).isEqualTo(38.5 + 18.5 / 2, ALMOST);
        again(56.5); // 16.67 s were too short, and 18.5 s were not
        assertThat(due(56.5)).isEqualTo(38.5 + 18.5, ALMOST);
    }

    /** A probe is refused. */
    private void again(double at) {
        send(at);
        refuse(at, at);
    }

    @Test
    void whoHasAPaceWaitsForTheEndOfNoWindow() {
        cycle(10);
        cycle(10);
        cycle(10);
        assertThat(law.interval()).isPositive();
        send(34);
        refuse(34, 34);
        again(40.5);
        assertThat(due(40.5)).isEqualTo(40.5 + 0.35 * 6.5, ALMOST); // and not ten seconds after 33 s
    }

    @Test
    void anOverloadIsNoWindow() {
        law = newLaw(law);
        law.told();
        send(0);
        refuse(0, 10);
        send(11);
        refuse(11, 11);
        send(12);
        refuse(12, 12);
        send(13);
        accept(13, 13);
        waiting = 0;
        for (int i = 0; i < 60; i++) {
            accept(13, 14);
        }
        assertThat(law.isIdle()).isTrue();
    }

    @Test
    void aShortOverloadCountsAsAnEvent() {
        law = newLaw(law);
        for (int i = 0; i < 2; i++) {
            sent += 9;
            send(now + 10);
            refuse(now + 10, now + 10);
            send(now + 11);
            accept(now + 11, now + 11);
            now += 11;
        }
        assertThat(law.interval()).isEqualTo(FASTER, ALMOST);
    }

    /** A request has been answered, and there is nothing else to send. */
    private void acceptLast(double sentAt, double at) {
        int before = waiting;
        waiting = 0;
        accept(sentAt, at);
        waiting = before;
    }

    /** A request has been answered, and there is nothing to send for some seconds. */
    private void pause(double seconds) {
        acceptLast(now, now);
        send(now + seconds);
    }

    /** A cycle of ten seconds of which so many pass with nothing to send. */
    private void cycleWithPause(double seconds) {
        if (now == 0) {
            send(0);
        }
        pause(seconds);
        cycle(10);
    }

    /** Of 18 seconds that are up to 4.5: those of the cycle before count 0.8. */
    @ParameterizedTest
    @CsvSource({
        "2.5, 2.5, true", "2.5, 2.6, false",
        "0, 4.5, true", "0, 4.6, false",
        "5, 0.5, true", "5, 0.6, false"
    })
    void whoHadNothingToSendForAQuarterOfTheTimeGetsNoPace(double first, double second, boolean paced) {
        cycleWithPause(first);
        cycleWithPause(second);
        assertThat(law.interval() > 0).isEqualTo(paced);
    }

    /** Of two cycles without a pause and this one, 24.4 seconds count, of which a quarter is 6.1. */
    @ParameterizedTest
    @CsvSource({"6, true", "6.2, false"})
    void whoHadNothingToSendForAQuarterOfTheTimeKeepsItsPace(double seconds, boolean slower) {
        cycle(10);
        cycle(10);
        send(now);
        pause(law.interval() + seconds);
        double before = law.interval();
        cycle(10);
        assertThat(law.interval() > before).isEqualTo(slower);
        assertThat(law.interval()).isGreaterThanOrEqualTo(before);
    }

    /** Each request of this program follows from the answer to the one before. */
    @Test
    void whoWaitedForItsPaceWasNotIdle() {
        cycle(10);
        cycle(10);
        send(now);
        for (int i = 0; i < 16; i++) {
            acceptLast(now, now);
            now += law.interval();
            send(now);
        }
        double before = law.interval();
        brief(now + before);
        assertThat(law.interval()).isGreaterThan(before);
    }

    /** A cycle of a loop with pauses, in which ten requests are accepted. */
    private void loopWithPauses(double seconds) {
        for (int i = 0; i < 9; i++) {
            send(now);
            accept(now, now);
            now += seconds;
        }
        brief(now);
        now++;
    }

    /** A client with one request at a time, whose first pace has met the limit. */
    private void aloneAtAPace() {
        waiting = 0;
        loopWithPauses(0.05);
        loopWithPauses(0.05);
        double faster = atPace(8, 1);
        brief(now + faster);
        now += faster + 1;
    }

    /** A server that grants less than this pace refuses early: what a whole cycle granted is what it grants. */
    @ParameterizedTest
    @CsvSource({"20, true", "50, true", "80, false"})
    void anEarlyEventTellsThePaceOfOneRequestAtATime(int accepted, boolean early) {
        aloneAtAPace();
        double began = now;
        double before = atPace(accepted - 1, 1);
        brief(now + before);
        now += before + 1;
        double granted = Math.log((now - began) / accepted / before);
        assertThat(granted).isGreaterThan(0.1);
        double step = early ? Math.min(0.25, granted) : 2 * cut(before);
        assertThat(law.interval()).isEqualTo(before * Math.exp(step), ALMOST);
    }

    /** With two at a time it may have been the other one that used the limit up. */
    @Test
    void anEarlyEventIsOneStepWhereTwoRequestsAreThereAtATime() {
        cycle(10);
        cycle(10);
        double before = atPace(8, 1);
        brief(now + before);
        now += before + 1;
        before = atPace(19, 1);
        brief(now + before);
        assertThat(law.interval()).isEqualTo(before * Math.exp(2 * cut(before)), ALMOST);
    }

    /** What it does between two calls is no sign that it asks for little. */
    @ParameterizedTest
    @CsvSource({"0.9, true", "1.1, false"})
    void aLoopGetsAPaceInSpiteOfItsPausesIfTheyAreShort(double seconds, boolean paced) {
        waiting = 0;
        for (int i = 0; i < 3; i++) {
            loopWithPauses(seconds);
        }
        assertThat(law.interval() > 0).isEqualTo(paced);
    }

    @ParameterizedTest
    @CsvSource({"1, 0", "0, 1"})
    void afterASecondRequestALoopWithPausesGetsNoPaceForTenEvents(int alsoWaiting, int onWire) {
        waiting = 0;
        loopWithPauses(0.5);
        waiting = alsoWaiting;
        wire = onWire;
        send(now);
        accept(now, now);
        waiting = 0;
        wire = 0;
        for (int i = 0; i < 10; i++) {
            loopWithPauses(0.5);
            assertThat(law.interval()).isZero();
        }
        boolean pacedAgain = false;
        for (int i = 0; i < 10; i++) { // the pauses of the ten are forgotten little by little
            loopWithPauses(0.5);
            pacedAgain |= law.interval() > 0;
        }
        assertThat(pacedAgain).isTrue();
    }

    @Test
    void aPaceThatALoopHasFoundStays() {
        waiting = 0;
        for (int i = 0; i < 3; i++) {
            loopWithPauses(0.5);
        }
        double pace = law.interval();
        waiting = 1;
        send(now);
        accept(now, now);
        assertThat(law.interval()).isBetween(0.9 * pace, pace);
    }

    /** Nine of ten are accepted with the pace as without it. One early event may be chance. */
    @Test
    void aPaceOfALoopThatDoesNotMakeRefusalsRarerIsLiftedAfterFiveEarlyEvents() {
        waiting = 0;
        loopWithPauses(0.5);
        loopWithPauses(0.5);
        for (int i = 0; i < 5; i++) {
            assertThat(law.interval()).isPositive();
            loopWithPauses(0.5);
        }
        assertThat(law.interval()).isZero();
    }

    /** A second request that comes now and then is no reason to lift the pace of a loop without pauses. */
    @Test
    void aSecondRequestDoesNotLiftThePaceOfWhoSendsAllItMay() {
        waiting = 0;
        for (int cycle = 0; cycle < 3; cycle++) {
            for (int i = 0; i < 9; i++) {
                send(now);
                accept(now, ++now);
            }
            brief(now);
            now++;
        }
        waiting = 1;
        send(now);
        accept(now, now);
        assertThat(law.interval()).isPositive();
    }

    /**
     * Nothing else waits until the next request may go, after a second, and it comes so much later. Of 18 seconds
     * without refusals that may be 4.5.
     */
    @ParameterizedTest
    @CsvSource({"0, true", "4.4, true", "4.6, false"})
    void whoWaitedForItsProbeWasNotIdle(double later, boolean paced) {
        cycle(10);
        sent += 9;
        double refused = now + 10;
        send(refused);
        refuse(refused, refused);
        acceptLast(refused - 1, refused); // it left before
        double probe = refused + 1 + later;
        send(probe);
        accept(probe, probe);
        assertThat(law.interval() > 0).isEqualTo(paced);
    }

    /** {@return what is said of a request that left at rest, when the law is not told of requests} */
    private Load atRest(double sentAt) {
        return Moment.withPermit(0, load(sentAt));
    }

    /** Of 18 seconds that are up to 4.5; ten requests took so many seconds each out of ten. */
    @ParameterizedTest
    @CsvSource({"0.6, true", "0.4, false"})
    void timeAtRestThatRequestsDidNotTakeIsTimeWithNothingToSend(double flight, boolean paced) {
        cycle(10);
        sent += 10;
        law.onRefusal(atRest(now + 10 - flight), nanos(now + 10));
        send(now + 11);
        accept(now + 11, now + 11);
        assertThat(law.interval() > 0).isEqualTo(paced);
    }

    /** A refusal of the other kind tells of them. */
    @Test
    void aBusyTimeAtRestIsNoTimeWithNothingToSend() {
        send(0);
        acceptLast(0, 0);
        sent += 600;
        law.catchUp(atRest(599), nanos(600));
        send(600);
        accept(600, 600);
        now = 600;
        cycle(10);
        cycle(10);
        cycle(10);
        assertThat(law.interval()).isPositive();
    }
}
