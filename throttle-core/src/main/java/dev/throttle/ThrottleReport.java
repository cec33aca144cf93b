package dev.throttle;

import dev.throttle.internal.DurationText;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a throttle would have done while it only observed: {@link Throttle#report()} makes it. The recorded calls are
 * replayed at the times at which they came, with the settings of the throttle, against a model of the server. The model
 * has the limits that were learned from the recorded answers.
 *
 * @param label the key of the throttle, as it is shown
 * @param observed how long the throttle has observed
 * @param calls how many requests it has seen in that time
 * @param refused how many of them the server refused because a limit was reached
 * @param replayed how many of the requests are kept and were replayed. A busy key keeps about 50,000, and drops first
 *     those from times without refusals
 * @param replayedRefused how many of these the server refused
 * @param repeated how many of these were left out of the replay, since they repeat a refused request: they have the
 *     same method and URL, and came within ten minutes
 * @param predictedRefused how many requests would still have been refused
 * @param waitP50 the median of the waits of the calls
 * @param waitP99 the wait that one of a hundred calls would have exceeded
 * @param waitMax the longest wait
 * @param delayed how many calls would have waited
 * @param rejected how many calls would have been rejected with a {@link ThrottleRejectedException}
 * @param limits the limits that were learned
 * @param explained the share of the recorded answers that the limits explain, from 0 to 1. If it is below 0.9, do not
 *     rely on the rest
 * @param isComplete whether all kept requests were replayed; false if it took too long
 */
public record ThrottleReport(
        String label,
        Duration observed,
        long calls,
        long refused,
        long replayed,
        long replayedRefused,
        long repeated,
        long predictedRefused,
        Duration waitP50,
        Duration waitP99,
        Duration waitMax,
        long delayed,
        long rejected,
        List<LearnedLimit> limits,
        double explained,
        boolean isComplete) {

    private static final double PERCENT = 100;

    /**
     * A limit of the server, as far as it was learned.
     *
     * @param quota the name of the quota; null if it has none
     * @param kind what kind of limit it is, such as {@code fixed window} or {@code bucket}
     * @param amount how much the server grants per window, or what a bucket holds
     * @param unit what is counted, such as {@code requests}
     * @param window the window, or the time in which an empty bucket fills
     * @param othersShare which share of what was used of it others have used, from 0 to 1; 0 if that is not told
     */
    public record LearnedLimit(
            @Nullable String quota, String kind, double amount, String unit, Duration window, double othersShare) {

        @Override
        public String toString() {
            String others =
                    othersShare < 0.005 ? "" : ", of which others use " + Math.round(PERCENT * othersShare) + " %";
            return (quota == null ? "" : quota + ": ") + number(amount) + " " + unit + " per "
                    + DurationText.spoken(window) + " (" + kind + ")" + others;
        }

        private static String number(double value) {
            return value < 10 && value != Math.rint(value)
                    ? String.format(Locale.ROOT, "%.1f", value)
                    : Long.toString(Math.round(value));
        }
    }

    /**
     * Checks nothing; the list becomes unmodifiable.
     *
     * @param label see the record
     * @param observed see the record
     * @param calls see the record
     * @param refused see the record
     * @param replayed see the record
     * @param replayedRefused see the record
     * @param repeated see the record
     * @param predictedRefused see the record
     * @param waitP50 see the record
     * @param waitP99 see the record
     * @param waitMax see the record
     * @param delayed see the record
     * @param rejected see the record
     * @param limits see the record
     * @param explained see the record
     * @param isComplete see the record
     */
    public ThrottleReport {
        limits = List.copyOf(limits);
    }

    /** {@return how many refusals of the replayed requests would not have happened; 0 if there were more} */
    public long avoided() {
        return Math.max(0, replayedRefused - predictedRefused);
    }

    /** {@return the report in some sentences} */
    @Override
    public String toString() {
        String learned = limits.isEmpty()
                ? "No limit was learned."
                : "Learned: " + limits.stream().map(LearnedLimit::toString).collect(Collectors.joining("; ")) + ".";
        String kept = replayed == calls ? "" : " Replayed " + replayed + " of them, " + replayedRefused + " refused.";
        return label + ": observed " + calls + " requests in " + DurationText.spoken(observed) + ", " + refused
                + " refused." + kept + " " + avoided() + " refusals would have been avoided, and " + predictedRefused
                + " would have remained. Calls would have waited " + DurationText.spoken(waitP50) + " (median), "
                + DurationText.spoken(waitP99) + " (99th percentile), " + DurationText.spoken(waitMax)
                + " at most; " + rejected + " would have been rejected. " + learned + " The limits explain "
                + String.format(Locale.ROOT, "%.1f", PERCENT * explained) + " % of the answers."
                + (isComplete ? "" : " The replay was cut short.");
    }
}
