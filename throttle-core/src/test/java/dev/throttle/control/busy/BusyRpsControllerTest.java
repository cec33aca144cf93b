package dev.throttle.control.busy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.ControllerHost;
import dev.throttle.control.RateController;
import dev.throttle.control.Strategies;
import dev.throttle.fixtures.Traffic;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The controller of {@code busy-rps} by itself: a first busy response at 20 requests per second makes it 10. */
class BusyRpsControllerTest {

    private static final long MILLI = 1_000_000;
    /** Far from zero, as any clock may be. */
    private static final long START = -5_000 * MILLI;

    private final BusyRps.Builder settings = Strategies.busyRps();
    private final RateController controller = controller(settings);

    private static RateController controller(BusyRps.Builder settings) {
        return settings.build().newController(ControllerHost.detached(new SplittableRandom(1)));
    }

    private static Traffic traffic(double requestsPerSecond) {
        return Traffic.QUIET.admittedAt(START).perSecond(requestsPerSecond);
    }

    private long due(long ahead, long now) {
        return (controller.dueNanos(Cost.requests(ahead), Cost.ONE, now) - START) / MILLI;
    }

    @Test
    void untilTheFirstBusyResponseItIsIdleAndLetsEverybodyGo() {
        assertThat(controller.isIdle()).isTrue();
        assertThat(controller.limitPerSecond()).isInfinite();
        assertThat(due(1_000, START + 7 * MILLI)).isEqualTo(7);
        controller.onSignal(Signal.RATE_LIMITED, traffic(20), START);
        assertThat(controller.isIdle()).isTrue();
        controller.onSignal(Signal.BUSY, traffic(20), START);
        assertThat(controller.isIdle()).isFalse();
        assertThat(controller.limitPerSecond()).isEqualTo(10);
    }

    @Test
    void requestsAreSpacedByTheLimit() {
        controller.onSignal(Signal.BUSY, traffic(20), START);
        assertThat(due(0, START)).isEqualTo(100);
        assertThat(due(2, START)).isEqualTo(300);
        assertThat(due(0, START + 40 * MILLI)).isEqualTo(100);
        controller.onAdmitted(Cost.ONE, 0, START + 100 * MILLI);
        assertThat(due(0, START + 100 * MILLI)).isEqualTo(200);
        controller.onAdmitted(Cost.requests(3), 0, START + 100 * MILLI);
        assertThat(due(0, START + 100 * MILLI)).isEqualTo(500);
    }

    @Test
    void theRequestsOfAFifthOfASecondAreSavedUpAtMost() {
        controller.onSignal(Signal.BUSY, traffic(20), START);
        assertThat(due(1, START + 900 * MILLI)).isEqualTo(900);
        assertThat(due(2, START + 900 * MILLI)).isEqualTo(1_000);
        controller.onAdmitted(Cost.requests(2), 0, START + 900 * MILLI);
        assertThat(due(0, START + 900 * MILLI)).isEqualTo(1_000);
    }

    @Test
    void whatTheServerDidNotCountComesBack() {
        controller.onSignal(Signal.BUSY, traffic(20), START);
        controller.onAdmitted(Cost.ONE, 0, START);
        assertThat(due(0, START)).isEqualTo(200);
        controller.onSignal(Signal.IGNORED, traffic(20), START);
        assertThat(due(0, START)).isEqualTo(100);
    }

    @Test
    void aSecondBusyResponseHalvesAgainAtOnce() {
        controller.onSignal(Signal.BUSY, traffic(20), START);
        controller.onSignal(Signal.BUSY, traffic(20), START);
        assertThat(controller.limitPerSecond()).isEqualTo(5);
        assertThat(due(0, START)).isEqualTo(200);
    }

    @Test
    void whatWasMeasuredIsAtLeastOneRequestPerSecond() {
        controller.onSignal(Signal.BUSY, traffic(0.1), START);
        assertThat(controller.limitPerSecond()).isEqualTo(0.5);
    }

    @Test
    void aLimitThatIsSetTakesThePlaceOfWhatWasMeasured() {
        RateController set = controller(Strategies.busyRps().initialLimit(200));
        set.onSignal(Signal.BUSY, traffic(20), START);
        assertThat(set.limitPerSecond()).isEqualTo(100);
        RateController measured =
                controller(Strategies.busyRps().initialLimit(200).initialLimitMeasured());
        measured.onSignal(Signal.BUSY, traffic(20), START);
        assertThat(measured.limitPerSecond()).isEqualTo(10);
    }

    @Test
    void ofQuotaRefusalsItTakesCareIfItCountsThem() {
        assertThat(controller.isAdaptive()).isFalse();
        RateController counting = controller(Strategies.busyRps().rateLimitedIsBusy(true));
        assertThat(counting.isAdaptive()).isTrue();
        counting.onSignal(Signal.RATE_LIMITED, traffic(20), START);
        assertThat(counting.limitPerSecond()).isEqualTo(10);
    }

    @Test
    void theLongestWaitIsWhatWasSet() {
        assertThat(controller.maxWaitNanos()).isEqualTo(Long.MAX_VALUE);
        assertThat(controller(Strategies.busyRps().maxWait(Duration.ofSeconds(3)))
                        .maxWaitNanos())
                .isEqualTo(3_000 * MILLI);
    }

    @Test
    void anotherOneTakesTheLimitOver() {
        controller.onSignal(Signal.BUSY, traffic(20), START);
        RateController next = controller(Strategies.busyRps());
        next.takeOver(controller, traffic(20), START + 50 * MILLI);
        assertThat(next.limitPerSecond()).isEqualTo(10);
        assertThat(next.dueNanos(Cost.NONE, Cost.ONE, START + 50 * MILLI)).isEqualTo(START + 100 * MILLI);
        RateController newcomer = controller(Strategies.busyRps());
        newcomer.takeOver(null, traffic(20), START);
        assertThat(newcomer.isIdle()).isTrue();
    }

    @Test
    void theLimitIsLiftedOnlyAboveWhatIsAskedForAndWhenItHeldNobodyBack() {
        RateController slow = controller(Strategies.busyRps().recoverValue(1));
        slow.onSignal(Signal.BUSY, traffic(20), START);
        slow.onSignal(Signal.SUCCESS, traffic(1), START + 1_500 * MILLI);
        assertThat(slow.isIdle()).isFalse(); // it may have held somebody back in the second before
        slow.onSignal(
                Signal.SUCCESS, Traffic.QUIET.admittedAt(START).perSecond(1).waiting(99), START + 2_500 * MILLI);
        assertThat(slow.isIdle()).isFalse(); // many wait
        slow.onSignal(Signal.SUCCESS, traffic(11.5), START + 2_500 * MILLI);
        assertThat(slow.isIdle()).isFalse(); // just as many as it lets go
        slow.onSignal(Signal.SUCCESS, traffic(1), START + 2_500 * MILLI);
        assertThat(slow.isIdle()).isTrue();
    }

    @Test
    void whoTakesOverFindsWhatWasRecoveredByTheSettingsBefore() {
        controller.onSignal(Signal.BUSY, traffic(20), START);
        RateController next = controller(Strategies.busyRps().recoverValue(5));
        next.takeOver(controller, traffic(1_000), START + 2_500 * MILLI);
        assertThat(next.limitPerSecond()).isEqualTo(160);
        next.onSignal(Signal.FAILED, traffic(1_000), START + 3_000 * MILLI);
        assertThat(next.limitPerSecond()).isEqualTo(165);
    }

    /** A busy response after a long silence finds a limit that is as good as none, and halves it for its second. */
    @Test
    void theSecondsOfALimitThatHasRecoveredGoOnUnseen() {
        long begin = START + 137 * MILLI;
        Traffic most = traffic(BusyRpsModel.CAP);
        controller.onSignal(Signal.BUSY, traffic(20), begin);
        long later = begin + 3_600_000 * MILLI;
        assertThat(controller.dueNanos(Cost.NONE, Cost.ONE, later + 300 * MILLI))
                .isEqualTo(later + 300 * MILLI);
        controller.onSignal(Signal.BUSY, most, later + 300 * MILLI);
        assertThat(controller.limitPerSecond()).isEqualTo(BusyRpsModel.CAP / 2);
        controller.onSignal(Signal.FAILED, most, later + 999 * MILLI);
        assertThat(controller.limitPerSecond()).isEqualTo(BusyRpsModel.CAP / 2);
        controller.onSignal(Signal.FAILED, most, later + 1_000 * MILLI);
        assertThat(controller.limitPerSecond()).isInfinite();
        controller.onSignal(Signal.SUCCESS, traffic(1_000), later + 2_000 * MILLI);
        assertThat(controller.isIdle()).isTrue();
    }

    @Test
    void aBurstThatWasOwedIsPaidBeforeTheLimitIsLifted() {
        RateController slow = controller(Strategies.busyRps().recoverValue(1));
        slow.onSignal(Signal.BUSY, traffic(20), START);
        slow.onAdmitted(Cost.requests(100), 0, START + 1_500 * MILLI);
        slow.onSignal(Signal.SUCCESS, traffic(1), START + 4_500 * MILLI);
        assertThat(slow.isIdle()).isFalse();
        slow.onSignal(Signal.SUCCESS, traffic(1), START + 20_000 * MILLI);
        assertThat(slow.isIdle()).isTrue();
    }
}
