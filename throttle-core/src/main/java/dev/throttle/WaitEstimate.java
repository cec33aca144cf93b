package dev.throttle;

import dev.throttle.internal.DurationText;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Says how long a call would have to wait if it arrived now, and why callers are waiting. See
 * {@link Throttle#estimateWait}. {@link #toString()} says the latter in one sentence, for a log.
 *
 * @param label the key of the throttle, as it is shown
 * @param state the state that the program has put the throttle in
 * @param waiting how many callers are in the queue, ahead of a new one; calls between two attempts are included
 * @param inFlight requests that were sent and have not ended
 * @param atLeast the least wait of the call, as far as it is known; zero if the call would be sent at once, or if the
 *     wait depends on the end of other requests or of a pause
 * @param reason what the call would wait for, as in {@link ThrottleRejectedException#reason()}; {@code queue-full},
 *     {@code draining} or {@code closed} if it would be rejected; empty if it would be sent at once
 * @param headReason what the first caller in line, and with it all callers behind, is waiting for: a limit, a strategy,
 *     {@code retry-after}, {@code paused} and the like; empty if no caller is in line
 * @param headWaited how long the first caller in line has waited so far; zero if no caller is in line
 * @param headAtLeast the least time that it still has to wait, as far as it is known; zero if that depends on the end
 *     of other requests or of a pause
 * @param lastStatus the status of the last refusal, if calls wait because of it ({@code overload} or
 *     {@code retry-after}); null if they do not, or if it had no status
 * @param lastRefusedAgo how long ago that was, or how long ago a request got no answer; null if calls do not wait
 *     because of it
 * @param quota the name of the server's quota that the call would wait for; null if it has none, or if the call would
 *     wait for something else
 * @param headQuota the name of the server's quota that the first caller in line is waiting for; null as above
 */
public record WaitEstimate(
        String label,
        ThrottleState state,
        int waiting,
        int inFlight,
        Duration atLeast,
        String reason,
        String headReason,
        Duration headWaited,
        Duration headAtLeast,
        @Nullable Integer lastStatus,
        @Nullable Duration lastRefusedAgo,
        @Nullable String quota,
        @Nullable String headQuota) {

    /** {@return whether the call would be sent without a wait} */
    public boolean isAtOnce() {
        return reason.isEmpty();
    }

    @Override
    public String toString() {
        String sent = inFlight + (inFlight == 1 ? " request is" : " requests are") + " in flight";
        String begin = label + (state == ThrottleState.RUNNING ? "" : " (" + word() + ")") + ": ";
        if (waiting == 0) {
            return begin + "no call is waiting, " + sent + newcomer() + last();
        }
        String callers = begin + waiting + (waiting == 1 ? " call is waiting, " : " calls are waiting, ");
        if (headReason.isEmpty()) {
            return callers + "all between two attempts, " + sent + newcomer() + last();
        }
        return callers + "the first for " + DurationText.spoken(headWaited) + " (" + headReason + of(headQuota)
                + ") with " + time(headAtLeast) + " to go; " + sent + last();
    }

    private static String of(@Nullable String name) {
        return name == null ? "" : ", quota " + name;
    }

    private static String time(Duration atLeast) {
        return atLeast.isZero() ? "an unknown time" : "at least " + DurationText.spoken(atLeast);
    }

    /** {@return what a call would wait for, where no call waits that shows it} */
    private String newcomer() {
        boolean isTurnedAway = state == ThrottleState.CLOSED || state == ThrottleState.DRAINING;
        if (isAtOnce() || isTurnedAway) {
            return "";
        }
        return "; a new call would " + (reason.equals("queue-full") ? "be rejected" : "wait " + time(atLeast)) + " ("
                + reason + of(quota) + ")";
    }

    private String last() {
        if (lastRefusedAgo == null) {
            return "";
        }
        String what = lastStatus == null ? "the last request got no answer" : "the last answer was " + lastStatus;
        return "; " + what + ", " + DurationText.spoken(lastRefusedAgo) + " ago";
    }

    private String word() {
        return state.name().toLowerCase(Locale.ROOT);
    }
}
