package dev.throttle.lab.sim;

import dev.throttle.lab.server.Load;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/** A process: one throttle, shared by its threads. */
final class SimulatedProcess {

    private static final double SECOND = 1e9;

    private final Simulation simulation;
    private final Client client;
    private final ProcessRecord record;
    private final Demand demand;
    private final CallCosts costs;
    private final SplittableRandom arrivals;
    private final List<SimulatedThread> threads = new ArrayList<>();
    /** The calls that arrived and have not ended; in order, as a run has to be the same each time. */
    private final Set<SimulatedThread> arrived = new LinkedHashSet<>();

    /** Of each route. */
    private final long[] callsToBegin;

    private final long[] callsToEnd;
    private boolean told;
    private boolean left;

    SimulatedProcess(
            Simulation simulation, Client client, ProcessRecord record, Demand demand, CallCosts costs, long seed) {
        this.simulation = simulation;
        this.client = client;
        this.record = record;
        this.demand = demand;
        this.costs = costs;
        this.arrivals = new SplittableRandom(seed);
        long calls = demand instanceof Demand.Jobs jobs ? jobs.of(0).calls() : Long.MAX_VALUE;
        this.callsToBegin = new long[simulation.routes()];
        for (int i = 0; i < callsToBegin.length; i++) {
            callsToBegin[i] = simulation.calls(calls, i);
        }
        this.callsToEnd = callsToBegin.clone();
        if (!(demand instanceof Demand.Arrivals)) {
            for (ThreadRecord thread : record.threads()) {
                threads.add(new SimulatedThread(simulation, this, thread, threads.size() % callsToBegin.length));
            }
        }
    }

    Client client() {
        return client;
    }

    /** {@return what the next call costs} */
    Load nextLoad() {
        return costs.next();
    }

    /** An answer has told what is left. */
    void told() {
        told = true;
    }

    boolean isTold() {
        return told;
    }

    ProcessRecord record() {
        return record;
    }

    boolean hasLeft() {
        return left;
    }

    void begin() {
        threads.forEach(SimulatedThread::begin);
        if (demand instanceof Demand.Arrivals rate) {
            awaitArrival(rate);
        }
    }

    private void awaitArrival(Demand.Arrivals rate) {
        // Of StrictMath, as the logarithm of Math may differ from JDK to JDK.
        double seconds = -StrictMath.log(1 - arrivals.nextDouble()) / rate.perSecond();
        simulation.after((long) (seconds * SECOND), () -> {
            if (!left) {
                for (int i = 0; i < rate.burst(); i++) {
                    record.arrived(simulation.now());
                    SimulatedThread thread = new SimulatedThread(
                            simulation, this, record.threads().get(0), 0);
                    arrived.add(thread);
                    thread.begin();
                }
                awaitArrival(rate);
            }
        });
    }

    /** {@return whether there is a call for a thread that asks for one} */
    boolean takeCall(int route) {
        if (callsToBegin[route] == 0) {
            return false;
        }
        callsToBegin[route]--;
        return true;
    }

    /** {@return whether the thread goes on} */
    boolean ended(SimulatedThread thread, int route, boolean accepted) {
        if (demand instanceof Demand.Arrivals) {
            arrived.remove(thread);
            return false;
        }
        if (demand instanceof Demand.Jobs) {
            if (accepted) {
                callsToEnd[route]--;
                if (callsToEnd[route] == 0) {
                    record.scope(route).done(simulation.now());
                }
                if (isDone()) {
                    simulation.done(this);
                }
            } else {
                callsToBegin[route]++; // it still has to be made
            }
        }
        return true;
    }

    boolean isDone() {
        return Arrays.stream(callsToEnd).allMatch(calls -> calls == 0);
    }

    void leave() {
        left = true;
        threads.forEach(SimulatedThread::stop);
        arrived.forEach(SimulatedThread::stop);
        client.leave();
    }
}
