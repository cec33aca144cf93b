package dev.throttle;

import dev.throttle.engine.Acquisition;
import dev.throttle.signal.Signal;
import java.util.concurrent.Callable;

/** Runs an action and its repetitions on the calling thread. */
final class Execution {

    private Execution() {}

    static <T> T run(Acquisition<Permit> call, Callable<T> action, Reading<T> reading) throws Exception {
        while (true) {
            Permit permit = call.acquire();
            T result;
            try {
                result = action.call();
            } catch (Throwable failure) {
                Signal signal = failure instanceof InterruptedException ? Signal.CANCELLED : reading.ofFailure(failure);
                if (permit.complete(signal).isRetry()) {
                    continue;
                }
                throw failure;
            }
            if (!permit.complete(reading.ofResult(result)).isRetry()) {
                return result;
            }
            reading.discard(result);
        }
    }
}
