package dev.throttle.engine;

import dev.throttle.CallOptions;
import dev.throttle.control.RateController;
import dev.throttle.internal.Preconditions;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;

/** What calls cost, once that is known, and what else becomes known of a server beside the ends of attempts. */
public final class Costs {

    private final EngineState state;

    Costs(EngineState state) {
        this.state = state;
    }

    /**
     * {@return whether it matters what requests cost beside their number: a limit counts another unit, the server has
     * told of one, or a request was settled}
     */
    public boolean areCounted() {
        return state.countsCosts;
    }

    /**
     * Makes sure that all limits can let a call go.
     *
     * @throws IllegalArgumentException if it takes more than one of them can ever grant
     */
    void check(Cost cost) {
        RateController limit = state.parts.exceeded(cost);
        if (limit != null) {
            String allowed =
                    "at most " + limit.maxUnits() + ", as more than that the limits of the throttle never grant";
            Preconditions.check(false, limit.unit() + " of a call", cost.amount(limit.unit()), allowed);
        }
    }

    /**
     * Books what an attempt truly took. Without effect if the engine has retired.
     *
     * @param options what was told about the call
     * @param admitted what the controllers were told that it takes; {@link Cost#NONE} if they did not hear of it
     * @param actual what it took of the units that it names
     * @param admittedAt when it was let go
     */
    public void settle(CallOptions options, Cost admitted, Cost actual, long admittedAt) {
        state.underLock(now -> {
            if (!state.traffic.isRetired()) {
                if (!actual.isRequestsOnly()) {
                    state.countsCosts = true;
                    state.estimator.learn(options, actual);
                }
                state.traffic.setSlow(true); // as with every signal: what is owed must be waited for
                state.controls.onSettled(admitted, actual, admittedAt, now);
                state.queue.drain(now);
            }
        });
    }

    /**
     * Learns something about the server that is not the end of an attempt. A time to stay away is kept, as only who was
     * refused is told one in a body. Without effect if the engine has retired.
     *
     * @param signal what was learned
     * @param cost what the attempt took that it was learned from; {@link Cost#NONE} if from none
     * @param admittedAt when that was let go; the time if there is none
     */
    public void hear(Signal signal, Cost cost, long admittedAt) {
        state.underLock(now -> {
            if (!state.traffic.isRetired()) {
                boolean isRefused = signal.hints().retryAfter() != null;
                Signal meant = isRefused ? Signal.of(Outcome.RATE_LIMITED, signal.hints()) : signal;
                hear(meant, signal, cost, admittedAt, now, now);
            }
        });
    }

    /**
     * Learns what somebody else was told, some time ago.
     *
     * @param told what was said; its outcome is that of another's attempt, and is not counted
     * @param ageNanos how long ago, not negative
     * @return false if the engine has retired, so that its successor is to be told
     */
    public boolean hear(Signal told, long ageNanos) {
        boolean[] heard = new boolean[1];
        state.underLock(now -> {
            if (!state.traffic.isRetired()) {
                heard[0] = true;
                Signal news = Hearsay.withoutOld(told, state.gauges.board(), ageNanos, now);
                hear(Hearsay.aged(news, ageNanos), news, Cost.NONE, now, now - ageNanos, now);
            }
        });
        return heard[0];
    }

    /**
     * Learns how many processes share the key.
     *
     * @return false if the engine has retired, so that its successor is to be told
     */
    public boolean sharedBy(int processes, double perSecond) {
        boolean[] heard = new boolean[1];
        state.underLock(now -> {
            if (!state.traffic.isRetired()) {
                heard[0] = true;
                state.traffic.setSlow(true); // as with every signal
                state.controls.onShared(processes, perSecond, now);
                state.queue.drain(now);
            }
        });
        return heard[0];
    }

    /** {@return whether something is left of what was said some time ago} */
    public static boolean isNews(Signal told, long ageNanos) {
        return !Hearsay.aged(told, ageNanos).hints().isEmpty();
    }

    private void hear(Signal signal, Signal told, Cost cost, long admittedAt, long saidAt, long now) {
        if (!signal.hints().isEmpty()) {
            state.traffic.setSlow(true); // as with every signal
            state.note(signal, told.hints().quotas(), saidAt, now);
            state.queue.hear(signal, cost, admittedAt, now);
        }
        state.queue.drain(now);
    }
}
