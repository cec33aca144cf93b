package dev.throttle.lab.sim;

import dev.throttle.lab.server.Answer;
import dev.throttle.lab.server.Load;
import dev.throttle.lab.server.NamedLimit;
import dev.throttle.lab.server.ServerKind;
import dev.throttle.lab.server.ServerSpec;
import dev.throttle.lab.server.SimulatedServer;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * What a dispatcher could reach that knows the server and sends for all processes: each request arrives at the first
 * moment at which a thread is free and the server accepts. Every way takes half the mean latency, and nothing is ever
 * refused but for no reason. It obeys a {@code Retry-After}: from the moment on at which the news is there nothing
 * leaves for as long. Of processes that wait at the same time, the one goes first that has the most calls left for each
 * thread.
 */
final class Ideal {

    private final Scenario scenario;
    private final SimulatedServer server;
    private final long latency;
    private final long oneWay;
    private final long stream;
    private final long serverSeed;
    private final PriorityQueue<Worker> busy = new PriorityQueue<>(
            Comparator.comparingLong(Worker::freeAt).thenComparingInt(worker -> worker.process().number));
    private final PriorityQueue<Client> waiting =
            new PriorityQueue<>(Comparator.<Client>comparingLong(process -> -process.callsLeft)
                    .thenComparingInt(process -> process.number));

    /** Answers of which only the head is there. */
    private final PriorityQueue<Ending> endings = new PriorityQueue<>(Comparator.comparingLong(Ending::at));

    private int joined;
    /** When the last answer leaves. */
    private long lastAnswered;

    private long accepted;
    private double acceptedCost;
    /** Nothing arrives from here on, as the server asked to wait. */
    private long quietFrom;

    private long quietUntil;
    /** Whether the server will never accept anything again. */
    private boolean isStuck;

    private Ideal(Scenario scenario, long serverSeed) {
        this.scenario = scenario;
        this.serverSeed = serverSeed;
        this.server = scenario.server().startKnowable(serverSeed);
        this.latency = scenario.latency().toNanos();
        this.oneWay = latency / 2;
        this.stream = scenario.costs() == null ? 0 : scenario.costs().stream().toNanos();
    }

    /** A process. */
    private static final class Client {
        final int number;
        long callsLeft;
        /** Threads, or calls that arrived, whose request could be at the server now. */
        int ready;

        private final CallCosts costs;
        private @Nullable Load next;

        Client(int number, long callsLeft, CallCosts costs) {
            this.number = number;
            this.callsLeft = callsLeft;
            this.costs = costs;
        }

        /** {@return what its next call takes} */
        Load next() {
            Load load = next;
            if (load == null) {
                load = costs.next();
                next = load;
            }
            return load;
        }

        void sent() {
            next = null;
            ready--;
            callsLeft--;
        }
    }

    /** An answer that will have ended at a time. */
    private record Ending(long at, long arrivedAt, Load load) {}

    /** A thread whose next request can be at the server at a time. */
    private record Worker(Client process, long freeAt) {}

    /** {@return when the last of all jobs could have been done; null if never} */
    static @Nullable Long jobsDoneAt(Scenario scenario, long serverSeed) {
        if (!(scenario.demand() instanceof Demand.Jobs jobs)) {
            return null;
        }
        if (!scenario.scopes().isEmpty()) {
            Long last = 0L;
            for (int i = 0; i < scenario.scopes().size(); i++) {
                Long own = jobsDoneAt(scenario, i, serverSeed);
                last = last == null || own == null ? null : Long.valueOf(Math.max(last, own));
            }
            return last;
        }
        Ideal ideal = new Ideal(scenario, serverSeed);
        for (int i = 0; i < scenario.processes(); i++) {
            ideal.join(jobs.of(i).calls(), jobs.of(i).start().toNanos(), ideal.costs(i));
        }
        int number = scenario.processes();
        for (Change change : scenario.changes()) {
            for (int i = 0; i < change.processes(); i++) {
                ideal.join(jobs.of(Integer.MAX_VALUE).calls(), change.at().toNanos(), ideal.costs(number++));
            }
        }
        ideal.run(Long.MAX_VALUE);
        return ideal.isStuck ? null : ideal.lastAnswered + ideal.latency - ideal.oneWay + ideal.stream;
    }

    /** {@return when the last of all calls could have been done that a named quota counts; null if never} */
    static @Nullable Long jobsDoneAt(Scenario scenario, int scope, long serverSeed) {
        if (!(scenario.demand() instanceof Demand.Jobs jobs)) {
            return null;
        }
        int scopes = scenario.scopes().size();
        NamedLimit limit = scenario.scopes().get(scope);
        ServerSpec server = new ServerSpec(
                ServerKind.FIXED_WINDOW,
                limit.capacity(),
                limit.window(),
                limit.capacity(),
                scenario.server().headers(),
                scenario.server().retryAfter());
        List<Demand.Job> own = jobs.jobs().stream()
                .map(job -> new Demand.Job(Math.max(1, scenario.calls(job.calls(), scope)), job.start()))
                .toList();
        int threads = (scenario.threads() - scope + scopes - 1) / scopes;
        Scenario alone = new Scenario(
                server,
                scenario.processes(),
                threads,
                scenario.duration(),
                scenario.latency(),
                scenario.changes(),
                null,
                new Demand.Jobs(own),
                null,
                null);
        return jobsDoneAt(alone, serverSeed);
    }

    /** {@return how many requests could have been accepted if all processes had stayed until the end} */
    static long accepted(RunRecord run) {
        return toTheEndOf(run).accepted;
    }

    /** {@return the cost of what could have been accepted if all processes had stayed until the end} */
    static double acceptedCost(RunRecord run) {
        return toTheEndOf(run).acceptedCost;
    }

    private static Ideal toTheEndOf(RunRecord run) {
        Scenario scenario = run.scenario();
        Ideal ideal = new Ideal(scenario, run.serverSeed());
        for (ProcessRecord process : run.processes()) {
            CallCosts costs = ideal.costs(process.number());
            if (scenario.demand() instanceof Demand.Arrivals) {
                for (int i = 0; i < process.arrivedAt().size(); i++) {
                    ideal.join(1, process.arrivedAt().get(i), costs);
                }
            } else {
                ideal.join(Long.MAX_VALUE, process.joinedAt(), costs);
            }
        }
        ideal.run(run.endedAt());
        return ideal;
    }

    private CallCosts costs(int number) {
        return new CallCosts(scenario, serverSeed, number);
    }

    private void join(long calls, long at, CallCosts costs) {
        Client process = new Client(joined++, calls, costs);
        for (int thread = 0; thread < Math.min(scenario.threads(), calls); thread++) {
            busy.add(new Worker(process, at + oneWay));
        }
    }

    private void run(long end) {
        long now = 0;
        while (!busy.isEmpty() || !waiting.isEmpty()) {
            if (waiting.isEmpty()) {
                now = Math.max(now, busy.element().freeAt());
                admit(now);
                if (waiting.isEmpty()) {
                    continue; // that thread has nothing left to do
                }
            }
            now = untilAccepted(now, end);
            if (isStuck || now >= end) {
                return;
            }
            Client process = waiting.remove();
            Load load = process.next();
            Answer answer = server.answer(now, load);
            if (!answer.isAccepted()) {
                refused(process, answer, now);
                continue;
            }
            if (load.streamed()) {
                endings.add(new Ending(now + stream, now, load));
            }
            long answeredAt = now + answer.heldNanos();
            lastAnswered = Math.max(lastAnswered, answeredAt);
            accepted++;
            acceptedCost += load.tokens() + load.output();
            process.sent();
            if (process.ready > 0) {
                waiting.add(process);
            }
            if (process.callsLeft > process.ready) {
                busy.add(new Worker(process, answeredAt + latency + stream));
            }
        }
    }

    /** It was refused for no reason: all wait, and then it is sent again. */
    private void refused(Client process, Answer answer, long now) {
        long known = now + latency;
        quietFrom = known > quietUntil ? known : quietFrom;
        quietUntil = Math.max(quietUntil, known + answer.retryAfterNanos());
        process.ready--;
        if (process.ready > 0) {
            waiting.add(process);
        }
        busy.add(new Worker(process, quietUntil));
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

    /** {@return when the server accepts the call that is next by then; the end or later if it does not before} */
    private long untilAccepted(long from, long end) {
        long now = from;
        while (now < end) {
            while (!endings.isEmpty() && endings.element().at() <= now) {
                Ending ending = endings.remove();
                server.ended(ending.at(), ending.arrivedAt(), ending.load());
            }
            if (now >= quietFrom && now < quietUntil) {
                now = quietUntil;
                continue;
            }
            admit(now);
            long wait = server.waitNanos(now, waiting.element().next());
            if (wait == 0) {
                return now;
            }
            if (wait == Answer.UNKNOWN) {
                isStuck = true;
                return end;
            }
            long next = now + Math.max(1, wait);
            now = endings.isEmpty() ? next : Math.min(next, endings.element().at());
        }
        return now;
    }
}
