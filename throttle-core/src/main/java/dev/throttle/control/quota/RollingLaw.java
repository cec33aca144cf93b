package dev.throttle.control.quota;

import dev.throttle.control.RateController;
import dev.throttle.control.RateLimit.Load;
import java.util.random.RandomGenerator;

/**
 * Rolling quotas: buckets and sliding windows. There are two states.
 *
 * <p><b>Alone</b>: the first answer showed a stock, and since then no other client was seen. {@link BucketReplica} lets
 * requests go at full speed, and never more than may be used. When a large stock is spent and the refill has proved to
 * be steady, the state ends, since a newcomer could not be seen any more. It comes back if the quota turns out to be a
 * {@link SlidingReplica sliding window} of which all is accounted for.
 *
 * <p><b>Shared</b>: an interval between requests, in seconds, that {@link RemainingLaw} moves with each answer. What
 * remains is a price that all clients see. A refusal lengthens the interval by {@code quotaCut}, and the refused
 * request waits for up to two such steps longer, at random.
 */
final class RollingLaw {

    private static final int NEVER = 99;
    private static final int GIVE_UP_AFTER = 16;
    /** A process with fewer answers takes over the pace of the others, which know more. */
    private static final int FEW = 5;
    /** A small bucket is full if its count is the same after so many pauses; after fewer it may be by chance. */
    private static final int PAUSES = 3;
    /** The length of a pause, in intervals. */
    private static final double PAUSE = 2;

    private static final double SLACK_HEADROOMS = 4;

    private final PacingSettings settings;
    private final Tuning tuning;
    private final Sharers sharers;
    private final RandomGenerator random;
    private final Pace pace;
    private final Damping damping;
    private final OutlierFilter trust = new OutlierFilter();

    private double remaining = Double.NaN;
    private double change;
    private double swing;
    private double limit = Double.POSITIVE_INFINITY;

    private boolean established;
    private boolean newcomer = true;
    private long readAt;
    private int accepted;
    private final RefusedPace refusals;
    /** Highest remaining count at which a request was refused; some requests cost more than that. */
    private double tooFew;

    /** A copy of the server's bucket; it tells what may be used while no other client is seen. */
    private final BucketReplica replica;

    private boolean alone;
    /**
     * Whether it is alone because of equal counts, which may be by chance; and the refusals since then that contradict.
     */
    private boolean small;

    private int doubts;
    /** Whether it was alone until the stock was spent; the quota may still turn out to be a sliding window. */
    private boolean spent;

    private boolean everRead;
    private boolean shared;
    private long sharedAt;
    private int equal;
    private double firstCount;
    /** Own answers in this state. */
    private int served;
    /** Whether it took over the pace of all when it came. */
    private boolean adopted;

    RollingLaw(PacingSettings settings, Tuning tuning, Sharers sharers, RandomGenerator random) {
        this.settings = settings;
        this.tuning = tuning;
        this.sharers = sharers;
        this.random = random;
        this.pace = new Pace(settings::maxInterval);
        this.damping = new Damping(tuning);
        this.refusals = new RefusedPace(settings, tuning, pace);
        this.replica = new BucketReplica(settings, tuning);
    }

    void forget() {
        remaining = Double.NaN;
        trust.forget();
        damping.forget();
        limit = Double.POSITIVE_INFINITY;
        pace.clear();
        tooFew = 0;
        alone = false;
        spent = false;
        everRead = false;
        adopted = false;
        served = 0;
        refusals.startAnew();
    }

    /** Resets the pace, which was not in force until now. */
    void startAnew() {
        pace.clear();
        damping.forget();
        change = 0;
        swing = 0;
        served = 0;
        refusals.startAnew();
    }

    boolean isBlind() {
        return Double.isNaN(remaining);
    }

    double interval() {
        return pace.interval();
    }

    private double target() {
        double stock = tuning.headroom;
        boolean empty = firstCount == 0 && !sharers.areMany() && refusals.cuts() <= 1;
        if (empty) { // no other client was seen: a stock costs time, so it is built up slowly
            stock = Math.min(stock, tuning.targetShare * stock + tuning.news * served);
        }
        return Math.max(1, Math.min(stock + tuning.targetShare * swing, tuning.targetShare * limit));
    }

    /**
     * Begins with a count that another process has read, at the pace of all, so that no refusal is needed to find it.
     */
    void join(double count, long now) {
        everRead = true;
        equal = NEVER;
        firstCount = count;
        replica.begin(count, 0, now);
        trust.accept(count, 0, 0);
        remaining = count;
        shared(1, now);
        boolean scarce = count < tuning.headroom + sharers.processes(); // and others may come at the same instant
        pace.admitted(1, scarce ? random.nextDouble() : 0, 0, now);
    }

    /** Others share it, more or fewer than before; intervals change by a factor. */
    void shared(double factor, long now) {
        if (!pace.isFree()) {
            pace.interval(pace.interval() * factor);
            trust.paceChanged(factor);
        }
        if (!sharers.areMany()) {
            return;
        }
        alone = false;
        spent = false;
        shared = true;
        sharedAt = now;
        if (served < FEW && everRead && !adopted && sharers.fairInterval() > 0) {
            adopted = true;
            newcomer = false;
            established = true;
            pace.limit(sharers.fairInterval(), now);
        }
    }

    /** Reads a count; {@return whether it is used} */
    boolean read(double count, double told, double reset, boolean refused, Load load, int wire, long now) {
        if (!everRead) {
            everRead = true;
            small = false;
            alone = !refused
                    && count > Math.min(tuning.headroom, told > 0 ? tuning.targetShare * told : tuning.headroom);
            equal = alone || refused ? NEVER : 0;
            shared = refused;
            sharedAt = now;
            firstCount = count;
            replica.begin(count, 0, now);
            shared(1, now);
        } else if (equal < PAUSES) {
            equal = count != firstCount || count < 1 || refused || pace.isFree() ? NEVER : equal + 1;
            if (equal == PAUSES && !sharers.areMany()) {
                // Others would have left more in the pauses: a small bucket, and full.
                alone = true;
                small = true;
                doubts = 0;
                double refill = 1 / pace.interval(); // what one request took was there again when the next one came
                pace.lift(now);
                replica.begin(count, refill, now);
            }
        } else {
            boolean own = (!alone && !spent)
                    || replica.read(
                            count,
                            told,
                            reset,
                            refused,
                            (int) load.cost().requests(),
                            load.admittedAtNanos(),
                            wire,
                            now);
            if (spent && !alone && !sharers.areMany() && replica.isSliding()) {
                alone = true; // all that the server grants is accounted for
                pace.clear();
            }
            if (alone && !own) {
                alone = false;
                spent = false;
                sharedAt = now;
                shared = true;
                if (accepted < GIVE_UP_AFTER
                        && !refusals.ever()
                        && count < tuning.headroom / tuning.targetShare) { // a newcomer in a crowd
                    pace.limit(tuning.join, now);
                }
            }
            if (alone && replica.spentInterval() > 0) { // others may come: from here on they have to see it
                alone = false;
                sharedAt = now;
                shared = true;
                established = true;
                spent = true;
                pace.limit(replica.spentInterval(), now);
            }
        }
        change = 0;
        tooFew = refused ? Math.max(tooFew, Math.min(count, tuning.headroom)) : Math.min(tooFew, count);
        small &= alone;
        doubts = count >= firstCount ? 0 : doubts; // full, as it was found to be
        if (told > 0) {
            limit = told;
        }
        if (alone) {
            remaining = count;
            return true;
        }
        if (refused) {
            trust.refused();
        } else {
            double before = trust.checkStuck(count, pace.interval());
            if (before > 0) {
                pace.interval(before);
            }
        }
        double last = trust.last();
        if (!trust.accept(count, swing, SLACK_HEADROOMS * tuning.headroom) || trust.isLost()) {
            if (trust.isLost()) {
                remaining = Double.NaN;
            }
            return false;
        }
        if (!isBlind() && !Double.isNaN(last)) {
            change = count - remaining;
            double most = tuning.headroom + 0.25 * Math.min(count, remaining);
            swing += tuning.news * (Math.min(Math.abs(change), most) - swing);
        }
        remaining = count;
        return true;
    }

    void onSuccess(Load load, long now) {
        boolean first = accepted == 0 && !refusals.ever();
        accepted = Math.min(accepted + 1, GIVE_UP_AFTER);
        served = Math.min(served + 1, 1 << 20);
        steer(first, load, now);
        readAt = now;
    }

    private void steer(boolean first, Load load, long now) {
        established |= refusals.end(load);
        if (alone) {
            return;
        }
        double usable = Math.max(0, remaining - swing * load.inFlight());
        double target = target();
        double error = StrictMath.log((usable + 0.5) / target);
        damping.read(pace.isFree() ? 0 : error, now);
        if (pace.isFree()) {
            if (error < 0 && change <= 0) {
                pace.limit(first ? tuning.join : 1 / Math.max(1, load.requestsPerSecond()), now);
            }
        } else if (remaining > Math.min(tuning.plenty * target, 0.5 * limit)) {
            pace.interval(pace.interval() * 0.25);
            if (pace.interval() < 0.01 && pace.lift(now)) {
                alone = !sharers.areMany() && !(shared && now - sharedAt < 600_000_000_000L);
                replica.begin(remaining, 0, now);
            }
        } else {
            established |= error < 0 && accepted > 4;
            if (newcomer && !refusals.ever()) {
                newcomer = accepted < 2 || change >= 2;
                if (change >= 2) {
                    double surplus = change / Math.max(1e-3, (now - readAt) / 1e9);
                    pace.interval(1 / (1 / pace.interval() + surplus));
                }
            }
            if (equal > 0 && equal < PAUSES) {
                pace.hold(Math.min(settings.maxInterval(), PAUSE * pace.interval()), now);
            }
            double interval = pace.interval();
            double gain = damping.factor();
            double step = RemainingLaw.step(tuning, interval, error, remaining, change) * gain * gain;
            double lean = RemainingLaw.lean(tuning, interval) * gain;
            pace.interval(interval * StrictMath.exp((step - lean) / (1 + load.inFlight())));
        }
    }

    void onRefusal(Load load, int wire, long now) {
        if (alone) {
            alone = replica.refused() && !(small && ++doubts >= PAUSES);
            if (!alone) {
                shared = true;
                sharedAt = now;
            }
            return;
        }
        established = refusals.refused(accepted > 0, established, load, now);
        refusals.hold(random.nextDouble(), now);
    }

    void admitted(int permits, double jitter, long id, long now) {
        pace.admitted(permits, jitter, id, now);
    }

    void release(long id) {
        pace.release(id);
    }

    boolean explains(int wire) {
        return !isBlind() && remaining - wire < 1 + swing;
    }

    boolean isPlentiful() {
        return isBlind() || (pace.isFree() && remaining > 10_000);
    }

    long dueNanos(long ahead, int permits, int wire, long now) {
        if (isBlind()) {
            return now;
        }
        if (alone) {
            return replica.dueNanos(ahead, permits, wire, now);
        }
        // At a pace there is one request at a time while nothing remains: a refusal must not meet a whole flight.
        double allowed = pace.isFree() ? remaining - wire - ahead : remaining - tooFew;
        if (wire > 0 && allowed < permits) {
            return RateController.UNTIL_SIGNAL;
        }
        return pace.dueNanos(ahead, damping.now(), now);
    }
}
