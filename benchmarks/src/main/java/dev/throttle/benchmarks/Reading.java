package dev.throttle.benchmarks;

import dev.throttle.Throttle;
import dev.throttle.retry.RetryDecision;
import dev.throttle.signal.HintReader;
import dev.throttle.signal.RateHints;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Reading the headers of a response. */
@State(Scope.Benchmark)
public class Reading {

    /** Ten in the morning of the day that the response is from. */
    private static final long RECEIVED_AT = 1_795_168_800_000L;

    /** How many of the twenty headers are about limits. */
    @Param({"0", "3", "12"})
    public int relevant;

    private final HintReader reader = HintReader.standard();
    private final Throttle throttle = Subjects.atRest();
    private Head head = Head.of(0);

    /** Makes the response. */
    @Setup
    public void prepare() {
        head = Head.of(relevant);
    }

    /** Reading alone. */
    @Benchmark
    public RateHints read() {
        return reader.read(head, RECEIVED_AT);
    }

    /** An admission, and a completion that reads. */
    @Benchmark
    public RetryDecision admissionAndResponse() throws Exception {
        return throttle.acquire().complete(head);
    }
}
