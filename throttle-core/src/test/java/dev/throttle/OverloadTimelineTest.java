package dev.throttle;

import static dev.throttle.Timeline.rejection;
import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Calls to a server that answers 503 to everything for a time: how long each waits, and when the end is noticed. */
class OverloadTimelineTest {

    private static final long FLIGHT_NANOS = 10_000_000;

    private final Timeline line = new Timeline();
    private Throttle throttle = line.throttle(Strategies.standard()).build();
    private Signal answer = Signal.BUSY;
    private int status = 503;
    private final List<Long> sent = new ArrayList<>();
    private final List<Ended> ended = new ArrayList<>();

    private record Ended(long arrivedAt, long at, @Nullable Outcome outcome) {

        double seconds() {
            return (at - arrivedAt) / 1e9;
        }
    }

    private void use(Strategy strategy, Duration maxWait, @Nullable Duration overloadWait) {
        Throttle.Builder builder = line.throttle(strategy).maxWait(maxWait);
        throttle = (overloadWait == null ? builder : builder.overloadWait(overloadWait)).build();
    }

    private void succeed() {
        Calls.of(throttle).newCall().acquireForced().end(Signal.SUCCESS);
    }

    private void call(CallOptions options) {
        attempt(Calls.of(throttle).newCall(options), line.time.nanoTime());
    }

    @SuppressWarnings("FutureReturnValueIgnored") // both ways it may end are recorded
    private void attempt(ThrottledCall call, long arrivedAt) {
        call.acquireAsync().whenComplete((permit, failure) -> {
            if (permit == null) {
                ended.add(new Ended(arrivedAt, line.time.nanoTime(), null));
                return;
            }
            sent.add(line.time.nanoTime());
            line.time.schedule(FLIGHT_NANOS, () -> {
                Signal said = answer;
                if (permit.complete(Heads.status(said == Signal.SUCCESS ? 200 : status), said)
                        .isRetry()) {
                    attempt(call, arrivedAt);
                } else {
                    ended.add(new Ended(arrivedAt, line.time.nanoTime(), said.outcome()));
                }
            });
        });
    }

    private CompletableFuture<Permit> ask(CallOptions options) {
        return Calls.of(throttle).newCall(options).acquireAsync();
    }

    private void calls(int count) {
        for (int i = 0; i < count; i++) {
            call(CallOptions.DEFAULT);
        }
    }

    @ParameterizedTest
    @CsvSource({"5, 1", "60, 1", "300, 1", "1800, 1", "5, 8", "60, 8", "300, 8", "1800, 8", "1800, 200"})
    void theEndOfAnOutageIsNoticedWithinTenSeconds(int seconds, int jobs) {
        use(Strategies.standard(), Duration.ofHours(1), null);
        succeed();
        calls(jobs);
        line.advanceMillis(seconds * 1_000L);
        answer = Signal.SUCCESS;
        long back = line.time.nanoTime();
        int before = sent.size();
        line.advanceMillis(10_000);
        assertThat(ended).as("noticed").isNotEmpty();
        assertThat(sent.get(before) - back).isLessThanOrEqualTo(10_000_000_000L);
        line.advanceMillis(600_000);
        assertThat(ended).as("nothing is lost").hasSize(jobs).allMatch(end -> end.outcome() == Outcome.SUCCESS);
    }

    @Test
    void probesAreAtMostTenSecondsApart() {
        use(Strategies.standard(), Duration.ofHours(1), null);
        succeed();
        calls(1);
        line.advanceMillis(Duration.ofMinutes(30).toMillis());
        for (int i = 1; i < sent.size(); i++) {
            assertThat(sent.get(i) - sent.get(i - 1)).isLessThanOrEqualTo(10_000_000_000L + FLIGHT_NANOS);
        }
        assertThat(sent).as("and not many").hasSizeLessThan(300);
    }

    @Test
    void theServersOwnWordGoesBefore() {
        use(Strategies.standard(), Duration.ofHours(1), null);
        succeed();
        answer = new Signal(Outcome.BUSY, new RateHints(Duration.ofMinutes(2), List.of()));
        calls(8);
        line.advanceMillis(60_000);
        int before = sent.size();
        line.advanceMillis(59_000);
        assertThat(sent).hasSize(before);
    }

    @Test
    void aQuotaThatIsUsedUpGoesBefore() {
        use(Strategies.standard(), Duration.ofHours(2), null);
        succeed();
        answer = Timeline.exhausted(Outcome.BUSY, Duration.ofHours(1));
        calls(8);
        line.advanceMillis(Duration.ofMinutes(50).toMillis());
        assertThat(sent).as("as often as the strategy asks").hasSizeLessThan(50);
        assertThat(throttle.estimateWait(CallOptions.DEFAULT).reason()).isNotEqualTo("overload");
    }

    @ParameterizedTest
    @CsvSource({"3, 3.5", "5, 5.5"})
    void noCallWaitsLongerThanItsBound(int bound, double most) {
        use(Strategies.standard(), Duration.ofMinutes(10), Duration.ofSeconds(bound));
        succeed();
        for (int i = 0; i < 300; i++) {
            calls(1);
            line.advanceMillis(1_000);
        }
        line.advanceMillis(10_000);
        assertThat(ended)
                .hasSize(300)
                .allSatisfy(end -> assertThat(end.seconds()).isLessThanOrEqualTo(most));
    }

    @ParameterizedTest
    @CsvSource({"3, 3.5", "5, 5.5"})
    void noCallOfAServerThatRefusesConnectionsWaitsLongerThanItsBound(int bound, double most) {
        answer = Signal.UNREACHABLE;
        noCallWaitsLongerThanItsBound(bound, most);
    }

    @Test
    void aServerThatWasDownFromTheBeginningHoldsNobodyEither() {
        use(Strategies.standard(), Duration.ofMinutes(10), Duration.ofSeconds(5));
        for (int i = 0; i < 300; i++) {
            calls(1);
            line.advanceMillis(1_000);
        }
        line.advanceMillis(10_000);
        assertThat(ended)
                .hasSize(300)
                .allSatisfy(end -> assertThat(end.seconds()).isLessThanOrEqualTo(5.5));
    }

    @Test
    void aCallerThatCouldNotGoWithinTheBoundIsToldAtOnce() {
        use(Strategies.standard(), Duration.ofHours(1), null);
        succeed();
        calls(1);
        line.advanceMillis(300_000);
        line.advanceMillis(Math.max(
                0, (sent.get(sent.size() - 1) + FLIGHT_NANOS - line.time.nanoTime()) / 1_000_000 + 1));
        CompletableFuture<Permit> hasty = ask(CallOptions.DEFAULT.overloadWait(Duration.ofMillis(100)));
        assertThat(rejection(hasty))
                .hasMessageContaining("the server is away (overload), and the call waits for it for at most 100 ms"
                        + " (overloadWait); the last answer was 503, ")
                .returns("overload", ThrottleRejectedException::reason)
                .returns(503, ThrottleRejectedException::lastStatus);
    }

    @Test
    void theReasonIsAnOverloadAndTheStatusIsNamed() {
        use(Strategies.standard(), Duration.ofHours(1), null);
        succeed();
        calls(1);
        line.advanceMillis(100_000);
        WaitEstimate why = throttle.estimateWait(CallOptions.DEFAULT);
        assertThat(why.reason()).isEqualTo("overload");
        assertThat(why.lastStatus()).isEqualTo(503);
        assertThat(Objects.requireNonNull(why.lastRefusedAgo())).isLessThanOrEqualTo(Duration.ofSeconds(10));
        assertThat(throttle.explainWait()).contains("(overload)", "; the last answer was 503, ");
        ThrottleRejectedException hasty = rejection(ask(CallOptions.DEFAULT.maxWait(Duration.ofMillis(1))));
        assertThat(hasty).hasMessageContaining(" (overload), but maxWait is 1 ms; the last answer was 503, ");
    }

    @Test
    void theThreadOfACallerMayHaveABoundOfItsOwn() {
        boolean[] serves = {true};
        throttle = line.throttle(Strategies.standard())
                .callerOverloadWait(() -> serves[0] ? Duration.ofSeconds(5) : null)
                .build();
        succeed();
        calls(1);
        serves[0] = false;
        calls(1);
        line.advanceMillis(60_000);
        assertThat(ended)
                .singleElement()
                .satisfies(end -> assertThat(end.seconds()).isLessThanOrEqualTo(5.5));
    }

    @Test
    void whatTheThrottleSaysGoesBeforeThatOfTheThread() {
        throttle = line.throttle(Strategies.standard())
                .callerOverloadWait(() -> Duration.ofSeconds(5))
                .overloadWait(Duration.ofSeconds(20))
                .build();
        succeed();
        calls(1);
        line.advanceMillis(12_000);
        assertThat(ended).isEmpty();
    }

    @Test
    void aSupplierThatFailsIsIgnored() {
        throttle = line.throttle(Strategies.standard())
                .callerOverloadWait(() -> {
                    throw new IllegalStateException("no request");
                })
                .build();
        succeed();
        calls(1);
        line.advanceMillis(60_000);
        assertThat(ended).isEmpty();
        answer = Signal.SUCCESS;
        line.advanceMillis(10_000);
        assertThat(ended).hasSize(1);
    }
}
