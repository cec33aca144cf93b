package dev.throttle.control.quota;

import dev.throttle.control.RateLimit.Load;
import dev.throttle.control.Scope;
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

    /** A quota whose reset was this far away is taken for a window until it shows that it is none. */
    private static final double LONG_SECONDS = 900;

    private final PacingSettings settings;
    private final Tuning tuning;
    private final Sharers sharers;
    private final RandomGenerator random;
    private final WindowLaw window;
    /** Null while the quota is certainly a window. Most are windows, and this law keeps a long history. */
    private @Nullable RollingLaw rolling;
    /** Null until an answer does not tell a reset. */
    private @Nullable LearnedReset learned;
    /** Null until an answer does not tell a reset. */
    private @Nullable SharedStock stock;

    private @Nullable String policy;
    private @Nullable String partition;
    private boolean used;
    /** Permits on the wire that it does not count. */
    private int passing;

    private boolean resets;
    private boolean isNew;
    private int silent;
    private int unseen;
    private double count;
    /** When the reset is that was told last. */
    private long resetAt;

    PolicyView(PacingSettings settings, Tuning tuning, Sharers sharers, RandomGenerator random) {
        this.settings = settings;
        this.tuning = tuning;
        this.sharers = sharers;
        this.random = random;
        this.window = new WindowLaw(settings, tuning, sharers);
    }

    boolean isUsed() {
        return used;
    }

    boolean isOf(Quota quota) {
        return used && Objects.equals(policy, quota.policy()) && Objects.equals(partition, quota.partition());
    }

    @Nullable String policy() {
        return policy;
    }

    /** {@return whether it is used, and counts calls of a scope} */
    boolean counts(Scope scope) {
        return used && scope.counts(policy);
    }

    /** So many permits are on the wire, or no longer, that it does not count. */
    void passed(int permits) {
        passing = Math.max(0, passing + permits);
    }

    /** {@return how many of the permits on the wire it counts} */
    int wire(int all) {
        passing = Math.min(passing, all);
        return all - passing;
    }

    /** {@return how many answers in a row have not told of it, of whatever calls} */
    int unseen() {
        return unseen;
    }

    void begin(Quota quota) {
        used = true;
        passing = 0;
        policy = quota.policy();
        partition = quota.partition();
        resets = false;
        silent = 0;
        unseen = 0;
        window.forget();
        learned = null;
        rolling = null;
        stock = null;
        isNew = true;
    }

    boolean isWindow() {
        return resets && window.kind() != WindowLaw.Kind.ROLLING;
    }

    /**
     * An answer does not tell of this policy.
     *
     * @param isOwn whether the policy counts its call, so that it could have told
     */
    void missing(boolean isOwn) {
        unseen++;
        if (isOwn && ++silent > GIVE_UP_AFTER) {
            used = false;
        }
    }

    void read(Quota quota, boolean refused, @Nullable Duration retryAfter, Load load, int wire, long now) {
        silent = 0;
        unseen = 0;
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
            if (learned == null) {
                learned = new LearnedReset(tuning);
            }
            boolean renewed = learned.read(count, refused, Instants.seconds(retryAfter), admittedAt, now);
            double until = learned.reset(now);
            resets = until >= 0;
            if (resets) {
                window.readLearned(count, limit, until, learned, renewed, admittedAt, wire, now);
            }
        }
        if (needsRolling(quota)) {
            RollingLaw law = rolling();
            if (before && !isWindow()) {
                law.startAnew(); // until now it did not decide
            }
        } else {
            rolling = null;
        }
        if (isNew && !resets && !refused) {
            stock = new SharedStock(settings);
            stock.begin(count, now);
        } else if (resets) {
            stock = null;
        } else if (stock != null) {
            stock.read(count, refused, admittedAt, wire, now);
        }
        isNew = false;
        if (rolling != null && rolling.read(count, limit, reset, refused, load, wire, now) && !refused) {
            rolling.onSuccess(load, now);
        }
    }

    /**
     * {@return whether the law of rolling quotas decides, or may have to soon} A quota with a reset may turn out to be
     * rolling until it has been renewed as a whole. One whose reset is far away hardly ever does.
     */
    private boolean needsRolling(Quota quota) {
        boolean isSure = window.kind() == WindowLaw.Kind.FIXED || window.length() >= LONG_SECONDS;
        return !isWindow() || quota.reset() == null || !isSure;
    }

    /** {@return the law of rolling quotas} */
    private RollingLaw rolling() {
        if (rolling == null) {
            rolling = new RollingLaw(settings, tuning, sharers, random);
        }
        return rolling;
    }

    /** Reads what is not an own answer. It tells of windows only: how a rolling quota refills shows in own answers. */
    void heard(Quota quota, boolean isNew, int wire, long now) {
        Long units = quota.spendable();
        resets |= isNew;
        if (units != null && isWindow()) {
            double limit = quota.limit() == null ? Double.NaN : quota.limit();
            double count = Math.max(0, units);
            double reset = Instants.seconds(quota.reset());
            // Not from an own request. With the time of the lowest reading it proves nothing about accepted requests.
            window.read(count, limit, reset, Instants.seconds(quota.window()), true, window.lowestAt, wire, now);
            if (!isWindow()) {
                rolling().startAnew();
            }
        }
    }

    /** Begins with a quota without a reset that another process has read. */
    void join(Quota quota, long now) {
        Long units = quota.spendable();
        if (units != null) {
            rolling().join((double) Math.max(0, units), now);
        }
    }

    void shared(double factor, long now) {
        if (rolling != null) {
            rolling.shared(factor, now);
        }
    }

    void ended(int permits) {
        window.ended(permits);
        cancelled(permits);
    }

    /** An own request was cancelled that the server may have counted. */
    void cancelled(int permits) {
        if (stock != null) {
            stock.ended(permits);
        }
    }

    boolean explains(int wire) {
        return used && (isWindow() ? window.explains(wire) : rolling != null && rolling.explains(wire));
    }

    void onRefusal(Load load, int wire, long now) {
        if (rolling != null) {
            rolling.onRefusal(load, wire, now);
        }
    }

    void admitted(int permits, double jitter, long id, long now) {
        if (rolling != null) {
            rolling.admitted(permits, jitter, id, now);
        }
    }

    void release(long id) {
        if (rolling != null) {
            rolling.release(id);
        }
    }

    long dueNanos(long ahead, int permits, int wire, long now) {
        if (isWindow()) {
            return window.dueNanos(ahead, permits, wire, now);
        }
        long paced = rolling == null ? now : rolling.dueNanos(ahead, permits, wire, now);
        return stock == null ? paced : Instants.later(paced, stock.dueNanos(ahead, permits, wire, now));
    }

    /**
     * {@return whether a reset has passed and requests fit, even if it brought nothing back} A small bucket of requests
     * of which hardly any are used is full again before each answer, and can never be told from a window.
     */
    boolean isAmple(double permits, long now) {
        return resets && window.kind() == WindowLaw.Kind.UNKNOWN && now - resetAt >= 0 && permits <= AMPLE * count;
    }

    double interval() {
        return isWindow() || rolling == null || rolling.isBlind() ? 0 : rolling.interval();
    }

    boolean isPlentiful(long now) {
        return isWindow() ? !window.isKnown() || window.usable(now) > 10_000 : rolling == null || rolling.isPlentiful();
    }
}
