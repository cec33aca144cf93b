package dev.throttle.benchmarks;

import dev.throttle.control.ControllerHost;
import dev.throttle.control.RateController;
import dev.throttle.control.RateLimit.Load;
import dev.throttle.control.Strategies;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * One update of the default strategy's controller alone: a request is let go, its answer tells another quota, and the
 * next one asks when it may go. The hints are read before, and time is made up.
 */
@State(Scope.Thread)
public class Updates {

    /** A power of two. */
    private static final int SIGNALS = 1024;

    private static final long SECOND = 1_000_000_000L;

    private final Server window = new Server(true, 0);
    private final Server shared = new Server(false, 6);
    private final Server alone = new Server(false, 5_000);

    /** A controller, and the answers of a server in turn. */
    private static final class Server implements Load {

        private final RateController controller =
                Strategies.quotaPacing().build().newController(ControllerHost.detached(new SplittableRandom(1)));
        private final Signal[] signals = new Signal[SIGNALS];
        private long now;
        private int at;
        private long permit;

        /**
         * @param resets whether all comes back at once after as many seconds as there are signals
         * @param least what remains at least
         */
        Server(boolean resets, int least) {
            for (int i = 0; i < SIGNALS; i++) {
                int left = SIGNALS - 1 - i;
                signals[i] = resets
                        ? signal((long) SIGNALS, least + left, Duration.ofSeconds(left + 1))
                        : signal(null, least + (i & 3), null);
            }
        }

        private static Signal signal(@Nullable Long limit, long remaining, @Nullable Duration reset) {
            Quota quota = new Quota("core", limit, remaining, reset, null);
            return new Signal(Outcome.SUCCESS, new RateHints(null, List.of(quota)));
        }

        long update() {
            controller.onAdmitted(Cost.ONE, ++permit, now);
            at = at + 1 & SIGNALS - 1;
            now += SECOND;
            controller.onSignal(signals[at], this, now);
            return controller.dueNanos(Cost.NONE, Cost.ONE, now);
        }

        @Override
        public double requestsPerSecond() {
            return 1;
        }

        @Override
        public int inFlight() {
            return 0;
        }

        @Override
        public int waiting() {
            return 1;
        }

        @Override
        public long admitted() {
            return at;
        }

        @Override
        public long admittedAtNanos() {
            return now - SECOND;
        }

        @Override
        public long permitId() {
            return permit;
        }

        @Override
        public Cost cost() {
            return Cost.ONE;
        }
    }

    /** A window with a reset. */
    @Benchmark
    public long window() {
        return window.update();
    }

    /** A bucket that others use too. */
    @Benchmark
    public long sharedBucket() {
        return shared.update();
    }

    /** A bucket of one thread. */
    @Benchmark
    public long ownBucket() {
        return alone.update();
    }
}
