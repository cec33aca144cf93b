package dev.throttle.lab.fleet;

import io.lettuce.core.RedisFuture;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** An answer as Lettuce gives it. No thread may block for it, because simulated time would stand still. */
final class SimulatedAnswer<V extends @Nullable Object> extends CompletableFuture<V> implements RedisFuture<V> {

    @Override
    public @Nullable String getError() {
        return isCompletedExceptionally() ? "failed" : null;
    }

    @Override
    public boolean await(long timeout, TimeUnit unit) {
        throw new UnsupportedOperationException("there is no time to wait in");
    }
}
