package dev.throttle.control.quota;

import dev.throttle.control.RateController.Load;
import dev.throttle.internal.Nanos;
import dev.throttle.signal.Quota;
import java.time.Duration;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** What is known of one policy of the server, and the law that fits it. */
final class PolicyView {

    /** After so many answers that do not tell of a policy it is forgotten. */
    private static final int GIVE_UP_AFTER = 16;

    /** The share of what is left that is taken without knowing what a reset has brought. */
    private static final double AMPLE = 0.5;

    private final WindowLaw window;
    private final LearnedReset learned;
    private final RollingLaw rolling;
    private final SharedStock stock;
    private @Nullable String policy;
    private @Nullable String partition;
    private boolean used;
    private boolean resets;
    private boolean isNew;
    private int silent;
    private double count;
    /** When the reset is that was told last. */
    private long resetAt;

    PolicyView(PacingSettings settings, Tuning tuning, Sharers sharers, RandomGenerator random) {
        this.window = new WindowLaw(settings, tuning, sharers);
        this.learned = new LearnedReset(tuning);
        this.rolling = new RollingLaw(settings, tuning, sharers, random);
        this.stock = new SharedStock(settings);
    }

    boolean isUsed() {
        return used;
    }

    boolean isOf(Quota quota) {
        return used && Objects.equals(policy, quota.policy()) && Objects.equals(partition, quota.partition());
    }

    int silent() {
        return silent;
    }

    void begin(Quota quota) {
        used = true;
        policy = quota.policy();
        partition = quota.partition();
        resets = false;
        silent = 0;
        window.forget();
        learned.forget();
        rolling.forget();
        isNew = true;
        stock.forget();
    }

    boolean isWindow() {
        return resets && window.kind() != WindowLaw.Kind.ROLLING;
    }

    /** An answer that does not tell of this policy. */
    void missing() {
        if (++silent > GIVE_UP_AFTER) {
            used = false;
        }
    }

    void read(Quota quota, boolean refused, @Nullable Duration retryAfter, Load load, int wire, long now) {
        silent = 0;
        Long units = quota.spendable();
        if (units == null) {
            return;
        }
        count = Math.max(0, units);
        double limit = quota.limit() == null ? Double.NaN : quota.limit();
        double reset = Instants.seconds(quota.reset());
        resetAt = reset >= 0 ? now + Nanos.ofSeconds(reset) : now;
        long admittedAt = load.admittedAtNanos();
        resets = reset >= 0;
        boolean before = isWindow();
        if (resets) {
            window.read(count, limit, reset, Instants.seconds(quota.window()), !refused, admittedAt, wire, now);
        } else {
            boolean renewed = learned.read(count, refused, Instants.seconds(retryAfter), admittedAt, now);
            double until = learned.reset(now);
            resets = until >= 0;
            if (resets) {
                window.readLearned(count, limit, until, learned, renewed, admittedAt, wire, now);
            }
        }
        if (before && !isWindow()) {
            rolling.startAnew(); // until now it did not decide
        }
        if (isNew && !resets && !refused) {
            stock.begin(count, now);
        } else if (resets) {
            stock.forget();
        } else {
            stock.read(count, refused, admittedAt, wire, now);
        }
        isNew = false;
        boolean read = rolling.read(count, limit, reset, refused, load, wire, now);
        if (read && !refused) {
            rolling.onSuccess(load, now);
        }
    }

    /** Reads what is not an own answer. It tells of windows only: how a rolling quota refills shows in own answers. */
    void heard(Quota quota, boolean isNew, int wire, long now) {
        Long units = quota.spendable();
        resets |= isNew;
        if (units != null && isWindow()) {
            double limit = quota.limit() == null ? Double.NaN : quota.limit();
            double count = Math.max(0, units);
            double reset = Instants.seconds(quota.reset());
            // No own request: as if it had left no later than what told the lowest count, so that it proves nothing.
            window.read(count, limit, reset, Instants.seconds(quota.window()), true, window.lowestAt, wire, now);
            if (!isWindow()) {
                rolling.startAnew();
            }
        }
    }

    /** The first word of it is somebody else's, and there is no reset. */
    void join(Quota quota, long now) {
        Long units = quota.spendable();
        if (units != null) {
            rolling.join((double) Math.max(0, units), now);
        }
    }

    void shared(double factor, long now) {
        rolling.shared(factor, now);
    }

    void ended(int permits) {
        window.ended(permits);
        stock.ended(permits);
    }

    /** An own request was cancelled that the server may have counted. */
    void cancelled(int permits) {
        stock.ended(permits);
    }

    boolean explains(int wire) {
        return used && (isWindow() ? window.explains(wire) : rolling.explains(wire));
    }

    void onRefusal(Load load, int wire, long now) {
        rolling.onRefusal(load, wire, now);
    }

    void admitted(int permits, double jitter, long now) {
        rolling.admitted(permits, jitter, now);
    }

    void release(long admittedAt) {
        rolling.release(admittedAt);
    }

    long dueNanos(long ahead, int permits, int wire, long now) {
        if (isWindow()) {
            return window.dueNanos(ahead, permits, wire, now);
        }
        return Instants.later(rolling.dueNanos(ahead, permits, wire, now), stock.dueNanos(ahead, permits, wire, now));
    }

    /**
     * {@return whether a reset has passed and requests fit, even if it brought nothing back} A small bucket of requests
     * of which hardly any are used is full again before each answer, and can never be told from a window.
     */
    boolean isAmple(double permits, long now) {
        return resets && window.kind() == WindowLaw.Kind.UNKNOWN && now - resetAt >= 0 && permits <= AMPLE * count;
    }

    double interval() {
        return isWindow() || rolling.isBlind() ? 0 : rolling.interval();
    }

    boolean isPlentiful(long now) {
        return isWindow() ? !window.isKnown() || window.usable(now) > 10_000 : rolling.isPlentiful();
    }
}
