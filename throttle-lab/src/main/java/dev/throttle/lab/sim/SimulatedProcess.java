package dev.throttle.lab.sim;

import dev.throttle.Throttle;
import java.util.ArrayList;
import java.util.List;

/** A process: one throttle, shared by its threads. */
final class SimulatedProcess {

    private final Throttle throttle;
    private final List<SimulatedThread> threads = new ArrayList<>();
    private boolean left;

    SimulatedProcess(Simulation simulation, Throttle throttle, ProcessRecord record) {
        this.throttle = throttle;
        for (ThreadRecord thread : record.threads()) {
            threads.add(new SimulatedThread(simulation, this, thread));
        }
    }

    Throttle throttle() {
        return throttle;
    }

    boolean hasLeft() {
        return left;
    }

    void begin() {
        threads.forEach(SimulatedThread::begin);
    }

    void leave() {
        left = true;
        threads.forEach(SimulatedThread::stop);
    }
}
