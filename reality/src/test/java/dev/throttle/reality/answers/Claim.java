package dev.throttle.reality.answers;

import dev.throttle.lab.server.Answer;
import dev.throttle.lab.server.ServerSpec;
import dev.throttle.signal.HintReader;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.ResponseHead;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a client learns from an answer, in whatever headers it is told.
 *
 * @param status the status code
 * @param remaining what is left, null if it does not tell
 * @param reset the seconds until the reset, rounded up, null if it does not tell
 * @param retryAfter the seconds that a refusal tells to wait, rounded up, null if it does not tell
 */
record Claim(
        int status,
        @Nullable Long remaining,
        @Nullable Long reset,
        @Nullable Long retryAfter) {

    private static final HintReader READER = HintReader.standard();

    /** {@return what a product claims} */
    static Claim of(RawAnswer answer) {
        List<String[]> headers =
                answer.limitHeaders().stream().map(line -> line.split(": ", 2)).toList();
        return of(answer.status(), headers, answer.sentMillis());
    }

    /**
     * {@return what a server of the lab claims}
     *
     * @param epochMillis its time of day
     * @param readAtMillis the time of day when its answer is read
     */
    static Claim of(ServerSpec spec, Answer answer, long epochMillis, long readAtMillis) {
        List<String[]> headers = new ArrayList<>();
        spec.writeHeaders(answer, epochMillis, (name, value) -> headers.add(new String[] {name, value}));
        return of(answer.status(), headers, readAtMillis);
    }

    private static Claim of(int status, List<String[]> headers, long readAtMillis) {
        RateHints hints = READER.read(
                new ResponseHead() {
                    @Override
                    public int status() {
                        return status;
                    }

                    @Override
                    public void forEachHeader(HeaderVisitor visitor) {
                        headers.forEach(header -> visitor.visit(header[0], header[1]));
                    }
                },
                readAtMillis);
        Quota quota = hints.quotas().isEmpty() ? null : hints.quotas().get(0);
        Long remaining = quota == null ? null : quota.remaining();
        Long reset = quota == null ? null : seconds(quota.reset());
        // On a success, Retry-After says no more than the reset. On a refusal, it may be that of the next millisecond.
        Long retryAfter = status == 200 ? null : seconds(hints.retryAfter());
        boolean isReset = reset != null && retryAfter != null && reset - retryAfter == 1;
        return new Claim(status, remaining, reset, isReset ? reset : retryAfter);
    }

    /**
     * {@return whether a product claims the same; some tell nothing but the refusal, and some more than the lab does}
     */
    boolean agreesWith(Claim product) {
        boolean silent = status != 200 && product.remaining == null;
        return status == product.status
                && (silent || Objects.equals(remaining, product.remaining))
                && (silent || Objects.equals(reset, product.reset))
                && (retryAfter == null || retryAfter.equals(product.retryAfter));
    }

    private static @Nullable Long seconds(@Nullable Duration duration) {
        return duration == null ? null : duration.plusNanos(999_999_999).toSeconds();
    }
}
