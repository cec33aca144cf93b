package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.signal.ResponseHead;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** More calls than a told quota grants before its reset: those that cannot go are told soon. */
class LateCallsTest {

    private static final int LIMIT = 200;

    private final Timeline line = new Timeline();
    private Throttle throttle = line.throttle(Strategies.standard()).build();
    private Supplier<ResponseHead> server = new Window(line.time, LIMIT, 3600)::answer;
    private final List<String> succeeded = new ArrayList<>();
    private final List<ThrottleRejectedException> rejections = new ArrayList<>();
    private final List<Double> rejectedAt = new ArrayList<>();

    private double seconds() {
        return line.time.nanoTime() / 1e9 - start;
    }

    private final double start = line.time.nanoTime() / 1e9;

    private void calls(int count, String name, CallOptions options) {
        for (int i = 0; i < count; i++) {
            attempt(Calls.of(throttle).newCall(options), name);
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // both ways it may end are recorded
    private void attempt(ThrottledCall call, String name) {
        call.acquireAsync().whenComplete((permit, failure) -> {
            if (permit == null) {
                rejections.add((ThrottleRejectedException) failure);
                rejectedAt.add(seconds());
                return;
            }
            line.time.schedule(50_000_000, () -> {
                ResponseHead answer = server.get();
                if (permit.complete(answer).isRetry()) {
                    attempt(call, name);
                } else {
                    succeeded.add(name);
                }
            });
        });
    }

    private long rejectedBy(double seconds) {
        return rejectedAt.stream().filter(at -> at <= seconds).count();
    }

    @Test
    void thoseThatTheServerCannotGrantAreRejectedInTheFirstSecond() {
        calls(300, "a", CallOptions.DEFAULT);
        line.advanceMillis(1_000);
        assertThat(rejections).hasSize(300 - LIMIT);
        assertThat(rejections)
                .allSatisfy(rejection -> assertThat(rejection)
                        .hasMessageContaining("the call would have to wait 59 min")
                        .hasMessageContaining("(quota-reset), but maxWait is 10 min")
                        .returns("quota-reset", ThrottleRejectedException::reason));
        line.advanceMillis(600_000);
        assertThat(succeeded.size() + rejections.size()).isEqualTo(300);
        assertThat(succeeded.size())
                .as("as many as without it: the strategy spreads the last ones over the hour")
                .isGreaterThanOrEqualTo(183);
        assertThat(rejectedBy(125))
                .as("100 at once, 16 when the strategy's reserve is certain not to suffice: %s", rejectedAt)
                .isBetween(115L, 117L);
        assertThat(rejectedBy(540)).as("nobody waits to the end in vain").isEqualTo(rejections.size());
    }

    @Test
    void aNewcomerIsRejectedOnArrival() {
        calls(300, "a", CallOptions.DEFAULT);
        line.advanceMillis(1_000);
        assertThat(throttle.estimateWait(CallOptions.DEFAULT).atLeast()).isGreaterThan(Duration.ofMinutes(59));
        int before = rejections.size();
        calls(1, "late", CallOptions.DEFAULT);
        assertThat(rejections).hasSize(before + 1);
    }

    @Test
    void whoMayWaitForTheResetIsNotRejected() {
        CallOptions patient = CallOptions.DEFAULT.maxWait(Duration.ofHours(2));
        calls(200, "patient", patient);
        calls(100, "hasty", CallOptions.DEFAULT);
        calls(50, "patient", patient);
        line.advanceMillis(1_000);
        assertThat(rejections).hasSize(100);
        line.advanceMillis(2 * 3_600_000);
        assertThat(rejections).hasSize(100);
        assertThat(succeeded).hasSize(250).containsOnly("patient");
    }

    @Test
    void aClassIsNotRejectedBecauseOfCallsOfAnother() {
        throttle = line.throttle(Strategies.standard()).build();
        calls(300, "batch", CallOptions.DEFAULT.priority(Priority.BATCH).maxWait(Duration.ofHours(2)));
        calls(150, "person", CallOptions.DEFAULT.priority(Priority.INTERACTIVE));
        line.advanceMillis(1_000);
        assertThat(rejectedBy(1)).isZero();
    }

    @Test
    void whatACallTakesCounts() {
        calls(100, "five", CallOptions.DEFAULT.permits(5).maxWait(Duration.ofHours(2)));
        server = countingFive();
        calls(1, "one", CallOptions.DEFAULT);
        line.advanceMillis(1_000);
        assertThat(rejections).as("40 of five take all there is").hasSize(1);
    }

    private Supplier<ResponseHead> countingFive() {
        Window window = new Window(line.time, LIMIT, 3600);
        return () -> {
            for (int i = 0; i < 4; i++) {
                window.answer();
            }
            return window.answer();
        };
    }

    @Test
    void aBucketThatRefillsRejectsNobodyWhoCanGo() {
        // Twenty a minute, with the time until it is full as the reset.
        double[] level = {LIMIT, start};
        server = () -> {
            double now = line.time.nanoTime() / 1e9;
            level[0] = Math.min(LIMIT, level[0] + (now - level[1]) / 3);
            level[1] = now;
            boolean accepted = level[0] >= 1;
            level[0] -= accepted ? 1 : 0;
            return Heads.status(
                    accepted ? 200 : 429,
                    "RateLimit-Limit",
                    String.valueOf(LIMIT),
                    "RateLimit-Remaining",
                    String.valueOf((long) level[0]),
                    "RateLimit-Reset",
                    String.valueOf((long) Math.ceil((LIMIT - level[0]) * 3)));
        };
        calls(300, "a", CallOptions.DEFAULT);
        line.advanceMillis(600_000);
        assertThat(rejections).isEmpty();
        assertThat(succeeded).hasSize(300);
    }

    @Test
    void aPauseThatStandsStillRejectsNobody() {
        calls(300, "a", CallOptions.DEFAULT);
        throttle.pauseUncounted();
        line.advanceMillis(3_600_000);
        assertThat(rejections).isEmpty();
    }
}
