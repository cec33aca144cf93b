package dev.throttle.lab.sim;

import dev.throttle.lab.server.Answer;
import dev.throttle.lab.server.SimulatedServer;
import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * What a dispatcher could reach that knows the server and sends for all processes: each request arrives at the first
 * moment at which a thread is free and the server accepts. Every way takes half the mean latency, and nothing is ever
 * refused. Of processes that wait at the same time, the one goes first that has the most calls left for each thread.
 */
final class Ideal {

    private final Scenario scenario;
    private final SimulatedServer server;
    private final long latency;
    private final long oneWay;
    private final PriorityQueue<Worker> busy = new PriorityQueue<>(
            Comparator.comparingLong(Worker::freeAt).thenComparingInt(worker -> worker.process().number));
    private final PriorityQueue<Client> waiting =
            new PriorityQueue<>(Comparator.<Client>comparingLong(process -> -process.callsLeft)
                    .thenComparingInt(process -> process.number));

    private int joined;
    private long acceptsAt;
    private long lastAccepted;
    private long accepted;
    /** Whether the server will never accept anything again. */
    private boolean isStuck;

    private Ideal(Scenario scenario) {
        this.scenario = scenario;
        this.server = scenario.server().startKnowable();
        this.latency = scenario.latency().toNanos();
        this.oneWay = latency / 2;
    }

    /** A process. */
    private static final class Client {
        final int number;
        long callsLeft;
        /** Threads, or calls that arrived, whose request could be at the server now. */
        int ready;

        Client(int number, long callsLeft) {
            this.number = number;
            this.callsLeft = callsLeft;
        }
    }

    /** A thread whose next request can be at the server at a time. */
    private record Worker(Client process, long freeAt) {}

    /** {@return when the last of all jobs could have been done; null if never} */
    static @Nullable Long jobsDoneAt(Scenario scenario) {
        if (!(scenario.demand() instanceof Demand.Jobs jobs)) {
            return null;
        }
        Ideal ideal = new Ideal(scenario);
        for (int i = 0; i < scenario.processes(); i++) {
            ideal.join(jobs.of(i).calls(), jobs.of(i).start().toNanos());
        }
        for (Change change : scenario.changes()) {
            for (int i = 0; i < change.processes(); i++) {
                ideal.join(jobs.of(Integer.MAX_VALUE).calls(), change.at().toNanos());
            }
        }
        ideal.run(Long.MAX_VALUE);
        return ideal.isStuck ? null : ideal.lastAccepted + ideal.latency - ideal.oneWay;
    }

    /** {@return how many requests could have been accepted, had nobody left before the end} */
    static long accepted(RunRecord run) {
        Scenario scenario = run.scenario();
        Ideal ideal = new Ideal(scenario);
        for (ProcessRecord process : run.processes()) {
            if (scenario.demand() instanceof Demand.Arrivals) {
                for (int i = 0; i < process.arrivedAt().size(); i++) {
                    ideal.join(1, process.arrivedAt().get(i));
                }
            } else {
                ideal.join(Long.MAX_VALUE, process.joinedAt());
            }
        }
        ideal.run(run.endedAt());
        return ideal.accepted;
    }

    private void join(long calls, long at) {
        Client process = new Client(joined++, calls);
        for (int thread = 0; thread < Math.min(scenario.threads(), calls); thread++) {
            busy.add(new Worker(process, at + oneWay));
        }
    }

    private void run(long end) {
        long now = 0;
        while (!busy.isEmpty() || !waiting.isEmpty()) {
            if (waiting.isEmpty()) {
                now = Math.max(now, busy.element().freeAt());
            }
            if (!waitForServer(now, end)) {
                return;
            }
            now = acceptsAt;
            admit(now);
            Client process = waiting.remove();
            server.answer(now);
            lastAccepted = now;
            accepted++;
            process.ready--;
            process.callsLeft--;
            if (process.ready > 0) {
                waiting.add(process);
            }
            if (process.callsLeft > process.ready) {
                busy.add(new Worker(process, now + latency));
            }
        }
    }

    /** All threads whose request can be there by now wait, as far as there are calls for them. */
    private void admit(long now) {
        while (!busy.isEmpty() && busy.element().freeAt() <= now) {
            Client process = busy.remove().process();
            if (process.ready < process.callsLeft) {
                if (process.ready == 0) {
                    waiting.add(process);
                }
                process.ready++;
            }
        }
    }

    /** {@return whether the server accepts a request before the end} */
    private boolean waitForServer(long from, long end) {
        acceptsAt = from;
        while (acceptsAt < end && server.remaining(acceptsAt) <= 0) {
            long reset = server.resetNanos(acceptsAt);
            if (reset == Answer.UNKNOWN) {
                isStuck = true;
                return false;
            }
            acceptsAt += Math.max(1, reset);
        }
        return acceptsAt < end;
    }
}
