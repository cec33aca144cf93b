package dev.throttle.control.quota;

import static dev.throttle.control.quota.Moment.SIGNAL;
import static dev.throttle.control.quota.Moment.nanos;
import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.RateController;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One event of refusals, without chance: the probes, and what ends it. */
class RefusalLawTest extends RefusalStory {

    @Test
    void beforeARefusalEverybodyGoes() {
        send(0);
        accept(0, 1);
        assertThat(law.isIdle()).isTrue();
        assertThat(law.explain()).isNull();
        assertThat(law.interval()).isZero();
        assertThat(due(1, 500, 500)).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({
        "1, 0, 2", // as long as between two requests
        "2, 0, 1.5",
        "8, 0, 1.25", // a quarter of a second at least
        "0.1, 0, 2", // a second at most
        "1, 0.5, 2.41125", // up to 1.8225 times as long at random
    })
    void theFirstProbeFollowsAfterTheTimeBetweenTwoRequests(double rate, double random, double due) {
        chance = (long) (random * Math.pow(2, 53)) << 11;
        this.rate = rate;
        send(0);
        refuse(0, 1);
        assertThat(law.explain()).contains("one request at a time");
        assertThat(law.isIdle()).isFalse();
        assertThat(due(1)).isEqualTo(due, ALMOST);
        assertThat(due(1, 7, 7)).isEqualTo(due, ALMOST);
        assertThat(due(due)).isEqualTo(due, ALMOST);
        assertThat(due(due + 1)).isEqualTo(due + 1, ALMOST);
    }

    @Test
    void theNextProbesFollowAfterAThirdOfTheTimeSoFar() {
        send(0);
        refuse(0, 1);
        send(2);
        assertThat(due(2.1)).isEqualTo(7); // a probe is given five seconds
        assertThat(due(6.9)).isEqualTo(7);
        assertThat(due(7)).isEqualTo(7);
        assertThat(due(8)).isEqualTo(8);
        refuse(2, 2.5);
        assertThat(due(2.5)).isEqualTo(2.5 + 0.35 * 1.5, ALMOST);
        send(3.1);
        refuse(0.5, 3.2); // it left before the last refusal: the same event
        assertThat(due(3.2)).isEqualTo(8.1); // the probe is still on the wire
        refuse(3.1, 3.3);
        assertThat(due(3.3)).isEqualTo(3.3 + 0.35 * 2.3, ALMOST);
    }

    /** Five seconds at most, or a thirtieth of the time so far, and never more than two minutes. */
    @ParameterizedTest
    @CsvSource({"14, 4.9", "24, 5", "150, 5", "300, 10", "3600, 120", "7200, 120"})
    void probesAreNeverFarApart(double lasted, double apart) {
        send(0);
        refuse(0, 1);
        double now = 1 + lasted;
        send(now);
        refuse(now, now);
        assertThat(due(now)).isEqualTo(now + apart, ALMOST);
    }

    /** Most windows last for a round time, since the first request or since the last one was over. */
    @ParameterizedTest
    @CsvSource({
        "4.3, 5.05", // the usual time would be 5.455
        "4.2, 5.05",
        "3.2, 3.97", // 5.05 is more than twice as far
        "8, 10.1",
        "8.7, 10.1", // 11.395 is later
        "26, 30.3", // 31
        "24.9, 29.9", // more than five seconds are too far
        "4.9, 6.265" // too near
    })
    void aProbeWaitsForTheEndOfAWindowOfAUsualLength(double now, double due) {
        send(0);
        refuse(0, 1);
        send(now);
        refuse(now, now);
        assertThat(due(now)).isEqualTo(due, ALMOST);
    }

    @Test
    void processesThatWaitForTheSameEndAskALittleLaterThanOthers() {
        chance = -1; // the largest there is
        send(0);
        refuse(0, 1);
        send(8);
        refuse(8, 8);
        assertThat(due(8)).isBetween(10.29, 10.3);
    }

    @Test
    void anOverloadIsNoWindowWhoseEndIsAwaited() {
        law = newLaw(law);
        send(0);
        refuse(0, 1);
        send(8);
        refuse(8, 8);
        assertThat(due(8)).isEqualTo(8 + 0.35 * 7, ALMOST);
    }

    @Test
    void aRefusalOfWhatLeftAfterTheLastOneIsNewsAndNoOtherIs() {
        send(0);
        refuse(0, 1);
        refuse(0.9, 5);
        assertThat(due(1)).isEqualTo(2);
        refuse(1, 5);
        assertThat(due(5)).isEqualTo(5 + 0.35 * 4, ALMOST);
    }

    @Test
    void aProbeThatDidNotCountIsSentAgainAtOnce() {
        send(0);
        refuse(0, 1);
        send(2);
        law.release(nanos(1.5)); // another request
        assertThat(due(2.1)).isEqualTo(7);
        law.release(nanos(2));
        assertThat(due(2.1)).isEqualTo(2.1);
    }

    @Test
    void anAnswerToARequestThatLeftBeforeARefusedOneProvesNothing() {
        send(0);
        send(0.5);
        send(0.5);
        refuse(0.5, 1);
        accept(0.4, 1.1);
        accept(0.5, 1.1);
        assertThat(law.explain()).contains("one request at a time");
        accept(0.6, 1.1); // it left later than that: somebody was unlucky
        assertThat(law.explain()).isNull();
        assertThat(law.isIdle()).isFalse(); // and yet it is not over
        assertThat(due(1.1, 20, 20)).isEqualTo(1.1);
        accept(0.7, 1.2);
        assertThat(law.isIdle()).isFalse();
        accept(1, 1.3);
        assertThat(due(1.4, 1, 0)).isEqualTo(1.4);
        assertThat(due(1.4, 0, 1)).isEqualTo(5.5); // one at a time, 5 s after the last one left
        assertThat(due(1.4, 1, 1)).isEqualTo(SIGNAL);
        assertThat(due(6, 1, 1)).isEqualTo(6);
    }

    @Test
    void whoIsRefusedAgainAfterThatIsStillInTheSameEvent() {
        send(0);
        refuse(0, 1);
        accept(0.5, 1.1);
        send(1.2);
        refuse(1.2, 2);
        assertThat(law.explain()).contains("one request at a time");
        assertThat(due(2)).isEqualTo(3);
        accept(1.5, 2.1); // once in an event is enough
        assertThat(law.explain()).contains("one request at a time");
        send(3);
        refuse(3, 3.3);
        assertThat(due(3.3)).isEqualTo(3.3 + 0.35 * 2.3, ALMOST); // since 1 s
    }

    /** The last refused one left at 2 s, whatever came later. */
    @Test
    void theLatestRefusedRequestCounts() {
        send(0);
        refuse(2, 2.5);
        refuse(1, 2.6);
        accept(1.5, 2.7);
        assertThat(law.explain()).contains("one request at a time");
        accept(2.1, 2.7);
        assertThat(law.explain()).isNull();
    }

    /** A window of 30 requests in ten seconds, without a refusal once it has come several times. */
    @Test
    void theRenewalOfAKnownWindowIsAwaited() {
        for (double began = 0; began < 30; began += 10) {
            requests(29, began);
            lasting(began + 4, began + 10);
        }
        requests(28, 30);
        assertThat(due(33)).isEqualTo(33);
        send(33);
        assertThat(law.explain())
                .isEqualTo("No quota explains the refusals. They look like a window, and its end is awaited.");
        accept(33, 33); // it left before
        assertThat(due(33)).isEqualTo(40);
        send(40);
        assertThat(due(40)).isEqualTo(45); // one tells whether it was renewed, for as long as the patience lasts
        accept(40, 40);
        assertThat(law.explain()).isNull();
        assertThat(due(40)).isEqualTo(40);
    }

    private void requests(int count, double at) {
        for (int i = 0; i < count; i++) {
            send(at + 0.01 * i);
            accept(at + 0.01 * i, at + 0.01 * i);
        }
    }

    /** A server that has told nothing yet: eight, and eight answers let one more go; after two seconds each does. */
    @Test
    void atTheStartRequestsComeLittleByLittle() {
        RefusalLaw start = newLaw();
        waiting = 100;
        sent = 8;
        start.admitted(8, 1, nanos(0), nanos(0));
        assertThat(start.isIdle()).isFalse();
        assertThat(start.dueNanos(0, 7, nanos(0))).isEqualTo(nanos(0));
        assertThat(start.dueNanos(1, 7, nanos(0))).isEqualTo(RateController.UNTIL_SIGNAL);
        for (int answers = 1; answers <= 8; answers++) {
            start.onSuccess(load(0), nanos(0.1));
        }
        assertThat(start.dueNanos(0, 8, nanos(0.1))).isEqualTo(nanos(0.1));
        assertThat(start.dueNanos(1, 8, nanos(0.1))).isEqualTo(RateController.UNTIL_SIGNAL);
        for (int answers = 1; answers <= 8; answers++) {
            start.onSuccess(load(0), nanos(2));
        }
        assertThat(start.dueNanos(0, 16, nanos(2))).isEqualTo(nanos(2));
        assertThat(start.dueNanos(1, 16, nanos(2))).isEqualTo(RateController.UNTIL_SIGNAL);
        start.told();
        assertThat(start.dueNanos(500, 500, nanos(0.1))).isEqualTo(nanos(0.1));
        assertThat(start.isIdle()).isTrue();
    }

    @Test
    void theStartEndsAlsoIfTheClockBeganBelowZero() {
        RefusalLaw start = newLaw();
        sent = 8;
        start.admitted(8, 1, nanos(-100), nanos(-100));
        for (int answers = 1; answers <= 8; answers++) {
            start.onSuccess(load(-100), nanos(-99));
        }
        assertThat(start.dueNanos(0, 8, nanos(-99))).isEqualTo(nanos(-99));
        assertThat(start.dueNanos(1, 8, nanos(-99))).isEqualTo(RateController.UNTIL_SIGNAL);
    }

    /** Nobody waits, and eight more may go than there are. */
    @Test
    void theStartIsOverAtOnceForAProgramWithLittleToDo() {
        RefusalLaw start = newLaw();
        waiting = 0;
        sent = 1;
        start.admitted(1, 1, nanos(0), nanos(0));
        start.onSuccess(load(0), nanos(0.1));
        assertThat(start.isIdle()).isTrue();
    }

    /** Five were on the wire: after the event one, two, three, four, five, and then one more for each flight. */
    @Test
    void afterwardsTheyComeBackOneByOne() {
        send(0);
        wire = 4;
        refuse(0, 1);
        send(2);
        accept(2, 2.1);
        waiting = 100;
        double[] open = {1, 2, 3, 4, 5, 5.2, 5.2 + 1 / 5.2};
        for (double most : open) {
            int last = (int) Math.ceil(most) - 1;
            assertThat(due(2.2, 0, last)).as("%s may go", most).isEqualTo(2.2);
            assertThat(due(2.2, 1, last)).isEqualTo(last == 0 ? 2.2 : SIGNAL);
            assertThat(due(2.2, 0, last + 1)).isEqualTo(7);
            accept(1.9, 2.2); // it left before
            accept(2, 2.2);
        }
        assertThat(law.isIdle()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"0, 0, 8", "0, 1, 9", "2, 0, 10"})
    void theyAreBackWhenEightMoreMayGoThanWant(int onTheWire, int waiting, int answers) {
        send(0);
        wire = 30;
        refuse(0, 1);
        send(2);
        accept(2, 2.1);
        wire = onTheWire;
        this.waiting = waiting;
        for (int i = 0; i < answers - 1; i++) {
            accept(2, 2.2);
        }
        assertThat(due(2.2, 0, 100)).isEqualTo(7);
        accept(2, 2.2);
        assertThat(due(2.2, 0, 100)).isEqualTo(2.2);
    }

    /** Neither the time since the start nor what was never asked for may be taken from a clock that stands at zero. */
    @Test
    void whoWasNotAskedForARequestTakesItsTimeFromIt() {
        double start = -1000;
        sent = 11;
        refuse(start, start + 1);
        assertThat(due(start + 1)).isEqualTo(start + 2, ALMOST);
        send(start + 2);
        refuse(start + 2, start + 2.5);
        send(start + 3.1);
        refuse(start + 3.1, start + 3.5);
        send(start + 5);
        accept(start + 5, start + 5); // a window of 5 s
        sent += 11;
        send(start + 6);
        refuse(start + 6, start + 6);
        send(start + 6.25);
        refuse(start + 6.25, start + 6.25);
        assertThat(due(start + 6.25)).isEqualTo(start + 5 + (3.1 + 5) / 2, ALMOST); // 3.1 s were too short
    }

    @Test
    void aProbeThatIsRefusedAfterALaterRequestCountsAllTheSame() {
        send(0);
        refuse(0, 1);
        send(2);
        refuse(2.1, 2.5);
        refuse(2, 3);
        assertThat(due(3)).isEqualTo(3 + 0.35 * 2, ALMOST);
    }
}
