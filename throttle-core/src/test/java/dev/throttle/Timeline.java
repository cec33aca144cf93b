package dev.throttle;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategy;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Virtual time, and what happened on it: {@code name@milliseconds}, with a mark where a wait failed. */
final class Timeline {

    final VirtualTime time;
    final List<String> events = new ArrayList<>();
    private final long start;

    Timeline() {
        this(new VirtualTime());
    }

    Timeline(VirtualTime time) {
        this.time = time;
        this.start = time.nanoTime();
    }

    /** A throttle without any jitter on this time, whose futures are completed on the spot. */
    Throttle.Builder throttle(Strategy strategy) {
        return settings(Throttle.builder(), strategy);
    }

    /** Throttles for keys, with the same settings. */
    ThrottleRegistry.Builder registry(Strategy strategy) {
        return settings(ThrottleRegistry.builder(), strategy);
    }

    private <B extends ThrottleSettings<B>> B settings(B builder, Strategy strategy) {
        return builder.strategy(strategy)
                .retryAfterJitter(0, Duration.ZERO)
                .time(time)
                .executor(Runnable::run)
                .seed(1);
    }

    CompletableFuture<Permit> ask(Throttle throttle, String name) {
        return ask(Calls.of(throttle).newCall(), name);
    }

    CompletableFuture<Permit> ask(ThrottledCall call, String name) {
        return record(call.acquireAsync(), name);
    }

    CompletableFuture<Permit> record(CompletableFuture<Permit> admission, String name) {
        admission.whenComplete((permit, failure) -> add(name + mark(failure)));
        return admission;
    }

    private static String mark(@Nullable Throwable failure) {
        if (failure == null) {
            return "";
        }
        return failure instanceof ThrottleRejectedException ? " rejected" : " cancelled";
    }

    void add(String event) {
        long nanos = time.nanoTime() - start;
        events.add(event + "@" + nanos / 1_000_000 + (nanos % 1_000_000 == 0 ? "" : "." + nanos % 1_000_000));
    }

    void advanceMillis(long millis) {
        time.advance(Duration.ofMillis(millis));
    }

    static Signal retryAfter(Duration delay) {
        return new Signal(Outcome.RATE_LIMITED, new RateHints(delay, List.of()));
    }

    static Signal remaining(long remaining) {
        return new Signal(Outcome.SUCCESS, new RateHints(null, List.of(new Quota(null, null, remaining, null, null))));
    }

    static Signal exhausted(Outcome outcome, Duration reset) {
        return new Signal(outcome, new RateHints(null, List.of(new Quota("daily", 100L, 0L, reset, null))));
    }

    static ThrottleRejectedException rejection(CompletableFuture<?> future) {
        return (ThrottleRejectedException)
                future.handle((value, failure) -> failure).join();
    }
}
