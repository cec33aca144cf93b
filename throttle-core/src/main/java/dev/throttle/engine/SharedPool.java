package dev.throttle.engine;

import dev.throttle.control.Controller;
import dev.throttle.control.ControllerHost;
import dev.throttle.control.RateController;
import dev.throttle.control.RateLimit;
import dev.throttle.control.Strategy;
import dev.throttle.internal.Preconditions;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One limit that several engines keep to. Each has a {@link Share} of it, and stands in line for it while the head of
 * its queue waits for nothing else. Who is first in line takes what its head needs as soon as there is room, and stands
 * at the end of the line again for the next: so no engine starves another, however many callers it has.
 *
 * <p>A head that waits for another shared limit keeps its place here but lets others pass, so that nothing is kept for
 * who could not use it.
 *
 * <p>All state is behind a lock of its own, which is taken last, with the lock of an engine held, and under which no
 * engine is called: whose turn comes sooner than it was told is handed to the engine at work, to be woken when that has
 * no lock any more.
 */
public final class SharedPool {

    private final String name;
    private final ReentrantLock lock = new ReentrantLock();
    private final TurnLine<Share> line = new TurnLine<>();
    private final SafeRateController limit;
    private @Nullable Share acting;
    private int inFlight;
    private long admitted;
    private long latest;
    private boolean used;
    private volatile double perSecond;
    private volatile int mostInFlight;

    /**
     * Makes a pool.
     *
     * @param name what waits for it are for
     * @param strategy a fixed limit
     */
    public SharedPool(String name, Strategy strategy) {
        this.name = name;
        Controller controller = strategy.newController(ControllerHost.detached(new SplittableRandom()));
        Preconditions.check(controller instanceof RateLimit, "limit", strategy.name(), "a limit of a rate");
        this.limit = new SafeRateController((RateLimit) controller, strategy.name(), this::later);
        Preconditions.check(!limit.isAdaptive(), "limit", strategy.name(), "a fixed one");
        show();
    }

    /** {@return the share of one more engine} */
    public RateController newShare() {
        return new Share();
    }

    private void later(Runnable news) {
        if (acting == null) {
            news.run();
        } else {
            acting.news.accept(news);
        }
    }

    private void show() {
        perSecond = limit.limitPerSecond();
        mostInFlight = limit.limitInFlight();
    }

    /** Sees to it that who is next knows when. The engine at work looks for itself. */
    private void tellNext(long now) {
        Share next = line.next();
        if (next == null || next == acting || next.told || acting == null) {
            return;
        }
        long due = limit.dueNanos(Cost.NONE, next.cost(), now);
        boolean looksLater = next.looksAt == RateController.UNTIL_SIGNAL || due - next.looksAt < 0;
        if (due != RateController.UNTIL_SIGNAL && (looksLater || due - now <= 0)) {
            next.told = true;
            acting.woken.add(next);
        }
    }

    /** Times of several engines, none of which is before the one that came last. */
    private long inOrder(long now) {
        if (!used || now - latest > 0) {
            latest = now;
            used = true;
        }
        return latest;
    }

    private void take(Cost cost, long now) {
        limit.onAdmitted(cost, 0, now);
        inFlight++;
        admitted++;
    }

    private void end(Signal signal, RateLimit.Load load, long now) {
        inFlight = Math.max(0, inFlight - 1);
        limit.onSignal(
                signal,
                new TrafficLoad(
                        0,
                        load.cost(),
                        load.admittedAtNanos(),
                        inFlight,
                        admitted,
                        line.size(),
                        load.requestsPerSecond()),
                now);
        show();
    }

    /** What one engine has of the limit. All methods but queries are called under the lock of that engine. */
    final class Share extends TurnLine.Place<Share> implements RateController {

        /**
         * What is to be done when the engine at work has no lock any more; its own, of which no other sees anything.
         */
        private Queue<Share> woken = new ConcurrentLinkedQueue<>();

        private Consumer<Runnable> news = Runnable::run;
        private Runnable look = () -> {};
        /** Whether it is about to be woken. Guarded by the lock of the pool, as is what follows. */
        private boolean told;
        /** When its engine looks by itself. */
        private long looksAt;

        void belongsTo(Queue<Share> toWake, Consumer<Runnable> toSay, Runnable looks) {
            woken = toWake;
            news = toSay;
            look = looks;
        }

        /** Lets the engine look again. Without any lock. */
        void wake() {
            look.run();
        }

        String name() {
            return name;
        }

        boolean isOf(Share other) {
            return pool() == other.pool();
        }

        private SharedPool pool() {
            return SharedPool.this;
        }

        private void begin() {
            lock.lock();
            acting = this;
        }

        private void end() {
            acting = null;
            lock.unlock();
        }

        /**
         * Stands in line and does not let others pass.
         *
         * @return how long it has to wait; 0 or less if it can take now, {@link Wait#UNTIL_SIGNAL} if it is told when
         */
        long stand(Cost head, long engineNow) {
            begin();
            try {
                long now = inOrder(engineNow);
                told = false;
                Cost before = line.costAhead(this);
                line.stand(this, head);
                limit.prefetch(before, head, now);
                looksAt = limit.dueNanos(before, head, now);
                if (looksAt - now <= 0 && line.next() != this) {
                    looksAt = UNTIL_SIGNAL; // there is room, which is another's
                }
                tellNext(now);
                return looksAt == UNTIL_SIGNAL ? Wait.UNTIL_SIGNAL : looksAt - now;
            } finally {
                end();
            }
        }

        /** Keeps its place, but lets others pass, as it could not go. */
        void letPass(long engineNow) {
            begin();
            try {
                if (line.letPass(this)) {
                    tellNext(inOrder(engineNow));
                }
            } finally {
                end();
            }
        }

        /** Gives up its place in line, if it has one. */
        void leave(long engineNow) {
            begin();
            try {
                if (line.leave(this)) {
                    told = false;
                    tellNext(inOrder(engineNow));
                }
            } finally {
                end();
            }
        }

        /** Takes what a request needs if there is room and no other is ahead; {@return whether it did} */
        boolean tryTake(Cost needed, long engineNow) {
            begin();
            try {
                long now = inOrder(engineNow);
                limit.prefetch(Cost.NONE, needed, now);
                long due = limit.dueNanos(Cost.NONE, needed, now);
                boolean takes = line.next() == (isInLine() ? this : null) && due != UNTIL_SIGNAL && due - now <= 0;
                if (takes) {
                    take(needed, now);
                } else {
                    tellNext(now);
                }
                return takes;
            } finally {
                end();
            }
        }

        /** Gives back at once what was taken. */
        void undo(Cost taken, long engineNow) {
            Load load = new TrafficLoad(0, taken, engineNow, 0, 0, 0, 0);
            onSignal(Signal.of(Outcome.IGNORED), load, engineNow);
        }

        @Override
        public void onAdmitted(Cost needed, long permitId, long engineNow) {
            begin();
            try {
                take(needed, inOrder(engineNow));
            } finally {
                end();
            }
        }

        @Override
        public void onSignal(Signal signal, Load load, long engineNow) {
            begin();
            try {
                long now = inOrder(engineNow);
                SharedPool.this.end(signal, load, now);
                tellNext(now);
            } finally {
                end();
            }
        }

        @Override
        public void onSettled(Cost taken, Cost actual, long permitId, long admittedAtNanos, long engineNow) {
            begin();
            try {
                long now = inOrder(engineNow);
                limit.onSettled(taken, actual, 0, admittedAtNanos, now);
                tellNext(now);
            } finally {
                end();
            }
        }

        @Override
        public long dueNanos(Cost before, Cost needed, long engineNow) {
            begin();
            try {
                CostSum sum = new CostSum();
                sum.add(before);
                sum.add(line.costAhead(this));
                return limit.dueNanos(sum.toCost(), needed, inOrder(engineNow));
            } finally {
                end();
            }
        }

        @Override
        public boolean isIdle() {
            return false;
        }

        @Override
        public boolean isAdaptive() {
            return false;
        }

        @Override
        public String unit() {
            return limit.unit();
        }

        @Override
        public long maxUnits() {
            return limit.maxUnits();
        }

        @Override
        public long maxWaitNanos() {
            return limit.maxWaitNanos();
        }

        @Override
        public double limitPerSecond() {
            return perSecond;
        }

        @Override
        public int limitInFlight() {
            return mostInFlight;
        }
    }
}
