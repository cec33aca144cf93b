package dev.throttle.lab.dryrun;

import dev.throttle.CallOptions;
import dev.throttle.Permit;
import dev.throttle.Throttle;
import dev.throttle.ThrottleMode;
import dev.throttle.ThrottleReport;
import dev.throttle.client.Calls;
import dev.throttle.engine.CallRoute;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.lab.server.Answer;
import dev.throttle.lab.server.SimulatedServer;
import dev.throttle.lab.sim.Demand;
import dev.throttle.lab.sim.Scenario;
import dev.throttle.testing.VirtualTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One scenario, twice with the same arrivals: first with a throttle that only observes, of which the report is taken,
 * and then with one that enforces, three times with other random numbers.
 */
public final class DryRunCase {

    private static final double SECOND = 1e9;
    private static final double LATENCY_VARIATION = 0.1;
    private static final double MEDIAN = 0.5;
    private static final double P99 = 0.99;
    /** What depends on chance is the mean of so many runs. */
    private static final int RUNS = 5;

    private static final long OTHER_RUN = 1_000_003L;
    /** A program that repeats refused calls by itself does so after one second, two, and four. */
    private static final int MOST_REPETITIONS = 3;

    private final Scenario scenario;
    private final boolean repeats;
    private final long seed;
    private final List<Long> arrivals;

    /**
     * Makes it.
     *
     * @param scenario what is simulated; its calls arrive by themselves
     * @param repeats whether the program repeats refused calls by itself while the throttle only observes
     * @param seed the source of all randomness
     */
    public DryRunCase(Scenario scenario, boolean repeats, long seed) {
        this.scenario = scenario;
        this.repeats = repeats;
        this.seed = seed;
        this.arrivals = arrivals();
    }

    /**
     * What came of it.
     *
     * @param report what the throttle predicted
     * @param refused how many requests were refused when it enforced
     * @param waitP50 the median of the waits then, in seconds
     * @param waitP99 their 99th percentile
     * @param rejected how many calls it rejected
     */
    public record Result(ThrottleReport report, long refused, double waitP50, double waitP99, long rejected) {

        /** {@return how far the predicted number of avoided refusals is from the true one, as a share of those seen} */
        public double avoidedError() {
            long seen = report.replayedRefused();
            long avoided = Math.max(0, seen - refused);
            return seen == 0 ? 0 : Math.abs(report.avoided() - avoided) / (double) seen;
        }

        /** {@return how far the predicted median is from the true one, as a share of it} */
        public double p50Error() {
            return error(report.waitP50().toNanos() / SECOND, waitP50);
        }

        /** {@return how far the predicted 99th percentile is from the true one, as a share of it} */
        public double p99Error() {
            return error(report.waitP99().toNanos() / SECOND, waitP99);
        }

        /** Fifty milliseconds are no error, since no user would notice them. */
        private static double error(double predicted, double real) {
            double difference = Math.abs(predicted - real);
            return difference <= 0.05 ? 0 : difference / Math.max(real, 0.05);
        }
    }

    private List<Long> arrivals() {
        if (!(scenario.demand() instanceof Demand.Arrivals rate)) {
            throw new IllegalArgumentException("the calls of a dry run arrive by themselves: --arrivals is missing");
        }
        SplittableRandom random = new SplittableRandom(seed);
        List<Long> all = new ArrayList<>();
        double at = 0;
        while (true) {
            at += -StrictMath.log(1 - random.nextDouble()) / rate.perSecond() * SECOND;
            if (at >= scenario.duration().toNanos()) {
                return all;
            }
            all.addAll(Collections.nCopies(rate.burst(), (long) at));
        }
    }

    /** {@return what came of it} */
    public Result run() {
        Run observed = new Run(ThrottleMode.OBSERVE, 0);
        observed.run();
        ThrottleReport report = Objects.requireNonNull(observed.throttle.report());
        long refused = 0;
        long rejected = 0;
        List<Double> waits = new ArrayList<>();
        for (int i = 1; i <= RUNS; i++) {
            Run enforced = new Run(ThrottleMode.ENFORCE, i);
            enforced.run();
            refused += enforced.refused;
            rejected += enforced.rejected;
            waits.addAll(enforced.waits);
        }
        Collections.sort(waits);
        return new Result(report, refused / RUNS, share(waits, MEDIAN), share(waits, P99), rejected / RUNS);
    }

    private static double share(List<Double> sorted, double share) {
        return sorted.isEmpty() ? 0 : sorted.get(Math.min(sorted.size() - 1, (int) (share * sorted.size())));
    }

    private final class Run {

        private final VirtualTime time = new VirtualTime(1_000_000_000L, 1_700_000_000_000L);
        private final long startedAt = time.nanoTime();
        private final SplittableRandom latencies;
        private final SimulatedServer server = scenario.server().start(seed);
        private final List<Double> waits = new ArrayList<>();
        private final ThrottleMode mode;
        private final Throttle throttle;
        private long refused;
        private long rejected;
        private int ended;

        /** Makes it; the number tells which random numbers it has. */
        Run(ThrottleMode mode, long number) {
            this.latencies = new SplittableRandom(~seed - number * OTHER_RUN);
            this.mode = mode;
            Throttle.Builder builder = Throttle.builder()
                    .name("lab")
                    .mode(mode)
                    .seed(seed + number * OTHER_RUN)
                    .time(time)
                    .executor(Runnable::run);
            this.throttle = (scenario.maxWait() == null ? builder : builder.maxWait(scenario.maxWait())).build();
        }

        void run() {
            for (int i = 0; i < arrivals.size(); i++) {
                int number = i + 1;
                time.schedule(arrivals.get(i), () -> new Made(number, 0).ask());
            }
            while (ended < arrivals.size() && time.advanceToNextTask()) {
                // until all calls have ended
            }
        }

        private void afterOneWay(Runnable event) {
            double share = 1 + LATENCY_VARIATION * (2 * latencies.nextDouble() - 1);
            time.schedule(Math.max(1, (long) (scenario.latency().toNanos() / 2.0 * share)), event);
        }

        /** One call, or its repetition by the program. */
        private final class Made {

            private final int number;
            private final int repetition;
            private final ThrottledCall call;
            private @Nullable Permit permit;

            Made(int number, int repetition) {
                this.number = number;
                this.repetition = repetition;
                this.call = Calls.of(throttle).newCall();
                call.route(new CallRoute() {
                    @Override
                    public @Nullable String find(CallOptions options) {
                        return null;
                    }

                    @Override
                    public int print() {
                        return number;
                    }
                });
            }

            void ask() {
                CompletableFuture<Permit> unused = call.acquireAsync().whenComplete((given, failure) -> {
                    permit = given;
                    if (given == null) {
                        rejected++;
                        ended++;
                    } else {
                        afterOneWay(this::arrive);
                    }
                });
            }

            private void arrive() {
                Answer answer = server.answer(time.nanoTime() - startedAt);
                long millis = time.currentTimeMillis();
                afterOneWay(() -> answered(answer, millis));
            }

            private void answered(Answer answer, long millis) {
                refused += answer.isAccepted() ? 0 : 1;
                boolean isRetried = Objects.requireNonNull(permit)
                        .complete(scenario.server().response(answer, millis))
                        .isRetry();
                if (isRetried || call.isTurnedAway()) {
                    ask();
                } else if (mode == ThrottleMode.OBSERVE
                        && repeats
                        && !answer.isAccepted()
                        && repetition < MOST_REPETITIONS) {
                    time.schedule(1_000_000_000L << repetition, () -> new Made(number, repetition + 1).ask());
                } else {
                    waits.add(call.waited().toNanos() / SECOND);
                    ended++;
                }
            }
        }
    }
}
