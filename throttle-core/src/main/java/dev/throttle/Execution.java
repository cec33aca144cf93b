package dev.throttle;

import dev.throttle.engine.CallPermits;
import dev.throttle.internal.CallContext;
import dev.throttle.retry.RetryDecision;
import dev.throttle.signal.Signal;
import java.util.concurrent.Callable;

/** Runs an action and its repetitions on the calling thread. */
final class Execution {

    private Execution() {}

    static <T> T run(CallPermits call, Callable<T> action, SafeResultClassifier<T> classifier) throws Exception {
        call.captureContext();
        while (true) {
            Permit permit = call.acquire();
            T result;
            try {
                result = CallContext.<T, Exception, RuntimeException>call(call.context(), action::call);
            } catch (Throwable failure) {
                RetryDecision decision = failure instanceof InterruptedException
                        ? permit.complete(Signal.CANCELLED)
                        : classifier.fail(permit, failure);
                if (decision.isRetry() || call.isTurnedAway()) {
                    continue;
                }
                throw failure;
            }
            if (!classifier.complete(permit, result).isRetry() && !call.isTurnedAway()) {
                return result;
            }
            classifier.discard(result);
        }
    }
}
