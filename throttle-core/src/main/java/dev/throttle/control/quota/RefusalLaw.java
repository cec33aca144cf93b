package dev.throttle.control.quota;

import dev.throttle.control.RateController;
import dev.throttle.control.RateLimit.Load;
import dev.throttle.internal.DurationText;
import dev.throttle.internal.Nanos;
import org.jspecify.annotations.Nullable;

/**
 * Refusals that no count explains: no headers, a hidden limit, an overload, or no reason at all. They never reach the
 * hypotheses of quotas.
 *
 * <p><b>Two kinds.</b> One object is for refusals of a limit (429), and one for those of an overloaded server (503). A
 * server with a limit that says 429 means something else by a 503, such as a broken machine, and that must not slow the
 * pace of the limit. A limit that answers 503 is the business of the other object.
 *
 * <p><b>One event.</b> All refusals until the next success are one event. Meanwhile one probe at a time is on the wire,
 * 0.25 s after the first refusal, and then whenever another 35 % of the time since then has passed. Most windows last
 * for a second, ten seconds, a minute, or another round time. So where there is no pace, a probe waits for the end of
 * such a window if that is near. If the server has asked to wait, the engine holds it back for longer. An accepted
 * answer to a request that left after the refusal was known ends the event. One that left before lets the others go on,
 * once in an event: if they are refused, too, it goes on with probes alone.
 *
 * <p><b>What an event means</b> is decided by the cycle that it ends, from the end of the event before:
 *
 * <ul>
 *   <li>The first one tells nothing of a rate: what had been saved up was spent. Nor does an overload that lasts.
 *   <li>After a lasting one of a limit a {@link GuessedWindow} tells when to expect the end of the next. After two that
 *       are alike, requests wait for it without a refusal. If nothing was refused in its second half, a question in the
 *       middle finds a lock-out. In an event that begins with a refusal two probes come before that end: the first one
 *       as always, since the refusal may be of another kind, and one where the window may have been renewed if it is
 *       shorter than was thought.
 *   <li>While there is no pace, one refusal in 20 requests is borne. If there are more in two cycles in a row, the pace
 *       becomes what was accepted in both, and a little faster. One short cycle may be chance.
 *   <li>A pace that held requests back becomes slower, by a step that the next calm answers take back, or to what two
 *       such cycles granted, if that is slower still and ten were accepted. If an event comes early to a client with
 *       one request at a time, the pace becomes what this one cycle granted, if ten were accepted, by a step of 0.25 at
 *       most. A pace held requests back if more than half as many left when it let them go as were accepted. Any other
 *       pace becomes slower only if two such cycles granted less.
 *   <li>Where nothing was to be sent for a quarter of the time without refusals, an event says nothing of a pace: it
 *       would only make a client wait that asks for little. Such a client tries again, every five seconds at most. A
 *       client with one request at a time and pauses of a second or less is a loop that does other things between two
 *       calls. It gets a pace all the same. For ten events after two requests were there at a time it is no loop, but a
 *       pace that it has stays.
 *   <li>If the pace has not helped for many events, refusals may come at random ({@link RandomRefusals}). The pace is
 *       lifted, and refusals are no events, until a far larger share is refused than before.
 *   <li>A first pace that follows from less than 20 accepted requests is doubled with every 8 answers until the next
 *       event, which halves it, or takes half of a doubling back if there is one request at a time.
 * </ul>
 *
 * <p>With s the interval in seconds, and n the accepted answers since the event:
 *
 * <pre>
 *   c = 0.25 max(0.1, s / (s + 1 s))         N = stretch 120 / (1 + s / 1 s)
 *   an event:         ln s  <-  ln s + 2 c
 *   n answers later:  ln s  =   ... - c (1 + (2 n / N - 1)^3)
 * </pre>
 *
 * <p>The cubic returns fast, stays near the old pace for long, and then searches faster and faster. A bucket refuses
 * one request in N. Stray refusals come at random times: half of the gaps are so long that the steep end of the cubic
 * makes up for the short ones. N falls with s, so all clients of a bucket have about as many events in a minute.
 *
 * <p>A small client finds the bucket empty whenever it asks, if a large one takes each unit as it comes back. So the
 * large one pauses after an event for half a second, or for 3 % of the cycle if that is less: what comes back meanwhile
 * is lost where a bucket holds little. And the stretch grows by a quarter with each event that comes after N / 2
 * answers or later, up to 1 + 0.2 s / s, and is halved by any other. Refusals of a limit come regularly. Those by
 * chance come early as often as late, and a client with a large N would become far too slow.
 */
final class RefusalLaw {

    /**
     * Between two probes pass so many seconds at most, or this share of the time that the refusals have lasted; a
     * server that is away is asked ever less often.
     */
    private static final double LONGEST_PROBE = 5;

    private static final double LASTING = 1 / 30.0;
    /** The end of a window of a usual length is looked for a little later, by one to three times this share of it. */
    private static final double LATE = 0.01;
    /** A probe that looks for it comes no sooner after another one than this, in seconds. */
    private static final double LEAST_GAP = 0.2;
    /** In an event that begins with a refusal so many probes come before the expected end, and are no surprise. */
    private static final int BEFORE_END = 2;

    /**
     * How much earlier cycles count in the share of the time in which there was nothing to send, and how much is
     * enough.
     */
    private static final double EARLIER = 0.8;

    private static final double SPARE = 0.25;
    /** After so many events without a second request at a time a client may be a loop. */
    private static final int EVENTS_ALONE = 10;
    /** The longest pause of a loop between two calls, in seconds. */
    private static final double LONGEST_LOOP_PAUSE = 1;
    /**
     * The pause after an event that made the pace slower, as a share of the cycle and in seconds. A client that takes
     * each unit as it comes back keeps a bucket empty, and a small client finds nothing whenever it asks.
     */
    private static final double PAUSE = 0.03;

    private static final double LONGEST_PAUSE = 0.5;
    /** An event is early that comes before this share of the way back. */
    private static final double EARLY = 0.5;
    /** By so much an event makes the way back longer, or shorter if it comes early. */
    private static final double LONGER = 1.25;

    private static final double SHORTER = 0.5;
    /** The stretch is no more than 1 and this many seconds divided by the interval. */
    private static final double LONGEST_WAY = 0.2;
    /** Of a step: below 0.1 s it is no smaller, or a pace would never be lifted. */
    private static final double SMALLEST = 0.1;

    /** In so much time after the first request an answer lets only so many more go. */
    private static final long SOON_NANOS = 2_000_000_000;

    private static final double FEWER = 1 / 8.0;

    /** Stands for no permit. */
    private static final long NONE = -1;

    private enum State {
        /** No request has left. */
        NEW,
        /** There is no event. */
        OPEN,
        /** One probe at a time is on the wire. */
        BLOCKED,
        /** A request was accepted that left before the refusal was known: the others go on. */
        DOUBTFUL
    }

    private final Surroundings surroundings;
    private final Tuning tuning;
    private final Pace pace;
    /** The law of limits, if this one is for an overloaded server. */
    private final @Nullable RefusalLaw limits;
    /** Whether the server tells of a quota. */
    private boolean told;
    /** When the last request left. */
    private long admittedAt;

    private State state = State.NEW;

    // The present event, or the last one

    /** When it began. */
    private long blockedAt;
    /**
     * When the last refusal came of a probe, or of a request that left after the refusal before; or when the pace
     * became slower. What left before tells nothing new.
     */
    private long refusedAt;
    /** When the request left that is the last one of those that were refused. */
    private long lastRefused;
    /** When the others went on. */
    private long doubtfulAt;
    /** Whether a guessed window tells when it ends. */
    private boolean expected;
    /** How many probes were refused, less those before the expected end; or one if the others went on too soon. */
    private int probes;

    /** When the next one may leave. */
    private long probeAt;
    /** The permit of the probe on the wire, if there is one. While blocked, it is the last request that left. */
    private long probe = NONE;

    // The present cycle, and the one before

    /** How many events are over. */
    private int events;
    /** When the present cycle began. */
    private long beganAt;
    /** How many requests had been answered by then. */
    private long answeredBefore;
    /** How many were refused since then. */
    private int refusedSince;
    /** The seconds and the accepted requests of the cycle before; NaN if that was not short. */
    private double timeBefore = Double.NaN;

    private double countBefore;
    /** Accepted answers since the event. */
    private double calm;
    /** How many requests since the event left about when the pace let them go: it held them back. */
    private int queued;
    /** How many times as many answers as at first take the step back. */
    private double stretch = 1;
    /** Whether the pace follows from so few accepted requests that it may be far too slow. */
    private boolean rough;

    private final GuessedWindow window = new GuessedWindow();
    private final RandomRefusals atRandom = new RandomRefusals();
    /** Whether this event has refuted that, and the pace is known: it tells nothing of it. */
    private boolean wasTrial;

    // What is to be sent

    /** Whether nothing waits and nothing is on the wire, since when, and for how many seconds of late that was. */
    private boolean idle;

    private long idleAt;
    private double spare;
    /** How much of it were pauses of a loop. */
    private double loopPauses;
    /** How many events have passed since two requests were there at a time, ten at most; ten at the start. */
    private int eventsAlone = EVENTS_ALONE;
    /** How many seconds of late there were without refusals. */
    private double free;
    /** Requests on the wire at most; grows after an event, and at the start. */
    private double open;
    /** With answers to what left after this. */
    private long openedAt;
    /** How many there were when the last event began; half of them if that was at the start. */
    private double usual = Double.POSITIVE_INFINITY;

    /** @param limits the law of limits, if this one is for an overloaded server */
    RefusalLaw(Surroundings surroundings, Tuning tuning, @Nullable RefusalLaw limits) {
        this.surroundings = surroundings;
        this.tuning = tuning;
        this.limits = limits;
        this.open = tuning.firstFlight;
        this.pace = new Pace(surroundings);
    }

    boolean isIdle() {
        return !isEvent()
                && !atRandom.rules()
                && pace.isFree()
                && open == Double.POSITIVE_INFINITY
                && !window.isGuessed();
    }

    private boolean isOverload() {
        return limits != null;
    }

    /** {@return whether something else keeps requests to a limit, so that a trial costs others little} */
    private boolean isLimitKnown() {
        return told || (limits != null && (!limits.pace.isFree() || limits.window.isGuessed()));
    }

    private boolean isEvent() {
        return state == State.BLOCKED || state == State.DOUBTFUL;
    }

    double interval() {
        return pace.interval();
    }

    /** {@return what refusals that no count explains have led to, in a sentence; null if there are none} */
    @Nullable String explain() {
        if (state == State.BLOCKED && isOverload()) {
            return "The server was overloaded: one request at a time asks again.";
        }
        if (state == State.BLOCKED) {
            return expected
                    ? "No quota explains the refusals. They look like a window, and its end is awaited."
                    : "No quota explains the last refusal: one request at a time asks again.";
        }
        if (atRandom.rules()) {
            return "About " + Math.round(100 * atRandom.share())
                    + " of 100 requests are refused at random, and a pace does not help. So there is none.";
        }
        return pace.isFree()
                ? null
                : (isOverload() ? "Overloads" : "Refusals that no quota explains")
                        + " have set a pace: one request goes each " + DurationText.spoken(pace.interval()) + ".";
    }

    void admitted(int permits, double jitter, long id, long now) {
        begin(now);
        if (idle) {
            // Without the time for which it would have been held back.
            paused(1, Nanos.toSeconds(now - dueNanos(0, 0, idleAt)));
        }
        if (state == State.BLOCKED) {
            probe = id;
        }
        if (window.admitted(permits)) {
            open = 1;
            openedAt = now;
            double left = untilRenewal(now);
            if (state == State.OPEN && window.isSure() && !isSpare() && left > 0) {
                awaitRenewal(left, now);
            }
        }
        if (!pace.isFree() && now - admittedAt < Nanos.ofSeconds(1.1 * pace.interval())) {
            queued++;
        }
        admittedAt = now;
        pace.admitted(permits, jitter, id, now);
    }

    /** The window is used up. Its renewal is awaited as after a refusal, though nothing has been refused. */
    private void awaitRenewal(double left, long now) {
        state = State.BLOCKED;
        expected = true;
        probes = window.mayBeMuchShorter() ? -1 : 0; // one question comes before that
        blockedAt = now;
        refusedAt = now + 1; // what is on the wire by now tells nothing of the next window
        lastRefused = now;
        double wait = Math.min(surroundings.settings.maxInterval(), untilEnd(left));
        probeAt = Nanos.later(refusedAt, now + Nanos.ofSeconds(wait));
    }

    /**
     * {@return the seconds until the next question: at the expected end, or before it if one may tell that the window
     * is shorter}
     *
     * @param left until the expected end
     */
    private double untilEnd(double left) {
        if (probes >= 0) {
            return left;
        }
        double shorter = left - (window.length() - window.doubtful(surroundings.random.nextDouble()));
        return shorter > 0 ? shorter : left;
    }

    private double untilRenewal(long now) {
        return window.length() - Nanos.toSeconds(now - beganAt);
    }

    private void begin(long now) {
        if (state == State.NEW) {
            state = State.OPEN;
            beganAt = now;
            admittedAt = now;
            openedAt = now;
        }
    }

    /**
     * The server tells of a quota. So requests need not come little by little to find a limit, and refusals are sooner
     * taken for chance.
     */
    void told() {
        told = true;
        if (usual == Double.POSITIVE_INFINITY) {
            open = Double.POSITIVE_INFINITY;
        }
    }

    void release(long id) {
        probe = id == probe ? NONE : probe;
        pace.release(id);
    }

    /** A request was refused. If it left at rest, others did, too, and this law was not told of them. */
    void catchUp(Load load, long now) {
        begin(load.admittedAtNanos()); // it may have left before this law was there
        if (load.permitId() == 0 && state != State.BLOCKED) {
            double flight = Nanos.toSeconds(now - load.admittedAtNanos());
            double calls = accepted(load) + 1;
            paused(calls, Nanos.toSeconds(now - beganAt) - calls * flight);
        }
    }

    /** Nothing was to be sent for so long in all, in the pauses before so many calls. Only their mean is known. */
    private void paused(double calls, double seconds) {
        double pauses = Math.max(0, seconds);
        idle = false;
        spare += pauses;
        loopPauses += isAlone() && pauses <= calls * LONGEST_LOOP_PAUSE ? pauses : 0;
    }

    void onRefusal(Load load, long now) {
        catchUp(load, now);
        refusedSince++;
        noticeOverlap(load);
        if (atRandom.rules()) {
            if (atRandom.refused()) {
                return;
            }
            double after = atRandom.paceAfter(now);
            wasTrial = after > 0;
            if (wasTrial) {
                pace.limit(after, now);
            }
        }
        boolean isFirst = events == 0 && !isEvent();
        lastRefused = isFirst ? load.admittedAtNanos() : Nanos.later(lastRefused, load.admittedAtNanos());
        boolean isProbe = load.permitId() == probe;
        if (isFirst || isProbe || load.admittedAtNanos() - refusedAt >= 0) {
            probe = isProbe ? NONE : probe;
            refusedAt = now;
            double wait = state == State.BLOCKED ? untilNextProbe(now) : block(load, now);
            probeAt = now + Nanos.ofSeconds(Math.min(surroundings.settings.maxInterval(), wait));
        }
    }

    /** {@return so many seconds or more: processes that are refused at the same time ask again at different times} */
    private double spread(double seconds) {
        return seconds * (1 + (tuning.retryTo - 1) * surroundings.random.nextDouble());
    }

    /** A probe was refused; {@return the time until the next one, in seconds} */
    private double untilNextProbe(long now) {
        probes++;
        double left = untilRenewal(now);
        if (expected && left > 0) {
            return untilEnd(left);
        }
        double lasted = Nanos.toSeconds(now - blockedAt);
        double look = expected ? 0.05 * lasted * StrictMath.pow(2, probes) : Double.POSITIVE_INFINITY;
        double most = isOverload() ? Double.POSITIVE_INFINITY : Math.max(LONGEST_PROBE, LASTING * lasted);
        double wait = spread(Math.max(tuning.firstProbe, Math.min(look, Math.min(most, tuning.probeShare * lasted))));
        return isOverload() || !pace.isFree() || isSpare() ? wait : untilRoundTime(wait, now);
    }

    /**
     * {@return the time until a window of a usual length would be over, in seconds; {@code wait} if that is too far}
     * Where little time has passed it may be up to twice as far.
     */
    private double untilRoundTime(double wait, long now) {
        double since = Nanos.toSeconds(now - beganAt);
        double length = Renewals.nextRound(since + LEAST_GAP);
        double left = length * (1 + LATE + 2 * LATE * surroundings.random.nextDouble()) - since;
        return left < Math.max(wait, Math.min(LONGEST_PROBE, 2 * wait)) ? left : wait;
    }

    /** An event begins, or goes on after a doubt; {@return the time until the first probe, in seconds} */
    private double block(Load load, long now) {
        boolean wasDoubtful = state == State.DOUBTFUL;
        blockedAt = wasDoubtful ? blockedAt : now;
        state = State.BLOCKED;
        probe = NONE;
        if (open == Double.POSITIVE_INFINITY) {
            usual = Math.max(2, load.inFlight() + 1);
        } else if (usual == Double.POSITIVE_INFINITY) { // at the start ever more go, until they are too many
            usual = Math.max(2, (load.inFlight() + 1) / 2.0);
        }
        expected = window.isUsedUp(accepted(load)) && untilRenewal(now) > 0 && !isSpare();
        if (expected) {
            probes = -BEFORE_END;
            return spread(tuning.firstProbe); // it may be a refusal of another kind
        }
        probes = wasDoubtful ? 1 : 0; // those that went on were like a probe
        double gap = pace.isFree() ? 1 / Math.max(1, load.requestsPerSecond()) : pace.interval();
        return spread(Math.max(tuning.firstProbe, gap));
    }

    /** {@return whether there was nothing to send for so long that a pace would only make calls wait} */
    private boolean isSpare() {
        return spare - loopPauses > SPARE * free;
    }

    /** {@return whether there has been one request at a time for long, or since the start} */
    private boolean isAlone() {
        return eventsAlone == EVENTS_ALONE;
    }

    /** Notices that two requests are there at a time: this is no loop, and its pauses show that it asks for little. */
    private void noticeOverlap(Load load) {
        if (load.inFlight() + load.waiting() > 0) {
            loopPauses = 0;
            eventsAlone = 0;
        }
    }

    /** {@return how many requests of this cycle were accepted, or refused with the other kind} */
    private double accepted(Load load) {
        return Math.max(0.0, (double) (load.admitted() - load.inFlight() - answeredBefore - refusedSince));
    }

    /** The server was away: what it had granted before tells nothing of a rate. */
    void restart(Load load, long now) {
        window.forget(); // it may have been renewed meanwhile
        timeBefore = Double.NaN;
        beginCycle(load, now);
    }

    /** {@return whether an overload is over that lasted: the server was away} */
    boolean onSuccess(Load load, long now) {
        noticeOverlap(load);
        if (load.inFlight() == 0 && load.waiting() == 0 && !idle) {
            idle = true;
            idleAt = now;
        }
        if (isEvent()) {
            if (load.admittedAtNanos() - refusedAt >= 0) {
                return over(load, now);
            } else if (state == State.BLOCKED && probes == 0 && !rough && load.admittedAtNanos() - lastRefused > 0) {
                state = State.DOUBTFUL; // it may have overtaken the refusal
                doubtfulAt = now;
            }
            return false;
        }
        if (open < Double.POSITIVE_INFINITY && load.admittedAtNanos() - openedAt >= 0) {
            // Little at first: where the limit of the server is met, all requests on the wire are refused. If that has
            // not happened soon, waiting costs more.
            boolean isFirst = usual == Double.POSITIVE_INFINITY && now - beganAt < SOON_NANOS;
            open += isFirst ? FEWER : open < usual ? 1 : 1 / open;
            if (open > load.inFlight() + load.waiting() + 8) {
                open = Double.POSITIVE_INFINITY;
            }
        }
        if (atRandom.rules()) {
            atRandom.accepted(now);
        } else if (!pace.isFree()) {
            becomeFaster(now);
        }
        return false;
    }

    private void becomeFaster(long now) {
        calm += 1;
        double s = pace.interval();
        double patience = patience(s);
        double way = 2 * calm / patience - 1;
        double step = rough ? StrictMath.log(2) / tuning.firstFlight : 6 * cut(s) / patience * way * way;
        pace.interval(s * StrictMath.exp(-Math.min(0.5, step)));
        if (pace.interval() < 5e-4) {
            pace.lift(now);
        }
    }

    /** {@return how many accepted answers take the step back of an event} */
    private double patience(double interval) {
        return Math.min(most(interval), stretch) * tuning.calm / (1 + interval / tuning.slow);
    }

    /** {@return the most that the way back is longer by, as a factor} */
    private static double most(double interval) {
        return 1 + LONGEST_WAY / interval;
    }

    private boolean isEarly(double interval) {
        return calm < EARLY * patience(interval);
    }

    private double cut(double interval) {
        return tuning.cut * Math.max(SMALLEST, interval / (interval + tuning.slow));
    }

    /** An event is over; {@return whether it was an overload that lasted: the server was away} */
    private boolean over(Load load, long now) {
        long end = state == State.DOUBTFUL ? doubtfulAt : now; // when the first one was accepted after the refusals
        double lasted = Nanos.toSeconds(end - blockedAt);
        double cycle = Math.max(0, Nanos.toSeconds(end - beganAt));
        double accepted = accepted(load);
        boolean brief = probes <= 1;
        boolean mostly = lasted > cycle / 2;
        boolean few = accepted < tuning.few * (mostly || expected ? 1 : refusedSince);
        double time = brief && !mostly ? cycle - lasted : cycle;
        open = brief && events > 0 && !mostly && !few ? usual : 1;
        openedAt = load.admittedAtNanos();
        free += Math.max(0, cycle - lasted);
        boolean wasAway = isOverload() && !brief;
        if (!wasAway) {
            boolean soon = few && !Double.isNaN(timeBefore);
            if (!wasTrial) {
                learn(accepted, cycle, soon, time + timeBefore, accepted + countBefore, now);
            }
            calm = 0;
            queued = 0;
        }
        if (!isOverload() && pace.isFree() && !atRandom.rules()) {
            double refused = refusedSince > 0 ? Math.max(0, Nanos.toSeconds(lastRefused - beganAt)) : 0;
            window.renewed(accepted, refused, cycle, brief && !expected);
        } else {
            window.forget();
        }
        timeBefore = few && !wasTrial ? events > 0 ? time : 0 : Double.NaN; // what had been saved up is not measured
        wasTrial = false;
        countBefore = events > 0 ? accepted : 0;
        events++;
        beginCycle(load, end);
        spare *= EARLIER;
        free *= EARLIER;
        loopPauses *= EARLIER;
        eventsAlone = Math.min(eventsAlone + 1, EVENTS_ALONE);
        return wasAway;
    }

    /** No event is going on any more, and a new cycle begins. */
    private void beginCycle(Load load, long now) {
        state = State.OPEN;
        probe = NONE;
        beganAt = now;
        answeredBefore = load.admitted() - load.inFlight();
        refusedSince = 0;
    }

    /**
     * Learns from an event.
     *
     * @param accepted the accepted requests of this cycle
     * @param cycle its seconds, with those of the event
     * @param soon whether this cycle and the one before were short
     * @param time the seconds of both, without those of a brief event
     * @param count the accepted requests of both
     */
    private void learn(double accepted, double cycle, boolean soon, double time, double count, long now) {
        double s = pace.interval();
        double measured = time / Math.max(1, count);
        boolean wasRough = rough;
        rough = false;
        if (isSpare()) {
            return;
        }
        if (!pace.isFree()) {
            // The way back becomes longer where events come regularly: refusals by chance would make a long one too
            // slow. This comes first, so that an event shortly after half of the way counts as early below.
            stretch = isEarly(s) ? Math.max(1, SHORTER * stretch) : Math.min(most(s), LONGER * stretch);
            boolean helped = calm >= tuning.few / 2 && !isEarly(s);
            if (atRandom.event(helped, accepted, refusedSince, s, isAlone() || isLimitKnown())) {
                pace.clear();
                return;
            }
        }
        if (!pace.isFree() && queued > calm / 2) {
            double step = 2 * cut(s);
            if (wasRough) { // one request at a time meets the limit in the middle of a doubling, many at its end
                step = Math.max(step, StrictMath.log(2) * (isAlone() ? 0.5 : 1));
            } else {
                if (soon && count >= tuning.few / 2) {
                    step = Math.max(step, StrictMath.log(measured / s));
                }
                if (isAlone() && isEarly(s) && accepted >= tuning.few / 2) {
                    step = Math.max(step, Math.min(tuning.cut, StrictMath.log(cycle / accepted / s)));
                }
            }
            pace.limit(s * StrictMath.exp(step), now);
            pace.hold(Math.min(LONGEST_PAUSE, PAUSE * Nanos.toSeconds(now - beganAt)), now);
            refusedAt = now;
        } else if (soon) {
            rough = pace.isFree() && count < tuning.few;
            pace.limit(Math.max(StrictMath.exp(-tuning.cut) * measured, s), now);
        }
    }

    long dueNanos(long ahead, int wire, long now) {
        long patientUntil = admittedAt + surroundings.settings.firstPatienceNanos(); // an answer is awaited for so long
        if (state == State.BLOCKED) {
            return Nanos.later(probe == NONE ? now : patientUntil, Nanos.later(now, probeAt));
        }
        if (state != State.NEW && wire > 0 && wire + ahead >= open && patientUntil - now > 0) {
            return ahead == 0 ? patientUntil : RateController.UNTIL_SIGNAL;
        }
        return pace.dueNanos(ahead, 1, now);
    }
}
