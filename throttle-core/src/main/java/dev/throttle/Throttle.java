package dev.throttle;

import dev.throttle.control.Controller;
import dev.throttle.control.Strategies;
import dev.throttle.internal.Preconditions;
import dev.throttle.retry.RetryDecision.StopReason;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
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
 * {@link ThrottleBuilder#maxWait}: a caller that cannot make it is told so at once.
 *
 * <p>Thread-safe. Nothing needs to be closed.
 */
public final class Throttle {

    private final ThrottleConfig config;
    private final String key;
    private final Engine engine;
    private final @Nullable ThrottleRegistry owner;

    Throttle(ThrottleConfig config, String key, @Nullable ThrottleRegistry owner) {
        this.config = config;
        this.key = key;
        this.owner = owner;
        this.engine = new Engine(this, config, config.seed() ^ (key.hashCode() * 0x9E3779B97F4A7C15L));
    }

    /** {@return a builder with the defaults} */
    public static ThrottleBuilder builder() {
        return new ThrottleBuilder();
    }

    /** {@return a throttle with the defaults: {@link Strategies#standard()}, waits of ten minutes at most} */
    public static Throttle create() {
        return builder().build();
    }

    /** {@return the name given by the builder, shown as tag {@code throttle} of the metrics} */
    public String name() {
        return config.name();
    }

    /** {@return the key whose requests this throttle paces; the name, if it was not made for a key} */
    public String key() {
        return key;
    }

    /** {@return the longest time that a call may wait in total, unless it says otherwise} */
    public Duration maxWait() {
        return config.maxWait();
    }

    /**
     * Takes a permit if a request may go at once and nobody waits.
     *
     * @return the permit, or null
     */
    public @Nullable Permit tryAcquire() {
        Engine live = engine;
        Permit permit = tryAcquire(live);
        while (permit == null && live.isRetired()) {
            live = successor();
            permit = tryAcquire(live);
        }
        return permit;
    }

    private static @Nullable Permit tryAcquire(Engine live) {
        return live.guards().isEmpty()
                ? live.tryEnter(null)
                : new ThrottledCall(live, CallOptions.DEFAULT, live.now()).tryAcquire();
    }

    /**
     * Waits for a permit on the calling thread.
     *
     * @return the permit, which must be ended
     * @throws ThrottleRejectedException if the wait would be longer than {@link ThrottleBuilder#maxWait}
     * @throws InterruptedException if the thread is or gets interrupted; no permit is taken
     */
    public Permit acquire() throws InterruptedException, ThrottleRejectedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted before waiting for the throttle");
        }
        long now = engine.now();
        if (engine.guards().isEmpty() && engine.tryEnterFast(now)) {
            return new Permit(engine, null, now);
        }
        return newCall().acquire();
    }

    /**
     * Asks for a permit without blocking.
     *
     * @return completes with the permit, which must be ended, or with {@link ThrottleRejectedException}; cancelling it,
     *     or completing it in any other way, gives up the place in the queue. Dependents run on the throttle's executor
     */
    public CompletableFuture<Permit> acquireAsync() {
        return newCall().acquireAsync();
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

    /** {@return a new call with the default options} */
    public ThrottledCall newCall() {
        return newCall(CallOptions.DEFAULT);
    }

    /**
     * {@return a new call, for those who repeat attempts themselves, as adapters of HTTP clients do}
     *
     * @param options what the throttle has to know about the call
     * @throws IllegalArgumentException if the call takes more permits than one of the limits can ever grant
     */
    public ThrottledCall newCall(CallOptions options) {
        Preconditions.required("options", options);
        if (options.permits() > engine.maxPermits()) {
            Preconditions.check(
                    false,
                    "permits",
                    options.permits(),
                    "at most " + engine.maxPermits() + ", as more than that the limits of the throttle never grant");
        }
        return new ThrottledCall(engine, options, engine.now());
    }

    /**
     * Runs an action through the throttle on the calling thread, repeating it as the retry policy says. The action
     * counts as accepted when it returns, as failed when it throws an {@link java.io.IOException}.
     *
     * @param action sends one request
     * @param <T> the result
     * @return the result of the last attempt
     * @throws ThrottleRejectedException if the wait would be too long
     * @throws InterruptedException if the thread is or gets interrupted while it waits
     * @throws Exception what the action threw at its last attempt
     */
    public <T> T execute(Callable<T> action) throws Exception {
        return execute(CallOptions.DEFAULT, action, result -> Signal.SUCCESS);
    }

    /**
     * Runs an action through the throttle on the calling thread, repeating it as the retry policy says.
     *
     * @param options what the throttle has to know about the call
     * @param action sends one request
     * @param signals tells what a result or exception says about the server
     * @param <T> the result
     * @return the result of the last attempt, refused or not
     * @throws ThrottleRejectedException if the wait would be too long
     * @throws InterruptedException if the thread is or gets interrupted while it waits
     * @throws Exception what the action threw at its last attempt
     */
    public <T> T execute(CallOptions options, Callable<T> action, ResultClassifier<? super T> signals)
            throws Exception {
        Preconditions.required("action", action);
        return Execution.run(newCall(options), action, Preconditions.required("signals", signals));
    }

    /**
     * Runs an asynchronous action through the throttle, repeating it as the retry policy says. The action counts as
     * accepted when its stage completes, as failed when that completes with an {@link java.io.IOException}.
     *
     * @param action starts one request; runs on the calling thread or on the throttle's executor
     * @param <T> the result
     * @return completes as the last attempt does; cancelling it, or completing it in any other way, ends the wait or
     *     cancels the attempt under way
     */
    public <T> CompletableFuture<T> executeAsync(Supplier<? extends CompletionStage<T>> action) {
        return executeAsync(CallOptions.DEFAULT, action, result -> Signal.SUCCESS);
    }

    /**
     * Runs an asynchronous action through the throttle, repeating it as the retry policy says.
     *
     * @param options what the throttle has to know about the call
     * @param action starts one request; runs on the calling thread or on the throttle's executor
     * @param signals tells what a result or exception says about the server
     * @param <T> the result
     * @return completes as the last attempt does; cancelling it, or completing it in any other way, ends the wait or
     *     cancels the attempt under way
     */
    public <T> CompletableFuture<T> executeAsync(
            CallOptions options, Supplier<? extends CompletionStage<T>> action, ResultClassifier<? super T> signals) {
        Preconditions.required("action", action);
        return AsyncExecution.start(newCall(options), action, Preconditions.required("signals", signals));
    }

    /** {@return what the throttle is doing now; reading it disturbs nothing} */
    public ThrottleSnapshot snapshot() {
        Engine engine = shown();
        Gauges gauges = engine.gauges();
        Counters counters = engine.telemetry().counters;
        long now = engine.now();
        Map<Outcome, Long> outcomes = new EnumMap<>(Outcome.class);
        for (Outcome outcome : Outcome.values()) {
            outcomes.put(outcome, engine.count(outcome));
        }
        Map<StopReason, Long> notRetried = new EnumMap<>(StopReason.class);
        for (StopReason reason : StopReason.values()) {
            notRetried.put(reason, counters.stopped(reason).sum());
        }
        return new ThrottleSnapshot(
                key,
                Duration.ofNanos(gauges.sleepNanos(now)),
                Duration.ofNanos(gauges.blockedNanos(now)),
                gauges.limitPerSecond(),
                gauges.requestsPerSecond(now),
                gauges.waiting(),
                gauges.inFlight(),
                gauges.quotas().read(now),
                outcomes,
                counters.rejected.sum(),
                counters.cancelledWaiting.sum(),
                counters.retried.sum(),
                notRetried);
    }

    /**
     * {@return how many attempts have ended in one way so far}
     *
     * @param outcome the way
     */
    public long count(Outcome outcome) {
        return shown().count(outcome);
    }

    /**
     * {@return what one of the strategies tells about itself, such as
     * {@link dev.throttle.control.sleep.ResponsiveBackoff.Counters}; empty if none of them tells this}
     *
     * @param type the type of the report
     * @param <T> the type of the report
     */
    public <T extends Controller.Report> Optional<T> report(Class<T> type) {
        return Optional.ofNullable(shown().report(type));
    }

    /**
     * Adds a listener for this throttle alone.
     *
     * @param listener hears what the throttle does from now on
     * @return whether it was added; false if an equal one is there already
     */
    public boolean addListener(ThrottleListener listener) {
        return engine.telemetry().own.add(listener);
    }

    /**
     * Takes away a listener that {@link #addListener} added.
     *
     * @param listener hears no event that begins after this
     * @return whether it was there
     */
    public boolean removeListener(ThrottleListener listener) {
        return engine.telemetry().own.remove(listener);
    }

    /**
     * {@return whether the set that this throttle was made by has dropped it because it was idle; from then on it
     * passes its callers on to its successor}
     */
    public boolean isEvicted() {
        return engine.isRetired();
    }

    Engine engine() {
        return engine;
    }

    /** {@return the engine of the throttle that has taken over this key, once this one was dropped} */
    Engine successor() {
        return owner == null ? engine : owner.get(key).engine;
    }

    /** The engine to report about, which reporting does not make. */
    private Engine shown() {
        Throttle current = owner == null || !engine.isRetired() ? null : owner.getIfPresent(key);
        return current == null ? engine : current.engine;
    }

    @Override
    public String toString() {
        return "Throttle[" + name() + ", " + key + "]";
    }
}
