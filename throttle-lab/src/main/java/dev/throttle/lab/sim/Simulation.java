package dev.throttle.lab.sim;

import dev.throttle.control.Strategy;
import dev.throttle.lab.server.Answer;
import dev.throttle.lab.server.Load;
import dev.throttle.lab.server.NamedLimit;
import dev.throttle.lab.server.SimulatedServer;
import dev.throttle.signal.Cost;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.ResponseHead;
import dev.throttle.testing.VirtualTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * One run: production throttles, their queues and controllers, on virtual time, against a simulated server. One thread,
 * and all randomness from the seed, so that the same run always gives the same result.
 */
public final class Simulation {

    /** One way takes half the latency, more or less by up to this share of it, evenly spread. */
    private static final double LATENCY_VARIATION = 0.1;

    /** Keeps random numbers of the server and of arrivals apart from those of throttles and latencies. */
    private static final long OTHER_SEED = 0x5DEECE66DL;

    private static final long STORE_SEED = 0x2545F4914F6CDD1DL;

    /** The number of the first process of the other program. */
    private static final int FOREIGN = 1_000_000;

    private final Scenario scenario;
    private final Client.Factory client;
    /** Resets that are told as an epoch need a time of day that looks like one. */
    private final VirtualTime time = new VirtualTime(1_000_000_000L, 1_700_000_000_000L);

    private final long startedAt = time.nanoTime();
    private final SimulatedServer server;
    private final double oneWayNanos;
    private final SplittableRandom latencies;
    private final SplittableRandom seeds;
    private final SplittableRandom arrivals;
    private final RunRecord record;
    private final Deque<SimulatedProcess> processes = new ArrayDeque<>();
    /** The processes that have not made all their calls, those to come included. */
    private int unfinished;

    private int numbered;
    /** Connections that were opened. */
    private int connections;

    private boolean stopped;

    private Simulation(Scenario scenario, Client.Factory client, long seed, boolean traced) {
        this.scenario = scenario;
        this.client = client.forRun(time, seed ^ STORE_SEED);
        this.server = scenario.server().start(seed ^ OTHER_SEED);
        this.oneWayNanos = scenario.latency().toNanos() / 2.0;
        this.seeds = new SplittableRandom(seed);
        this.latencies = seeds.split();
        this.arrivals = new SplittableRandom(~seed ^ OTHER_SEED);
        this.record = new RunRecord(scenario, traced, seed ^ OTHER_SEED);
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
        return run(scenario, ThrottleClient.with(strategy), seed, traced);
    }

    /**
     * {@return what was seen in one run}
     *
     * @param scenario what to simulate
     * @param client what all processes send with
     * @param seed the source of all randomness
     * @param traced whether to keep what a chart needs
     */
    public static RunRecord run(Scenario scenario, Client.Factory client, long seed, boolean traced) {
        return new Simulation(scenario, client, seed, traced).run();
    }

    private RunRecord run() {
        unfinished = scenario.processes();
        begin();
        Foreign foreign = scenario.foreign();
        if (foreign != null) {
            joinForeign(foreign);
        }
        for (Change change : scenario.changes()) {
            unfinished += Math.max(0, change.processes());
            time.schedule(change.at().toNanos(), () -> {
                if (change.processes() > 0) {
                    join(change.processes());
                } else {
                    leave(-change.processes());
                }
            });
        }
        long end = scenario.duration().toNanos();
        if (scenario.stopUnder() == null && !(scenario.demand() instanceof Demand.Jobs)) {
            time.advanceNanos(end);
        } else {
            Runnable expire = () -> stopped = true;
            time.schedule(end, expire);
            while (!stopped && unfinished > 0 && time.advanceToNextTask()) {
                // until the quota is used up, or all is done, or the time is over
            }
        }
        long now = now();
        boolean cleared = stopped && now < end;
        record.ended(now, cleared, server, client.storeCommands());
        processes.forEach(SimulatedProcess::leave);
        return record;
    }

    /** Starts the processes of the other program, which are not in the figures. */
    private void joinForeign(Foreign foreign) {
        Scenario theirs = scenario.threads(foreign.threads());
        RunRecord unseen = new RunRecord(theirs, false);
        for (int i = 0; i < foreign.processes(); i++) {
            Client.Surroundings surroundings = new Client.Surroundings(time, arrivals.nextLong(), null, Retries.ALL);
            new SimulatedProcess(
                            this,
                            foreign.client().newClient(surroundings),
                            unseen.join(i, 0),
                            new Demand.Endless(),
                            costs(FOREIGN + i),
                            arrivals.nextLong())
                    .begin();
        }
    }

    /** Processes with the same start come together, as those without a job do. */
    private void begin() {
        if (!(scenario.demand() instanceof Demand.Jobs jobs)) {
            join(scenario.processes());
            return;
        }
        List<Joining> now = new ArrayList<>();
        for (int i = 0; i < scenario.processes(); i++) {
            Demand.Job job = jobs.of(i);
            Joining joining = new Joining(numbered++, alone(job));
            if (job.start().isZero()) {
                now.add(joining);
            } else {
                time.schedule(job.start().toNanos(), () -> join(List.of(joining)));
            }
        }
        join(now);
    }

    /** A process that comes, and what it wants. Numbers tell what calls cost, here and in the ideal. */
    private record Joining(int number, Demand demand) {}

    private static Demand alone(Demand.Job job) {
        return new Demand.Jobs(List.of(job));
    }

    private void join(int count) {
        Demand each =
                scenario.demand() instanceof Demand.Jobs jobs ? alone(jobs.of(Integer.MAX_VALUE)) : scenario.demand();
        List<Joining> coming = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            coming.add(new Joining(numbered++, each));
        }
        join(coming);
    }

    private CallCosts costs(int number) {
        return new CallCosts(scenario, record.serverSeed(), number);
    }

    private void join(List<Joining> coming) {
        List<SimulatedProcess> joining = new ArrayList<>();
        for (Joining each : coming) {
            Client own = client.newClient(
                    new Client.Surroundings(time, seeds.nextLong(), scenario.maxWait(), scenario.retries()));
            ProcessRecord process = record.join(each.number(), now());
            joining.add(
                    new SimulatedProcess(this, own, process, each.demand(), costs(each.number()), arrivals.nextLong()));
        }
        processes.addAll(joining);
        joining.forEach(process -> process.client().whenReady(process::begin));
    }

    private void leave(int count) {
        for (int i = 0; i < count; i++) {
            SimulatedProcess process = processes.removeLast();
            process.leave();
            process.record().left(now());
            if (!process.isDone()) {
                unfinished--;
            }
        }
    }

    /** A process has made all its calls. */
    void done(SimulatedProcess process) {
        process.record().done(now());
        unfinished--;
    }

    long now() {
        return time.nanoTime() - startedAt;
    }

    void afterOneWay(Runnable event) {
        double share = 1 + LATENCY_VARIATION * (2 * latencies.nextDouble() - 1);
        time.schedule(Math.max(1, (long) (oneWayNanos * share)), event);
    }

    void after(long nanos, Runnable event) {
        time.schedule(Math.max(1, nanos), event);
    }

    boolean boundsWaits() {
        return scenario.maxWait() != null;
    }

    long epochMillis() {
        return time.currentTimeMillis();
    }

    /** {@return the server's answer to a request that arrives} If it accepts, it works until the answer's end. */
    Answer answer(Load load) {
        long arrivedAt = now();
        Answer answer = server.answer(arrivedAt, load);
        if (answer.isAccepted() && load.streamed()) {
            afterStream(() -> server.ended(now(), arrivedAt, load));
        }
        return answer;
    }

    /** Runs something when an answer has ended whose head is there now; at once if it comes in one piece. */
    void afterStream(Runnable event) {
        Costs costs = scenario.costs();
        if (costs == null || costs.stream().isZero()) {
            event.run();
        } else {
            time.schedule(costs.stream().toNanos(), event);
        }
    }

    /** {@return what a program knows of a call's cost before; null for nothing} */
    @Nullable Cost estimate(Load load) {
        return scenario.costs() == null ? null : scenario.costs().estimate(load);
    }

    /** {@return the route of the calls that a named limit of the server counts; null if it has none} */
    @Nullable String route(int limit) {
        List<NamedLimit> scopes = scenario.scopes();
        return scopes.isEmpty() ? null : scopes.get(limit).route();
    }

    /** {@return the number of a connection that is opened} */
    int openConnection() {
        return connections++;
    }

    /** {@return how many routes calls have} */
    int routes() {
        return Math.max(1, scenario.scopes().size());
    }

    /** {@return how many of the calls of a process are of a route} */
    long calls(long all, int route) {
        return scenario.calls(all, route);
    }

    /** {@return what an answer says that the call cost; null for nothing} */
    @Nullable Cost truth(Load load) {
        Costs costs = scenario.costs();
        return costs == null || !costs.settled() ? null : costs.truth(load);
    }

    /** {@return whether a response tells what is left} */
    boolean tells(Answer answer) {
        return answer.remaining() != Answer.UNKNOWN
                && scenario.server().headers().tellsRemaining();
    }

    ResponseHead response(Answer answer, long epochMillis) {
        return scenario.server().response(answer, epochMillis);
    }

    /** {@return what the body of an answer tells about limits} */
    RateHints body(Answer answer) {
        return scenario.server().body(answer);
    }

    /** A client has received an answer. */
    void seen(Answer answer) {
        Long stopUnder = scenario.stopUnder();
        if (stopUnder != null && answer.remaining() != Answer.UNKNOWN && answer.remaining() <= stopUnder) {
            stopped = true;
        }
    }
}
