package dev.throttle.observe;

import dev.throttle.engine.RecordedCall;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The times that the refusals of a server name.
 *
 * @param isTold whether they name any
 * @param always the time that all of them name; null if it differs
 * @param inSeconds whether they name whole seconds
 */
record Waits(boolean isTold, @Nullable Duration always, boolean inSeconds) {

    private static final int MANY = 3;

    static Waits of(List<RecordedCall> calls) {
        List<RecordedCall> refused =
                calls.stream().filter(RecordedCall::isRefused).toList();
        List<Duration> told = refused.stream()
                .map(RecordedCall::retryAfter)
                .filter(Objects::nonNull)
                .toList();
        boolean isSame = told.size() >= MANY && told.stream().distinct().count() == 1;
        return new Waits(
                told.size() * 2 > refused.size(),
                isSame ? told.get(0) : null,
                told.stream().allMatch(Telling::isWhole));
    }

    @Nullable Duration of(long nanos) {
        if (!isTold) {
            return null;
        }
        return always == null ? Telling.rounded(nanos, inSeconds) : always;
    }
}
