package dev.throttle.benchmarks;

import dev.throttle.Throttle;
import dev.throttle.retry.RetryDecision;
import dev.throttle.signal.HintReader;
import dev.throttle.signal.RateHints;
import java.util.Arrays;
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

    /** A power of two. */
    private static final int RESPONSES = 256;

    private final HintReader reader = HintReader.standard();
    private final Throttle throttle = Subjects.atRest();
    private final Head[] responses = new Head[RESPONSES];

    /** Where one thread is in the row of responses. */
    @State(Scope.Thread)
    public static class Position {
        int at;
    }

    /** Makes the responses, which count down as a server does, far from the end. */
    @Setup
    public void prepare() {
        Arrays.setAll(responses, i -> Head.of(relevant, 49_999 - i));
    }

    private Head next(Position position) {
        return responses[position.at++ & RESPONSES - 1];
    }

    /** Reading alone. */
    @Benchmark
    public RateHints read(Position position) {
        return reader.read(next(position), RECEIVED_AT);
    }

    /** An admission, and a completion that reads. */
    @Benchmark
    public RetryDecision admissionAndResponse(Position position) throws Exception {
        return throttle.acquire().complete(next(position));
    }
}
