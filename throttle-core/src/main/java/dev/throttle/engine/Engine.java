package dev.throttle.engine;

import dev.throttle.CallOptions;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.ThrottleState;
import dev.throttle.WaitEstimate;
import dev.throttle.control.ControllerHost;
import dev.throttle.control.RateController;
import dev.throttle.control.Scope;
import dev.throttle.engine.Admission.Entry;
import dev.throttle.engine.Waiter.Place;
import dev.throttle.internal.CallContext;
import dev.throttle.internal.Preconditions;
import dev.throttle.retry.RetryDecision;
import dev.throttle.retry.RetryDecision.StopReason;
import dev.throttle.retry.decision.RetryFacts;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Demand;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import dev.throttle.signal.clock.ServerClock;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Admits the requests of one key. It has three parts: {@link Admission} decides which call goes, and when;
 * {@link Learning} is told what the server answers; {@link Outbox} tells listeners, the log and callers.
 *
 * <p><b>Without the lock.</b> While no call waits, the gate is open and every controller is at rest,
 * {@link InFlightCounter} counts requests in and out, and that is all.
 *
 * <p><b>With the lock.</b> Everything that may change which call goes is a step, which {@link #stepUnderLock} takes.
 * The lock is never held while anything blocks or while user code runs, controllers excepted.
 */
public final class Engine {

    private final EngineSettings settings;
    private final String key;
    private final String label;
    private final Supplier<Engine> successor;
    private final TimeSource time;
    private final Events events;
    private final EngineLog log;
    private final Counters counters = new Counters();
    private final InFlightCounter traffic;
    private final RunState run;
    private final Gauges gauges;
    private final RetryBudget retries;
    private final Rejections rejections;
    private final IdleWatch idleWatch;
    private final ResetMeanings meanings = new ResetMeanings();
    private final ServerClock serverClock = new ServerClock();
    private final Outbox outbox;
    private final ReentrantLock lock = new ReentrantLock();
    /** What had happened when it was last told that nothing goes on any more. */
    private final AtomicLong idleTold = new AtomicLong();
    /** Written under the lock, read by any thread. */
    private volatile EngineConfig config;
    /** What was watched while it observes; null while it does not. Written under the lock. */
    private volatile @Nullable Recording recording;
    /** Guarded by the lock, as all that follow. */
    private final SplittableRandom random;

    private final Gate gate;
    private final Outage outage;
    private final ControllerSet controls;
    private final Routes routes;
    private final Ceilings ceilings = new Ceilings();
    private final CostEstimator estimator;
    private final Admission admission;
    private final Learning learning;
    /** The lines of pools that wait for a change, and are told of the next one. */
    private final Set<Runnable> watchers = new LinkedHashSet<>(0);

    /**
     * Makes an engine.
     *
     * @param settings the settings
     * @param key the key
     * @param label the key as it is shown
     * @param seed the seed of all randomness
     * @param events is told what happens
     * @param successor gives the engine that takes over once this one has retired
     * @param setMode what was asked of the set that it belongs to
     */
    @SuppressWarnings("this-escape") // the timer looks here only after something was scheduled
    public Engine(
            EngineSettings settings,
            String key,
            String label,
            long seed,
            Events events,
            Supplier<Engine> successor,
            Supplier<RunMode> setMode) {
        EnginePolicy policy = settings.policy();
        this.settings = settings;
        this.key = key;
        this.label = label;
        this.successor = successor;
        this.time = settings.time();
        this.events = events;
        this.log = new EngineLog(settings.name(), label, settings.firstRefusals(), settings.logs());
        this.run = new RunState(setMode);
        long now = time.nanoTime();
        this.recording = policy.isObserving() ? new Recording(settings.space(), now) : null;
        this.random = new SplittableRandom(seed);
        this.traffic = new InFlightCounter(now);
        this.gauges = new Gauges(traffic, run);
        this.retries = new RetryBudget(now);
        this.outbox = new Outbox(settings.executor());
        this.config = configure(policy, GuardChain.NONE, ControllerParts.NONE, new Host(random.split()));
        this.outage = new Outage(policy.overloadWait(), counters::hasAnswered, gauges.board()::isUsedUp, random);
        this.controls = new ControllerSet(config.parts(), policy.priorities(), policy.isObserving(), outage);
        this.routes = new Routes(policy.learnsRoutes());
        this.estimator = new CostEstimator(controls::counts);
        this.gate = new Gate(policy.retryAfterJitter(), policy.maxRetryAfterJitter(), !controls.planResets());
        ToldWindow window = new ToldWindow();
        this.admission = new Admission(
                policy,
                traffic,
                gate,
                outage,
                window,
                controls,
                routes,
                run,
                estimator,
                random,
                new WakeupTimer(time, lock, this::look),
                waiter -> outbox.postWakeUp(waiter::deliver));
        this.learning = new Learning(
                traffic,
                gate,
                outage,
                window,
                controls,
                gauges.board(),
                routes,
                ceilings,
                estimator,
                admission,
                random,
                quota -> post(null, told -> told.onQuotaExhausted(quota)));
        this.idleWatch = new IdleWatch(time, outbox, traffic, admission.queue(), lock);
        this.rejections = new Rejections(
                label,
                time,
                this::policy,
                run::isEnding,
                log,
                outage::last,
                counters.rejected,
                (call, rejection) -> tell(call.context(), told -> told.onRejected(rejection)));
        controls.shares().belongTo(outbox::post, outbox::postWakeUp, this::look);
        run.catchUp(now);
        gauges.publish(now, controls, admission.queue());
        run.takeChange(); // how it begins is not news
        publish(now);
        outbox.deliver();
    }

    // ---- the lock

    /**
     * Takes a step under the lock: the step changes something, the queue is looked at again, gauges show the result,
     * and when the lock is free, what has happened is told.
     */
    private <T> T locked(LongFunction<T> step) {
        T result = stepUnderLock(step);
        outbox.deliver();
        return result;
    }

    /** Looks at the queue again, on the timer's thread or on that of another throttle's caller. */
    private void look() {
        stepUnderLock(now -> now);
        outbox.deliverElsewhere();
        if (hasBecomeIdle()) {
            outbox.post(events::onIdle);
            outbox.deliverElsewhere();
        }
    }

    private <T> T stepUnderLock(LongFunction<T> step) {
        return withLock(now -> {
            T result = step.apply(now);
            admission.drain(now);
            admission.prefetch(now);
            tellWatchers();
            publish(now);
            return result;
        });
    }

    /** Tells the lines of pools that have asked in vain that they may ask again. */
    private void tellWatchers() {
        if (!watchers.isEmpty()) {
            watchers.forEach(outbox::postWakeUp);
            watchers.clear();
        }
    }

    /** Holds the lock for something after which the queue need not be looked at again. */
    private <T extends @Nullable Object> T withLock(LongFunction<T> action) {
        lock.lock();
        try {
            return action.apply(now());
        } finally {
            lock.unlock();
        }
    }

    /** Takes a step unless the engine has retired; {@return whether it was taken} */
    private boolean lockedIfLive(LongConsumer step) {
        boolean taken = locked(now -> {
            boolean isLive = !traffic.isRetired();
            if (isLive) {
                step.accept(now);
            }
            return isLive;
        });
        tellIdle();
        return taken;
    }

    /** Shows the state to gauges, opens or closes the way without the lock, and posts what has changed. */
    private void publish(long now) {
        WaitQueue queue = admission.queue();
        if (gauges.publish(now, controls, queue)) {
            boolean limited = gauges.isLimited();
            post(null, told -> told.onRateLimited(limited));
        }
        post(log.follow(admission, now));
        post(log.follow(outage, now));
        ThrottleState changed = run.takeChange();
        if (changed != null) {
            post(null, told -> told.onStateChanged(changed));
        }
        if (idleWatch.isWatched() && !run.refusesNew()) {
            outbox.post(idleWatch.giveUp());
        }
        boolean isFree = run.isRunning() && queue.isLineEmpty() && gate.waitNanos(now) <= 0;
        traffic.setSlow(!isFree || outage.isSuspected() || !controls.isIdle() || !watchers.isEmpty());
    }

    private void post(@Nullable Runnable message) {
        if (message != null) {
            outbox.post(message);
        }
    }

    /** Posts an event for the listeners, if there are any. */
    private void post(@Nullable CallContext context, Consumer<Events> event) {
        if (events.isHeard()) {
            outbox.post(() -> CallContext.run(context, () -> event.accept(events)));
        }
    }

    /** Tells the listeners of an event, after those before it. Without the lock. */
    void tell(@Nullable CallContext context, Consumer<Events> event) {
        if (events.isHeard()) {
            outbox.tell(() -> CallContext.run(context, () -> event.accept(events)));
        }
    }

    /** Tells once that nothing goes on any more. Without the lock. */
    private void tellIdle() {
        if (hasBecomeIdle()) {
            outbox.tell(events::onIdle);
        }
    }

    /** {@return whether nothing goes on any more, which is to be told once} */
    private boolean hasBecomeIdle() {
        idleWatch.check();
        if (!events.isIdleHeard() || traffic.inFlight() != 0 || gauges.waiting() != 0) {
            return false;
        }
        long unsent = counters.ended(Outcome.IGNORED).sum();
        long happened = traffic.admitted() + unsent + gauges.waitsSoFar();
        return idleTold.getAndSet(happened) != happened;
    }

    // ---- admission

    /** {@return whether no guard has to be asked} */
    boolean isUnguarded() {
        return config.guards().isEmpty();
    }

    /** {@return whether the server may grant any request what it takes, as far as is known} */
    boolean isUnbounded(long now) {
        return ceilings.isEmpty(now);
    }

    /** Turns a call away that the server is known never to accept. */
    void checkSize(CallState call) throws ThrottleRejectedException {
        long now = now();
        if (ceilings.isEmpty(now)) {
            return;
        }
        call.findRoute();
        Demand exceeded = ceilings.exceededBy(call.route(), call.options().cost(), now);
        if (exceeded != null) {
            throw rejections.tooLarge(call, exceeded);
        }
    }

    /** {@return whether the server is known never to accept such a call} */
    boolean isTooLarge(CallState call) {
        call.findRoute();
        return ceilings.exceededBy(call.route(), call.options().cost(), now()) != null;
    }

    /** {@return whether calls are only watched: none waits, is retried or is rejected} */
    boolean isObserving() {
        return config.policy().isObserving();
    }

    /** Admits a request without the lock. Fails if the queue, the gate or a controller has to decide. */
    boolean tryEnterFast(long now) {
        return traffic.tryAdmit(now);
    }

    /** Admits a request like {@link #tryEnterFast}, unless as many are in flight as may be when no thread waits. */
    boolean tryEnterFastAsync(long now) {
        return traffic.tryAdmit(now, policy().asyncInFlight());
    }

    /** Admits the next attempt of a call if it may go at once. Fails if it may not, or if the engine has retired. */
    boolean tryEnter(CallState call) {
        if (policy().learnsRoutes()) { // also before a quota has a name: it may get one while the call waits
            call.findRoute();
        }
        boolean isAdmitted = locked(now -> !traffic.isRetired() && admission.tryAdmit(call, now));
        if (!isAdmitted) {
            tellIdle(); // the last one that waited may have been rejected
        }
        return isAdmitted;
    }

    /**
     * Admits the next attempt of a call that waits in the line of a pool, if it may go at once.
     *
     * @param isBounded whether it may not go while as many requests are in flight as asynchronous calls may have
     * @param waiting how many calls wait in that line
     * @param whenChanged if it may not go, this is run once, when it may be worth asking again before the wait is over
     * @return what it has to wait for, unless it was admitted; null if the engine has retired
     */
    @Nullable Offer offer(CallState call, boolean isBounded, int waiting, Runnable whenChanged) {
        if (policy().learnsRoutes()) {
            call.findRoute();
        }
        Offer offer = this.<@Nullable Offer>withLock(now -> {
            if (traffic.isRetired()) {
                return null;
            }
            Offer answer = admission.offer(call, isBounded, waiting, now);
            if (!call.isAdmitted()) {
                watchers.add(whenChanged);
            }
            admission.prefetch(now);
            publish(now);
            return answer;
        });
        outbox.deliverElsewhere();
        return offer;
    }

    /**
     * Admits the next attempt of a call, or puts it in the queue.
     *
     * @param settlement whom to tell; null if the calling thread waits
     * @return the place in the queue; null if it was admitted at once, or if the engine has retired
     */
    @Nullable Waiter enter(CallState call, Waiter.@Nullable Settlement settlement) throws ThrottleRejectedException {
        idleWatch.settles(call);
        if (policy().learnsRoutes()) { // also before a quota has a name: it may get one while the call waits
            call.findRoute();
        }
        Entry entry = locked(
                now -> traffic.isRetired() ? Entry.ADMITTED : admission.enter(call, settlement, newTrail(), now));
        if (entry.refusal() != null) {
            tellIdle(); // a waiter may have timed out meanwhile
            throw rejections.reject(call, entry.refusal());
        }
        Waiter waiter = entry.waiter();
        if (waiter != null && !entry.atLeast().isOver()) {
            tellWaiting(waiter, entry.atLeast());
        }
        return waiter;
    }

    /** Admits an attempt that cannot be held back. Fails if the engine has retired. */
    boolean enterForced(CallState call) {
        long now = now();
        if (traffic.tryAdmit(now)) {
            call.admittedByForce(0, now);
            return true;
        }
        return locked(at -> {
            boolean isLive = !traffic.isRetired();
            if (isLive) {
                admission.admitForced(call, at);
            }
            return isLive;
        });
    }

    /** Blocks the calling thread, which waits, until there may be news for it. */
    void park(Waiter waiter) {
        long wakeAfter = waiter.wakeAfterNanos;
        long now = now();
        long left = wakeAfter == Waiter.NEVER ? Waiter.NEVER : wakeAfter - (now - waiter.arrivedAt);
        if (left > 0) {
            time.parkUntil(this, now + left);
        } else {
            locked(at -> {
                admission.look(waiter);
                return at;
            });
            tellIdle();
        }
    }

    /**
     * Takes a caller out of the queue.
     *
     * @return false if it has left the queue already
     */
    boolean withdraw(Waiter waiter) {
        boolean left = locked(now -> {
            boolean waits = waiter.place == Place.QUEUED;
            if (waits) {
                admission.withdraw(waiter);
            }
            return waits;
        });
        if (left) {
            counters.cancelledWaiting.increment();
            tellIdle();
        }
        return left;
    }

    /** {@return what a call with these options would meet if it came now} */
    public WaitEstimate estimateWait(CallOptions options) {
        WaitEstimate estimate = locked(now -> admission.estimateWait(label, options, now));
        tellIdle();
        return estimate;
    }

    private void tellWaiting(Waiter waiter, Wait wait) {
        log.waits(waiter.call, wait);
        if (events.isHeard()) {
            Duration atLeast = Duration.ofNanos(wait.knownNanos());
            CallContext context = waiter.call.context();
            tell(context, told -> told.onWaiting(waiter.priority, wait.reason(), atLeast));
            WaitTrail trail = waiter.trail;
            if (trail != null) { // on this thread, in order that the end is told before the caller goes on
                CallContext.run(context, () -> {
                    WaitTrail.Follower follower = events.onWaitStart(waiter.priority, wait.reason(), atLeast);
                    if (follower != null) {
                        trail.begun(follower);
                    }
                });
            }
        }
    }

    private @Nullable WaitTrail newTrail() {
        return events.isHeard() ? new WaitTrail() : null;
    }

    /** Tells that a caller goes that had to wait. */
    void tellWaited(Waiter waiter) {
        log.waited(waiter);
        Duration waited = Duration.ofNanos(waiter.waitNanos);
        tell(waiter.call.context(), told -> told.onWaited(waiter.priority, waiter.reason, waited));
    }

    /** {@return the context of this thread, if one is kept} */
    @Nullable CallContext captureContext() {
        return events.captureContext();
    }

    GuardChain guards() {
        return config.guards();
    }

    /** {@return what rejects calls} */
    Rejections rejections() {
        return rejections;
    }

    // ---- learning

    /** {@return what was learned of the meaning of headers, as sentences} */
    public List<String> explainHeaders() {
        return meanings.explain();
    }

    /** {@return what the server's quotas are taken for, as sentences} */
    public List<String> explainQuotas() {
        return withLock(controls::explain);
    }

    /** {@return what a response says} */
    public Signal signalOf(ResponseHead response) {
        return config.responses().read(response, time.currentTimeMillis());
    }

    /**
     * Ends an attempt that is not repeated.
     *
     * @param call its call
     * @param signal how it ended
     * @param permitId identifies it
     * @param cost what it took
     * @param admittedAt when it was admitted
     */
    void end(CallState call, Signal signal, long permitId, Cost cost, long admittedAt) {
        record(call, signal, cost, admittedAt);
        Outcome outcome = signal.outcome();
        counters.count(outcome);
        boolean isBad = outcome.isRefusal() || outcome.isFault();
        if (isBad || !signal.hints().isEmpty() || !tryEndFast(outcome, admittedAt)) {
            findRoute(call, signal);
            int refusals = outcome.isRefusal() ? 1 : 0;
            locked(now -> learning.ended(call, signal, 0, permitId, cost, admittedAt, refusals, now));
        }
        if (isBad) {
            log.refused(signal, now());
        }
        postSignal(signal);
        tellIdle();
    }

    /** Keeps what a dry run needs to know of an attempt that has ended. */
    private void record(CallState call, Signal signal, Cost cost, long admittedAt) {
        Recording current = recording;
        if (current != null && signal.outcome() != Outcome.IGNORED) {
            long now = now();
            int print = current.tellsApart(signal, now) ? call.print() : 0;
            current.add(call.options(), cost, signal, print, admittedAt, now);
            if (current.isToBeTold(now)) {
                log.observed(current, now);
            }
        }
    }

    /** {@return what was watched while it observes; null while it does not} */
    public @Nullable Recording recording() {
        return recording;
    }

    /**
     * Finds out the route of a call if it matters, because the server has named a quota, or does so now, or says how
     * large a request may be.
     */
    private void findRoute(CallState call, Signal signal) {
        Demand demand = signal.hints().demand();
        if (routes.matter()
                || (demand != null && demand.isTooLarge())
                || (policy().learnsRoutes() && namesQuota(signal.hints().quotas()))) {
            call.findRoute();
        }
    }

    private static boolean namesQuota(List<Quota> quotas) {
        for (int i = 0; i < quotas.size(); i++) { // no iterator: asked with every response
            if (quotas.get(i).policy() != null) {
                return true;
            }
        }
        return false;
    }

    private boolean tryEndFast(Outcome outcome, long admittedAt) {
        return outcome == Outcome.IGNORED ? traffic.tryTakeBack(admittedAt) : traffic.tryEnd();
    }

    /**
     * Ends an attempt that was refused, denied or failed, and decides what becomes of its request.
     *
     * @param mayGoElsewhere whether the request can be sent to another throttle. Neither the wait here nor the state of
     *     this throttle keeps it from being repeated then, and it loads this server no more
     */
    RetryDecision fail(
            CallState call,
            Signal signal,
            int status,
            long permitId,
            Cost cost,
            long admittedAt,
            boolean mayGoElsewhere) {
        record(call, signal, cost, admittedAt);
        Outcome outcome = signal.outcome();
        counters.count(outcome);
        idleWatch.ends(call);
        call.failed(outcome, status);
        boolean refuses =
                outcome != Outcome.DENIED && !mayGoElsewhere && config.guards().isRefusing();
        findRoute(call, signal);
        Failure failure = locked(now -> {
            long sleep = learning.ended(call, signal, status, permitId, cost, admittedAt, call.refusals(), now);
            if (outcome.isRefusal()) {
                Cost truth = controls.costAfterRefusal(cost);
                Demand demand = signal.hints().demand();
                call.refused(cost, demand == null ? truth : truth.and(demand.unit(), demand.requested()));
            }
            long aside = outcome == Outcome.RATE_LIMITED ? controls.standAsideNanos(call.refusals()) : 0;
            call.prepareRetry(sleep, random.nextDouble(), now);
            if (refuses) {
                return new Failure(null, 0, aside, now);
            }
            RetryFacts facts = learning.facts(call, signal, now);
            long patience = Math.max(0, facts.leftNanos() - facts.neededNanos());
            return new Failure(facts, traffic.inTenSeconds(now), Math.min(aside, patience), now);
        });
        RetryDecision decision = mayGoElsewhere ? decideElsewhere(call, failure) : decide(call, outcome, failure);
        boolean isNamed = outcome == Outcome.RATE_LIMITED || signal.hints().retryAfter() != null;
        call.decided(decision, failure.asideNanos, isNamed && outcome.isRefusal() && failure.isLate());
        log.refused(call.attempts(), signal, status, decision, failure.at);
        postSignal(signal);
        counters.count(decision);
        tell(null, told -> told.onRetryDecision(decision));
        if (!decision.isRetry()) {
            idleWatch.settles(call);
            tellIdle();
        }
        return decision;
    }

    /**
     * What the lock has told about an attempt that failed.
     *
     * @param facts what decides on its repetition; null if a guard refuses it
     * @param admitted requests of the last ten seconds
     * @param asideNanos how long it stands aside for others
     * @param at when it ended
     */
    private record Failure(@Nullable RetryFacts facts, long admitted, long asideNanos, long at) {

        /** {@return whether the next attempt would have to wait for longer than its call may} */
        boolean isLate() {
            return facts != null && facts.neededNanos() > facts.leftNanos();
        }
    }

    private RetryDecision decideElsewhere(CallState call, Failure failure) {
        return call.isCancelled() || failure.facts == null
                ? StopReason.CANCELLED.decision()
                : policy().retryPolicy().rules().decide(failure.facts.withoutBound());
    }

    /** Without the lock, as the retry policy may be the user's. */
    private RetryDecision decide(CallState call, Outcome outcome, Failure failure) {
        if (call.isCancelled()) {
            return StopReason.CANCELLED.decision();
        }
        if (isObserving()) {
            return StopReason.OBSERVED.decision();
        }
        if (isClosed() && outcome != Outcome.DENIED) {
            return StopReason.CLOSED.decision();
        }
        return failure.facts == null
                ? StopReason.GUARD.decision()
                : retries.decide(policy().retryPolicy().rules(), failure.facts, failure.admitted, failure.at);
    }

    private boolean isClosed() {
        return run.shown() == ThrottleState.CLOSED;
    }

    /**
     * Keeps all calls waiting as a refusal demands, until it is known which server sent it.
     *
     * @return lifts the hold, after whatever is to be learned instead was learned
     */
    Runnable hold(Signal signal) {
        Gate.Hold hold = new Gate.Hold();
        lockedIfLive(now -> gate.hold(hold, signal, now));
        return () -> lockedIfLive(now -> gate.lift(hold));
    }

    /** Tells listeners of a signal that the throttle goes by, unless it is a success without hints. */
    private void postSignal(Signal signal) {
        Signal heard = Learning.heard(signal);
        Outcome outcome = heard.outcome();
        boolean isBad = outcome.isRefusal() || outcome == Outcome.DENIED || outcome.isFault();
        if (isBad || !heard.hints().isEmpty()) {
            tell(null, told -> told.onSignal(heard));
        }
    }

    /**
     * Books what an attempt truly took. Without effect if the engine has retired.
     *
     * @param options what was told about the call
     * @param permitId identifies the attempt; 0 if no controller was told of it
     * @param admitted what the controllers were told that it takes; {@link Cost#NONE} if they were told nothing
     * @param actual what it took of the units that it names
     * @param admittedAt when it was admitted
     */
    void settle(CallOptions options, long permitId, Cost admitted, Cost actual, long admittedAt) {
        Recording current = recording;
        if (current != null) {
            current.settled(admittedAt, actual);
        }
        lockedIfLive(now -> learning.settled(options, permitId, admitted, actual, admittedAt, now));
    }

    /**
     * Learns something about the server that is not the end of an attempt. Without effect if the engine has retired.
     *
     * @param signal what was learned
     * @param permitId identifies the attempt that it was learned from; 0 if no controller was told of it
     * @param cost what that took
     * @param admittedAt when it was admitted
     */
    void observe(Signal signal, long permitId, Cost cost, long admittedAt) {
        lockedIfLive(now -> learning.heardMore(signal, permitId, cost, admittedAt, now));
    }

    /**
     * Learns what the server told another client, some time ago.
     *
     * @param told what was said; its outcome is that of another client's attempt, and is not counted
     * @param ageNanos how long ago, not negative
     * @return false if the engine has retired, so that its successor is to be told
     */
    public boolean observe(Signal told, long ageNanos) {
        return lockedIfLive(now -> learning.heardElsewhere(told, ageNanos, now));
    }

    /** {@return whether something is left of what was said some time ago} */
    public static boolean isNews(Signal told, long ageNanos) {
        return !AgedSignal.aged(told, ageNanos).hints().isEmpty();
    }

    /**
     * Learns how many processes share the key.
     *
     * @return false if the engine has retired, so that its successor is to be told
     */
    public boolean reportSharers(int processes, double perSecond) {
        return lockedIfLive(now -> learning.shared(processes, perSecond, now));
    }

    /**
     * {@return whether it matters what requests cost beside their number: a limit counts another unit, the server has
     * told of one, or a request was settled}
     */
    boolean countsCosts() {
        return learning.countsCosts();
    }

    /**
     * Makes sure that all limits can let a call go.
     *
     * @throws IllegalArgumentException if it takes more than one of them can ever grant
     */
    void check(Cost cost) {
        RateController limit = config.parts().exceeded(cost);
        if (limit != null) {
            String allowed =
                    "at most " + limit.maxUnits() + ", as more than that the limits of the throttle never grant";
            Preconditions.check(false, limit.unit() + " of a call", cost.amount(limit.unit()), allowed);
        }
    }

    /** {@return whether it takes more than one of the limits can ever grant, so that no call of it can be made} */
    boolean isAboveLimits(Cost cost) {
        return !isObserving() && config.parts().exceeded(cost) != null;
    }

    // ---- state that the program asks for, and that it changes

    /**
     * Asks for a mode. What is closed stays closed.
     *
     * @return false if the engine has retired, so that its successor is to be asked
     */
    public boolean ask(RunMode mode) {
        ThrottleState before = run.shown();
        boolean taken = lockedIfLive(now -> run.ask(mode));
        ThrottleState after = run.shown();
        if (after != before) {
            log.changed(after);
        }
        return taken;
    }

    /** The set that the engine belongs to was asked for a mode. */
    public void followSet() {
        locked(now -> now);
        tellIdle();
    }

    /** Makes sure that from now on no call goes that the set of the engine holds back. Tells nothing. */
    public void prepareToFollow() {
        withLock(now -> {
            if (!run.isRunning()) {
                traffic.setSlow(true);
            }
            return now;
        });
    }

    /**
     * Takes no new calls any more.
     *
     * @return completes when no call waits and no request is in flight; null if the engine has retired
     */
    public @Nullable CompletableFuture<Void> drain() {
        return ask(RunMode.DRAINING) ? quiet() : null;
    }

    /** {@return completes when no call waits and none is in flight, or is cancelled when calls are taken again} */
    public CompletableFuture<Void> quiet() {
        CompletableFuture<Void> quiet = locked(now -> idleWatch.watch());
        tellIdle();
        return quiet;
    }

    /**
     * Prepares a change of the policy: everything that is up to the user's code is done, without the lock, and nothing
     * has changed yet. Throws what the user's code throws.
     *
     * @param change makes the policy that is to hold of the one that holds
     * @return makes the change in one step, once; false if nothing has changed, as the engine has retired or was
     *     changed meanwhile
     */
    public BooleanSupplier prepare(UnaryOperator<EnginePolicy> change) {
        EngineConfig before = config;
        EnginePolicy policy = change.apply(before.policy());
        boolean startsAnew = before.policy().isObserving() && !policy.isObserving();
        ControllerParts stay = startsAnew ? before.parts().shared() : before.parts();
        EngineConfig next = configure(policy, before.guards(), stay, withLock(now -> new Host(random.split())));
        return () -> replace(before, next, stay);
    }

    /** {@return a policy with what is made of it; guards and controllers that are there already stay} */
    private EngineConfig configure(EnginePolicy policy, GuardChain guards, ControllerParts parts, ControllerHost host) {
        return new EngineConfig(
                policy,
                guards.with(policy.guards(), key),
                parts.with(policy.strategies(), host, outbox::post),
                new ResponseReader(policy.hintReader(), policy.classifier(), meanings, serverClock));
    }

    private boolean replace(EngineConfig before, EngineConfig next, ControllerParts heirs) {
        boolean isOtherMode = before.policy().mode() != next.policy().mode();
        boolean replaced = locked(now -> {
            if (traffic.isRetired() || config.parts() != before.parts()) {
                return false;
            }
            // From here on every admission and every end comes to the lock: no controller may miss one that it counts.
            traffic.setSlow(true);
            EnginePolicy policy = next.policy();
            controls.become(next.parts(), heirs, policy, learning.load(0, Cost.NONE, now, Scope.ALL, now), now);
            gate.follow(policy.retryAfterJitter(), policy.maxRetryAfterJitter(), !controls.planResets());
            admission.follow(policy);
            learning.follow();
            routes.follow(policy.learnsRoutes());
            admission.reviseScopes(null);
            config = next;
            if (isOtherMode) {
                record(policy.isObserving() ? new Recording(settings.space(), now) : null);
            }
            if (isOtherMode && !policy.isObserving()) {
                learning.tellAgain(now);
            }
            admission.revise(now);
            return true;
        });
        if (replaced && isOtherMode) {
            log.changed(next.policy().mode());
        }
        tellIdle();
        return replaced;
    }

    private void record(@Nullable Recording next) {
        Recording before = recording;
        recording = next;
        if (before != null) {
            before.close();
        }
    }

    /** What a controller may know of its throttle. */
    private final class Host implements ControllerHost {

        private final RandomGenerator own;

        Host(RandomGenerator own) {
            this.own = own;
        }

        @Override
        public String name() {
            return settings.name();
        }

        @Override
        public String key() {
            return key;
        }

        @Override
        public RandomGenerator random() {
            return own;
        }

        /** Within a step the queue is looked at anyway. */
        @Override
        public void nudge() {
            if (!lock.isHeldByCurrentThread() && !traffic.isRetired()) {
                look();
            }
        }

        @Override
        public int waiting() {
            return gauges.waiting() + admission.waitingElsewhere();
        }

        @Override
        public boolean isGone() {
            return traffic.isRetired();
        }
    }

    /**
     * Admits no more if a new engine would admit no more than this one: no call waits, nothing is in flight, the gate
     * is open, and the controllers hold nothing back. What they have learned is lost.
     *
     * @return whether it retired
     */
    public boolean tryRetire() {
        return withLock(now -> gate.waitNanos(now) <= 0
                && !outage.isHolding(now)
                && controls.isForgettable(now)
                && (recording == null || recording.isEmpty())
                && retireUnlessInUse());
    }

    /**
     * {@return until when it is to be kept at least, were it not used any more: while calls are held back, or a fixed
     * limit is partly used} At most a day from now; earlier for what only a signal can end.
     */
    public long heldUntil() {
        return withLock(now -> heldUntil(gate.waitNanos(now), now));
    }

    /** {@return until when calls are held back of which is not known which of the server's quotas count them} */
    public long closedUntil() {
        return withLock(
                now -> heldUntil(gate.waitAt(routes.scopeOfNewRoutes(), now).knownNanos(), now));
    }

    private long heldUntil(long gateNanos, long now) {
        long probe = outage.isHolding(now) ? outage.lookAgainNanos(now) : 0;
        long held = Math.max(Math.max(gateNanos, probe), controls.heldNanos(now));
        return now + Math.max(0, Math.min(held, Gate.LONGEST_NANOS));
    }

    /** {@return whether calls wait or requests are in flight, or the program has changed it by itself} */
    public boolean isInUse() {
        return withLock(now -> traffic.inFlight() > 0 || isWantedUnused());
    }

    private boolean isWantedUnused() {
        return !watchers.isEmpty()
                || admission.queue().size() > 0
                || !run.isOwnRunning()
                || policy().own()
                || idleWatch.isWatched();
    }

    /** Admits no more, unless it is in use, even if it holds calls back. {@return whether it has retired} */
    public boolean tryForget() {
        return withLock(now -> retireUnlessInUse());
    }

    private boolean retireUnlessInUse() {
        boolean isRetired = !isWantedUnused() && traffic.tryRetire();
        if (isRetired) {
            record(null);
        }
        return isRetired;
    }

    /**
     * Keeps all calls waiting, as another engine of the same key would that was forgotten.
     *
     * @param nanos for how long
     */
    public void closeForgotten(long nanos) {
        withLock(now -> {
            gate.closeForgotten(nanos, now);
            traffic.setSlow(true);
            return now;
        });
    }

    public boolean isRetired() {
        return traffic.isRetired();
    }

    /** {@return whether no permit was ever taken} */
    public boolean isUnused() {
        return traffic.admitted() == 0 && counters.ended(Outcome.IGNORED).sum() == 0;
    }

    Engine successor() {
        return successor.get();
    }

    // ---- what is shown

    /** {@return the settings that hold now and may change} */
    public EnginePolicy policy() {
        return config.policy();
    }

    String label() {
        return label;
    }

    public EngineSettings settings() {
        return settings;
    }

    public TimeSource time() {
        return time;
    }

    public long now() {
        return time.nanoTime();
    }

    public Gauges gauges() {
        return gauges;
    }

    public Counters counters() {
        return counters;
    }

    /** {@return how long calls are held back by what the server has named} */
    public long blockedNanos(long now) {
        return Math.max(0, gate.waitNanos(now));
    }

    /**
     * {@return how long the strategy and the limits make the first in line wait now, or the next call if the line is
     * empty} What the server has named is not part of it.
     */
    public long sleepNanos() {
        return withLock(admission::sleepNanos);
    }

    /** {@return how many callers in line wait for each of the server's named quotas, by its name} */
    public Map<String, Integer> waitingByQuota() {
        return withLock(admission::waitingByQuota);
    }

    /**
     * {@return the requests per second that are allowed now, also if time alone has changed that since the last event}
     */
    public double limitPerSecond() {
        return withLock(controls::limitPerSecond);
    }

    /** {@return how many requests may be on the wire at a time; {@link Integer#MAX_VALUE} if any number} */
    public int limitInFlight() {
        return withLock(now -> controls.limitInFlight());
    }

    /** {@return how many attempts have ended in one way} */
    public long count(Outcome outcome) {
        return outcome == Outcome.SUCCESS
                ? counters.successes(traffic.ended())
                : counters.ended(outcome).sum();
    }

    @Override
    public String toString() {
        return "Throttle[" + settings.name() + ", " + label + "]";
    }
}
