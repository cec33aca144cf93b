package dev.throttle.control.quota;

import dev.throttle.control.RateController;
import dev.throttle.internal.Nanos;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;
import java.util.random.RandomGenerator;

/**
 * The state of {@code quota-pacing} in one throttle. The first request of all goes alone: its answer tells what the
 * others may do.
 */
final class QuotaPacer implements RateController {

    private final QuotaPacing settings;
    private final RandomGenerator random;
    private final Pace pace;
    private final QuotaEstimator quota;
    private final PaceController law;

    private boolean asked;
    private long firstAskedAt;
    private boolean answered;
    private long answeredAt;

    QuotaPacer(QuotaPacing settings, RandomGenerator random) {
        this.settings = settings;
        this.random = random;
        this.pace = new Pace(settings.maxInterval);
        this.quota = new QuotaEstimator(settings.headroom, settings.burstShare);
        this.law = new PaceController(settings, pace, quota, random);
    }

    @Override
    public boolean isIdle() {
        return answered && pace.isFree();
    }

    @Override
    public boolean plansResets() {
        return true;
    }

    @Override
    public long dueNanos(long permitsAhead, int permits, long nowNanos) {
        if (!answered) {
            long patience = asked ? settings.firstPatienceNanos - (nowNanos - firstAskedAt) : 0;
            return patience <= 0 ? nowNanos : nowNanos + patience;
        }
        return pace.dueNanos(permitsAhead, discount(), nowNanos);
    }

    @Override
    public void onAdmitted(int permits, long nowNanos) {
        if (!answered && !asked) {
            asked = true;
            firstAskedAt = nowNanos;
        }
        pace.admitted(permits, 1 + settings.jitter * (2 * random.nextDouble() - 1), nowNanos);
    }

    @Override
    public void onSignal(Signal signal, Load load, long nowNanos) {
        Outcome outcome = signal.outcome();
        if (outcome == Outcome.IGNORED) {
            pace.release(load.admittedAtNanos());
        }
        if (outcome == Outcome.IGNORED || outcome == Outcome.CANCELLED) {
            asked &= answered; // the next one goes alone
            return;
        }
        boolean first = !answered;
        answered = true;
        if (outcome == Outcome.FAILED) {
            return;
        }
        double sinceAnswer = first ? 0 : Nanos.toSeconds(nowNanos - answeredAt);
        answeredAt = nowNanos;
        boolean read = quota.read(signal.hints(), outcome.isRefusal(), pace.interval(), nowNanos);
        if (outcome.isRefusal()) {
            law.onRefusal(signal.hints(), first, load, nowNanos);
        } else {
            law.onSuccess(read, first, sinceAnswer, load, nowNanos);
        }
    }

    private double discount() {
        return quota.isBlind() ? 1 : RemainingLaw.discount(quota.target(), quota.remaining());
    }

    /** {@return seconds between two requests; 0 if there is no limit} */
    double interval() {
        return pace.interval();
    }

    @Override
    public double limitPerSecond() {
        return pace.isFree() ? Double.POSITIVE_INFINITY : 1 / (pace.interval() * discount());
    }
}
