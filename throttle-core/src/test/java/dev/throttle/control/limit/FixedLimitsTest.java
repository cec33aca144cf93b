package dev.throttle.control.limit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.CallOptions;
import dev.throttle.Throttle;
import dev.throttle.client.Calls;
import dev.throttle.control.ControllerHost;
import dev.throttle.control.RateController;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.control.limit.Promise.Admission;
import dev.throttle.fixtures.Traffic;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Quota;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each fixed limit over random arrivals, against its definition with all of the history in view. */
class FixedLimitsTest {

    private static final int PATTERNS = 10_000;
    private static final long START = 1_000_000_000;

    /** A limit with random settings. */
    private record Limit(Strategy strategy, Promise promise, int mostPermits, long window) {}

    private enum Kind {
        TOKEN_BUCKET,
        LEAKY_BUCKET,
        FIXED_WINDOW,
        SLIDING_WINDOW_LOG,
        SLIDING_WINDOW_COUNTER;

        Limit limit(SplittableRandom random) {
            return limit(random, Quota.REQUESTS);
        }

        Limit limit(SplittableRandom random, String unit) {
            Rate rate = new Rate(random.nextInt(1, 12), Duration.ofNanos(random.nextInt(12, 1000)));
            int limit = random.nextInt(1, 12);
            Duration window = Duration.ofNanos(random.nextInt(1, 1000));
            return switch (this) {
                case TOKEN_BUCKET ->
                    new Limit(
                            Strategies.tokenBucket()
                                    .unit(unit)
                                    .rate(rate.permits(), rate.period())
                                    .burst(limit)
                                    .build(),
                            Promise.tokenBucket(rate, limit),
                            limit,
                            rate.period().toNanos());
                case LEAKY_BUCKET ->
                    new Limit(
                            Strategies.leakyBucket()
                                    .unit(unit)
                                    .rate(rate.permits(), rate.period())
                                    .build(),
                            Promise.leakyBucket(rate),
                            3,
                            rate.period().toNanos());
                case FIXED_WINDOW ->
                    windows(
                            Strategies.fixedWindow().unit(unit),
                            Promise.fixedWindow(limit, window.toNanos(), START),
                            limit,
                            window);
                case SLIDING_WINDOW_LOG ->
                    windows(
                            Strategies.slidingWindowLog().unit(unit),
                            Promise.slidingWindowLog(limit, window.toNanos()),
                            limit,
                            window);
                case SLIDING_WINDOW_COUNTER ->
                    windows(
                            Strategies.slidingWindowCounter().unit(unit),
                            Promise.slidingWindowCounter(limit, window.toNanos(), START),
                            limit,
                            window);
            };
        }

        private static Limit windows(WindowLimit.Builder builder, Promise promise, int limit, Duration window) {
            return new Limit(builder.limit(limit).window(window).build(), promise, limit, window.toNanos());
        }
    }

    private record Request(long arrivedAt, int permits) {}

    /** Bursts and lulls; the first request comes at {@link #START}, so that the windows begin there. */
    private static List<Request> arrivals(Limit limit, SplittableRandom random) {
        List<Request> arrivals = new ArrayList<>();
        long at = START;
        int most = random.nextBoolean() ? 1 : limit.mostPermits;
        for (int i = random.nextInt(2, 18); i > 0; i--) {
            arrivals.add(new Request(at, random.nextInt(1, most + 1)));
            at += random.nextInt(3) == 0 ? random.nextLong(2 * limit.window) : random.nextLong(limit.window / 8 + 1);
        }
        return arrivals;
    }

    /** One pattern through a throttle; keeps what the limit should know at each moment. */
    private static final class Drive {

        private final Limit limit;
        private final VirtualTime time = new VirtualTime();
        private final Throttle throttle;
        private final List<Admission> counted = new ArrayList<>();
        private final SplittableRandom random;
        private final boolean givesBack;
        private final List<CompletableFuture<Void>> futures = new ArrayList<>();
        private long lastChange = START;
        private int admitted;

        Drive(Limit limit, SplittableRandom random, boolean givesBack) {
            this.limit = limit;
            this.random = random;
            this.givesBack = givesBack;
            this.throttle = Throttle.builder()
                    .strategy(Strategies.none())
                    .limit(limit.strategy)
                    .time(time)
                    .executor(Runnable::run)
                    .seed(1)
                    .build();
        }

        void ask(Request request) {
            time.advanceNanos(request.arrivedAt - time.nanoTime());
            futures.add(Calls.of(throttle)
                    .newCall(CallOptions.DEFAULT.permits(request.permits))
                    .acquireAsync()
                    .thenAccept(permit -> {
                        onAdmitted(request, time.nanoTime());
                        if (!givesBack || random.nextInt(3) > 0) {
                            return;
                        }
                        Admission admission = counted.get(counted.size() - 1);
                        time.schedule(random.nextLong(2 * limit.window), () -> {
                            counted.remove(indexOf(admission));
                            lastChange = time.nanoTime();
                            permit.release();
                        });
                    }));
        }

        private int indexOf(Admission admission) {
            for (int i = 0; i < counted.size(); i++) {
                if (counted.get(i) == admission) {
                    return i;
                }
            }
            throw new AssertionError(admission);
        }

        private void onAdmitted(Request request, long now) {
            admitted++;
            assertThat(limit.promise.allows(counted, now, request.permits))
                    .as("%s keeps its promise", limit.strategy)
                    .isTrue();
            if (now > Math.max(request.arrivedAt, lastChange) && !givesBack) {
                assertThat(limit.promise.allows(counted, now - 1, request.permits))
                        .as("%s would not have let it go sooner", limit.strategy)
                        .isFalse();
            }
            counted.add(new Admission(now, request.permits));
            lastChange = now;
        }

        void finish(int requests) {
            while (time.advanceToNextTask()) {
                assertThat(admitted).isLessThanOrEqualTo(requests);
            }
            assertThat(admitted).isEqualTo(requests);
            futures.forEach(CompletableFuture::join);
        }
    }

    private static void drive(Kind kind, long seed, boolean givesBack) {
        SplittableRandom random = new SplittableRandom(seed);
        Limit limit = kind.limit(random);
        List<Request> arrivals = arrivals(limit, random);
        Drive drive = new Drive(limit, random, givesBack);
        arrivals.forEach(drive::ask);
        drive.finish(arrivals.size());
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void promisesAreKeptAndNobodyWaitsLongerThanNeeded(Kind kind) {
        for (int seed = 0; seed < PATTERNS; seed++) {
            drive(kind, seed, false);
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void promisesAreKeptWhenPermitsComeBack(Kind kind) {
        for (int seed = 0; seed < PATTERNS; seed++) {
            drive(kind, PATTERNS + seed, true);
        }
    }

    /** Straight on the controller: what comes back is as good as never taken, unless the limit forgot the details. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void permitsThatComeBackAreFreeAgain(Kind kind) {
        int later = 0;
        int cases = 0;
        for (int seed = 0; seed < PATTERNS; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            Limit limit = kind.limit(random);
            RateController controller = (RateController) limit.strategy.newController(ControllerHost.detached(random));
            List<Admission> counted = new ArrayList<>();
            long now = START;
            for (int i = 0; i < 20; i++) {
                int permits = random.nextInt(1, limit.mostPermits + 1);
                long due = Math.max(now, controller.dueNanos(Cost.NONE, Cost.requests(permits), now));
                assertThat(limit.promise.allows(counted, due, permits)).isTrue();
                cases++;
                later += due > now && limit.promise.allows(counted, due - 1, permits) ? 1 : 0;
                now = due + (i == 0 ? 0 : random.nextLong(limit.window / 4 + 1));
                controller.onAdmitted(Cost.requests(permits), 0, now);
                counted.add(new Admission(now, permits));
                if (i > 0 && random.nextBoolean()) {
                    Admission back = counted.remove(random.nextInt(1, counted.size()));
                    controller.onSignal(Signal.IGNORED, ended(Cost.requests(back.permits()), back.at()), now);
                }
            }
        }
        boolean rounds = kind == Kind.TOKEN_BUCKET;
        assertThat(later).isLessThanOrEqualTo(rounds ? cases / 20 : 0);
    }

    /** What those further back are told is never too late, and where every request takes one permit it is exact. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void estimatesAreNeverLaterThanTheTruth(Kind kind) {
        for (int seed = 0; seed < PATTERNS; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            Limit limit = kind.limit(random);
            RateController controller = (RateController) limit.strategy.newController(ControllerHost.detached(random));
            int most = random.nextBoolean() ? 1 : limit.mostPermits;
            long now = START;
            for (int i = random.nextInt(1, 15); i > 0; i--) {
                int permits = random.nextInt(1, most + 1);
                now = Math.max(now, controller.dueNanos(Cost.NONE, Cost.requests(permits), now))
                        + random.nextLong(limit.window / 8 + 1);
                controller.onAdmitted(Cost.requests(permits), 0, now);
            }
            long rounding = kind == Kind.TOKEN_BUCKET || kind == Kind.LEAKY_BUCKET ? 1 : 0;
            List<Long> estimates = new ArrayList<>();
            List<Integer> queue = new ArrayList<>();
            long ahead = 0;
            for (int i = 0; i < 20; i++) {
                int permits = random.nextInt(1, most + 1);
                estimates.add(controller.dueNanos(Cost.requests(ahead), Cost.requests(permits), now));
                queue.add(permits);
                ahead += permits;
            }
            long clock = now;
            for (int i = 0; i < queue.size(); i++) {
                clock = Math.max(clock, controller.dueNanos(Cost.NONE, Cost.requests(queue.get(i)), clock));
                controller.onAdmitted(Cost.requests(queue.get(i)), 0, clock);
                assertThat(estimates.get(i)).as("%s %s", limit.strategy, i).isLessThanOrEqualTo(clock);
                if (most == 1 && kind != Kind.SLIDING_WINDOW_COUNTER) {
                    assertThat(Math.max(now, estimates.get(i))).isGreaterThanOrEqualTo(clock - i * rounding);
                }
            }
        }
    }

    @Test
    void aRateOfThreeASecondLosesNothingToRounding() {
        assertThat(lastOf(
                        3_000_002,
                        Strategies.tokenBucket().rate(3, Duration.ofSeconds(1)).burst(2)))
                .isEqualTo(Duration.ofSeconds(1_000_000).toNanos());
    }

    /** A bucket of one token cannot save up what the clock cannot show: each permit waits for a whole nanosecond. */
    @Test
    void withoutABurstThreeASecondLoseTwoInABillion() {
        assertThat(lastOf(
                        3_000_001,
                        Strategies.tokenBucket().rate(3, Duration.ofSeconds(1)).burst(1)))
                .isEqualTo(Duration.ofSeconds(1_000_000).toNanos() + 2 * 1_000_000);
    }

    private static long lastOf(int requests, TokenBucket.Builder builder) {
        RateController controller = builder.build().newController(ControllerHost.detached(new SplittableRandom(1)));
        long now = START;
        for (int i = 0; i < requests; i++) {
            now = Math.max(now, controller.dueNanos(Cost.NONE, Cost.ONE, now));
            controller.onAdmitted(Cost.ONE, 0, now);
        }
        return now - START;
    }

    /** What was too little counts from when it is known, what was too much never did. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void whatIsSettledIsCountedWhenItIsKnown(Kind kind) {
        int later = 0;
        int cases = 0;
        for (int seed = 0; seed < PATTERNS; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            Limit limit = kind.limit(random, "tokens");
            RateController controller = (RateController) limit.strategy.newController(ControllerHost.detached(random));
            List<Admission> counted = new ArrayList<>();
            List<Admission> unsettled = new ArrayList<>();
            long now = START;
            for (int i = 0; i < 20; i++) {
                int amount = random.nextInt(1, limit.mostPermits + 1);
                Cost cost = Cost.of("tokens", amount);
                long due = Math.max(now, controller.dueNanos(Cost.NONE, cost, now));
                assertThat(limit.promise.allows(counted, due, amount)).isTrue();
                cases++;
                later += due > now && limit.promise.allows(counted, due - 1, amount) ? 1 : 0;
                now = due + (i == 0 ? 0 : random.nextLong(limit.window / 4 + 1));
                controller.onAdmitted(cost, 0, now);
                Admission admission = new Admission(now, amount);
                counted.add(admission);
                if (i > 0) {
                    unsettled.add(admission);
                }
                if (i > 0 && random.nextBoolean()) {
                    Admission booked = unsettled.remove(random.nextInt(unsettled.size()));
                    int actual = random.nextInt(3 * limit.mostPermits);
                    controller.onSettled(
                            Cost.of("tokens", booked.permits()), Cost.of("tokens", actual), 0, booked.at(), now);
                    if (actual > booked.permits()) {
                        counted.add(new Admission(now, actual - booked.permits()));
                    } else {
                        counted.set(counted.indexOf(booked), new Admission(booked.at(), actual));
                    }
                }
            }
        }
        boolean rounds = kind == Kind.TOKEN_BUCKET;
        assertThat(later).isLessThanOrEqualTo(rounds ? cases / 20 : 0);
    }

    /** {@return an ended request as its throttle describes it} */
    private static Traffic ended(Cost cost, long admittedAt) {
        return Traffic.QUIET.cost(cost).admittedAt(admittedAt);
    }
}
