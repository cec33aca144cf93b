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
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongFunction;
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
 * engine is called: an engine whose turn comes sooner than it was told is woken by the engine at work, when that has no
 * lock any more.
 */
public final class SharedPool {

    private final String name;
    private final ReentrantLock lock = new ReentrantLock();
    private final Set<Share> line = new LinkedHashSet<>();
    /** What those in line take together that do not let others pass. */
    private final CostSum claimed = new CostSum();

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

    /** {@return whose turn it is; null if the line is empty, or all let others pass} */
    private @Nullable Share next() {
        for (Share share : line) {
            if (!share.letsPass) {
                return share;
            }
        }
        return null;
    }

    /** {@return what those take who have their turn before a share, in line or not} */
    private Cost costAhead(Share share) {
        if (!line.contains(share)) {
            return claimed.toCost();
        }
        CostSum sum = new CostSum();
        for (Share other : line) {
            if (other == share) {
                break;
            }
            if (!other.letsPass) {
                sum.add(other.head);
            }
        }
        return sum.toCost();
    }

    /** Tells the next in line when it can go, if it would look too late. The engine at work looks for itself. */
    private void tellNext(long now) {
        Share next = next();
        if (next == null || next == acting || next.told || acting == null) {
            return;
        }
        long due = limit.dueNanos(Cost.NONE, next.head, now);
        boolean looksLater = next.looksAt == RateController.UNTIL_SIGNAL || due - next.looksAt < 0;
        if (due != RateController.UNTIL_SIGNAL && (looksLater || due - now <= 0)) {
            next.told = true;
            acting.wakeUps.accept(next.look);
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

    /** What one engine has of the limit. All methods but queries are called under the lock of that engine. */
    final class Share implements RateController {

        private Consumer<Runnable> news = Runnable::run;
        private Consumer<Runnable> wakeUps = Runnable::run;
        private Runnable look = () -> {};
        /** What the head of its queue takes. Guarded by the lock of the pool, as is what follows. */
        private Cost head = Cost.NONE;
        /** Whether it lets others pass, while it is in line. */
        private boolean letsPass;
        /** Whether it is about to be woken. */
        private boolean told;
        /** When its engine looks by itself. */
        private long looksAt;

        /**
         * Tells what its engine does when it has no lock any more.
         *
         * @param toSay takes what is to be logged
         * @param toWake takes the looks of other engines
         * @param looks makes the engine look at its queue again
         */
        void belongsTo(Consumer<Runnable> toSay, Consumer<Runnable> toWake, Runnable looks) {
            news = toSay;
            wakeUps = toWake;
            look = looks;
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

        /** Takes a step under the lock of the pool, after which the next in line may have to be told. */
        private <T> T locked(long engineNow, LongFunction<T> step) {
            return query(engineNow, now -> {
                T result = step.apply(now);
                tellNext(now);
                return result;
            });
        }

        /** Asks under the lock of the pool. */
        private <T> T query(long engineNow, LongFunction<T> question) {
            lock.lock();
            acting = this;
            try {
                return question.apply(inOrder(engineNow));
            } finally {
                acting = null;
                lock.unlock();
            }
        }

        /**
         * Stands in line and does not let others pass.
         *
         * @return how long it has to wait; 0 or less if it can take now, {@link Wait#UNTIL_SIGNAL} if it is told when
         */
        long stand(Cost cost, long engineNow) {
            return locked(engineNow, now -> {
                told = false;
                Cost before = costAhead(this);
                unclaim();
                line.add(this);
                head = cost;
                letsPass = false;
                claimed.add(cost);
                limit.prefetch(before, cost, now);
                looksAt = limit.dueNanos(before, cost, now);
                if (looksAt - now <= 0 && next() != this) {
                    looksAt = UNTIL_SIGNAL; // there is room, which is another's
                }
                return looksAt == UNTIL_SIGNAL ? Wait.UNTIL_SIGNAL : looksAt - now;
            });
        }

        /** Keeps its place, but lets others pass, as it could not go. */
        void letPass(long engineNow) {
            locked(engineNow, now -> {
                unclaim();
                letsPass = true;
                return now;
            });
        }

        /** Gives up its place in line, if it has one. */
        void leave(long engineNow) {
            locked(engineNow, now -> {
                told = false;
                unclaim();
                return line.remove(this);
            });
        }

        private void unclaim() {
            if (line.contains(this) && !letsPass) {
                claimed.subtract(head);
            }
        }

        /** Takes what a request needs if there is room and no other is ahead; {@return whether it did} */
        boolean tryTake(Cost needed, long engineNow) {
            return locked(engineNow, now -> {
                limit.prefetch(Cost.NONE, needed, now);
                long due = limit.dueNanos(Cost.NONE, needed, now);
                boolean takes = next() == (line.contains(this) ? this : null) && due != UNTIL_SIGNAL && due - now <= 0;
                if (takes) {
                    take(needed, now);
                }
                return takes;
            });
        }

        /** Gives back at once what was taken. */
        void undo(Cost taken, long engineNow) {
            Load load = new TrafficLoad(0, taken, engineNow, 0, 0, 0, 0);
            onSignal(Signal.of(Outcome.IGNORED), load, engineNow);
        }

        @Override
        public void onAdmitted(Cost needed, long permitId, long engineNow) {
            locked(engineNow, now -> {
                take(needed, now);
                return now;
            });
        }

        @Override
        public void onSignal(Signal signal, Load load, long engineNow) {
            locked(engineNow, now -> {
                inFlight = Math.max(0, inFlight - 1);
                Cost cost = load.cost();
                long admittedAt = load.admittedAtNanos();
                double sent = load.requestsPerSecond();
                Load all = new TrafficLoad(0, cost, admittedAt, inFlight, admitted, line.size(), sent);
                limit.onSignal(signal, all, now);
                show();
                return now;
            });
        }

        @Override
        public void onSettled(Cost taken, Cost actual, long permitId, long admittedAtNanos, long engineNow) {
            locked(engineNow, now -> {
                limit.onSettled(taken, actual, 0, admittedAtNanos, now);
                return now;
            });
        }

        @Override
        public long dueNanos(Cost before, Cost needed, long engineNow) {
            return query(engineNow, now -> {
                CostSum ahead = new CostSum();
                ahead.add(before);
                ahead.add(costAhead(this));
                return limit.dueNanos(ahead.toCost(), needed, now);
            });
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
