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

    /** By how much the count has fallen more than by own requests. */
    private double foreign;
    /** Since when there has been too little for a request. */
    private boolean dry;

    private long dryAt;
    private boolean trying;

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
        foreign = 0;
        dry = false;
        trying = false;
        reset = Double.NaN;
    }

    /** {@return whether this is still a quota that nobody else uses} */
    boolean read(double value, double untilReset, boolean refused, int permits, int wire, long now) {
        if (!refused) {
            answered += permits;
        }
        foreign = Math.max(0, foreign + count - value - (refused ? 0 : permits));
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
        if (value >= 2) {
            dry = false;
            trying = false;
        } else if (!dry) {
            dry = true;
            dryAt = now;
        }
        return foreign < wire + 3;
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
        double wait = rate > 0 ? (need + 1 - count) / rate : Double.POSITIVE_INFINITY;
        if (reset > 0) {
            wait = Math.min(wait, reset);
        }
        if (dry) {
            double probe = Math.max(tuning.firstProbe, tuning.probeShare * (countAt - dryAt) / 1e9);
            wait = reset > 0 ? Math.min(wait, Math.max(probe, reset)) : Math.min(wait, probe);
        }
        wait = Math.min(wait, settings.maxInterval);
        return countAt + Nanos.ofSeconds(wait) - now > 0 ? countAt + Nanos.ofSeconds(wait) : now;
    }
}
