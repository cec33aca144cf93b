package dev.throttle.benchmarks;

import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * The least that counting requests by time can cost: a look at the clock and one compare-and-set on a shared word. An
 * admission and its completion are two such steps.
 */
@State(Scope.Benchmark)
public class Floor {

    private final AtomicLong word = new AtomicLong();

    /** What an admission needs. */
    @Benchmark
    public long once() {
        return step();
    }

    /** What an admission and its completion need. */
    @Benchmark
    public long twice() {
        return step() + step();
    }

    private long step() {
        long now = System.nanoTime();
        long current = word.get();
        while (!word.compareAndSet(current, current + 1)) {
            current = word.get();
        }
        return now;
    }
}
