package dev.throttle;

import dev.throttle.internal.DurationText;
import java.time.Duration;
import java.util.Locale;

/**
 * Why callers of a throttle wait, at one moment. {@link #toString()} says it in a sentence for a log.
 *
 * @param label the key of the throttle, as it is shown
 * @param state whether the throttle lets calls go, as the program has asked of it
 * @param waiting callers in the queue: so many are ahead of a newcomer, those that rest between two attempts included
 * @param inFlight requests on the wire
 * @param reason what the first in line waits for, and with it everybody behind: a limit, a strategy,
 *     {@code retry-after}, {@code paused} and the like; empty if nobody stands in line
 * @param waited how long the first in line has waited so far; zero if nobody stands there
 * @param atLeast how long it has to wait still, at least, as far as it is known; zero where only the end of other
 *     requests, or the end of a pause, can tell
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
        String wire = inFlight + (inFlight == 1 ? " request is" : " requests are") + " on the wire";
        String begin = label + (state == ThrottleState.RUNNING ? "" : " (" + word() + ")") + ": ";
        if (waiting == 0) {
            return begin + "nobody waits, " + wire;
        }
        String callers = begin + waiting + (waiting == 1 ? " call waits, " : " calls wait, ");
        if (reason.isEmpty()) {
            return callers + "all of them between two attempts, " + wire;
        }
        String left = atLeast.isZero()
                ? "for nobody knows how long"
                : "for another " + DurationText.spoken(atLeast) + " at least";
        return callers + "the first since " + DurationText.spoken(waited) + " (" + reason + ") and " + left + "; "
                + wire;
    }

    private String word() {
        return state.name().toLowerCase(Locale.ROOT);
    }
}
