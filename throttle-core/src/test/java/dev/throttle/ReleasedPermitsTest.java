package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.Strategies;
import dev.throttle.fixtures.OpenController;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A permit that was released unsent counts nowhere as a request that was sent. */
class ReleasedPermitsTest {

    private final Timeline line = new Timeline();

    @Test
    void busyRpsHalvesTheRateOfTheRequestsThatWereSent() throws Exception {
        Throttle throttle = line.throttle(Strategies.busyRps().build()).build();
        for (int i = 0; i < 30; i++) {
            for (int hit = 0; hit < 19; hit++) {
                throttle.acquire().release(); // a cache answers
            }
            throttle.acquire().end(Signal.SUCCESS);
            line.advanceMillis(100);
        }
        throttle.acquire().end(Signal.BUSY);
        assertThat(throttle.snapshot().rateLimit()).isEqualTo(5);
    }

    @Test
    void theRetryBudgetIsAShareOfTheRequestsThatWereSent() throws Exception {
        Throttle throttle = line.throttle(TestStrategies.free()).build();
        line.advanceMillis(5_000);
        for (int i = 0; i < 500; i++) {
            throttle.acquire().release();
        }
        assertThat(throttle.snapshot().requestsPerSecond()).isZero();
        int retries = 0;
        for (int i = 0; i < 200; i++) {
            retries += throttle.acquire().complete(Signal.FAILED).isRetry() ? 1 : 0;
        }
        assertThat(retries).isEqualTo(41);
    }

    @Test
    void aPermitThatIsReleasedLateLeavesTheSecondsThatItWasCountedIn() throws Exception {
        Throttle throttle = line.throttle(TestStrategies.free()).build();
        Permit parked = throttle.acquire();
        line.advanceMillis(500);
        throttle.acquire().end(Signal.SUCCESS);
        line.advanceMillis(300);
        assertThat(throttle.snapshot().requestsPerSecond()).isEqualTo(2);
        parked.release();
        assertThat(throttle.snapshot().requestsPerSecond()).isEqualTo(1);
        line.advanceMillis(300); // the parked one would be out of the second by now
        assertThat(throttle.snapshot().requestsPerSecond()).isEqualTo(1);
        line.advanceMillis(400);
        assertThat(throttle.snapshot().requestsPerSecond()).isZero();
    }

    @Test
    void releasedPermitsAreNoSuccessesAndAreReportedAsIgnored() throws Exception {
        Throttle throttle = line.throttle(TestStrategies.free()).build();
        throttle.acquire().release();
        throttle.acquire().end(Signal.SUCCESS);
        throttle.acquire().end(Signal.IGNORED);
        assertThat(throttle.count(Outcome.SUCCESS)).isEqualTo(1);
        assertThat(throttle.count(Outcome.IGNORED)).isEqualTo(2);
        assertThat(throttle.snapshot().inFlight()).isZero();
    }

    @Test
    void controllersDoNotSeeThemAmongTheAdmissions() throws Exception {
        List<String> loads = new ArrayList<>();
        Throttle throttle = line.throttle(TestStrategies.named("recorder", () -> new OpenController() {
                    @Override
                    public void onSignal(Signal signal, Load load, long now) {
                        loads.add(load.admitted() + " " + load.requestsPerSecond());
                    }
                }))
                .build();
        throttle.acquire().release();
        throttle.acquire().release();
        throttle.acquire().end(Signal.SUCCESS);
        assertThat(loads).containsExactly("0 0.0", "0 0.0", "1 1.0");
    }

    @Test
    void idlenessIsToldAfterAReleaseToo() throws Exception {
        List<String> told = new ArrayList<>();
        Throttle throttle = line.throttle(TestStrategies.free())
                .listener(new ThrottleListener() {
                    @Override
                    public void onIdle(Source source) {
                        told.add("idle");
                    }
                })
                .build();
        throttle.acquire().release();
        throttle.acquire().release();
        assertThat(told).hasSize(2);
    }
}
