package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.throttle.client.Calls;
import dev.throttle.control.Controller;
import dev.throttle.control.RateController;
import dev.throttle.control.SleepController;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.fixtures.OpenController;
import dev.throttle.fixtures.OtherTime;
import dev.throttle.logging.CapturedLog;
import dev.throttle.retry.RetryDecision;
import dev.throttle.retry.RetryDecision.Retry;
import dev.throttle.retry.RetryPolicy;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

/** Whatever the user supplies may throw or answer nonsense: requests go on, and nothing is lost. */
class FaultyUserCodeTest {

    private final Timeline line = new Timeline();

    private static <T> T throwing(Class<T> type) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    throw new StackOverflowError("thrown by " + method.getName());
                }));
    }

    private Throttle controlledBy(Supplier<Controller> controller) {
        return line.throttle(TestStrategies.named("faulty", controller)).build();
    }

    private Throttle sleepingBy(Supplier<SleepController> controller) {
        return line.throttle(TestStrategies.sleeping("faulty", controller)).build();
    }

    private static void goesThroughItsLife(Throttle throttle) {
        for (int i = 0; i < 3; i++) {
            Permit permit = throttle.tryAcquire();
            assertThat(permit).isNotNull();
            throttle.reportSharers(2, 1);
            permit.complete(i == 0 ? Signal.RATE_LIMITED : Signal.SUCCESS);
        }
        CompletableFuture<Permit> asynchronous = throttle.acquireAsync();
        assertThat(asynchronous).isDone();
        asynchronous.join().release();
        ThrottleSnapshot snapshot = throttle.snapshot();
        assertThat(snapshot.inFlight()).isZero();
        assertThat(snapshot.waiting()).isZero();
        assertThat(snapshot.sleep()).isZero();
        assertThat(snapshot.rateLimit()).isInfinite();
        assertThat(snapshot.outcomes()).containsEntry(Outcome.SUCCESS, 2L).containsEntry(Outcome.RATE_LIMITED, 1L);
    }

    @Test
    void aRateControllerThatThrows() {
        goesThroughItsLife(controlledBy(() -> throwing(RateController.class)));
    }

    @Test
    void aSleepControllerThatThrows() {
        goesThroughItsLife(sleepingBy(() -> throwing(SleepController.class)));
    }

    /** A limit of nothing, which counts a unit that there cannot be. */
    private static final class Misnamed extends OpenController {

        @Override
        public String unit() {
            return " ";
        }
    }

    @Test
    void aRateControllerWhoseUnitHasNoName() {
        goesThroughItsLife(controlledBy(Misnamed::new));
        ThrottleRegistry throttles = line.registry(TestStrategies.named("faulty", Misnamed::new))
                .maxKeys(1)
                .build();
        Throttle first = throttles.get("first");
        for (int i = 0; i < 20; i++) {
            Calls.of(throttles.get("k" + i)).newCall().acquireForced().complete(Signal.SUCCESS);
            Calls.of(first).newCall().acquireForced().complete(Signal.SUCCESS);
        }
        assertThat(first.isEvicted()).isTrue();
    }

    @Test
    void whatAControllerThrowsIsLoggedOutsideOfTheLock() {
        List<Strategy> strategies = List.of(
                TestStrategies.named("faulty limit", () -> throwingLater(RateController.class)),
                TestStrategies.sleeping("faulty sleep", () -> throwingLater(SleepController.class)));
        for (Strategy strategy : strategies) {
            AtomicReference<Throttle> used = new AtomicReference<>();
            List<Boolean> free = new ArrayList<>();
            String name = strategy.name();
            try (CapturedLog log = CapturedLog.from(Level.WARN, name)) {
                log.whenLogged(() -> {
                    Throttle throttle = used.get();
                    if (throttle != null) {
                        free.add(CompletableFuture.supplyAsync(throttle::tryAcquire)
                                .orTimeout(5, TimeUnit.SECONDS)
                                .handle((permit, fault) -> fault == null)
                                .join());
                    }
                });
                used.set(line.throttle(strategy).build());
                assertThat(used.get().tryAcquire()).isNotNull();
                used.get().tryAcquire().complete(Signal.RATE_LIMITED);
                assertThat(log.lines).singleElement().asString().contains(name + " failed");
            }
            assertThat(free).containsExactly(true);
        }
    }

    @Test
    void aControllerThatThrowsFromTheBeginningIsToldOfWhenItIsMade() {
        try (CapturedLog log = CapturedLog.from(Level.WARN, "faulty")) {
            assertThat(controlledBy(() -> throwing(RateController.class))).isNotNull();
            assertThat(log.lines).singleElement().asString().contains("the rate controller of faulty failed");
        }
    }

    /** Throws when a request is refused, and not before. */
    private static <T> T throwingLater(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (method.getName().equals("onSignal")) {
                        throw new IllegalStateException("thrown by " + method.getName());
                    }
                    return switch (method.getName()) {
                        case "unit" -> "requests";
                        case "maxUnits", "maxWaitNanos" -> Long.MAX_VALUE;
                        case "dueNanos" -> arguments[arguments.length - 1];
                        case "limitInFlight" -> Integer.MAX_VALUE;
                        case "limitPerSecond" -> Double.POSITIVE_INFINITY;
                        case "isIdle", "isAdaptive", "plansResets" -> false;
                        case "sleepSeconds", "firstSleepSeconds", "retrySleepSeconds", "jitter" -> 0.0;
                        default -> null;
                    };
                }));
    }

    @Test
    void aRateControllerThatAnswersNonsense() {
        goesThroughItsLife(controlledBy(() -> new OpenController() {
            @Override
            public long dueNanos(Cost ahead, Cost cost, long now) {
                return now - Duration.ofDays(50_000).toNanos();
            }

            @Override
            public double limitPerSecond() {
                return Double.NaN;
            }
        }));
    }

    @Test
    void aSleepControllerThatAnswersNonsense() {
        goesThroughItsLife(sleepingBy(() -> new SleepController() {
            @Override
            public double sleepSeconds() {
                return Double.NaN;
            }

            @Override
            public double jitter() {
                return Double.NaN;
            }

            @Override
            public double onSignal(Signal signal, int refusals, long now) {
                return Double.NEGATIVE_INFINITY;
            }
        }));
    }

    @Test
    void anEndlessSleepIsRefusedInAdvance() {
        Throttle throttle = sleepingBy(() -> new SleepController() {
            @Override
            public double sleepSeconds() {
                return Double.POSITIVE_INFINITY;
            }

            @Override
            public double onSignal(Signal signal, int refusals, long now) {
                return 0;
            }
        });
        ThrottleRejectedException rejection = Timeline.rejection(throttle.acquireAsync());
        assertThat(rejection.neededWait()).isGreaterThan(Duration.ofDays(36_500));
        assertThat(rejection.reason()).isEqualTo("faulty");
    }

    @Test
    void aListenerThatThrows() {
        Throttle throttle = line.throttle(TestStrategies.free())
                .listener(throwing(ThrottleListener.class))
                .maxWait(Duration.ofSeconds(1))
                .build();
        Permit permit = throttle.acquireAsync().join();
        assertThat(permit.complete(Timeline.retryAfter(Duration.ofSeconds(1))).isRetry())
                .isTrue();
        CompletableFuture<Permit> again = permit.acquireAgainAsync();
        line.advanceMillis(1_000);
        assertThat(again.join()
                        .complete(Timeline.retryAfter(Duration.ofSeconds(9)))
                        .isRetry())
                .isFalse();
        assertThat(throttle.acquireAsync()).isCompletedExceptionally();
        assertThat(throttle.snapshot().inFlight()).isZero();
    }

    @Test
    void aListenerThatThrowsDoesNotKeepOthersFromHearing() {
        Throttle throttle = line.throttle(TestStrategies.free())
                .listener(throwing(ThrottleListener.class))
                .listener(new ThrottleListener() {
                    @Override
                    public void onRetryDecision(Source throttle, RetryDecision decision) {
                        line.add("heard");
                    }
                })
                .build();
        Calls.of(throttle).newCall().acquireForced().complete(Signal.RATE_LIMITED);
        assertThat(line.events).containsExactly("heard@0");
    }

    @Test
    void aClassifierAndAReaderThatThrowOrAnswerNothing() {
        Throttle throwing = line.throttle(TestStrategies.free())
                .classifier((head, hints) -> {
                    throw new AssertionError("classifier");
                })
                .hintReader((head, receivedAt) -> {
                    throw new AssertionError("reader");
                })
                .build();
        Throttle silent = line.throttle(TestStrategies.free())
                .classifier((head, hints) -> nothing())
                .hintReader((head, receivedAt) -> nothing())
                .build();
        for (Throttle throttle : new Throttle[] {throwing, silent}) {
            assertThat(Calls.of(throttle)
                            .newCall()
                            .acquireForced()
                            .complete(Heads.status(429))
                            .isRetry())
                    .isTrue();
            assertThat(Calls.of(throttle)
                            .newCall()
                            .acquireForced()
                            .complete(Heads.status(200))
                            .isRetry())
                    .isFalse();
            assertThat(throttle.count(Outcome.RATE_LIMITED)).isEqualTo(1);
            assertThat(throttle.snapshot().inFlight()).isZero();
        }
    }

    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"}) // what a user's code may well do
    private static <T> T nothing() {
        return null;
    }

    @Test
    void aBackoffThatThrowsIsReplacedByTheDefault() {
        RetryPolicy policy = RetryPolicy.builder()
                .backoff((attempt, random) -> {
                    throw new IllegalStateException("backoff");
                })
                .build();
        Throttle throttle =
                line.throttle(TestStrategies.free()).retryPolicy(policy).build();
        RetryDecision decision = Calls.of(throttle).newCall().acquireForced().complete(Signal.FAILED);
        assertThat(((Retry) decision).backoff()).isBetween(Duration.ZERO, Duration.ofMillis(200));
    }

    @Test
    void aBackoffRunsOutsideOfTheLock() {
        AtomicReference<Throttle> used = new AtomicReference<>();
        RetryPolicy policy = RetryPolicy.builder()
                .backoff((attempt, random) -> {
                    // Behind a closed gate every question takes the lock.
                    Throttle throttle = Objects.requireNonNull(used.get());
                    return CompletableFuture.supplyAsync(throttle::tryAcquire)
                            .orTimeout(5, TimeUnit.SECONDS)
                            .handle((permit, fault) -> permit == null && fault == null ? 7L : 0L)
                            .join();
                })
                .build();
        Throttle throttle =
                line.throttle(TestStrategies.free()).retryPolicy(policy).build();
        used.set(throttle);
        Permit failed = Calls.of(throttle).newCall().acquireForced();
        Calls.of(throttle).newCall().acquireForced().end(Timeline.retryAfter(Duration.ofSeconds(1)));
        assertThat(failed.complete(Signal.FAILED)).isEqualTo(new Retry(Duration.ofNanos(7)));
    }

    @Test
    void aSignalReaderThatThrowsOrAnswersNothing() throws Exception {
        Throttle throttle = line.throttle(TestStrategies.free()).build();
        ResultClassifier<String> throwing = result -> {
            throw new AssertionError("reader");
        };
        assertThat(throttle.execute(CallOptions.DEFAULT, () -> "a", throwing)).isEqualTo("a");
        assertThat(throttle.<String>execute(CallOptions.DEFAULT, () -> "b", result -> nothing()))
                .isEqualTo("b");
        assertThat(throttle.snapshot().inFlight()).isZero();
        assertThat(throttle.count(Outcome.SUCCESS)).isEqualTo(2);
    }

    @Test
    void aTimeThatFailsWhileACallWaitsLeavesNoPlaceInTheQueue() {
        VirtualTime time = new VirtualTime();
        OtherTime failing = new OtherTime(time) {
            @Override
            public void parkUntil(Object blocker, long instant) {
                throw new IllegalStateException("no time");
            }
        };
        Throttle throttle = Throttle.builder()
                .strategy(Strategies.inFlight().limit(1).build())
                .time(failing)
                .build();
        Permit first = throttle.tryAcquire();
        assertThatIllegalStateException().isThrownBy(throttle::acquire).withMessage("no time");
        assertThat(throttle.snapshot().waiting()).isZero();
        first.release();
        assertThat(throttle.snapshot().inFlight()).isZero();
    }
}
