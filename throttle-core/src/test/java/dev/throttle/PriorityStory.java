package dev.throttle;

import static dev.throttle.Priority.BATCH;
import static dev.throttle.Priority.INTERACTIVE;

import dev.throttle.client.Calls;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Callers of several classes ask one throttle. */
abstract class PriorityStory {

    static final CallOptions INTERACTIVE_CALL = CallOptions.DEFAULT.priority(INTERACTIVE);
    static final CallOptions NORMAL_CALL = CallOptions.DEFAULT;
    static final CallOptions BATCH_CALL = CallOptions.DEFAULT.priority(BATCH);

    final Timeline line = new Timeline();

    Throttle.Builder paced() {
        return line.throttle(TestStrategies.pace(Duration.ofMillis(10)));
    }

    CompletableFuture<Permit> ask(Throttle throttle, CallOptions options, String name) {
        return line.ask(Calls.of(throttle).newCall(options), name);
    }

    void askAll(Throttle throttle, CallOptions options, String name, int count) {
        for (int i = 1; i <= count; i++) {
            ask(throttle, options, name + i);
        }
    }
}
