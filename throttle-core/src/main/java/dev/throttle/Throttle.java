package dev.throttle;

import dev.throttle.client.ThrottledCall;
import dev.throttle.control.Strategies;
import dev.throttle.engine.Acquisition;
import dev.throttle.engine.Engine;
import dev.throttle.engine.EngineSettings;
import dev.throttle.internal.Preconditions;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Paces the requests to one server, or to one key of it: callers ask for a permit before each request and end the
 * permit with what became of it, from which the throttle learns how fast the next ones may go.
 *
 * <p>Callers that must wait stand in one queue, first come first served, blocking and asynchronous ones together. A
 * call that is refused keeps its place at the front. A {@code Retry-After} stops everybody. No wait is longer than
 * {@link ThrottleSettings#maxWait}: a caller that cannot make it is told so at once.
 *
 * <p>It can be paused, drained and closed. Thread-safe. Nothing needs to be closed.
 */
public final class Throttle extends ControlledThrottle implements ThrottleListener.Source {

    private final EngineSettings settings;
    private final String key;
    private final String label;
    private final Engine engine;
    private final ListenerEvents events;
    private final LiveEngine live;

    Throttle(
            EngineSettings settings,
            String key,
            String label,
            long seed,
            Listeners listeners,
            @Nullable Successors successors) {
        this.settings = settings;
        this.key = key;
        this.label = label;
        this.events = new ListenerEvents(this, listeners);
        this.live = new LiveEngine(settings, key, label, seed, events, successors);
        this.engine = live.engine;
    }

    /** {@return a builder with the defaults} */
    public static Builder builder() {
        return new Builder();
    }

    /** {@return a throttle with the defaults: {@link Strategies#standard()}, waits of ten minutes at most} */
    public static Throttle create() {
        return builder().build();
    }

    /** {@return the name given by the builder, shown as tag {@code throttle} of the metrics} */
    @Override
    public String name() {
        return settings.name();
    }

    /** {@return the key whose requests this throttle paces; the name, if it was not made for a key} */
    @Override
    public String key() {
        return key;
    }

    /** {@return the key as it is shown: in metrics, logs and exceptions} */
    @Override
    public String label() {
        return label;
    }

    /** {@return the longest time that a call may wait in total, unless it says otherwise} */
    public Duration maxWait() {
        return live.shown().policy().maxWait();
    }

    /**
     * Takes a permit if a request may go at once and nobody waits.
     *
     * @return the permit, or null
     */
    public @Nullable Permit tryAcquire() {
        Engine current = engine;
        Permit permit = tryAcquire(current);
        while (permit == null && current.isRetired()) {
            current = live.successor();
            permit = tryAcquire(current);
        }
        return permit;
    }

    private static @Nullable Permit tryAcquire(Engine live) {
        long now = live.now();
        if (live.isUnguarded()) {
            if (live.tryEnterFast(now)) {
                return new Permit(live, null, Cost.ONE, false, now);
            }
            Cost cost = live.tryEnter(CallOptions.DEFAULT, now);
            return cost == null ? null : new Permit(live, null, cost, true, now);
        }
        return new Acquisition<>(live, CallOptions.DEFAULT, now, Permit.PERMITS).tryAcquire();
    }

    /**
     * Waits for a permit on the calling thread.
     *
     * @return the permit, which must be ended
     * @throws ThrottleRejectedException if the wait would be longer than {@link ThrottleSettings#maxWait}
     * @throws InterruptedException if the thread is or gets interrupted; no permit is taken
     */
    public Permit acquire() throws InterruptedException, ThrottleRejectedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted before waiting for the throttle");
        }
        Permit permit = tryAcquireFast();
        return permit == null ? acquisition(CallOptions.DEFAULT).acquire() : permit;
    }

    /**
     * Asks for a permit without blocking.
     *
     * @return completes with the permit, which must be ended, or with {@link ThrottleRejectedException}; cancelling it,
     *     or completing it in any other way, gives up the place in the queue. Dependents run on the throttle's executor
     */
    public CompletableFuture<Permit> acquireAsync() {
        Permit permit = tryAcquireFast();
        return permit == null
                ? acquisition(CallOptions.DEFAULT).acquireAsync()
                : CompletableFuture.completedFuture(permit);
    }

    /** {@return a permit if nothing at all stands in the way} */
    private @Nullable Permit tryAcquireFast() {
        long now = engine.now();
        return engine.isUnguarded() && engine.tryEnterFast(now) ? new Permit(engine, null, Cost.ONE, false, now) : null;
    }

    /**
     * Reads a response as this throttle's header reader and classifier understand it, and learns nothing from it.
     *
     * @param response status and headers
     * @return what it says
     */
    public Signal read(ResponseHead response) {
        return engine.signalOf(Preconditions.required("response", response));
    }

    /** {@return a new call with the default options; for adapters of HTTP clients} */
    @SuppressWarnings("exports") // who makes adapters has it
    public ThrottledCall newCall() {
        return newCall(CallOptions.DEFAULT);
    }

    /**
     * {@return a new call; for adapters of HTTP clients} Everybody else uses {@link #execute(Callable)}, or
     * {@link #acquire()} and {@link Permit#acquireAgain()}.
     *
     * @param options what the throttle has to know about the call
     * @throws IllegalArgumentException if the call takes more than one of the limits can ever grant
     */
    @SuppressWarnings("exports") // who makes adapters has it
    public ThrottledCall newCall(CallOptions options) {
        return new ThrottledCall(engine, options, Permit.PERMITS);
    }

    private Acquisition<Permit> acquisition(CallOptions options) {
        return new Acquisition<>(engine, options, engine.now(), Permit.PERMITS);
    }

    /**
     * Runs an action through the throttle on the calling thread, repeating it as the retry policy says. What the action
     * returns or throws is read as {@link ResultClassifier#standard()} does.
     *
     * @param action sends one request
     * @param <T> the result
     * @return the result of the last attempt, refused or not
     * @throws ThrottleRejectedException if the wait would be too long
     * @throws InterruptedException if the thread is or gets interrupted while it waits
     * @throws Exception what the action threw at its last attempt
     */
    public <T> T execute(Callable<T> action) throws Exception {
        return execute(CallOptions.DEFAULT, action, new StandardResultClassifier(this::read));
    }

    /**
     * Runs an action through the throttle on the calling thread, repeating it as the retry policy says.
     *
     * @param options what the throttle has to know about the call
     * @param action sends one request
     * @param classifier tells what a result or exception says about the server, and discards results
     * @param <T> the result
     * @return the result of the last attempt, refused or not
     * @throws ThrottleRejectedException if the wait would be too long
     * @throws InterruptedException if the thread is or gets interrupted while it waits
     * @throws Exception what the action threw at its last attempt
     */
    public <T> T execute(CallOptions options, Callable<T> action, ResultClassifier<? super T> classifier)
            throws Exception {
        Preconditions.required("action", action);
        Preconditions.required("classifier", classifier);
        return Execution.run(acquisition(options), action, new SafeResultClassifier<>(classifier));
    }

    /**
     * Runs an asynchronous action through the throttle, repeating it as the retry policy says. What its stage completes
     * with is read as {@link ResultClassifier#standard()} does.
     *
     * @param action starts one request; runs on the calling thread or on the throttle's executor
     * @param <T> the result
     * @return completes as the last attempt does; cancelling it, or completing it in any other way, ends the wait or
     *     cancels the attempt under way
     */
    public <T> CompletableFuture<T> executeAsync(Supplier<? extends CompletionStage<T>> action) {
        return executeAsync(CallOptions.DEFAULT, action, new StandardResultClassifier(this::read));
    }

    /**
     * Runs an asynchronous action through the throttle, repeating it as the retry policy says.
     *
     * @param options what the throttle has to know about the call
     * @param action starts one request; runs on the calling thread or on the throttle's executor
     * @param classifier tells what a result or exception says about the server, and discards results
     * @param <T> the result
     * @return completes as the last attempt does; cancelling it, or completing it in any other way, ends the wait or
     *     cancels the attempt under way
     */
    public <T> CompletableFuture<T> executeAsync(
            CallOptions options,
            Supplier<? extends CompletionStage<T>> action,
            ResultClassifier<? super T> classifier) {
        Preconditions.required("action", action);
        Preconditions.required("classifier", classifier);
        return AsyncExecution.start(acquisition(options), action, new SafeResultClassifier<>(classifier));
    }

    /** {@return what the throttle is doing now; reading it disturbs nothing} */
    @Override
    public ThrottleSnapshot snapshot() {
        return ThrottleSnapshot.of(label, live.shown());
    }

    /**
     * {@return how many attempts have ended in one way so far}
     *
     * @param outcome the way
     */
    @Override
    public long count(Outcome outcome) {
        return live.shown().count(outcome);
    }

    /**
     * Adds a listener for this throttle alone.
     *
     * @param listener hears what the throttle does from now on
     * @return whether it was added; false if an equal one is there already
     */
    public boolean addListener(ThrottleListener listener) {
        return events.own.add(listener);
    }

    /**
     * Takes away a listener that {@link #addListener} added.
     *
     * @param listener hears no event that begins after this
     * @return whether it was there
     */
    public boolean removeListener(ThrottleListener listener) {
        return events.own.remove(listener);
    }

    /**
     * {@return whether the set that this throttle was made by has dropped it because it was idle; from then on it
     * passes its callers on to its successor}
     */
    @Override
    public boolean isEvicted() {
        return engine.isRetired();
    }

    @Override
    LiveEngine live() {
        return live;
    }

    Engine engine() {
        return engine;
    }

    /** {@return whether it had nothing to lose, and admits no more} */
    boolean tryRetire() {
        return engine.tryRetire();
    }

    /** {@return whether nobody has ever used it} */
    boolean isUnused() {
        return engine.isUnused();
    }

    ListenerEvents events() {
        return events;
    }

    @Override
    public String toString() {
        return "Throttle[" + name() + (label.equals(name()) ? "" : ", " + label) + "]";
    }

    /** Collects the settings of a throttle. Not thread-safe; may be used for any number of throttles. */
    public static final class Builder extends ThrottleSettings<Builder> {

        private Builder() {}

        @Override
        Builder self() {
            return this;
        }

        /** {@return a throttle with these settings} */
        public Throttle build() {
            return new Throttle(engineSettings(freeze(0, false)), name(), name(), seed(), listeners(), null);
        }
    }
}
