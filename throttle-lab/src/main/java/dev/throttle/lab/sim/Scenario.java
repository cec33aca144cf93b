package dev.throttle.lab.sim;

import dev.throttle.internal.DurationText;
import dev.throttle.internal.Preconditions;
import dev.throttle.lab.server.NamedLimit;
import dev.throttle.lab.server.ServerKind;
import dev.throttle.lab.server.ServerSpec;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is simulated.
 *
 * @param server the server
 * @param processes how many processes there are at the start, each with one throttle
 * @param threads how many threads each process has; each sends one request after the other without a pause
 * @param duration how long it lasts
 * @param latency the mean time from sending a request to its answer
 * @param changes processes that come and go; sorted by time, those that go are those that came last
 * @param stopUnder ends the run when the server has no more than this left; null for not
 * @param demand what the processes want
 * @param maxWait the longest a call may wait; null for as good as no limit
 * @param foreign processes of another program on the same server; null for none
 * @param costs what calls cost; null for nothing but a request
 * @param retries how often throttles repeat what was refused or failed
 */
public record Scenario(
        ServerSpec server,
        int processes,
        int threads,
        Duration duration,
        Duration latency,
        List<Change> changes,
        @Nullable Long stopUnder,
        Demand demand,
        @Nullable Duration maxWait,
        @Nullable Foreign foreign,
        @Nullable Costs costs,
        Retries retries) {

    private static final Duration LONGEST = Duration.ofDays(366);
    private static final int MOST_PROCESSES = 100_000;
    private static final int MOST_THREADS = 10_000;

    public Scenario {
        Preconditions.between("--processes", processes, 1, MOST_PROCESSES);
        Preconditions.between("--threads", threads, 1, MOST_THREADS);
        checkTime("--duration", duration);
        checkTime("--latency", latency);
        demand.check(duration);
        int scopes = server.details().scopes().size();
        Preconditions.check(
                scopes == 0 || threads >= scopes, "--threads", threads, "at least one for each --scope, " + scopes);
        Preconditions.check(
                scopes == 0 || !(demand instanceof Demand.Arrivals), "--arrivals", "", "nothing beside --scope");
        if (server.kind() == ServerKind.PER_CONNECTION) {
            String takes = "nothing if the server is per-connection, as each thread has a connection";
            double arrivals = demand instanceof Demand.Arrivals calls ? calls.perSecond() : 0;
            Preconditions.check(arrivals == 0, "--arrivals", arrivals + "/s", takes);
            Preconditions.check(changes.isEmpty(), "--join and --leave", changes.size(), takes);
        }
        Preconditions.check(
                costs != null || server.tokens() == null, "--server", "llm", "nothing unless calls have a cost");
        if (costs != null) {
            costs.check(server.tokens());
        }
        if (stopUnder != null) {
            Preconditions.check(stopUnder >= 0, "--stop-under", stopUnder, "a whole number of 0 or more");
        }
        changes = changes.stream().sorted(Comparator.comparing(Change::at)).toList();
        long present = processes;
        for (Change change : changes) {
            String option = change.processes() > 0 ? "--join" : "--leave";
            Preconditions.check(
                    change.at().compareTo(duration) < 0,
                    option,
                    DurationText.format(change.at()),
                    "a time before the end, " + DurationText.format(duration));
            present += change.processes();
            Preconditions.check(
                    present >= 1 && present <= MOST_PROCESSES,
                    option,
                    change.processes(),
                    "a number that leaves 1 to " + MOST_PROCESSES + " processes");
        }
    }

    /** {@return the named quotas of the server; none if it has one limit} */
    List<NamedLimit> scopes() {
        return server.details().scopes();
    }

    /** {@return how many of the calls of a process are of the route of a named quota} */
    long calls(long all, int scope) {
        List<NamedLimit> scopes = scopes();
        if (scopes.isEmpty() || all == Long.MAX_VALUE) {
            return all;
        }
        double sum = scopes.stream().mapToDouble(NamedLimit::share).sum();
        double before =
                scopes.stream().limit(scope).mapToDouble(NamedLimit::share).sum();
        double after = before + scopes.get(scope).share();
        return Math.round(all * after / sum) - Math.round(all * before / sum);
    }

    private static void checkTime(String name, Duration value) {
        Preconditions.check(
                !value.isNegative() && !value.isZero() && value.compareTo(LONGEST) <= 0,
                name,
                DurationText.format(value),
                "a duration above zero, 366 days at most");
    }

    /** Calls that cost nothing but a request. */
    public Scenario(
            ServerSpec server,
            int processes,
            int threads,
            Duration duration,
            Duration latency,
            List<Change> changes,
            @Nullable Long stopUnder,
            Demand demand,
            @Nullable Duration maxWait,
            @Nullable Foreign foreign) {
        this(
                server,
                processes,
                threads,
                duration,
                latency,
                changes,
                stopUnder,
                demand,
                maxWait,
                foreign,
                null,
                Retries.ALL);
    }

    /** Endless demand and no limit of waits. */
    public Scenario(
            ServerSpec server,
            int processes,
            int threads,
            Duration duration,
            Duration latency,
            List<Change> changes,
            @Nullable Long stopUnder) {
        this(
                server,
                processes,
                threads,
                duration,
                latency,
                changes,
                stopUnder,
                new Demand.Endless(),
                null,
                null,
                null,
                Retries.ALL);
    }

    /** {@return the same server with another program that sends with so many threads, for ever} */
    Scenario threads(int value) {
        return new Scenario(
                server,
                processes,
                value,
                duration,
                latency,
                changes,
                stopUnder,
                new Demand.Endless(),
                null,
                null,
                costs,
                Retries.ALL);
    }

    /** Calls that arrive by themselves are seen together, as each has a thread of its own. */
    int threadRecords() {
        return demand instanceof Demand.Arrivals ? 1 : threads;
    }
}
