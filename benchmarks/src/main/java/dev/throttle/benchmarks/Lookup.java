package dev.throttle.benchmarks;

import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.retry.RetryDecision;
import dev.throttle.signal.Signal;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Finding the throttle of a key. */
@State(Scope.Benchmark)
public class Lookup {

    /** A power of two, below the default bound of ten thousand. */
    private static final int KEYS = 8192;

    private final ThrottleRegistry throttles = Subjects.perKey();
    private final ThrottleRegistry unmeasured = ThrottleRegistry.create();
    private final ConcurrentMap<String, Object> map = new ConcurrentHashMap<>();
    private final String[] keys = new String[KEYS];

    /** Where one thread is in the row of keys. */
    @State(Scope.Thread)
    public static class Position {
        int at;
        int fresh;
    }

    /** Makes every key's throttle. */
    @Setup
    public void prepare() {
        for (int i = 0; i < KEYS; i++) {
            keys[i] = "api" + i + ".example.com";
            map.put(keys[i], keys[i]);
            throttles.get(keys[i]);
        }
    }

    private String next(Position position) {
        return keys[position.at++ * 31 & KEYS - 1];
    }

    /** The floor: a map without a bound. */
    @Benchmark
    public Object plainMap(Position position) {
        return map.get(next(position));
    }

    /** One of eight thousand keys. */
    @Benchmark
    public Throttle manyKeys(Position position) {
        return throttles.get(next(position));
    }

    /** The same key every time. */
    @Benchmark
    public Throttle oneKey() {
        return throttles.get(keys[0]);
    }

    /** A key never seen before, for which another one has to go. */
    @Benchmark
    public RetryDecision newKey(Position position) throws Exception {
        return use(unmeasured, position);
    }

    /** The same with metrics, where its meters have to come and those of the other one go. */
    @Benchmark
    public RetryDecision newKeyWithMeters(Position position) throws Exception {
        return use(throttles, position);
    }

    private static RetryDecision use(ThrottleRegistry throttles, Position position) throws Exception {
        return throttles.get("new" + position.fresh++).acquire().complete(Signal.SUCCESS);
    }

    /** Finding the key, an admission and its completion. */
    @Benchmark
    public RetryDecision oneKeyAndCompletion() throws Exception {
        return throttles.get(keys[0]).acquire().complete(Signal.SUCCESS);
    }
}
