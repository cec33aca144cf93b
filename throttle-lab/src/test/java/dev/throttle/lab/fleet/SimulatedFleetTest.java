package dev.throttle.lab.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Permit;
import dev.throttle.Throttle;
import dev.throttle.control.Strategies;
import dev.throttle.lab.server.Outage;
import dev.throttle.lease.Fleet;
import dev.throttle.redis.RedisFleet;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The library's fleet over the simulated store. */
class SimulatedFleetTest {

    private final VirtualTime time = new VirtualTime();

    private SimulatedStore store(Duration latency, double loss, Outage... outages) {
        return new SimulatedStore(new StoreSpec(latency, loss, List.of(outages)), time, 1);
    }

    private Throttle throttle() {
        return Throttle.builder()
                .name("lab")
                .strategy(Strategies.none())
                .seed(1)
                .time(time)
                .executor(Runnable::run)
                .build();
    }

    private Fleet join(SimulatedStore store, Throttle throttle) {
        return RedisFleet.builder("lab", new SimulatedRedisClient(store))
                .time(time)
                .executor(task -> time.schedule(1, task))
                .startTimeout(Duration.ZERO)
                .build()
                .join(throttle);
    }

    private static void refuse(Throttle throttle, Duration retryAfter) {
        throttle.acquireAsync().join().complete(Signal.of(Outcome.RATE_LIMITED, new RateHints(retryAfter, List.of())));
    }

    @Test
    void processesCountEachOther() {
        SimulatedStore store = store(Duration.ofMillis(1), 0);
        Fleet first = join(store, throttle());
        Fleet second = join(store, throttle());
        time.advance(Duration.ofSeconds(3));
        assertThat(first.isConnected()).isTrue();
        assertThat(first.processes("lab", "lab")).isEqualTo(2);
        second.close();
        time.advance(Duration.ofSeconds(3));
        assertThat(first.processes("lab", "lab")).isEqualTo(1);
    }

    @Test
    void aRefusalReachesTheOthersAsSoonAsTheNetworkAllows() {
        SimulatedStore store = store(Duration.ofMillis(20), 0);
        Throttle refused = throttle();
        Throttle other = throttle();
        join(store, refused);
        join(store, other);
        time.advance(Duration.ofSeconds(2));
        refuse(refused, Duration.ofMillis(100)); // from then on the store knows the script
        time.advance(Duration.ofSeconds(1));
        refuse(refused, Duration.ofSeconds(30));
        time.advance(Duration.ofMillis(19));
        assertThat(other.snapshot().blocked()).isZero();
        time.advance(Duration.ofMillis(2));
        assertThat(other.snapshot().blocked()).isBetween(Duration.ofSeconds(29), Duration.ofSeconds(40));
    }

    @Test
    void nothingIsSharedDuringAnOutageAndAllIsBackAfterIt() {
        SimulatedStore store =
                store(Duration.ofMillis(1), 0, new Outage(Duration.ofSeconds(10), Duration.ofSeconds(10)));
        Throttle refused = throttle();
        Throttle other = throttle();
        Fleet fleet = join(store, refused);
        join(store, other);
        time.advance(Duration.ofSeconds(12));
        assertThat(fleet.isConnected()).isFalse();
        refuse(refused, Duration.ofSeconds(60));
        time.advance(Duration.ofSeconds(7));
        assertThat(other.snapshot().blocked()).isZero();
        time.advance(Duration.ofSeconds(4));
        assertThat(fleet.isConnected()).isTrue();
        assertThat(other.snapshot().blocked()).isPositive();
    }

    @Test
    void whereNoAnswerArrivesTheFleetIsNotConnected() {
        Fleet fleet = join(store(Duration.ofMillis(1), 1), throttle());
        time.advance(Duration.ofSeconds(10));
        assertThat(fleet.isConnected()).isFalse();
        assertThat(fleet.processes("lab", "lab")).isEqualTo(1);
    }

    @Test
    void aFleetThatLosesAnswersConnectsAnewAndStaysAFleet() {
        SimulatedStore store = store(Duration.ofMillis(20), 0.1);
        List<Throttle> throttles = Stream.generate(this::throttle).limit(5).toList();
        List<Fleet> fleets =
                throttles.stream().map(throttle -> join(store, throttle)).toList();
        time.advance(Duration.ofMinutes(30));
        assertThat(fleets).allMatch(Fleet::isConnected);
        assertThat(fleets).allMatch(fleet -> fleet.processes("lab", "lab") == 5);
        // A message may be lost, but not five in a row. The permits are from before the gate closes.
        List<Permit> permits = Stream.generate(
                        () -> throttles.get(0).acquireAsync().join())
                .limit(5)
                .toList();
        for (Permit permit : permits) {
            permit.complete(Signal.of(
                    Outcome.RATE_LIMITED, new RateHints(Duration.ofMinutes(permits.indexOf(permit) + 1), List.of())));
            time.advance(Duration.ofMillis(40));
        }
        assertThat(throttles)
                .allMatch(throttle -> !throttle.snapshot().blocked().isZero());
    }
}
