package dev.throttle.control.quota;

import dev.throttle.control.RateController;
import dev.throttle.internal.Nanos;

/** A copy of a rolling quota that nobody else uses. */
final class BucketReplica {

    /** A new estimate of the refill is begun after so many own answers. */
    private static final int SEGMENT = 32;

    private final QuotaPacing settings;
    private final Tuning tuning;

    private double count;
    private long countAt;
    private double reset;
    private double answered;
    private double rate;

    private double count0;
    private long at0;
    private double answered0;
    private double count1;
    private long at1;
    private double answered1;

    /** The least that remained and was served together. */
    private double proven;

    private double mostWire;
    /** Since when there has been too little for a request. */
    private boolean dry;

    private long dryAt;
    private boolean trying;
    private long admitted0;

    BucketReplica(QuotaPacing settings, Tuning tuning) {
        this.settings = settings;
        this.tuning = tuning;
    }

    void begin(double value, long now) {
        count = value;
        countAt = now;
        answered = 0;
        rate = 0;
        count0 = value;
        at0 = now;
        answered0 = 0;
        count1 = value;
        at1 = now;
        answered1 = 0;
        proven = 0;
        mostWire = 0;
        admitted0 = now - 1_000_000_000_000L;
        dry = false;
        trying = false;
        reset = Double.NaN;
    }

    /** {@return whether this is still a quota that nobody else uses} */
    boolean read(double value, double untilReset, boolean refused, int permits, long admittedAt, int wire, long now) {
        if (!refused) {
            answered += permits;
        }
        mostWire = Math.max(wire + 1, 0.95 * mostWire);
        // Alone, what remains and what was served never fall together.
        boolean foreign = value + answered + wire < proven - 2;
        proven = Math.max(proven, value + answered - mostWire);
        if (admittedAt - admitted0 < 0) {
            return !foreign; // older than what is known
        }
        admitted0 = admittedAt;
        count = value;
        countAt = now;
        reset = untilReset;
        double seconds = (now - at0) / 1e9;
        if (seconds > 0) {
            rate = Math.max(0, value - count0 + answered - answered0 - 1) / seconds;
        }
        if (answered - answered1 >= SEGMENT) {
            count0 = count1;
            at0 = at1;
            answered0 = answered1;
            count1 = value;
            at1 = now;
            answered1 = answered;
        }
        if (value >= 1) {
            dry = false;
            trying = false;
        } else if (!dry) {
            dry = true;
            dryAt = now;
        }
        return !foreign;
    }

    /** {@return whether that was to be expected} */
    boolean refused(int wire, long now) {
        return trying || count < 1;
    }

    void admitted(long now) {
        trying = dry;
    }

    long dueNanos(long ahead, int permits, int wire, long now) {
        double need = permits + ahead;
        double level = count + rate * (now - countAt) / 1e9;
        if (level - wire >= need + 1) {
            return now;
        }
        if (wire > 0) {
            return RateController.UNTIL_SIGNAL;
        }
        double wait = rate > 0 ? (need + 1 - count) / rate : tuning.firstProbe;
        if (dry) {
            wait = reset > 0 ? reset : Math.max(wait, tuning.probeShare * (countAt - dryAt) / 1e9);
        }
        wait = Math.min(wait, settings.maxInterval);
        return countAt + Nanos.ofSeconds(wait) - now > 0 ? countAt + Nanos.ofSeconds(wait) : now;
    }
}
