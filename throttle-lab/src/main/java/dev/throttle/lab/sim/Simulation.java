package dev.throttle.lab.sim;

import dev.throttle.Throttle;
import dev.throttle.control.Strategy;
import dev.throttle.lab.server.Answer;
import dev.throttle.lab.server.SimulatedServer;
import dev.throttle.retry.RetryPolicy;
import dev.throttle.signal.ResponseHead;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;

/**
 * One run: production throttles, their queues and controllers, on virtual time, against a simulated server. One thread,
 * and all randomness from the seed, so that the same run always gives the same result.
 */
public final class Simulation {

    /** One way takes half the latency, more or less by up to this share of it, evenly spread. */
    private static final double LATENCY_VARIATION = 0.1;

    /** As good as no limit, so that no figure is clipped. */
    private static final Duration MAX_WAIT = Duration.ofDays(36500);

    /** Everything is repeated until it is accepted: what was given up would be missing from the figures. */
    private static final RetryPolicy RETRY_ALL = RetryPolicy.builder()
            .maxAttempts(Integer.MAX_VALUE)
            .budget(10, Integer.MAX_VALUE)
            .build();

    private final Scenario scenario;
    private final Strategy strategy;
    private final VirtualTime time = new VirtualTime();
    private final long startedAt = time.nanoTime();
    private final SimulatedServer server;
    private final double oneWayNanos;
    private final SplittableRandom latencies;
    private final SplittableRandom seeds;
    private final RunRecord record;
    private final Deque<SimulatedProcess> processes = new ArrayDeque<>();
    private final Deque<ProcessRecord> records = new ArrayDeque<>();
    private boolean stopped;

    private Simulation(Scenario scenario, Strategy strategy, long seed, boolean traced) {
        this.scenario = scenario;
        this.strategy = strategy;
        this.server = scenario.server().start();
        this.oneWayNanos = scenario.latency().toNanos() / 2.0;
        this.seeds = new SplittableRandom(seed);
        this.latencies = seeds.split();
        this.record = new RunRecord(scenario, traced);
    }

    /**
     * {@return what was seen in one run}
     *
     * @param scenario what to simulate
     * @param strategy the strategy of all throttles
     * @param seed the source of all randomness
     * @param traced whether to keep what a chart needs
     */
    public static RunRecord run(Scenario scenario, Strategy strategy, long seed, boolean traced) {
        return new Simulation(scenario, strategy, seed, traced).run();
    }

    private RunRecord run() {
        join(scenario.processes());
        for (Change change : scenario.changes()) {
            time.schedule(change.at().toNanos(), () -> {
                if (change.processes() > 0) {
                    join(change.processes());
                } else {
                    leave(-change.processes());
                }
            });
        }
        long end = scenario.duration().toNanos();
        if (scenario.stopUnder() == null) {
            time.advanceNanos(end);
        } else {
            Runnable expire = () -> stopped = true;
            time.schedule(end, expire);
            while (!stopped && time.advanceToNextTask()) {
                // until the quota is used up, or the time is over
            }
        }
        long now = now();
        boolean cleared = stopped && now < end;
        record.ended(now, cleared, server);
        processes.forEach(SimulatedProcess::leave);
        return record;
    }

    private void join(int count) {
        List<SimulatedProcess> joining = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Throttle throttle = Throttle.builder()
                    .name("lab")
                    .strategy(strategy)
                    .retryPolicy(RETRY_ALL)
                    .maxWait(MAX_WAIT)
                    .seed(seeds.nextLong())
                    .time(time)
                    .executor(Runnable::run)
                    .build();
            ProcessRecord process = record.join(now());
            records.addLast(process);
            joining.add(new SimulatedProcess(this, throttle, process));
        }
        processes.addAll(joining);
        joining.forEach(SimulatedProcess::begin);
    }

    private void leave(int count) {
        for (int i = 0; i < count; i++) {
            processes.removeLast().leave();
            records.removeLast().left(now());
        }
    }

    long now() {
        return time.nanoTime() - startedAt;
    }

    void afterOneWay(Runnable event) {
        double share = 1 + LATENCY_VARIATION * (2 * latencies.nextDouble() - 1);
        time.schedule(Math.max(1, (long) (oneWayNanos * share)), event);
    }

    Answer answer() {
        return server.answer(now());
    }

    ResponseHead response(Answer answer) {
        return scenario.server().response(answer);
    }

    /** A client has received an answer. */
    void seen(Answer answer) {
        Long stopUnder = scenario.stopUnder();
        if (stopUnder != null && answer.remaining() != Answer.UNKNOWN && answer.remaining() <= stopUnder) {
            stopped = true;
        }
    }
}
