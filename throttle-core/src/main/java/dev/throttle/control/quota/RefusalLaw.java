package dev.throttle.control.quota;

import dev.throttle.control.RateController;
import dev.throttle.control.RateController.Load;
import dev.throttle.internal.Nanos;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Refusals that no count explains: no headers, a hidden limit, an overload, or no reason at all. They never reach the
 * laws of quotas.
 *
 * <p>All refusals until the next success are one event. Meanwhile one probe at a time is on the wire, 0.25 s after the
 * first refusal, and then whenever another 35 % of the time since then has passed. An accepted answer to a request that
 * left after the last refused one ends the event. Then, with s the interval in seconds:
 *
 * <pre>
 *   brief (one failed probe at most):  s  <-  s * exp(0.2 / w)                w = max(1, s / 0.1 s)^0.4
 *   lasting, or too soon again:        s  <-  time since the last event / requests accepted in it
 *   each accepted answer:              s  <-  s / exp(0.001 w (1 + min(30, (n / 50)^2)))    n: since the event
 * </pre>
 *
 * <p>So a stray refusal costs about one answer, a bucket is found after two short cycles, and a window without headers
 * is paced by what it granted. An overload (503) that lasts changes nothing: afterwards requests go as before, at first
 * one, then two, then four at a time.
 */
final class RefusalLaw {

    private final PacingSettings settings;
    private final Tuning tuning;
    private final RandomGenerator random;
    private final Pace pace;

    private boolean blocked;
    private boolean busy;
    private long blockedAt;
    private long refusedAt;
    private long lastRefused;
    private int probes;
    private double acceptedBefore = Double.POSITIVE_INFINITY;
    private long probeAt;
    private boolean probing;
    private long probedAt;
    private boolean ever;

    /** When the last block ended, and how many requests had been answered by then. */
    private long beganAt;

    private boolean began;
    private long answeredBefore;
    private long refusedSince;
    private double calm;
    /** Requests on the wire at most; grows after a block. */
    private double open = Double.POSITIVE_INFINITY;
    /** How many there were when the last block began. */
    private double usual = 1;

    RefusalLaw(PacingSettings settings, Tuning tuning, RandomGenerator random) {
        this.settings = settings;
        this.tuning = tuning;
        this.random = random;
        this.pace = new Pace(settings.maxInterval());
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
        if (!ever || load.admittedAtNanos() - lastRefused > 0) {
            lastRefused = load.admittedAtNanos();
        }
        if (news || probe) {
            if (!blocked) {
                blocked = true;
                busy = overloaded;
                blockedAt = now;
                usual = Math.max(2, load.inFlight() + 1);
                probing = false;
                probes = 0;
                double gap = pace.isFree() ? 1 / Math.max(1, load.requestsPerSecond()) : pace.interval();
                probeAt = now + Nanos.ofSeconds(spread(Math.max(tuning.firstProbe, gap)));
            } else {
                probes++;
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
        return Math.min(settings.maxInterval(), wait * (1 + (tuning.retryTo - 1) * random.nextDouble()));
    }

    void onSuccess(Load load, long now) {
        if (blocked) {
            // Whoever left after the last one that was refused and was accepted shows that it is over.
            if (load.admittedAtNanos() - lastRefused > 0) {
                over(load, now);
            }
            return;
        }
        if (open < Double.POSITIVE_INFINITY) {
            open += open < usual ? 1 : 1 / open;
            if (open > load.inFlight() + load.waiting() + 8) {
                open = Double.POSITIVE_INFINITY;
            }
        }
        if (!pace.isFree()) {
            calm += 1;
            double share = calm / tuning.calm;
            double step = tuning.growth * weight() * (1 + Math.min(tuning.haste, share * share));
            pace.interval(pace.interval() * StrictMath.exp(-Math.min(0.5, step)));
            if (pace.interval() < 0.001) {
                pace.lift(now);
            }
        }
    }

    /** Long intervals grow faster and are cut less: that brings shares together. */
    private double weight() {
        return StrictMath.pow(Math.max(1, pace.interval() / tuning.fairFrom), tuning.fairness);
    }

    private void over(Load load, long now) {
        blocked = false;
        probing = false;
        double lasted = Nanos.toSeconds(now - blockedAt);
        double cycle = Nanos.toSeconds(now - beganAt);
        long answered = load.admitted() - load.inFlight();
        double accepted = Math.max(0.0, (double) (answered - answeredBefore - refusedSince));
        boolean brief = probes <= 1;
        open = brief ? usual : 1;
        if (!busy || brief) {
            double interval = pace.interval();
            boolean soon = accepted < tuning.few && acceptedBefore < tuning.few;
            if (soon || (!brief && (pace.isFree() || lasted > tuning.few * interval))) {
                pace.limit(cycle / Math.max(1, accepted), now);
            } else if (!pace.isFree()) {
                pace.interval(interval * StrictMath.exp(tuning.cut / weight()));
            } else if (accepted >= tuning.few) {
                double rate = Math.max(load.requestsPerSecond(), accepted / cycle);
                pace.limit(StrictMath.exp(tuning.cut) / Math.max(1e-3, rate), now);
            }
            calm = 0;
        }
        acceptedBefore = accepted;
        beganAt = now;
        answeredBefore = answered;
        refusedSince = 0;
    }

    long dueNanos(long ahead, int wire, long now) {
        if (blocked) {
            long patience = probing ? settings.firstPatienceNanos() - (now - probedAt) : 0;
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
