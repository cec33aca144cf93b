package dev.throttle.benchmarks;

import dev.throttle.Permit;
import dev.throttle.Throttle;
import dev.throttle.client.Calls;
import dev.throttle.retry.RetryDecision;
import dev.throttle.signal.Signal;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Admission and completion when nothing is due, all threads through one throttle. */
@State(Scope.Benchmark)
public class Admission {

    private final Throttle throttle = Subjects.atRest();

    /** One caller, which keeps its permit where a client keeps it while the request is on its way. */
    @State(Scope.Thread)
    public static class Caller {
        Permit permit;
    }

    /**
     * The admission alone, as the peers have it. Nothing ever ends here, so the number of requests on the wire runs
     * over, which costs no time.
     */
    @Benchmark
    public boolean admission() throws Exception {
        return throttle.acquire() != null;
    }

    /** An admission and its completion. */
    @Benchmark
    public RetryDecision admissionAndCompletion() throws Exception {
        return throttle.acquire().complete(Signal.SUCCESS);
    }

    /** The same by a caller that keeps the permit meanwhile, so that it has to exist. */
    @Benchmark
    public RetryDecision permitKept(Caller caller) throws Exception {
        caller.permit = throttle.acquire();
        return caller.permit.complete(Signal.SUCCESS);
    }

    /** The same through a call that could be repeated, as the adapters do. */
    @Benchmark
    public RetryDecision call(Caller caller) throws Exception {
        caller.permit = Calls.of(throttle).newCall().acquire();
        return caller.permit.complete(Signal.SUCCESS);
    }

    /** The same as a future. */
    @Benchmark
    public RetryDecision future(Caller caller) {
        caller.permit = throttle.acquireAsync().join();
        return caller.permit.complete(Signal.SUCCESS);
    }
}
