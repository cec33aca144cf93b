package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.engine.CallRoute;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a throttle that only observes says it would have done. */
class ReportTest {

    private static final int LIMIT = 10;
    private static final Duration WINDOW = Duration.ofSeconds(10);

    private final Timeline line = new Timeline();
    private final Throttle throttle = line.throttle(Strategies.quotaPacing().build())
            .name("api")
            .mode(ThrottleMode.OBSERVE)
            .build();
    private long began = line.time.nanoTime();
    private int used;

    /** A server with a window of ten requests in ten seconds. */
    private Signal answer(boolean isTold) {
        long windows = (line.time.nanoTime() - began) / WINDOW.toNanos();
        began += windows * WINDOW.toNanos();
        used = windows > 0 ? 0 : used;
        boolean isGranted = used < LIMIT;
        used += isGranted ? 1 : 0;
        Duration reset = WINDOW.minusNanos(line.time.nanoTime() - began);
        Quota quota = new Quota(null, (long) LIMIT, (long) LIMIT - used, reset, null);
        Outcome outcome = isGranted ? Outcome.SUCCESS : Outcome.RATE_LIMITED;
        return Signal.of(outcome, new RateHints(null, isTold ? List.of(quota) : List.of()));
    }

    private Signal send(int print, boolean isTold) {
        ThrottledCall call = Calls.of(throttle).newCall();
        call.route(new CallRoute() {
            @Override
            public @Nullable String find(CallOptions options) {
                return null;
            }

            @Override
            public int print() {
                return print;
            }
        });
        Permit permit = Objects.requireNonNull(call.tryAcquire());
        line.advanceMillis(10);
        Signal answer = answer(isTold);
        line.advanceMillis(10);
        permit.complete(answer);
        return answer;
    }

    private ThrottleReport report() {
        return Objects.requireNonNull(throttle.report());
    }

    /** Fifteen requests at once, and then nothing for half a minute. */
    private void bursts(int count, boolean isTold) {
        for (int i = 0; i < count; i++) {
            for (int j = 0; j < 15; j++) {
                send(0, isTold);
            }
            line.advanceMillis(29_700);
        }
    }

    @Test
    void refusalsThatPacingAvoidsAreCounted() {
        bursts(20, true);
        ThrottleReport report = report();
        assertThat(report.calls()).isEqualTo(300);
        assertThat(report.refused()).isEqualTo(100);
        assertThat(report.replayed()).isEqualTo(300);
        assertThat(report.avoided()).isGreaterThanOrEqualTo(98);
        assertThat(report.predictedRefused()).isEqualTo(100 - report.avoided());
        assertThat(report.rejected()).isZero();
        assertThat(report.waitP99()).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(11));
        assertThat(report.waitMax()).isGreaterThanOrEqualTo(report.waitP99());
        assertThat(report.delayed()).isBetween(100L, 300L);
        assertThat(report.limits()).singleElement().satisfies(limit -> {
            assertThat(limit.amount()).isEqualTo(LIMIT);
            assertThat(limit.window()).isEqualTo(WINDOW);
            assertThat(limit.kind()).contains("window");
            assertThat(limit.othersShare()).isZero();
        });
        assertThat(report.explained()).isEqualTo(1);
        assertThat(report.isComplete()).isTrue();
        assertThat(report.toString())
                .startsWith("api: observed 300 requests in 10 min, 100 refused.")
                .contains("refusals would have been avoided")
                .contains("10 requests per 10 s");
    }

    @Test
    void aServerThatTellsNothingIsKnownByItsRefusals() {
        bursts(20, false);
        ThrottleReport report = report();
        assertThat(report.refused()).isEqualTo(100);
        assertThat(report.predictedRefused()).isBetween(1L, 75L);
        assertThat(report.limits()).hasSize(1);
        assertThat(report.explained()).isGreaterThan(0.97);
    }

    @Test
    void callsThatWouldBeRejectedAreCounted() {
        throttle.reconfigure(settings -> settings.maxWait(Duration.ofSeconds(1)));
        bursts(20, true);
        assertThat(report().rejected()).isBetween(60L, 200L);
        assertThat(report().waitMax()).isLessThanOrEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void repetitionsOfRefusedRequestsAreLeftOut() {
        int repeated = 0;
        int refused = 0;
        for (int i = 0; i < 20; i++) {
            for (int j = 0; j < 15; j++) {
                int print = 100 * i + j + 1;
                if (send(print, true).outcome().isRefusal()) {
                    line.advanceMillis(100);
                    repeated++;
                    refused += send(print, true).outcome().isRefusal() ? 2 : 1;
                }
            }
            line.advanceMillis(29_700);
        }
        ThrottleReport report = report();
        assertThat(repeated).isGreaterThan(50);
        assertThat(report.calls()).isEqualTo(300 + repeated);
        assertThat(report.refused()).isEqualTo(refused);
        assertThat(report.repeated()).isEqualTo(repeated);
        assertThat(report.avoided()).isGreaterThanOrEqualTo(refused - 2L);
    }

    @Test
    void whereAllCallsHaveOneUrlNoneIsARepetition() {
        for (int i = 0; i < 20; i++) {
            for (int j = 0; j < 15; j++) {
                send(7, true);
            }
            line.advanceMillis(29_700);
        }
        assertThat(report().refused()).isEqualTo(100);
        assertThat(report().repeated()).isZero();
    }

    @Test
    void theSameRequestAfterAnAcceptedOneIsNoRepetition() {
        for (int i = 0; i < 5; i++) {
            send(7, true);
        }
        assertThat(report().repeated()).isZero();
    }

    @Test
    void aLimitOfOnesOwnIsPartOfThePrediction() {
        throttle.reconfigure(settings -> settings.limit(
                Strategies.tokenBucket().rate(1, Duration.ofMinutes(1)).build()));
        for (int i = 0; i < 5; i++) {
            send(0, true);
        }
        assertThat(report().waitMax()).isBetween(Duration.ofSeconds(239), Duration.ofSeconds(241));
    }

    @Test
    void whatTheServerUsedForOthersIsLearned() {
        for (int i = 0; i < 300; i++) {
            used += used < LIMIT - 1 && i % 2 == 0 ? 1 : 0;
            send(0, true);
            line.advanceMillis(1_980);
        }
        assertThat(report().limits())
                .singleElement()
                .satisfies(limit -> assertThat(limit.othersShare()).isBetween(0.2, 0.45));
    }

    @Test
    void thereIsNoReportWhileItEnforces() {
        bursts(1, true);
        throttle.reconfigure(settings -> settings.mode(ThrottleMode.ENFORCE));
        assertThat(throttle.report()).isNull();
        throttle.reconfigure(settings -> settings.mode(ThrottleMode.OBSERVE));
        assertThat(report().calls()).isZero();
        assertThat(Throttle.create().report()).isNull();
    }

    @Test
    void withoutCallsThereIsNothingToSay() {
        ThrottleReport report = report();
        assertThat(report.calls()).isZero();
        assertThat(report.avoided()).isZero();
        assertThat(report.waitP99()).isZero();
        assertThat(report.limits()).isEmpty();
        assertThat(report.explained()).isEqualTo(1);
        assertThat(report.toString()).contains("No limit was learned.");
    }

    @Test
    void aServerThatIsAwayIsAwayInTheReplayToo() {
        send(0, true);
        for (int i = 0; i < 100; i++) {
            Permit permit = Objects.requireNonNull(throttle.tryAcquire());
            line.advanceMillis(1_000);
            permit.complete(Signal.UNREACHABLE);
        }
        for (int i = 0; i < 10; i++) {
            send(0, true);
            line.advanceMillis(5_000);
        }
        ThrottleReport report = report();
        assertThat(report.refused()).isZero();
        assertThat(report.delayed()).isGreaterThan(20);
    }

    @Test
    void aReportChangesNothing() {
        bursts(3, true);
        ThrottleSnapshot before = throttle.snapshot();
        assertThat(report()).isEqualTo(report());
        assertThat(throttle.snapshot()).isEqualTo(before);
        assertThat(line.time.scheduledTasks()).isZero();
    }

    @Test
    void aRegistryReportsOfTheKeysThatObserve() {
        ThrottleRegistry throttles = line.registry(Strategies.quotaPacing().build())
                .forKeys("observed*", key -> key.mode(ThrottleMode.OBSERVE))
                .build();
        throttles.get("enforced").tryAcquire();
        throttles.get("observed unused");
        Objects.requireNonNull(throttles.get("observed fine").tryAcquire()).complete(Signal.SUCCESS);
        Objects.requireNonNull(throttles.get("observed busy").tryAcquire()).complete(Signal.RATE_LIMITED);
        assertThat(throttles.reports())
                .extracting(ThrottleReport::label)
                .containsExactly("observed busy", "observed fine");
    }

    @Test
    void whatIsRecordedOfAnIdleKeyStays() {
        ThrottleRegistry throttles = line.registry(Strategies.quotaPacing().build())
                .mode(ThrottleMode.OBSERVE)
                .maxKeys(1)
                .build();
        for (int i = 0; i < 50; i++) {
            Objects.requireNonNull(throttles.get("key " + i).tryAcquire()).complete(Signal.RATE_LIMITED);
        }
        line.advanceMillis(7_200_000);
        assertThat(throttles.reports()).hasSize(50);
    }

    @Test
    void aCallThatCostsMoreThanALimitCanEverGrantWouldBeRejected() {
        Throttle limited = line.throttle(Strategies.quotaPacing().build())
                .limit(Strategies.tokenBucket()
                        .rate(5, Duration.ofSeconds(1))
                        .burst(5)
                        .build())
                .mode(ThrottleMode.OBSERVE)
                .build();
        for (int permits : new int[] {1, 6, 1}) {
            Permit permit = Objects.requireNonNull(Calls.of(limited)
                    .newCall(CallOptions.DEFAULT.permits(permits))
                    .tryAcquire());
            line.advanceMillis(1_000);
            permit.complete(Signal.SUCCESS);
        }
        ThrottleReport report = Objects.requireNonNull(limited.report());
        assertThat(report.calls()).isEqualTo(3);
        assertThat(report.rejected()).isEqualTo(1);
    }
}
