package dev.throttle.observe;

import dev.throttle.ThrottleRejectedException;
import dev.throttle.Permit;
import dev.throttle.engine.Engine;
import dev.throttle.engine.RecordedCall;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.internal.Nanos;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Recorded calls, made again at their times through an engine that enforces, against a model of their server. */
final class Replay {

    private final List<RecordedCall> calls;
    private final Engine engine;
    private final ServerModel server;
    private final ReplayTime time;
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
     */
    Replay(List<RecordedCall> calls, Engine engine, ServerModel server, ReplayTime time) {
        this.calls = calls;
        this.engine = engine;
        this.server = server;
        this.time = time;
        this.waits = new long[calls.size()];
    }

    /** {@return whether all calls have ended before the time was over} */
    boolean run(BooleanSupplier isOver) {
        scheduleNext();
        while (ended < calls.size() && !isOver.getAsBoolean() && time.step()) {
            // the calls go on
        }
        Arrays.sort(waits, 0, answered);
        return ended == calls.size();
    }

    private void scheduleNext() {
        if (next < calls.size()) {
            RecordedCall call = calls.get(next++);
            time.schedule(call.at() - time.nanoTime(), () -> {
                scheduleNext();
                new Made(call).ask();
            });
        }
    }

    long refused() {
        return refused;
    }

    long rejected() {
        return rejected;
    }

    /** {@return how many calls have waited} */
    long delayed() {
        int atOnce = 0;
        while (atOnce < answered && waits[atOnce] == 0) {
            atOnce++;
        }
        return (long) answered - atOnce;
    }

    /** {@return the wait that a share of the calls does not exceed} */
    long percentile(double share) {
        int index = Math.min(answered - 1, (int) Math.floor(share * answered));
        return answered == 0 ? 0 : waits[index];
    }

    /** One call. */
    private final class Made {

        private final RecordedCall recorded;
        private final ThrottledCall call;
        private @Nullable Permit permit;

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
                    time.schedule(recorded.nanos() / 2, this::arrive);
                }
            });
        }

        private void arrive() {
            Signal answer = recorded.outcome() == Outcome.DENIED
                    ? Signal.DENIED
                    : server.answer(recorded.cost(), time.nanoTime());
            time.schedule(recorded.nanos() - recorded.nanos() / 2, () -> answered(answer));
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
