package dev.throttle.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.throttle.Throttle;
import dev.throttle.control.Strategies;
import dev.throttle.lease.Fleet;
import dev.throttle.lease.WhenAway;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the user of a fleet must be allowed, and what becomes of the rest if something is forbidden. */
class FleetAclTest {

    /** As docs/fleet.md says. */
    private static final String ALLOWED =
            "on >secret ~throttle:{shop}:* resetchannels &throttle:{shop}:* +eval +evalsha"
                    + " +subscribe +publish +time +get +set +del +exists +pexpire +pttl +@list +@hash +@sortedset +hello +ping +info";

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final RedisProcess redis = new RedisProcess();
    private final List<Fleet> fleets = new ArrayList<>();

    @AfterEach
    void stop() {
        fleets.forEach(Fleet::close);
        redis.close();
    }

    private void allow(String rules) throws IOException {
        assertThat(redis.command("ACL SETUSER shop reset " + rules)).startsWith("+OK");
    }

    private Fleet fleet() {
        Fleet fleet = RedisFleet.builder("shop", redis.uri().replace("redis://", "redis://shop:secret@"))
                .startTimeout(Duration.ofSeconds(20))
                .timeout(Duration.ofSeconds(20)) // no outage is meant here
                .build();
        fleets.add(fleet);
        return fleet;
    }

    private static Throttle throttle(Fleet fleet) {
        Throttle throttle = Throttle.builder()
                .name("api")
                .strategy(Strategies.none())
                .limit(fleet.tokenBucket(100, Duration.ofSeconds(1))
                        .whenAway(WhenAway.CLOSED)
                        .build())
                .maxWait(PATIENCE)
                .build();
        fleet.join(throttle);
        return throttle;
    }

    private static Throttle unlimited(Fleet fleet) {
        Throttle throttle =
                Throttle.builder().name("api").strategy(Strategies.none()).build();
        fleet.join(throttle);
        return throttle;
    }

    private static void oneTellsTheOther(Throttle one, Throttle other) throws Exception {
        Signal refusal = Signal.of(Outcome.RATE_LIMITED, new RateHints(Duration.ofMinutes(5), List.of()));
        one.acquire().complete(refusal);
        await().atMost(PATIENCE).until(() -> !other.snapshot().blocked().isZero());
    }

    @Test
    void whatTheDocsNameIsEnough() throws Exception {
        allow(ALLOWED);
        Throttle one = throttle(fleet());
        Throttle other = throttle(fleet());
        other.acquire().complete(Signal.SUCCESS);
        oneTellsTheOther(one, other);
        Fleet third = fleet();
        Throttle window = Throttle.builder()
                .name("window")
                .strategy(Strategies.none())
                .limit(third.slidingWindow(100, Duration.ofSeconds(10))
                        .whenAway(WhenAway.CLOSED)
                        .build())
                .maxWait(PATIENCE)
                .build();
        window.acquire().complete(Signal.SUCCESS);
        assertThat(fleets).allMatch(Fleet::isConnected);
    }

    /** The script of a limit uses a list; the rest does not. */
    @Test
    void aForbiddenScriptIsNoOutage() throws Exception {
        allow(ALLOWED.replace(" +@list", ""));
        Fleet here = fleet();
        Fleet there = fleet();
        Throttle limited = throttle(here);
        assertThat(limited.acquireAsync()).isNotDone();
        Throttle one = unlimited(there);
        Throttle other = unlimited(fleet());
        await().atMost(PATIENCE).until(() -> fleets.stream().allMatch(Fleet::isConnected));
        RealTime.pass(Duration.ofSeconds(1)); // several questions of the limit are refused
        assertThat(fleets).allMatch(Fleet::isConnected);
        oneTellsTheOther(one, other);
        allow(ALLOWED);
        await().atMost(PATIENCE).until(() -> here.processes("api", limited.key()) == 3);
        assertThat(here.isConnected()).isTrue();
    }

    /** Commands, the commands of two scripts, and each of them only once, though they are asked for again and again. */
    @Test
    void eachRightThatIsMissingIsInTheLogOnce() throws Exception {
        allow(ALLOWED.replace(" +@list", "").replace(" +@hash", "").replace(" +subscribe", ""));
        List<String> refused = new CopyOnWriteArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord said) {
                if (said.getMessage().contains("Redis refuses a command")) {
                    refused.add(said.getMessage());
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger log = Logger.getLogger(Fleet.class.getName());
        log.addHandler(handler);
        try {
            Throttle limited = throttle(fleet());
            assertThat(limited.acquireAsync()).isNotDone();
            await().atMost(PATIENCE).until(() -> {
                limited.acquireAsync(); // who goes by its share asks the store only while a call waits
                return refused.size() >= 3;
            });
            RealTime.pass(Duration.ofMillis(1500)); // all is asked for again
            assertThat(refused).hasSize(3).doesNotHaveDuplicates();
        } finally {
            log.removeHandler(handler);
        }
    }

    @Test
    void aClosedFleetIsNotJoined() throws IOException {
        allow(ALLOWED);
        Fleet fleet = fleet();
        fleet.close();
        assertThatThrownBy(() -> unlimited(fleet))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the fleet is closed");
        assertThatThrownBy(() -> throttle(fleet)).hasMessage("the fleet is closed");
    }
}
