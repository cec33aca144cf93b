package dev.throttle.lease;

import dev.throttle.control.ControllerHost;
import dev.throttle.control.RateController;
import dev.throttle.internal.Nanos;
import dev.throttle.internal.RoundTrip;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The permits of one key in one process. It asks the store for more, one question at a time, and never under a lock.
 * Thread-safe; its lock is held for arithmetic only, and may be taken while a throttle's is held, never the other way
 * round.
 */
final class Account {

    private static final long AMPLE_NANOS = 1_000_000L;
    private static final long LONGEST_SHARE_PAUSE_NANOS = 250_000_000L;
    private static final long LONGEST_PAUSE_NANOS = 1_000_000_000L;

    private final LeaseTerms terms;
    private final StoreTalk talk;
    private final Alarm alarm;
    private final Hosts hosts = new Hosts();
    private final ReentrantLock lock = new ReentrantLock();
    private final PermitStock stock = new PermitStock();
    private final Demand demand = new Demand();
    private final RoundTrip roundTrip = new RoundTrip();
    /** The most that a waiting caller needs. */
    private long largest = 1;
    /** Whether a caller waits for permits that are not promised yet. */
    private boolean isShort;

    private boolean asking;
    private long askedAt;
    private boolean rests = true;
    private long askAgainAt;
    /** Permits that are spent without the lock. */
    private final Pocket pocket = new Pocket();
    /** How many leases came since anything was spent. */
    private int unspent;

    /** When a request last asked or spent, or when a permit is due that was leased or is waited for. */
    private long busyUntil;

    private final OwnShare share;
    private volatile int sharers;

    Account(LeaseTerms terms, String key) {
        this.terms = terms;
        this.talk = new StoreTalk(terms, key, this::keepUntold);
        this.alarm = new Alarm(terms.time(), this::tick);
        this.sharers = terms.expectedProcesses();
        this.askAgainAt = terms.time().nanoTime();
        this.busyUntil = askAgainAt;
        this.share = new OwnShare(terms, askAgainAt);
    }

    void join(ControllerHost host) {
        hosts.add(host);
    }

    boolean isAbandoned() {
        return hosts.areGone();
    }

    long atHand() {
        lock.lock();
        try {
            long now = terms.time().nanoTime();
            emptyPocket(now);
            return stock.size(now);
        } finally {
            lock.unlock();
        }
    }

    int sharers() {
        return sharers;
    }

    /** {@return when an amount can be spent, after those ahead} It does not ask the store. */
    long dueNanos(long ahead, long amount, long now) {
        if (pocket.has(Nanos.plus(ahead, amount), now)) {
            return now;
        }
        lock.lock();
        try {
            emptyPocket(now);
            return stock.dueOf(Nanos.plus(ahead, amount), now);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Gets permits for a request that wants to be admitted.
     *
     * @param ahead the units that requests before it want
     * @param amount the units that it wants
     */
    void want(long ahead, long amount, long now) {
        if (pocket.has(Nanos.plus(ahead, amount), now)) {
            return;
        }
        lock.lock();
        try {
            emptyPocket(now);
            long due = stock.dueOf(Nanos.plus(ahead, amount), now);
            if (due == RateController.UNTIL_SIGNAL) {
                isShort = true;
                largest = Math.max(largest, amount);
                demand.wants(Nanos.plus(ahead, amount), now);
                isBusyUntil(now);
                decide(now);
            } else {
                isBusyUntil(due);
            }
        } finally {
            lock.unlock();
        }
    }

    void spend(long units, long now) {
        if (pocket.spend(units, now)) {
            return;
        }
        lock.lock();
        try {
            emptyPocket(now);
            stock.take(units, now);
            spent(units, now);
            decide(now);
        } finally {
            lock.unlock();
        }
    }

    private void spent(long units, long now) {
        if (unspent > 1 && askAgainAt - now > 0) {
            askAgainAt = now; // it was of use after all
        }
        unspent = 0;
        share.spent(units, now);
        demand.spends(units, now);
        isBusyUntil(now);
    }

    /** Books what was spent from the pocket. It has to be called before the stock is read. */
    private void emptyPocket(long now) {
        long units = pocket.empty();
        if (units > 0) {
            stock.takeAnyway(units, now);
            spent(units, pocket.until() - now < 0 ? pocket.until() : now);
        }
    }

    private void fillPocket(long size, long now) {
        long units = Math.min(size / 8, stock.dueTogether(now));
        if (units > 0) {
            long ample = now + AMPLE_NANOS;
            pocket.fill(units, stock.firstLapses() - ample < 0 ? stock.firstLapses() : ample);
        }
    }

    /** Puts permits back that were not used. */
    void putBack(long units, long takenAt, long now) {
        lock.lock();
        try {
            emptyPocket(now);
            stock.putBack(units, takenAt, now, share.validNanos());
        } finally {
            lock.unlock();
        }
    }

    private void isBusyUntil(long instant) {
        busyUntil = instant - busyUntil > 0 ? instant : busyUntil;
    }

    /** {@return the time that a lease is to last} On a long way to the store, half of it covers a question. */
    private long periodNanos() {
        return Math.max(terms.periodNanos(), 2 * roundTrip.slowNanos());
    }

    /**
     * {@return whether permits are leased for callers that may come} If the whole limit grants less than one in a
     * period, it would be promised for later, and others would wait for what is not used.
     */
    private boolean isFast() {
        return terms.perSecond() * periodNanos() >= 1e9;
    }

    /** {@return how long before the last permit at hand is due it is time to ask for more} */
    private long leadNanos() {
        return Math.max(terms.periodNanos() / 2, roundTrip.slowNanos() + terms.periodNanos() / 4);
    }

    /** Asks the store for more permits if it is time to; otherwise sets the alarm for the next look. */
    private void decide(long now) {
        rests = false;
        talk.rest(0, sharers, stock.takeLapsed(now));
        long restsAt = busyUntil + terms.periodNanos() + 1;
        if (asking) {
            long overdueAt = askedAt + OwnShare.graceNanos(roundTrip.slowNanos());
            alarm.set(overdueAt - now > 0 ? overdueAt : now + terms.periodNanos() / 2, now);
            return;
        }
        if (now - restsAt >= 0) { // the answer came after all callers had gone
            alarm.set(now, now);
            return;
        }
        long size = stock.size(now);
        long expected = expected(now);
        boolean isByShare = stock.hasOwn(); // the store is asked again, however long they last
        long runsOutAt = isByShare ? now : stock.lastDue(now) - leadNanos();
        boolean isLow = size == 0
                ? expected > 0 && (isShort || (unspent == 0 && isFast()))
                : isShort ? size < expected : 2 * size <= expected && isFast();
        isLow |= isByShare;
        long askAt = runsOutAt - askAgainAt > 0 ? runsOutAt : askAgainAt;
        if (isLow && askAt - now <= 0) {
            ask(Math.max(largest, stock.owed()), expected);
        } else {
            alarm.set(isLow ? askAt : restsAt, now);
            if (!isLow) {
                fillPocket(size, now);
            }
        }
    }

    private long expected(long now) {
        return Math.max(demand.expected(isShort, periodNanos(), now), stock.owed());
    }

    /**
     * Adds permits of the process's own share if it has none, and the answer takes longer than callers are to wait for
     * the store. {@return whether there are more now}
     */
    private boolean bridge(long now) {
        boolean isOverdue = asking && now - askedAt - OwnShare.graceNanos(roundTrip.slowNanos()) >= 0;
        if (!isOverdue || stock.size(now) > 0 || !(isShort || hosts.haveWaiting())) {
            return false;
        }
        long least = Math.min(Math.max(largest, stock.owed()), terms.burst());
        makeOwn(least, Math.max(least, expected(now)), askedAt, now);
        return stock.size(now) > 0;
    }

    private void tick() {
        List<Lease> rest = List.of();
        long own = 0;
        boolean hasMore = false;
        lock.lock();
        try {
            long now = terms.time().nanoTime();
            alarm.rang();
            emptyPocket(now);
            isShort &= hosts.haveWaiting();
            if (isShort) {
                isBusyUntil(now); // waiting callers do not ask again before there are permits
            }
            if (!asking && !rests && now - busyUntil > terms.periodNanos()) {
                rests = true;
                isShort = false;
                largest = 1;
                rest = stock.clear(now);
                own = stock.takeUntold();
            } else if (!rests) {
                hasMore = bridge(now);
                decide(now);
            }
        } finally {
            lock.unlock();
        }
        talk.rest(own, sharers, rest);
        if (hasMore) {
            hosts.nudge();
        }
    }

    private void keepUntold(long own) {
        lock.lock();
        try {
            stock.keepUntold(own);
        } finally {
            lock.unlock();
        }
    }

    /** Called with the lock held, does the rest without it. */
    private void ask(long least, long wanted) {
        long atLeast = Math.min(least, terms.burst());
        asking = true;
        askedAt = terms.time().nanoTime();
        isShort = false;
        long most = Math.max(atLeast, wanted);
        talk.ask(
                stock.takeUntold(),
                sharers,
                atLeast,
                most,
                (lease, askedAt, cameAt) -> answered(lease, atLeast, most, askedAt, cameAt));
    }

    private void answered(@Nullable Lease lease, long least, long wanted, long askedAt, long cameAt) {
        List<Lease> rest = List.of();
        lock.lock();
        try {
            long now = terms.time().nanoTime();
            emptyPocket(now);
            asking = false;
            if (talk.isClosed() && lease != null) {
                rest = List.of(lease);
                makeOwn(least, wanted, askedAt, now);
            } else if (lease == null) {
                makeOwn(least, wanted, askedAt, now);
            } else {
                take(lease, askedAt, cameAt, now);
            }
        } finally {
            lock.unlock();
        }
        talk.rest(0, sharers, rest);
        hosts.nudge();
        lock.lock();
        try {
            isShort &= hosts.haveWaiting(); // a caller that does not wait may have asked
            long now = terms.time().nanoTime();
            emptyPocket(now);
            decide(now);
        } finally {
            lock.unlock();
        }
    }

    private void take(Lease lease, long askedAt, long cameAt, long now) {
        roundTrip.add(cameAt - askedAt);
        share.end(now);
        stock.dropOwn(); // a lease takes its place
        sharers = lease.sharers();
        long first = Nanos.of(lease.first());
        if (lease.permits() > 0 && first <= OwnShare.LONGEST_AHEAD_NANOS) {
            PermitRun run = new PermitRun(lease, askedAt, cameAt);
            share.follows(run.lastDue(), Nanos.of(lease.valid()));
            if (first > 0) {
                isBusyUntil(run.dueOf(1)); // what was promised for later is kept until then
            }
            stock.add(run);
            // The callers may wait for something else than this limit.
            askAgainAt = now
                    + (unspent < 2 ? 0 : Math.min(terms.periodNanos() << Math.min(unspent, 8), LONGEST_PAUSE_NANOS));
            unspent++;
        } else {
            askAgainAt = now + Math.min(first, LONGEST_PAUSE_NANOS * 10);
        }
    }

    /** Adds permits of the process's own share, because the store did not answer. */
    private void makeOwn(long least, long wanted, long askedAt, long now) {
        long pause = share.pauseNanos(talk.isClosed(), askedAt, roundTrip.slowNanos(), now);
        if (pause == 0 && stock.size(now) < Math.max(least, wanted)) {
            stock.add(share.next(sharers, least, wanted, now));
        }
        long lasts = Math.min(stock.lastDue(now) - leadNanos() - now, LONGEST_SHARE_PAUSE_NANOS);
        askAgainAt = now + (pause > 0 ? pause : Math.max(terms.periodNanos() / 2, lasts));
    }

    /** Gives all leases back. The store is not asked any more. */
    void close() {
        List<Lease> rest;
        lock.lock();
        try {
            talk.close();
            long now = terms.time().nanoTime();
            emptyPocket(now);
            rest = stock.clear(now);
        } finally {
            lock.unlock();
        }
        talk.rest(0, sharers, rest);
    }
}
