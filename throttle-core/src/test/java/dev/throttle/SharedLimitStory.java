package dev.throttle;

import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Keys within one limit, and what the tests of such keys ask of them. */
abstract class SharedLimitStory {

    final Timeline line = new Timeline();
    final SharedLimit tenths = SharedLimit.of("tenths", oneEvery(100));
    final SharedLimit wire =
            SharedLimit.of("wire", Strategies.inFlight().limit(1).build());

    static Strategy oneEvery(long millis) {
        return Strategies.tokenBucket()
                .rate(1, Duration.ofMillis(millis))
                .burst(1)
                .build();
    }

    Throttle.Builder builder(Strategy... limits) {
        Throttle.Builder builder = line.throttle(Strategies.none());
        for (Strategy limit : limits) {
            builder.limit(limit);
        }
        return builder;
    }

    Throttle within(Strategy... limits) {
        return builder(limits).build();
    }

    static void free(CompletableFuture<Permit> place) {
        place.join().complete(Signal.SUCCESS);
    }
}
