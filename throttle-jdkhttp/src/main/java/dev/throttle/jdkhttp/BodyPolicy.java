package dev.throttle.jdkhttp;

import dev.throttle.internal.Faults;
import dev.throttle.internal.Nanos;
import dev.throttle.signal.BodyClassifier;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import dev.throttle.time.TimeSource;
import java.net.http.HttpHeaders;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * How bodies are looked at and discarded. It holds no client, since exchanges hold it.
 *
 * @param maxBytes how much of a refused body is read, before its connection is given up
 * @param maxTime how long a body is looked at, and how long a refused one is read
 * @param time the time
 * @param executor where time limits are seen to
 * @param clientExecutor the wrapped client's executor; null if it has none that is known
 * @param classifier recognizes refusals by their bodies
 * @param faults reports what the classifier throws
 */
record BodyPolicy(
        long maxBytes,
        Duration maxTime,
        TimeSource time,
        Executor executor,
        @Nullable Executor clientExecutor,
        BodyClassifier classifier,
        Faults faults) {

    /** Runs a task when the time is over, off the timer's thread: the client goes on from there. */
    TimeSource.ScheduledTask atTimeLimit(Runnable task) {
        return time.schedule(Nanos.of(maxTime), () -> SendingThreads.execute(executor, task));
    }

    /** {@return whether the classifier wants to see the body} */
    boolean needsBody(ResponseHead head, Signal said) {
        try {
            return classifier.needsBody(head, said);
        } catch (Throwable e) {
            faults.report(e);
            return false;
        }
    }

    /** {@return what a response says with its body; what its head says if the body tells no more} */
    Signal classify(ResponseHead head, Signal said, byte[] start, HttpHeaders headers) {
        try {
            Signal told = classifier.classify(head, said, BodyStart.text(start, headers));
            return told == null ? said : told;
        } catch (Throwable e) {
            faults.report(e);
            return said;
        }
    }
}
