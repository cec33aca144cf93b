package dev.throttle.benchmarks;

import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.runner.RunnerException;

/** The tables that JMH's results go into. */
final class JmhTables {

    private static final String FLOOR = "Floor.once";
    private static final String DOUBLE_FLOOR = "Floor.twice";

    private static final Map<String, String> ADMISSION = names(
            FLOOR,
            "floor: clock and one compare-and-set",
            DOUBLE_FLOOR,
            "double floor",
            "Admission.admission",
            "**Throttle**, admission",
            "Admission.admissionAndCompletion",
            "**Throttle**, admission and completion",
            "Admission.permitKept",
            "**Throttle**, the same, permit kept in a field",
            "Admission.call",
            "**Throttle**, the same through a call",
            "Admission.future",
            "**Throttle**, the same through `acquireAsync()`",
            "Leased.localBucket",
            "**Throttle**, admission and completion, with a token bucket",
            "Leased.lease",
            "**Throttle**, the same with a limit of a fleet, a lease at hand",
            "Peers.failsafeSmooth",
            "Failsafe, smooth",
            "Peers.failsafeBursty",
            "Failsafe, bursty",
            "Peers.resilience4j",
            "resilience4j",
            "Peers.guava",
            "Guava",
            "Peers.bucket4j",
            "Bucket4j",
            "Peers.concurrencyLimits",
            "concurrency-limits, acquire and release",
            "Peers.awsAtRest",
            "AWS SDK, before any refusal",
            "Peers.awsAfterRefusal",
            "AWS SDK, after a refusal");

    private JmhTables() {}

    private static Map<String, String> names(String... pairs) {
        Map<String, String> names = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            names.put(pairs[i], pairs[i + 1]);
        }
        return names;
    }

    static void admission(Scale scale, PrintStream out) throws RunnerException {
        for (int threads : List.of(1, 2, 8)) {
            Rounds rounds = Rounds.run(scale, threads, Floor.class, Admission.class, Leased.class, Peers.class);
            out.println();
            Table table = new Table(
                    out,
                    threads == 1 ? "1 thread" : threads + " threads",
                    "ns",
                    "bytes",
                    "ratio to floor",
                    "ratio to double floor");
            ADMISSION.forEach((benchmark, name) -> table.row(
                    name,
                    Table.number(rounds.nanos(benchmark), 1),
                    rounds.bytes(benchmark),
                    rounds.ratio(benchmark, FLOOR),
                    rounds.ratio(benchmark, DOUBLE_FLOOR)));
        }
    }

    static void signals(Scale scale, PrintStream out) throws RunnerException {
        for (int threads : List.of(1, 2)) {
            Rounds rounds = Rounds.run(scale, threads, Floor.class, Signals.class, Reading.class, Updates.class);
            Map<String, String> rows = new LinkedHashMap<>(names(
                    DOUBLE_FLOOR,
                    "double floor",
                    "Updates.window",
                    "one update of the default strategy, window with a reset",
                    "Updates.ownBucket",
                    "one update of the default strategy, bucket of its own",
                    "Updates.sharedBucket",
                    "one update of the default strategy, shared bucket",
                    "Signals.changingQuota",
                    "admission and completion, remaining quota changes",
                    "Signals.sameQuota",
                    "admission and completion, same quota again",
                    "Signals.look",
                    "looking at 20 headers"));
            for (String relevant : List.of("0", "3", "12")) {
                rows.put("Reading.read " + relevant, "reading 20 headers, " + relevant + " about limits");
                rows.put("Reading.admissionAndResponse " + relevant, "admission and completion with that response");
            }
            out.println();
            Table table = new Table(
                    out, threads == 1 ? "1 thread" : threads + " threads", "ns", "bytes", "ratio to double floor");
            rows.forEach((benchmark, name) -> table.row(
                    name,
                    Table.number(rounds.nanos(benchmark), 1),
                    rounds.bytes(benchmark),
                    rounds.ratio(benchmark, DOUBLE_FLOOR)));
        }
    }

    static void adapters(Scale scale, PrintStream out) throws RunnerException {
        Rounds rounds = Rounds.run(scale, 1, Adapters.class);
        out.println();
        Table table = new Table(
                out, "answered without network", "ns bare", "ns more throttled", "bytes bare", "bytes throttled");
        Map<String, String> clients = names("okHttp", "OkHttp", "jdk", "stub of the JDK's client");
        clients.forEach((client, name) -> {
            for (String relevant : List.of("0", "3")) {
                String bare = "Adapters." + client + "Bare " + relevant;
                String throttled = "Adapters." + client + "Throttled " + relevant;
                table.row(
                        name + ", " + relevant + " of 20 headers about limits",
                        Table.number(rounds.nanos(bare), 0),
                        Table.number(rounds.nanos(throttled) - rounds.nanos(bare), 0),
                        rounds.bytes(bare),
                        rounds.bytes(throttled));
            }
        });
    }

    static void keys(Scale scale, PrintStream out) throws RunnerException {
        Map<String, String> rows = names(
                "Lookup.plainMap", "floor: `ConcurrentHashMap.get`, 8,192 keys",
                "Lookup.manyKeys", "`ThrottleRegistry.get`, 8,192 keys",
                "Lookup.oneKey", "`ThrottleRegistry.get`, one key",
                "Lookup.oneKeyAndCompletion", "`ThrottleRegistry.get`, one key, then admission and completion",
                "Lookup.newKey", "a new key that drives another one out, its first request",
                "Lookup.newKeyWithMeters", "the same, and its meters");
        for (int threads : List.of(1, 8)) {
            Rounds rounds = Rounds.run(scale, threads, Lookup.class);
            out.println();
            Table table = new Table(
                    out, threads == 1 ? "1 thread" : threads + " threads", "ns", "bytes", "ratio to plain map");
            rows.forEach((benchmark, name) -> table.row(
                    name,
                    Table.number(rounds.nanos(benchmark), 1),
                    rounds.bytes(benchmark),
                    rounds.ratio(benchmark, "Lookup.plainMap")));
        }
    }
}
