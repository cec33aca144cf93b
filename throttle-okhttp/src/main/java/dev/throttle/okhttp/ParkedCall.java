package dev.throttle.okhttp;

import dev.throttle.client.Attempt;
import dev.throttle.client.KeyedCall;
import java.io.IOException;
import okhttp3.Call;
import okhttp3.Interceptor;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * A call of the factory, which waits and repeats outside of OkHttp's calls. Each attempt is a call of OkHttp's own,
 * tagged with this one, so that the interceptor below lets it pass.
 */
abstract class ParkedCall extends OkHttpCall {

    /** An attempt that needs longer than this from the factory to its thread was kept waiting. */
    private static final long OVERDUE_NANOS = 100_000_000;

    private final ThrottlingCall call;
    private volatile boolean isClaimed;
    private volatile long handedOverAt;
    /** What the next attempt is to end with, instead of being sent. */
    private volatile @Nullable IOException failure;

    ParkedCall(Config config, KeyedCall keyed, ThrottlingCall call) {
        super(config, call.request(), keyed);
        this.call = call;
    }

    final ThrottlingCall call() {
        return call;
    }

    @Override
    final Call okHttpCall() {
        return call.current();
    }

    /** {@return OkHttp's call for an attempt that has its permits} */
    final Call handOver(Attempt next) {
        begin(next);
        handedOverAt = keyed().time().nanoTime();
        return tagged();
    }

    private Call tagged() {
        isClaimed = false;
        Call attempt = call.fresh();
        CallTag.of(attempt).add(this);
        return attempt;
    }

    /** An older OkHttp would keep a call for ever whose tag refers to it. */
    final void endAttempt(Call attempt) {
        CallTag.of(attempt).remove(this);
    }

    /**
     * Ends an attempt that is not sent as OkHttp ends one that fails, so that its listeners hear of it. On the calling
     * thread, as it takes no slot.
     */
    final void fail(IOException cause) {
        failure = cause;
        Call attempt = tagged();
        try (Response response = attempt.execute()) {
            throw new IllegalStateException("a call that failed was sent: " + response);
        } catch (IOException e) {
            // The failure, as it was meant.
        } finally {
            endAttempt(attempt);
        }
    }

    /** {@return whether the interceptor that asks is the first to see the attempt} */
    final boolean claim() {
        boolean isFirst = !isClaimed;
        isClaimed = true;
        return isFirst;
    }

    /** Sends an attempt, or ends it. If it stood in the dispatcher's queue, its permits are not worth anything now. */
    final Response pass(Interceptor.Chain chain, CallTag tag) throws IOException {
        IOException cause = failure;
        if (cause != null) {
            throw cause;
        }
        if (keyed().time().nanoTime() - handedOverAt > OVERDUE_NANOS) {
            keyed().release();
            try {
                tag.acquire(keyed(), chain.call());
            } catch (InterruptedException | IOException | RuntimeException e) {
                throw asIOException(e);
            }
            keyed().endWait();
        }
        timesOutAfter(chain.call().timeout().timeoutNanos());
        return proceed(chain);
    }
}
