package dev.throttle.lab;

import dev.throttle.Permit;
import dev.throttle.Throttle;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.internal.Preconditions;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/**
 * Callers that always have something to send, one throttle with a limit of requests in flight, and a server with so
 * many workers: what comes while all are at work waits at the server. Up to as many requests as workers nothing is lost
 * by sending more at a time; beyond that only the latency grows. On virtual time, with all randomness from the seed.
 *
 * @param workers requests that the server works on at a time
 * @param service the mean time of work on a request; each takes this, more or less by up to half of it, evenly spread
 * @param network the time of both ways together
 * @param callers how many callers there are, each with one request at a time
 * @param duration how long it lasts; the first quarter does not count
 * @param seed the source of all randomness
 */
record InFlightSimulation(int workers, Duration service, Duration network, int callers, Duration duration, long seed) {

    private static final double SPREAD = 0.5;
    private static final double NANOS_PER_SECOND = 1e9;

    InFlightSimulation {
        Preconditions.between("--workers", workers, 1, 10_000);
        Preconditions.positive("--service", service);
        Preconditions.notNegative("--network", network);
        Preconditions.between("--callers", callers, 1, 100_000);
        Preconditions.positive("--duration", duration);
    }

    /**
     * What was seen after the first quarter.
     *
     * @param perSecond requests answered a second
     * @param p50Nanos the median round trip, without the wait in the throttle
     * @param p99Nanos the 99th percentile of the round trips
     * @param meanLimit the limit in force, on average over the answers
     */
    record Result(double perSecond, long p50Nanos, long p99Nanos, double meanLimit) {}

    /** {@return what a fixed limit does} */
    Result withFixed(int limit) {
        return with(Strategies.inFlight().limit(limit).build());
    }

    /** {@return what a limit does} */
    Result with(Strategy limit) {
        return new Run(limit).result();
    }

    private final class Run {

        private final VirtualTime time = new VirtualTime();
        private final SplittableRandom random = new SplittableRandom(seed);
        private final Deque<Runnable> atTheServer = new ArrayDeque<>();
        private final Throttle throttle;
        private final long countsFrom = time.nanoTime() + duration.toNanos() / 4;
        private int working;
        private long[] roundTrips = new long[1 << 16];
        private int answered;
        private double limits;

        Run(Strategy limit) {
            throttle = Throttle.builder()
                    .strategy(Strategies.none())
                    .limit(limit)
                    .maxWait(Duration.ofDays(365))
                    .time(time)
                    .executor(Runnable::run)
                    .seed(seed)
                    .build();
        }

        Result result() {
            for (int i = 0; i < callers; i++) {
                call();
            }
            time.advance(duration);
            Preconditions.check(answered > 0, "--duration", duration, "long enough for an answer");
            long[] sorted = Arrays.copyOf(roundTrips, answered);
            Arrays.sort(sorted);
            double seconds = duration.toNanos() * 0.75 / NANOS_PER_SECOND;
            return new Result(
                    answered / seconds, sorted[answered / 2], sorted[(int) (answered * 0.99)], limits / answered);
        }

        @SuppressWarnings("FutureReturnValueIgnored") // nobody is turned away
        private void call() {
            CompletableFuture<Permit> admission = throttle.acquireAsync();
            admission.thenAccept(permit -> {
                long sentAt = time.nanoTime();
                time.schedule(network.toNanos() / 2, () -> arrive(() -> answer(permit, sentAt)));
            });
        }

        private void arrive(Runnable answer) {
            if (working == workers) {
                atTheServer.add(answer);
            } else {
                working++;
                work(answer);
            }
        }

        private void work(Runnable answer) {
            double share = 1 - SPREAD + 2 * SPREAD * random.nextDouble();
            time.schedule((long) (service.toNanos() * share), () -> {
                time.schedule(network.toNanos() / 2, answer);
                Runnable next = atTheServer.poll();
                if (next == null) {
                    working--;
                } else {
                    work(next);
                }
            });
        }

        private void answer(Permit permit, long sentAt) {
            long now = time.nanoTime();
            if (now - countsFrom >= 0) {
                if (answered == roundTrips.length) {
                    roundTrips = Arrays.copyOf(roundTrips, answered * 2);
                }
                roundTrips[answered++] = now - sentAt;
                limits += throttle.snapshot().inFlightLimit();
            }
            permit.complete(Signal.SUCCESS);
            call();
        }
    }
}
