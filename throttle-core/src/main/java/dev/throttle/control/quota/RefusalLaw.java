package dev.throttle.control.quota;

import dev.throttle.control.RateController;
import dev.throttle.control.RateLimit.Load;
import dev.throttle.internal.DurationText;
import dev.throttle.internal.Nanos;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Refusals that no count explains: no headers, a hidden limit, an overload, or no reason at all. They never reach the
 * hypotheses of quotas.
 *
 * <p><b>One event.</b> All refusals until the next success are one event. Meanwhile one probe at a time is on the wire,
 * 0.25 s after the first refusal, and then whenever another 35 % of the time since then has passed. An accepted answer
 * to a request that left after the refusal was known ends the event. One that left before lets the others go on, but if
 * they are refused, it is still the same event.
 *
 * <p><b>What an event means</b> is decided by the cycle that it ends, from the end of the event before:
 *
 * <ul>
 *   <li>The first one tells nothing of a rate: what had been saved up was spent. Nor does a 503 that lasts.
 *   <li>After a lasting one a {@link GuessedWindow} tells when to expect the end of the next.
 *   <li>While there is no pace, one refusal in 20 requests is borne. If there are more in two cycles in a row, the pace
 *       becomes what was accepted in both, and a little faster. One short cycle may be chance.
 *   <li>Where nothing was to be sent for a quarter of the time without refusals, an event says nothing of a pace: it
 *       would only make a client wait that asks for little. Such a client tries again, every five seconds at most.
 *   <li>A pace that held requests back becomes slower, by a step that the next calm answers take back.
 *   <li>A first pace that follows from less than 20 accepted requests is doubled with every 8 answers until the next
 *       event, which halves it.
 * </ul>
 *
 * <p>With s the interval in seconds, and n the accepted answers since the event:
 *
 * <pre>
 *   c = 0.25 max(0.1, s / (s + 1 s))         N = 120 / (1 + s / 1 s)
 *   an event:         ln s  <-  ln s + 2 c              or what two short cycles in a row granted
 *   n answers later:  ln s  =   ... - c (1 + (2 n / N - 1)^3)
 * </pre>
 *
 * <p>The cubic returns fast, stays near the old pace for long, and then searches faster and faster. A bucket refuses
 * one request in N. Stray refusals come at random times: half of the gaps are so long that the steep end of the cubic
 * makes up for the short ones. N falls with s, so all clients of a bucket have about as many events in a minute.
 */
final class RefusalLaw {

    /**
     * Between two probes pass so many seconds at most, or this share of the time that the refusals have lasted; a
     * server that is away is asked ever less often.
     */
    private static final double LONGEST_PROBE = 5;

    private static final double LASTING = 1 / 30.0;
    /**
     * How much earlier cycles count in the share of the time in which there was nothing to send, and how much is
     * enough.
     */
    private static final double EARLIER = 0.8;

    private static final double SPARE = 0.25;
    /** Of a step: below 0.1 s it is no smaller, or a pace would never be lifted. */
    private static final double SMALLEST = 0.1;

    private final Surroundings surroundings;
    private final Tuning tuning;
    private final Pace pace;

    private boolean blocked;
    private boolean busy;
    private long blockedAt;
    private long refusedAt;
    private long lastRefused;
    private int probes;
    private boolean fewBefore;
    private double timeBefore;
    private double countBefore;
    private long probeAt;
    private boolean probing;
    private long probedAt;
    private long probe;
    private boolean ever;

    /** When the last block ended, and how many requests had been answered by then. */
    private long beganAt;

    private boolean began;
    private long answeredBefore;
    private long refusedSince;
    private double calm;
    /** How many requests since then left about when the pace let them go: it held them back. */
    private int queued;
    /** Whether the pace follows from so few accepted requests that it may be far too slow. */
    private boolean rough;

    /** Whether nothing waits and nothing is on the wire, since when, and for how many seconds of late that was. */
    private boolean idle;

    private long idleAt;
    private double spare;
    /** How many seconds of late there were without refusals. */
    private double free;

    private boolean expected;
    private long openedAt;
    private boolean doubtful;
    private long doubtfulAt;
    private final GuessedWindow window = new GuessedWindow();
    private boolean ended;
    private long told;
    /** Requests on the wire at most; grows after a block, and at the start. */
    private double open;
    /** How many there were when the last block began; half of them if that was at the start. */
    private double usual = Double.POSITIVE_INFINITY;

    RefusalLaw(Surroundings surroundings, Tuning tuning) {
        this.surroundings = surroundings;
        this.tuning = tuning;
        this.open = tuning.firstFlight;
        this.pace = new Pace(surroundings);
    }

    boolean isIdle() {
        return !blocked && !doubtful && pace.isFree() && open == Double.POSITIVE_INFINITY && !window.isGuessed();
    }

    double interval() {
        return pace.interval();
    }

    /** {@return what refusals that no count explains have led to, in a sentence; null if there are none} */
    @Nullable String explain() {
        if (blocked) {
            return "No quota explains the last refusal: one request at a time asks again.";
        }
        return pace.isFree()
                ? null
                : "Refusals that no quota explains have set a pace: one request goes each "
                        + DurationText.spoken(pace.interval()) + ".";
    }

    void admitted(int permits, double jitter, long id, long now) {
        begin(now);
        if (idle) {
            idle = false;
            spare += Math.max(
                    0, (now - dueNanos(0, 0, idleAt)) / 1e9); // what it would have been held back for does not count
        }
        if (blocked) {
            probing = true;
            probe = id;
            probedAt = now;
        }
        if (window.admitted(permits)) {
            open = 1;
            openedAt = now;
        }
        if (!pace.isFree() && now - pace.admittedAt() < Nanos.ofSeconds(1.1 * pace.interval())) {
            queued++;
        }
        pace.admitted(permits, jitter, id, now);
    }

    private void begin(long now) {
        if (!began) {
            began = true;
            beganAt = now;
            told = now;
            openedAt = now;
        }
    }

    /** The server tells of a quota, so requests need not come little by little to find a limit. */
    void told() {
        if (usual == Double.POSITIVE_INFINITY) {
            open = Double.POSITIVE_INFINITY;
        }
    }

    void release(long id) {
        if (probing && id == probe) {
            probing = false;
        }
        pace.release(id);
    }

    void onRefusal(boolean overloaded, @Nullable Duration retryAfter, Load load, long now) {
        begin(load.admittedAtNanos()); // it may have left before this law was there
        if (load.permitId() == 0 && !blocked) { // requests went without being told here
            double flight = Nanos.toSeconds(now - load.admittedAtNanos());
            spare += Math.max(0, Nanos.toSeconds(now - beganAt) - (accepted(load) + 1) * flight);
            idle = false;
        }
        boolean news = !ever || load.admittedAtNanos() - refusedAt >= 0;
        boolean isProbe = probing && load.permitId() == probe;
        if (isProbe) {
            probing = false;
        }
        refusedSince++;
        if (!ever || load.admittedAtNanos() - lastRefused > 0) {
            lastRefused = load.admittedAtNanos();
        }
        if (news || isProbe) {
            probeAt = now + Nanos.ofSeconds(spread(patience(overloaded, load, now)));
            ever = true;
            refusedAt = now;
        }
        if (retryAfter != null) {
            told = now + Nanos.ofSeconds(Math.min(86_400, Nanos.toSeconds(Nanos.of(retryAfter))));
            if (told - probeAt > 0) {
                probeAt = told;
            }
        }
    }

    /** {@return the time until the next probe, in seconds} */
    private double patience(boolean overloaded, Load load, long now) {
        if (blocked) {
            probes++;
            busy |= overloaded;
            double lasted = Nanos.toSeconds(now - blockedAt);
            double look = expected ? 0.05 * lasted * StrictMath.pow(2, probes) : Double.POSITIVE_INFINITY;
            double most = busy ? Double.POSITIVE_INFINITY : Math.max(LONGEST_PROBE, LASTING * lasted);
            return Math.max(tuning.firstProbe, Math.min(look, Math.min(most, tuning.probeShare * lasted)));
        }
        blocked = true;
        busy = overloaded;
        if (!doubtful) {
            blockedAt = now;
        }
        doubtful = false;
        if (open == Double.POSITIVE_INFINITY) {
            usual = Math.max(2, load.inFlight() + 1);
        } else if (usual == Double.POSITIVE_INFINITY) { // at the start they come twice as many with each flight
            usual = Math.max(2, (load.inFlight() + 1) / 2.0);
        }
        probing = false;
        probes = 0;
        double left = window.length(accepted(load)) - Nanos.toSeconds(now - beganAt);
        expected = left > 0 && !overloaded;
        if (expected) {
            double end = left / (0.5 + 0.5 * tuning.retryTo);
            return isSpare() ? Math.min(end, LONGEST_PROBE) : end;
        }
        double gap = pace.isFree() ? 1 / Math.max(1, load.requestsPerSecond()) : pace.interval();
        return Math.max(tuning.firstProbe, gap);
    }

    /** {@return whether there was nothing to send for so long that a pace would only make calls wait} */
    private boolean isSpare() {
        return spare > SPARE * free;
    }

    private double accepted(Load load) {
        return Math.max(0.0, (double) (load.admitted() - load.inFlight() - answeredBefore - refusedSince));
    }

    private double spread(double wait) {
        return Math.min(
                surroundings.settings.maxInterval(),
                wait * (1 + (tuning.retryTo - 1) * surroundings.random.nextDouble()));
    }

    void onSuccess(Load load, long now) {
        if (load.inFlight() == 0 && load.waiting() == 0 && !idle) {
            idle = true;
            idleAt = now;
        }
        if (blocked || doubtful) {
            boolean proved = load.admittedAtNanos() - refusedAt >= 0;
            if (proved) {
                over(load, doubtful ? doubtfulAt : now);
            } else if (blocked && !rough && load.admittedAtNanos() - lastRefused > 0) {
                // It left before the refusal came, and may have overtaken it.
                blocked = false;
                doubtful = true;
                doubtfulAt = now;
            }
            return;
        }
        if (open < Double.POSITIVE_INFINITY && load.admittedAtNanos() - openedAt >= 0) {
            open += open < usual ? 1 : 1 / open;
            if (open > load.inFlight() + load.waiting() + 8) {
                open = Double.POSITIVE_INFINITY;
            }
        }
        if (!pace.isFree()) {
            calm += 1;
            double patience = calm(pace.interval());
            double way = 2 * calm / patience - 1;
            double step =
                    rough ? StrictMath.log(2) / tuning.firstFlight : 6 * cut(pace.interval()) / patience * way * way;
            pace.interval(pace.interval() * StrictMath.exp(-Math.min(0.5, step)));
            if (pace.interval() < 5e-4) {
                pace.lift(now);
            }
        }
    }

    private double cut(double interval) {
        return tuning.cut * Math.max(SMALLEST, interval / (interval + tuning.slow));
    }

    private double calm(double interval) {
        return tuning.calm / (1 + interval / tuning.slow);
    }

    private void over(Load load, long now) {
        blocked = false;
        doubtful = false;
        openedAt = load.admittedAtNanos();
        probing = false;
        long end = told - now > 0 ? told : now;
        double lasted = Nanos.toSeconds(end - blockedAt);
        double cycle = Math.max(0, Nanos.toSeconds(end - beganAt));
        double accepted = accepted(load);
        boolean brief = probes <= 1;
        boolean mostly = lasted > cycle / 2;
        boolean few = accepted < tuning.few * (mostly ? 1 : refusedSince);
        boolean soon = few && fewBefore;
        double time = (brief && !mostly ? cycle - lasted : cycle) + timeBefore;
        double count = accepted + countBefore;
        double measured = time / Math.max(1, count);
        double s = pace.interval();
        open = brief && ended && !mostly && !few ? usual : 1;
        free += Math.max(0, cycle - lasted);
        boolean needed = !isSpare();
        if (!busy || brief) {
            if (needed && !pace.isFree() && queued > calm / 2) {
                boolean enough = few && fewBefore && count >= tuning.few / 2;
                double step = rough ? StrictMath.log(2) : enough ? StrictMath.log(measured / s) : 0;
                pace.limit(s * StrictMath.exp(Math.max(2 * cut(s), step)), now);
            } else if (needed && ended && soon) {
                pace.limit(Math.max(StrictMath.exp(-tuning.cut) * measured, s), now);
            }
            if (pace.isFree()) {
                window.renewed(accepted, cycle, expected && probes == 0, brief && !expected);
            }
            calm = 0;
            queued = 0;
        }
        rough = s == 0 && !pace.isFree() && count < tuning.few;
        if (!pace.isFree()) {
            window.forget();
        }
        fewBefore = few;
        timeBefore = few && ended ? time - timeBefore : 0;
        countBefore = few && ended ? accepted : 0;
        ended = true;
        expected = false;
        beganAt = end;
        answeredBefore = load.admitted() - load.inFlight();
        refusedSince = 0;
        spare *= EARLIER;
        free *= EARLIER;
    }

    long dueNanos(long ahead, int wire, long now) {
        if (blocked) {
            long patience = probing ? surroundings.settings.firstPatienceNanos() - (now - probedAt) : 0;
            if (patience > 0) {
                return now + patience;
            }
            return probeAt - now > 0 ? probeAt : now;
        }
        if (wire > 0 && wire + ahead >= open) {
            long patience = surroundings.settings.firstPatienceNanos() - (now - pace.admittedAt());
            if (patience > 0) {
                return ahead == 0 ? now + patience : RateController.UNTIL_SIGNAL;
            }
        }
        return pace.dueNanos(ahead, 1, now);
    }
}
