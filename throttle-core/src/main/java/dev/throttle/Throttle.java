package dev.throttle;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.engine.Engine;
import dev.throttle.engine.EngineSettings;
import dev.throttle.engine.Events;
import dev.throttle.engine.Recording;
import dev.throttle.engine.RunMode;
import dev.throttle.internal.Preconditions;
import dev.throttle.observe.DryRun;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Limits the requests to one server, or to one key of it, to what the server accepts. It learns from each response how
 * fast the next requests may be sent.
 *
 * <pre>{@code
 * Throttle github = Throttle.create();
 * HttpResponse<String> response = github.execute(() -> client.send(request, BodyHandlers.ofString()));
 * }</pre>
 *
 * <p>Each attempt takes a {@link Permit} before the request and ends it with the outcome. Callers that have to wait
 * share one queue, blocking and asynchronous ones alike, and are served in the order of their arrival. A refused call
 * keeps its place at the front. A {@code Retry-After} holds back all callers. No call waits longer than
 * {@link Throttle.Builder#maxWait}; a call that would have to is rejected at once.
 *
 * <p>A throttle can be paused, drained and closed, but need not be closed. Thread-safe.
 */
public final class Throttle extends Pausable implements ThrottleListener.Source {

    static {
        Calls.grant(throttle -> ((Throttle) throttle).calls);
    }

    private final EngineSettings settings;
    private final String key;
    private final String label;
    private final Engine engine;
    private final ListenerEvents events;
    private final LiveEngine live;
    private final Calls calls;

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
        this.calls = new Calls(engine);
    }

    /** {@return a builder with the defaults} */
    public static Builder builder() {
        return new Builder();
    }

    /** {@return a throttle with the defaults: {@link Strategies#standard()} and waits of at most ten minutes} */
    public static Throttle create() {
        return builder().build();
    }

    /** {@return the name set with the builder, shown as the tag {@code throttle} of the metrics} */
    @Override
    public String name() {
        return settings.name();
    }

    /** {@return the key whose requests this throttle limits; the name if it was not made for a key} */
    @Override
    public String key() {
        return key;
    }

    /** {@return the key as shown in metrics, logs and exceptions} */
    @Override
    public String label() {
        return label;
    }

    /** {@return the longest time that a call may wait in total, unless its options say otherwise} */
    public Duration maxWait() {
        return live.shown().policy().maxWait();
    }

    /**
     * Takes a permit if a request may be sent at once and no other caller is waiting.
     *
     * @return the permit, which must be ended; null if there is none
     */
    public @Nullable Permit tryAcquire() {
        return calls.newCall().tryAcquire();
    }

    /**
     * Waits for a permit on the calling thread.
     *
     * @return the permit, which must be ended
     * @throws ThrottleRejectedException if the wait would be longer than {@link Throttle.Builder#maxWait}, or if the
     *     call is rejected for another reason
     * @throws InterruptedException if the thread is or gets interrupted; no permit is taken
     */
    public Permit acquire() throws InterruptedException, ThrottleRejectedException {
        return calls.newCall().acquire();
    }

    /**
     * Asks for a permit without blocking.
     *
     * @return a future that completes with the permit, which must be ended, or with a
     *     {@link ThrottleRejectedException}. Cancelling it, or completing it in any other way, gives up the place in
     *     the queue. After a wait, dependent actions run on the throttle's executor
     */
    public CompletableFuture<Permit> acquireAsync() {
        return calls.newCall().acquireAsync();
    }

    /**
     * Reads a response with this throttle's header reader and classifier. The throttle learns nothing from it.
     *
     * @param response status and headers
     * @return what the response says
     */
    public Signal read(ResponseHead response) {
        return engine.signalOf(Preconditions.required("response", response));
    }

    /**
     * Runs an action through the throttle on the calling thread, and repeats it as the retry policy says.
     * {@link #resultClassifier()} reads what the action returns or throws.
     *
     * @param action sends one request
     * @param <T> the result
     * @return the result of the last attempt, refused or not
     * @throws ThrottleRejectedException if the wait would be too long
     * @throws InterruptedException if the thread is or gets interrupted while it waits
     * @throws Exception what the action threw in its last attempt
     */
    public <T> T execute(Callable<T> action) throws Exception {
        return execute(CallOptions.DEFAULT, action);
    }

    /**
     * Runs an action through the throttle on the calling thread, and repeats it as the retry policy says.
     * {@link #resultClassifier()} reads what the action returns or throws.
     *
     * @param options the options of the call
     * @param action sends one request
     * @param <T> the result
     * @return the result of the last attempt, refused or not
     * @throws ThrottleRejectedException if the wait would be too long
     * @throws InterruptedException if the thread is or gets interrupted while it waits
     * @throws Exception what the action threw in its last attempt
     */
    public <T> T execute(CallOptions options, Callable<T> action) throws Exception {
        return execute(options, action, resultClassifier());
    }

    /**
     * Runs an action through the throttle on the calling thread, and repeats it as the retry policy says.
     *
     * @param options the options of the call
     * @param action sends one request
     * @param classifier decides what a result or exception says about the server, and discards unused results
     * @param <T> the result
     * @return the result of the last attempt, refused or not
     * @throws ThrottleRejectedException if the wait would be too long
     * @throws InterruptedException if the thread is or gets interrupted while it waits
     * @throws Exception what the action threw in its last attempt
     */
    public <T> T execute(CallOptions options, Callable<T> action, ResultClassifier<? super T> classifier)
            throws Exception {
        Preconditions.required("action", action);
        Preconditions.required("classifier", classifier);
        if (Preconditions.required("options", options).isExempt()) {
            return action.call();
        }
        return Execution.run(calls.newCall(options), action, new SafeResultClassifier<>(classifier));
    }

    /**
     * Runs an asynchronous action through the throttle, and repeats it as the retry policy says.
     * {@link #resultClassifier()} reads what its stage completes with.
     *
     * @param action starts one request; runs on the calling thread or on the throttle's executor
     * @param <T> the result
     * @return a future that completes as the last attempt does. Cancelling it, or completing it in any other way, ends
     *     the wait or cancels the current attempt
     */
    public <T> CompletableFuture<T> executeAsync(Supplier<? extends CompletionStage<T>> action) {
        return executeAsync(CallOptions.DEFAULT, action);
    }

    /**
     * Runs an asynchronous action through the throttle, and repeats it as the retry policy says.
     * {@link #resultClassifier()} reads what its stage completes with.
     *
     * @param options the options of the call
     * @param action starts one request; runs on the calling thread or on the throttle's executor
     * @param <T> the result
     * @return a future that completes as the last attempt does. Cancelling it, or completing it in any other way, ends
     *     the wait or cancels the current attempt
     */
    public <T> CompletableFuture<T> executeAsync(CallOptions options, Supplier<? extends CompletionStage<T>> action) {
        return executeAsync(options, action, resultClassifier());
    }

    /**
     * Runs an asynchronous action through the throttle, and repeats it as the retry policy says.
     *
     * @param options the options of the call
     * @param action starts one request; runs on the calling thread or on the throttle's executor
     * @param classifier decides what a result or exception says about the server, and discards unused results
     * @param <T> the result
     * @return a future that completes as the last attempt does. Cancelling it, or completing it in any other way, ends
     *     the wait or cancels the current attempt
     */
    public <T> CompletableFuture<T> executeAsync(
            CallOptions options,
            Supplier<? extends CompletionStage<T>> action,
            ResultClassifier<? super T> classifier) {
        Preconditions.required("action", action);
        Preconditions.required("classifier", classifier);
        if (Preconditions.required("options", options).isExempt()) {
            return AsyncExecution.unthrottled(action);
        }
        return AsyncExecution.start(calls.newCall(options), action, new SafeResultClassifier<>(classifier));
    }

    /**
     * {@return the classifier that {@code execute} uses if the caller names none} It recognizes the responses and
     * exceptions of common clients by their methods. It reads every object that has a status and headers, such as
     * {@code java.net.http.HttpResponse}, {@code okhttp3.Response}, Retrofit's {@code Response} and
     * {@code HttpException}, Spring's {@code ResponseEntity}, {@code RestClientResponseException} and
     * {@code WebClientResponseException}, Feign's {@code FeignException}, and the exceptions of the OpenAI and
     * Anthropic SDKs, with the classifier and the header reader of this throttle. Any other result is a success. Any
     * other {@link java.io.IOException} is a fault, and the remaining exceptions say nothing. A classifier of one's own
     * can ask it about what it does not know itself.
     */
    public ResultClassifier<Object> resultClassifier() {
        return new StandardResultClassifier(this::read);
    }

    @Override
    public CompletableFuture<Void> drain() {
        return live.drain();
    }

    @Override
    void ask(RunMode mode) {
        live.ask(mode);
    }

    /**
     * Tells the throttle what the server has just said to another client, as {@link #observe(Signal, Duration)} does.
     *
     * @param signal what the server said
     */
    public void observe(Signal signal) {
        observe(signal, Duration.ZERO);
    }

    /**
     * Tells the throttle what the server has said elsewhere, such as to another process, in a webhook or on a status
     * page. Times count from when it was said: a {@code Retry-After} of 30 s that was said 10 s ago makes all callers
     * wait for 20 s. As with the throttle's own responses, a {@code Retry-After} applies only to a refusal
     * ({@code RATE_LIMITED} or {@code BUSY}). A quota is ignored if something newer is known about it.
     *
     * <p>This does not count as a response and does not affect requests in flight. The waits of waiting callers are
     * computed again.
     *
     * @param signal what the server said
     * @param age how long ago the server said it, zero or more
     */
    public void observe(Signal signal, Duration age) {
        live.observe(signal, age);
    }

    /**
     * Tells the throttle how many processes share the server's quota for the key. {@code throttle-redis} does this
     * automatically. Strategies that otherwise guess the number use it: the default strategy shares the quota with a
     * new process at once, instead of when it sees the count fall. The number applies until this method is called
     * again, so the caller must also report when the processes are no longer counted.
     *
     * @param processes how many processes are active now, including this one; 0 if they are no longer counted, so that
     *     the number is unknown
     * @param perSecond how many requests per second they send together at their current limits; NaN or 0 if that is not
     *     known
     */
    public void reportSharers(int processes, double perSecond) {
        live.reportSharers(processes, perSecond);
    }

    /**
     * Changes settings in one step while the throttle runs. The change starts with the current settings, and settings
     * that it does not touch stay, with all their state. What was counted still counts: the used part of a bucket stays
     * used when its size changes, a window keeps its count, requests in flight count towards a limit on them, a wait
     * that the server asked for still applies, and strategies keep what they have learned. The new settings apply to
     * waiting callers at once.
     *
     * <p>A key of a registry that was changed individually is never dropped. It keeps its settings until those of the
     * registry change.
     *
     * @param change changes the settings. It is called again if they were changed concurrently. If it throws, or if the
     *     settings contradict each other, nothing changes
     */
    public void reconfigure(Consumer<KeySettings> change) {
        Preconditions.required("change", change);
        live.reconfigure(policy -> KeySettings.change(policy, change, true));
    }

    /**
     * {@return how long a call would have to wait if it arrived now, and why other callers are waiting} This takes no
     * permit and reserves no place in the queue.
     *
     * @param options the options of the call
     */
    public WaitEstimate estimateWait(CallOptions options) {
        return live.shown().estimateWait(Preconditions.required("options", options));
    }

    /**
     * {@return why callers are waiting now, in a sentence for a log} While calls wait, or a new one would have to, a
     * further sentence for each quota of the server says what it is taken for, and what is left. If the meaning of a
     * header was learned from several responses, a sentence says so.
     *
     * <pre>{@code
     * LOG.info("{}", throttle.explainWait());
     * // api: 2 calls are waiting, the first for 2 s (retry-after) with at least 3 s to go; 1 request is in flight
     * }</pre>
     */
    public String explainWait() {
        WaitEstimate wait = estimateWait(CallOptions.DEFAULT);
        List<String> learned = new ArrayList<>();
        if (!wait.reason().isEmpty() || !wait.headReason().isEmpty()) {
            learned.addAll(live.shown().explainQuotas());
        }
        learned.addAll(live.shown().explainHeaders());
        return learned.isEmpty() ? wait.toString() : wait + ". " + String.join(" ", learned);
    }

    /** {@return the current state of the throttle} Reading it changes nothing. */
    @Override
    public ThrottleSnapshot snapshot() {
        return ThrottleSnapshot.of(label, live.shown());
    }

    /**
     * {@return what the throttle would have done since it observes; null if it does not observe} The recorded calls are
     * replayed on the calling thread, which takes some seconds for a busy key, and half a minute at most.
     */
    public @Nullable ThrottleReport report() {
        Engine shown = live.shown();
        Recording recording = shown.recording();
        Events unheard = new ListenerEvents(this, new Listeners(List.of(), null));
        return recording == null
                ? null
                : DryRun.report(shown.settings(), shown.policy(), recording, key, label, unheard);
    }

    /**
     * {@return how many attempts have ended with an outcome so far}
     *
     * @param outcome the outcome
     */
    @Override
    public long count(Outcome outcome) {
        return live.shown().count(outcome);
    }

    /**
     * Adds a listener for this throttle alone.
     *
     * @param listener receives the events from now on
     * @return whether it was added; false if an equal listener is already there
     */
    public boolean addListener(ThrottleListener listener) {
        return events.own.add(listener);
    }

    /**
     * Removes a listener that {@link #addListener} added.
     *
     * @param listener receives no event that begins after this call
     * @return whether it was there
     */
    public boolean removeListener(ThrottleListener listener) {
        return events.own.remove(listener);
    }

    /**
     * {@return whether the registry that made this throttle has dropped it because it was idle} It then passes its
     * callers on to the throttle that replaces it.
     */
    @Override
    public boolean isEvicted() {
        return engine.isRetired();
    }

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

    /** {@return whether it was never used} */
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

    /** Collects the settings of a throttle. Not thread-safe. Can be used for any number of throttles. */
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
