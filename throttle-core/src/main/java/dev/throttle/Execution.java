package dev.throttle;

import dev.throttle.internal.Preconditions;
import dev.throttle.signal.Signal;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs an action and its repetitions on the calling thread. */
final class Execution {

    private static final Logger LOG = LoggerFactory.getLogger(Throttle.class);

    private Execution() {}

    static <T> T run(ThrottledCall call, Callable<T> action, ResultClassifier<? super T> signals) throws Exception {
        while (true) {
            Permit permit = call.acquire();
            T result;
            try {
                result = action.call();
            } catch (Throwable failure) {
                Signal signal = failure instanceof InterruptedException ? Signal.CANCELLED : read(signals, failure);
                if (permit.complete(signal).isRetry()) {
                    continue;
                }
                throw failure;
            }
            if (!permit.complete(readResult(signals, result)).isRetry()) {
                return result;
            }
        }
    }

    static <T> Signal readResult(ResultClassifier<? super T> signals, T result) {
        try {
            return Preconditions.required("signal", signals.onResult(result));
        } catch (Throwable e) {
            LOG.warn("a signal reader failed on a result", e);
            return Signal.SUCCESS;
        }
    }

    static Signal read(ResultClassifier<?> signals, Throwable failure) {
        try {
            return Preconditions.required("signal", signals.onFailure(failure));
        } catch (Throwable e) {
            LOG.warn("a signal reader failed on an exception", e);
            return Signal.IGNORED;
        }
    }
}
