package dev.throttle.observe;

import dev.throttle.Permit;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.engine.Engine;
import dev.throttle.engine.RecordedCall;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.internal.Nanos;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Recorded calls, made again at their times through an engine that enforces, against a model of their server. */
final class Replay {

    /** Which share of the time until the answer a request is under way to the server, more or less. */
    private static final double HALF = 0.5;

    private static final double VARIATION = 0.05;

    private final List<RecordedCall> calls;
    private final Engine engine;
    private final ServerModel server;
    private final ReplayTime time;
    private final SplittableRandom random;
    private final long[] waits;
    private int ended;
    private int answered;
    private long refused;
    private long rejected;
    private int next;

    /**
     * Makes it.
     *
     * @param calls what is made again, by time
     * @param engine has the time below
     * @param seed the source of all randomness
     */
    Replay(List<RecordedCall> calls, Engine engine, ServerModel server, ReplayTime time, long seed) {
        this.calls = calls;
        this.engine = engine;
        this.server = server;
        this.time = time;
        this.random = new SplittableRandom(seed);
        this.waits = new long[calls.size()];
    }

    /** Makes the calls, unless the time is over before all have ended. */
    void run(BooleanSupplier isOver) {
        scheduleNext();
        while (ended < calls.size() && !isOver.getAsBoolean() && time.step()) {
            // the calls go on
        }
    }

    private void scheduleNext() {
        if (next < calls.size()) {
            RecordedCall call = calls.get(next++);
            time.schedule(call.at() - time.nanoTime(), () -> {
                scheduleNext();
                make(call);
            });
        }
    }

    private void make(RecordedCall recorded) {
        try {
            new Made(recorded).ask();
        } catch (IllegalArgumentException e) { // it costs more than a limit can ever grant
            rejected++;
            ended++;
        }
    }

    long refused() {
        return refused;
    }

    long rejected() {
        return rejected;
    }

    /** {@return what the calls have waited that were not rejected, in nanoseconds} */
    long[] waits() {
        return Arrays.copyOf(waits, answered);
    }

    /** {@return whether all calls have ended} */
    boolean isComplete() {
        return ended == calls.size();
    }

    /** One call. */
    private final class Made {

        private final RecordedCall recorded;
        private final ThrottledCall call;
        private @Nullable Permit permit;
        private long wayThere;

        Made(RecordedCall recorded) {
            this.recorded = recorded;
            this.call = new ThrottledCall(engine, recorded.options());
        }

        void ask() {
            CompletableFuture<Permit> unused = call.acquireAsync().whenComplete((given, failure) -> {
                permit = given;
                if (given == null) {
                    rejected += failure instanceof ThrottleRejectedException ? 1 : 0;
                    ended++;
                } else {
                    wayThere = (long) (recorded.nanos() * (HALF + VARIATION * (2 * random.nextDouble() - 1)));
                    time.schedule(wayThere, this::arrive);
                }
            });
        }

        private void arrive() {
            Signal answer = recorded.outcome() == Outcome.DENIED
                    ? Signal.DENIED
                    : server.answer(recorded.cost(), time.nanoTime());
            time.schedule(recorded.nanos() - wayThere, () -> answered(answer));
        }

        private void answered(Signal answer) {
            refused += answer.outcome() == Outcome.RATE_LIMITED ? 1 : 0;
            boolean isRetried = Objects.requireNonNull(permit).complete(answer).isRetry();
            if (isRetried || call.isTurnedAway()) {
                ask();
            } else {
                waits[answered++] = Nanos.of(call.waited());
                ended++;
            }
        }
    }
}
