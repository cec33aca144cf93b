package dev.throttle.engine;

import dev.throttle.AdmissionGuard;
import dev.throttle.CallOptions;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.engine.Rejections.Refusal;
import dev.throttle.engine.Waiter.Place;
import dev.throttle.internal.CallContext;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import dev.throttle.time.TimeSource;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Admits the requests of one key.
 *
 * <p><b>Fast path.</b> While nobody waits, the gate is open and every controller is at rest, {@link InFlightCounter}
 * counts requests in and out, and that is all.
 *
 * <p><b>Slow path.</b> Everything else happens under a lock that is never held while anything blocks. Whatever could
 * change who may go, an arrival, the end of a request, a cancellation, the timer, is told to the
 * {@link AdmissionQueue}; who is to hear of it hears it when the lock is free.
 */
public final class Engine {

    private final EngineSettings settings;
    private final String label;
    private final Supplier<Engine> successor;
    private final Counters counters = new Counters();
    private final Rejections rejections;
    private final Endings endings;
    final EngineState state;
    private final InFlightCounter traffic;
    private final AdmissionQueue queue;
    private final Patience patience;
    private final Costs costs;
    private final RunControl control;
    private final ReentrantLock lock;

    /**
     * Makes an engine.
     *
     * @param settings the settings
     * @param key the key
     * @param label the key as it is shown
     * @param guards the guards of this key
     * @param seed the seed of all randomness
     * @param events hears what happens
     * @param successor gives the engine that takes over once this one has retired
     * @param setMode what was asked of the set that it belongs to
     */
    public Engine(
            EngineSettings settings,
            String key,
            String label,
            List<AdmissionGuard> guards,
            long seed,
            Events events,
            Supplier<Engine> successor,
            Supplier<RunMode> setMode) {
        this.settings = settings;
        this.label = label;
        this.successor = successor;
        this.state = new EngineState(settings, key, label, guards, seed, events, new RunState(setMode));
        this.control = new RunControl(state);
        this.traffic = state.traffic;
        this.queue = state.queue;
        this.patience = new Patience(state);
        this.costs = new Costs(state);
        this.lock = state.lock;
        this.endings = new Endings(state, counters);
        this.rejections = new Rejections(state, label, counters.rejected);
        state.tell(null); // what was wrong with a controller from the beginning
    }

    public TimeSource time() {
        return settings.time();
    }

    public long now() {
        return state.now();
    }

    public Gauges gauges() {
        return state.gauges;
    }

    public Counters counters() {
        return counters;
    }

    EngineSettings settings() {
        return settings;
    }

    /** {@return the settings that hold now and may change} */
    public EnginePolicy policy() {
        return state.config.policy();
    }

    GuardChain guards() {
        return state.config.guards();
    }

    Engine successor() {
        return successor.get();
    }

    /** {@return whether no guard stands beside it, so that a permit needs no call} */
    public boolean isUnguarded() {
        return state.unguarded;
    }

    /** {@return the context of this thread, if one is kept} */
    public @Nullable CallContext captureContext() {
        return state.captureContext();
    }

    /** {@return what its calls cost} */
    public Costs costs() {
        return costs;
    }

    /** {@return what tells how long a call would wait} */
    public Foresight foresight() {
        return new Foresight(state);
    }

    /** {@return what pauses and closes it} */
    public RunControl control() {
        return control;
    }

    public boolean isRetired() {
        return traffic.isRetired();
    }

    /** {@return whether no request was ever admitted} */
    public boolean isUnused() {
        return traffic.admitted() == 0;
    }

    /** {@return how many attempts have ended in one way} */
    public long count(Outcome outcome) {
        return outcome == Outcome.SUCCESS
                ? counters.successes(traffic.ended())
                : counters.ended(outcome).sum();
    }

    /** {@return what a response says} */
    public Signal signalOf(ResponseHead response) {
        return state.config.responses().read(response, time().currentTimeMillis());
    }

    /** Admits a request if nothing stands in its way and nobody wants to know. */
    public boolean tryEnterFast(long now) {
        return traffic.tryAdmit(now);
    }

    /**
     * Admits a request by thinking about it, if it may go at once and the engine has not retired.
     *
     * @return what it takes; null if it was not admitted
     */
    public @Nullable Cost tryEnter(CallOptions options, long now) {
        Cost cost = null;
        Waiter ready = null;
        lock.lock();
        try {
            if (!traffic.isRetired()) {
                queue.drain(now);
                Cost probable = state.estimator.resolve(options);
                cost = queue.tryAdmit(options, probable, now) ? probable : null;
                ready = state.publish(now);
            }
        } finally {
            lock.unlock();
        }
        state.tell(ready);
        if (cost == null) {
            state.tellIdle(); // the last one who waited may have been turned away
        }
        return cost;
    }

    /**
     * Admits the next attempt of a call, or puts it in the queue.
     *
     * @param settlement whom to tell; null if the calling thread waits
     * @return the place in the queue; null if it was admitted at once, or if the engine has retired
     */
    @Nullable Waiter enter(CallState call, Waiter.@Nullable Settlement settlement) throws ThrottleRejectedException {
        Waiter ready = null;
        Waiter waiter = null;
        Refusal refusal = null;
        Wait wait = Wait.NONE;
        lock.lock();
        try {
            if (!traffic.isRetired()) {
                long now = now();
                queue.drain(now);
                if (!call.isRetry()) {
                    call.draw(state.random.nextDouble());
                }
                state.quiet.settles(call);
                call.cost(state.estimator.resolve(call.options()));
                wait = queue.admitOrWait(call, now);
                if (!call.isAdmitted()) {
                    refusal = patience.refuseInAdvance(call, wait, now);
                    if (refusal == null) {
                        waiter = new Waiter(
                                call,
                                state.controls.cut(call.cost()),
                                settlement,
                                call.leftNanos(state.maxWaitNanos()));
                        waiter.trail = state.newTrail();
                        wait = queue.enqueue(waiter, wait, now);
                    }
                }
                ready = state.publish(now);
            }
        } finally {
            lock.unlock();
        }
        state.tell(ready);
        if (refusal != null) {
            state.tellIdle(); // somebody may have been turned away for whom it was too late
            throw rejections.reject(call, refusal);
        }
        if (waiter != null && !wait.isOver()) {
            state.tellWaiting(waiter, wait);
        }
        return waiter;
    }

    /** Admits an attempt that nobody can keep from going; {@return when; null if the engine has retired} */
    @Nullable Long acquireForced(CallState call) {
        long now = now();
        if (traffic.tryAdmit(now)) {
            call.admittedByForce(false);
            return now;
        }
        Waiter ready;
        lock.lock();
        try {
            if (traffic.isRetired()) {
                return null;
            }
            now = now();
            call.cost(state.estimator.resolve(call.options()));
            queue.acquireForced(call.cost(), now);
            ready = state.publish(now);
        } finally {
            lock.unlock();
        }
        call.admittedByForce(true);
        state.tell(ready);
        return now;
    }

    /** {@return what turns calls away} */
    Rejections rejections() {
        return rejections;
    }

    /** Ends an attempt that is not repeated. */
    public void end(Signal signal, Cost cost, long admittedAt) {
        endings.end(signal, cost, admittedAt);
    }

    /** {@return what ends attempts that may have to be repeated} */
    Endings endings() {
        return endings;
    }

    /** Blocks the calling thread, which waits, until there may be news for it. */
    void park(Waiter waiter) {
        long wakeAfter = waiter.wakeAfterNanos;
        long now = now();
        long left = wakeAfter == Waiter.NEVER ? Waiter.NEVER : wakeAfter - (now - waiter.arrivedAt);
        if (left > 0) {
            time().parkUntil(this, now + left);
        } else {
            state.underLock(at -> queue.look(waiter, at));
        }
    }

    /**
     * Takes a caller out of the queue.
     *
     * @return false if it has left the queue already
     */
    boolean withdraw(Waiter waiter) {
        Waiter ready;
        lock.lock();
        try {
            if (waiter.place != Place.QUEUED) {
                return false;
            }
            long now = now();
            queue.withdraw(waiter, now);
            ready = state.publish(now);
        } finally {
            lock.unlock();
        }
        counters.cancelledWaiting.increment();
        state.tell(ready);
        state.tellIdle();
        return true;
    }

    /**
     * Admits no more if a new engine would admit no more than this one: nobody waits, nothing is on the wire, the gate
     * is open, and the controllers hold nothing back. What they have learned is lost.
     *
     * @return whether it retired
     */
    public boolean tryRetire() {
        lock.lock();
        try {
            long now = now();
            return queue.queue().size() == 0
                    && state.run.isOwnRunning()
                    && !policy().own()
                    && !state.quiet.isWatched()
                    && state.gate.waitNanos(now) <= 0
                    && state.controls.isForgettable(now)
                    && traffic.tryRetire();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public String toString() {
        return "Throttle[" + settings.name() + ", " + label + "]";
    }
}
