package dev.throttle;

import dev.throttle.internal.DurationText;
import java.time.Duration;
import java.util.Locale;

/**
 * Explains why the callers of a throttle are waiting at one moment. {@link #toString()} says it in one sentence, for a
 * log:
 *
 * <pre>{@code
 * LOG.info("{}", throttle.explainWait());
 * // api: 2 calls are waiting, the first for 2 s (retry-after) with at least 3 s to go; 1 request is in flight
 * }</pre>
 *
 * @param label the key of the throttle, as it is shown
 * @param state the state that the program has put the throttle in
 * @param waiting how many callers are in the queue, ahead of a new one; calls between two attempts are included
 * @param inFlight requests that were sent and have not ended
 * @param reason what the first caller in line, and with it everybody behind, is waiting for: a limit, a strategy,
 *     {@code retry-after}, {@code paused} and the like; empty if nobody is in line
 * @param waited how long the first caller in line has waited so far; zero if nobody is in line
 * @param atLeast the least time that it still has to wait, as far as it is known; zero if that depends on the end of
 *     other requests or of a pause
 */
public record WaitExplanation(
        String label,
        ThrottleState state,
        int waiting,
        int inFlight,
        String reason,
        Duration waited,
        Duration atLeast) {

    @Override
    public String toString() {
        String wire = inFlight + (inFlight == 1 ? " request is" : " requests are") + " in flight";
        String begin = label + (state == ThrottleState.RUNNING ? "" : " (" + word() + ")") + ": ";
        if (waiting == 0) {
            return begin + "no call is waiting, " + wire;
        }
        String callers = begin + waiting + (waiting == 1 ? " call is waiting, " : " calls are waiting, ");
        if (reason.isEmpty()) {
            return callers + "all between two attempts, " + wire;
        }
        String left = atLeast.isZero() ? "an unknown time" : "at least " + DurationText.spoken(atLeast);
        return callers + "the first for " + DurationText.spoken(waited) + " (" + reason + ") with " + left + " to go; "
                + wire;
    }

    private String word() {
        return state.name().toLowerCase(Locale.ROOT);
    }
}
