package dev.throttle.engine;

import dev.throttle.internal.DurationText;
import dev.throttle.signal.Outcome;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The attempt of a key that was refused last, or that got no answer.
 *
 * @param outcome how it ended
 * @param statusCode the status of the answer; 0 if it had none, or if it is not known
 * @param at when it ended
 */
record LastRefusal(Outcome outcome, int statusCode, long at) {

    /** {@return whether it says more about a wait: other waits are for what the program or the strategy decides} */
    boolean explains(String reason) {
        boolean isTelling = statusCode != 0 || outcome == Outcome.UNREACHABLE;
        return isTelling && (reason.equals(Outage.REASON) || reason.equals(Gate.RETRY_AFTER));
    }

    /** {@return the status of the answer; null if there was none, or if it is not known} */
    @Nullable Integer status() {
        return statusCode == 0 ? null : statusCode;
    }

    Duration age(long now) {
        return Duration.ofNanos(Math.max(0, now - at));
    }

    /** {@return what it was, for a sentence} */
    String text() {
        return statusCode == 0 ? "the last request got no answer" : "the last answer was " + statusCode;
    }

    /** {@return the same with how long ago it was} */
    String text(long now) {
        return text() + ", " + DurationText.spoken(age(now)) + " ago";
    }
}
