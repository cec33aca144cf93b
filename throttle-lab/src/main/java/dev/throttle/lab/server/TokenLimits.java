package dev.throttle.lab.server;

import dev.throttle.internal.DurationText;
import dev.throttle.internal.Preconditions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The limits of costs of a server. They are full at the start.
 *
 * @param unit what the first limit counts
 * @param capacity its capacity
 * @param window the time in which all of it comes back
 * @param isWindow whether it comes back all at once, at the end of each window; otherwise little by little
 * @param outputCapacity the capacity of a second limit, of output tokens; the first one then counts input tokens; null
 *     for none
 * @param charge when costs are booked
 */
public record TokenLimits(
        String unit,
        long capacity,
        Duration window,
        boolean isWindow,
        @Nullable Long outputCapacity,
        Charge charge) {

    /** What the first of two limits counts. */
    public static final String INPUT = "input-tokens";

    /** What the second of two limits counts. */
    public static final String OUTPUT = "output-tokens";

    static final long MOST = 1_000_000_000;

    public TokenLimits {
        Preconditions.between("--token-capacity", capacity, 1, MOST);
        Preconditions.check(
                !window.isZero() && window.compareTo(ServerSpec.LONGEST) <= 0,
                "--token-window",
                DurationText.format(window),
                "a duration above zero, 366 days at most");
        if (outputCapacity != null) {
            Preconditions.between("--output-capacity", outputCapacity, 1, MOST);
        }
    }

    List<Meter> meters() {
        List<Meter> meters = new ArrayList<>();
        meters.add(meter(capacity));
        if (outputCapacity != null) {
            meters.add(meter(outputCapacity));
        }
        return meters;
    }

    private Meter meter(long each) {
        return isWindow ? new MeterWindow(each, window.toNanos()) : new MeterBucket(each, window.toNanos(), each);
    }

    /** {@return the limits for a client that knows all costs and makes no debts} */
    TokenLimits knowable() {
        return charge == Charge.END
                ? new TokenLimits(unit, capacity, window, isWindow, outputCapacity, Charge.ARRIVAL)
                : this;
    }

    /** {@return what the limits count, in their order} */
    public List<String> units() {
        return outputCapacity == null ? List.of(unit) : List.of(INPUT, OUTPUT);
    }

    /**
     * {@return the most that one call can take of a limit}
     *
     * @param index the limit, the first one having the index 0
     */
    public long most(int index) {
        return index == 0 || outputCapacity == null ? capacity : outputCapacity;
    }
}
