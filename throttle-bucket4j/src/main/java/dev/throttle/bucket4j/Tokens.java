package dev.throttle.bucket4j;

import io.github.bucket4j.Bucket;
import io.github.bucket4j.distributed.AsyncBucketProxy;
import java.util.concurrent.CompletableFuture;

/** One bucket of a back-end, whichever way it is asked. */
interface Tokens {

    /** Takes as many as there are, but not more than so many. */
    CompletableFuture<Long> takeUpTo(long most);

    /** Takes tokens even if there are none; {@return in how many nanoseconds they will be there} */
    CompletableFuture<Long> owe(long count);

    void giveBack(long count);

    static Tokens of(AsyncBucketProxy bucket) {
        return new Tokens() {
            @Override
            public CompletableFuture<Long> takeUpTo(long most) {
                return bucket.tryConsumeAsMuchAsPossible(most);
            }

            @Override
            public CompletableFuture<Long> owe(long count) {
                return bucket.consumeIgnoringRateLimits(count);
            }

            @Override
            @SuppressWarnings("FutureReturnValueIgnored") // best effort; no caller waits for it
            public void giveBack(long count) {
                bucket.addTokens(count);
            }
        };
    }

    /** A back-end that can only be waited for, which is done on the limit's executor. */
    static Tokens of(Bucket bucket) {
        return new Tokens() {
            @Override
            public CompletableFuture<Long> takeUpTo(long most) {
                return CompletableFuture.completedFuture(bucket.tryConsumeAsMuchAsPossible(most));
            }

            @Override
            public CompletableFuture<Long> owe(long count) {
                return CompletableFuture.completedFuture(bucket.consumeIgnoringRateLimits(count));
            }

            @Override
            public void giveBack(long count) {
                bucket.addTokens(count);
            }
        };
    }
}
