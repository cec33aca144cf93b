package dev.throttle.control.quota;

import dev.throttle.control.RateController;
import dev.throttle.control.RateController.Load;
import dev.throttle.internal.Nanos;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Refusals that no count explains. */
final class RefusalLaw {

    private final QuotaPacing settings;
    private final Tuning tuning;
    private final RandomGenerator random;
    private final Pace pace;

    private boolean blocked;
    private boolean busy;
    private long blockedAt;
    private long refusedAt;
    private long probeAt;
    private boolean probing;
    private long probedAt;
    private boolean ever;
    private boolean again;

    /** When the last block ended, and how many requests had been answered by then. */
    private long beganAt;

    private boolean began;
    private long answeredBefore;
    private long refusedSince;
    private double calm;
    /** Requests on the wire at most; grows after a block. */
    private double open = Double.POSITIVE_INFINITY;

    RefusalLaw(QuotaPacing settings, Tuning tuning, RandomGenerator random) {
        this.settings = settings;
        this.tuning = tuning;
        this.random = random;
        this.pace = new Pace(settings.maxInterval);
    }

    boolean isIdle() {
        return !blocked && pace.isFree() && open == Double.POSITIVE_INFINITY;
    }

    double interval() {
        return pace.interval();
    }

    boolean isBlocked() {
        return blocked;
    }

    void admitted(int permits, double jitter, long now) {
        if (!began) {
            began = true;
            beganAt = now;
        }
        if (blocked) {
            probing = true;
            probedAt = now;
        }
        pace.admitted(permits, jitter, now);
    }

    void release(long admittedAt) {
        if (probing && admittedAt == probedAt) {
            probing = false;
        }
        pace.release(admittedAt);
    }

    void onRefusal(boolean overloaded, @Nullable Duration retryAfter, Load load, long now) {
        boolean news = !ever || load.admittedAtNanos() - refusedAt >= 0;
        boolean probe = probing && load.admittedAtNanos() == probedAt;
        if (probe) {
            probing = false;
        }
        refusedSince++;
        if (news || probe) {
            if (!blocked) {
                blocked = true;
                busy = overloaded;
                blockedAt = now;
                probing = false;
                double gap = pace.isFree() ? 1 / Math.max(1, load.requestsPerSecond()) : pace.interval();
                probeAt = now + Nanos.ofSeconds(spread(Math.max(tuning.firstProbe, gap)));
            } else {
                busy &= overloaded;
                double lasted = Nanos.toSeconds(now - blockedAt);
                probeAt = now + Nanos.ofSeconds(spread(Math.max(tuning.firstProbe, tuning.probeShare * lasted)));
            }
            ever = true;
            refusedAt = now;
        }
        if (retryAfter != null) {
            long told = now + Nanos.ofSeconds(Math.min(86_400, Nanos.toSeconds(Nanos.of(retryAfter))));
            if (told - probeAt > 0) {
                probeAt = told;
            }
        }
    }

    private double spread(double wait) {
        return Math.min(settings.maxInterval, wait * (1 + (tuning.retryTo - 1) * random.nextDouble()));
    }

    void onSuccess(Load load, long now) {
        if (blocked) {
            if (load.admittedAtNanos() - refusedAt >= 0) {
                over(load, now);
            }
            return;
        }
        if (open < Double.POSITIVE_INFINITY) {
            open += 1;
            if (open > load.inFlight() + load.waiting() + 8) {
                open = Double.POSITIVE_INFINITY;
            }
        }
        if (!pace.isFree()) {
            calm += 1;
            double share = calm / tuning.calm;
            double step = tuning.growth * weight() * (1 + share * share);
            pace.interval(pace.interval() * StrictMath.exp(-Math.min(0.5, step)));
            if (pace.interval() < 0.001) {
                pace.lift(now);
            }
        }
    }

    /** Long intervals grow faster and are cut less: that brings shares together. */
    private double weight() {
        return StrictMath.pow(Math.max(1, pace.interval()), tuning.fairness);
    }

    private void over(Load load, long now) {
        blocked = false;
        probing = false;
        open = 1;
        double lasted = Nanos.toSeconds(now - blockedAt);
        double cycle = Nanos.toSeconds(now - beganAt);
        long answered = load.admitted() - load.inFlight();
        double accepted = Math.max(0.0, answered - answeredBefore - refusedSince);
        if (!busy) {
            double interval = pace.interval();
            if (pace.isFree() || lasted > tuning.lasting * interval || accepted < tuning.lasting) {
                if (accepted > 1 || again) {
                    pace.limit(cycle / Math.max(1, accepted), now);
                }
            } else {
                pace.interval(interval * StrictMath.exp(tuning.cut / weight()));
            }
            calm = 0;
            again = true;
        }
        beganAt = now;
        answeredBefore = answered;
        refusedSince = 0;
    }

    long dueNanos(long ahead, int wire, long now) {
        if (blocked) {
            long patience = probing ? settings.firstPatienceNanos - (now - probedAt) : 0;
            if (patience > 0) {
                return now + patience;
            }
            return probeAt - now > 0 ? probeAt : now;
        }
        if (wire > 0 && wire + ahead >= open) {
            return RateController.UNTIL_SIGNAL;
        }
        return pace.dueNanos(ahead, 1, now);
    }
}
