package dev.throttle.engine;

import dev.throttle.CallOptions;
import dev.throttle.Permit;
import dev.throttle.Priority;
import dev.throttle.PriorityPolicy;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.WaitEstimate;
import dev.throttle.internal.CallbackPool;
import dev.throttle.internal.DurationText;
import dev.throttle.internal.Nanos;
import dev.throttle.internal.Seldom;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Signal;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one line of a pool, in which its calls wait for whichever member can let them go first. The calls take no places
 * in the queues of the members: the first in line asks each member, in the order of its preference, and so no permit is
 * ever taken that is not used. It asks again when a member has said that it may be worth it: after the shortest wait
 * that a member has named, or when something has changed there.
 *
 * <p>A call that cannot use a member that is free, such as one that waits for the member of its conversation, does not
 * keep those behind it from going there. Otherwise calls of a class go in the order in which they came; between classes
 * the weights of the {@link PriorityPolicy} hold.
 *
 * <p>One thread at a time gives permits away, without a lock: what others want meanwhile it does on their behalf.
 * Thread-safe.
 */
public final class PoolLine {

    private static final Logger LOG = LoggerFactory.getLogger("dev.throttle.Throttle");

    /** The members are asked again after this time, should nothing have been heard of them. */
    private static final long LOOK_NANOS = Duration.ofSeconds(1).toNanos();

    /** That calls wait for longer than this is news. */
    private static final long LONG_NANOS = Duration.ofSeconds(10).toNanos();

    private static final List<Priority> CLASSES = List.of(Priority.values());

    private final String name;
    private final Object owner;
    private final List<PoolMember> members;
    private final long affinityNanos;
    private final long spillNanos;
    private final TimeSource time;
    private final Executor executor;
    private final Runnable wake = this::dispatch;
    private final Conversations conversations = new Conversations();

    private final Map<Priority, ConcurrentSkipListSet<PoolWaiter>> lines = new EnumMap<>(Priority.class);
    private final ConcurrentSkipListSet<PoolWaiter> byDeadline = new ConcurrentSkipListSet<>((a, b) -> {
        long later = a.deadline - b.deadline;
        return Long.signum(later == 0 ? a.order - b.order : later);
    });
    /** Calls that have come and were not looked at yet. */
    private final Queue<PoolWaiter> newcomers = new ConcurrentLinkedQueue<>();

    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicLong orders = new AtomicLong();
    private final LongAdder rejected = new LongAdder();
    private final Seldom rejectionTold = new Seldom();
    private final Seldom waitTold = new Seldom();

    /** How many steps are left, with the one that runs. */
    private final AtomicInteger steps = new AtomicInteger();
    /** What each class got so far, by its weight. Of the thread that gives permits away, as what follows. */
    private final Map<Priority, Double> turns = new EnumMap<>(Priority.class);

    private double clock;
    private TimeSource.@Nullable ScheduledTask task;
    private long firesAt;

    /**
     * Makes a line.
     *
     * @param name the name of the pool
     * @param owner the registry of the members
     * @param members at least one
     * @param affinity how long a call waits for the member of its conversation
     * @param spill how long a call waits for a member of a better tier
     */
    public PoolLine(String name, Object owner, List<PoolMember> members, Duration affinity, Duration spill) {
        this.name = name;
        this.owner = owner;
        this.members = List.copyOf(members);
        this.affinityNanos = Nanos.of(affinity);
        this.spillNanos = Nanos.of(spill);
        EngineSettings settings = members.get(0).engine().settings();
        this.time = settings.time();
        this.executor = settings.executor();
        for (Priority priority : CLASSES) {
            lines.put(priority, new ConcurrentSkipListSet<>((a, b) -> Long.compare(a.order, b.order)));
        }
    }

    public String name() {
        return name;
    }

    /** {@return the registry of the members} */
    public Object owner() {
        return owner;
    }

    public List<PoolMember> members() {
        return members;
    }

    /** {@return how many calls are in line} */
    public int waiting() {
        return waiting.get();
    }

    /** {@return how many calls of a class are in line} */
    public int waiting(Priority priority) {
        return lineOf(priority).size();
    }

    private ConcurrentSkipListSet<PoolWaiter> lineOf(Priority priority) {
        return Objects.requireNonNull(lines.get(priority));
    }

    /** {@return how many calls were turned away so far} */
    public long rejected() {
        return rejected.sum();
    }

    TimeSource time() {
        return time;
    }

    Runnable wake() {
        return wake;
    }

    /** {@return how long a call may wait that does not say so itself: as long as the most patient member has it} */
    long maxWaitNanos() {
        return members.stream()
                .mapToLong(member -> member.engine().policy().maxWaitNanos())
                .max()
                .orElse(0);
    }

    private PriorityPolicy priorities() {
        return members.get(0).engine().policy().priorities();
    }

    /** An attempt has ended at a member. */
    void ended(int member, Signal signal) {
        members.get(member).learn(signal, time.nanoTime());
        wakeUp();
    }

    /**
     * Asks the members again. A guard that lets calls in again causes no event, nor does a call that leaves the line.
     */
    void wakeUp() {
        if (waiting.get() > 0) {
            dispatch();
        }
    }

    /** {@return whether a call may go to another member than the one of its last attempt, now or later} */
    boolean hasOther(MemberCalls call, int member) {
        for (int i = 0; i < members.size(); i++) {
            if (i != member && !call.isExcluded(i) && members.get(i).isOpen()) {
                return true;
            }
        }
        return false;
    }

    // ---- a call comes, and leaves

    PoolWaiter newWaiter(MemberCalls call, boolean isBounded, @Nullable Thread thread, UnaryOperator<Permit> permits) {
        long left = call.leftNanos(maxWaitNanos());
        long began = call.waitBeganAt();
        long deadline = left == Waiter.NEVER ? Waiter.NEVER : began + left;
        return new PoolWaiter(
                this::leave, call, call.order(orders.incrementAndGet()), began, deadline, isBounded, thread, permits);
    }

    /** Puts a call in line, and lets it go at once if it may. */
    void enter(PoolWaiter waiter) {
        boolean isFull = !waiter.call.isRetry()
                && waiting.get() >= members.get(0).engine().policy().maxWaiting();
        waiting.incrementAndGet();
        lineOf(waiter.priority).add(waiter);
        if (waiter.deadline != Waiter.NEVER) {
            byDeadline.add(waiter);
            newcomers.add(waiter);
        }
        dispatch();
        if (isFull && remove(waiter)) {
            turnAway(waiter, Refusal.QUEUE_FULL, 0);
            wakeUp();
        }
    }

    /** Takes a call out of the line. {@return whether it was there; then its end is up to the caller} */
    boolean remove(PoolWaiter waiter) {
        boolean left = lineOf(waiter.priority).remove(waiter);
        if (left) {
            waiting.decrementAndGet();
            byDeadline.remove(waiter);
        }
        return left;
    }

    private boolean leave(PoolWaiter waiter) {
        boolean left = remove(waiter);
        if (left) {
            wakeUp();
        }
        return left;
    }

    /** {@return a permit that is there at once for a call; null if there is none, or if others wait} */
    @Nullable Permit tryNow(MemberCalls call, boolean isBounded) {
        return waiting.get() > 0
                ? null
                : ask(
                        call,
                        isBounded,
                        false,
                        new Round(members.size()),
                        call.options().priority());
    }

    /** Blocks the thread of a call in line until there may be news for it. */
    void park(PoolWaiter waiter) {
        long now = time.nanoTime();
        if (waiter.isOverdue(now)) {
            dispatch(); // the timer is late
        } else {
            time.parkUntil(this, waiter.deadline == Waiter.NEVER ? now + Nanos.MAX : waiter.deadline);
        }
    }

    // ---- permits are given away

    /** What was found out about the members while permits are given away once. */
    private static final class Round {

        /**
         * By class and member: what a call that came before has to wait for there; null if the member is not closed.
         */
        private final Map<Priority, @Nullable Wait[]> closed = new EnumMap<>(Priority.class);
        /** When to ask again. */
        long lookNanos = LOOK_NANOS;

        Round(int members) {
            for (Priority priority : CLASSES) {
                closed.put(priority, new @Nullable Wait[members]);
            }
        }

        @Nullable Wait[] closedTo(Priority priority) {
            return Objects.requireNonNull(closed.get(priority));
        }

        boolean isOver(Priority priority) {
            for (Wait wait : closedTo(priority)) {
                if (wait == null) {
                    return false;
                }
            }
            return true;
        }

        void lookAfter(long nanos) {
            lookNanos = Math.min(lookNanos, Math.max(0, nanos));
        }
    }

    /** Gives away what permits there are. Only one thread does so at a time; others leave it to that one. */
    private void dispatch() {
        if (steps.getAndIncrement() > 0) {
            return;
        }
        int done;
        do {
            done = steps.get();
            Round round = new Round(members.size());
            try {
                giveAway(round);
            } catch (RuntimeException | Error e) { // such as of a registry that cannot make the throttle of a member
                failAll(e);
            } finally {
                arm(round.lookNanos);
            }
        } while (steps.addAndGet(-done) > 0);
    }

    /** Who stays in line would wait for ever. */
    private void failAll(Throwable failure) {
        LOG.error("Pool \"{}\": asking the members failed", name, failure);
        for (ConcurrentSkipListSet<PoolWaiter> waiters : lines.values()) {
            for (PoolWaiter waiter : waiters) {
                fail(waiter, failure);
            }
        }
    }

    private void fail(PoolWaiter waiter, Throwable failure) {
        if (remove(waiter)) {
            waiter.failed(failure, executor);
        }
    }

    private void giveAway(Round round) {
        Map<Priority, PoolWaiter> next = new EnumMap<>(Priority.class);
        for (Priority priority : CLASSES) {
            PoolWaiter first = first(lineOf(priority));
            if (first == null) {
                turns.merge(priority, clock, Math::max); // a class without waiting calls saves nothing up
            } else {
                next.put(priority, first);
            }
        }
        for (PoolWaiter waiter = next(next, round); waiter != null; waiter = next(next, round)) {
            serveOrFail(waiter, round);
            PoolWaiter behind = lineOf(waiter.priority).higher(waiter);
            if (behind == null) {
                next.remove(waiter.priority);
            } else {
                next.put(waiter.priority, behind);
            }
        }
        serveOverdue(round);
        turnAwayLate(round);
    }

    /** Calls whose time is over, and whose turn has not come, ask once before they are turned away. */
    private void serveOverdue(Round round) {
        for (PoolWaiter waiter : byDeadline) {
            if (!waiter.isOverdue(time.nanoTime())) {
                return;
            }
            serveOrFail(waiter, round);
        }
    }

    /** Newcomers that were not asked, as others come first at all members: that may be too late for them. */
    private void turnAwayLate(Round round) {
        for (PoolWaiter waiter = newcomers.poll(); waiter != null; waiter = newcomers.poll()) {
            if (waiter.wasAsked || waiter.isDone() || !round.isOver(waiter.priority)) {
                continue;
            }
            waiter.call.standsBehind(round.closedTo(waiter.priority));
            long least = waiter.call.leastWait();
            if (isTooLate(waiter, least) && remove(waiter)) {
                turnAway(waiter, null, least);
            }
        }
    }

    private boolean isTooLate(PoolWaiter waiter, long nanos) {
        return waiter.deadline != Waiter.NEVER
                && nanos != Wait.UNTIL_SIGNAL
                && time.nanoTime() + nanos - waiter.deadline > 0;
    }

    private static @Nullable PoolWaiter first(ConcurrentSkipListSet<PoolWaiter> line) {
        return line.isEmpty() ? null : line.stream().findFirst().orElse(null);
    }

    /** {@return whose turn it is; null if no call is left that could go anywhere} */
    private @Nullable PoolWaiter next(Map<Priority, PoolWaiter> first, Round round) {
        PoolWaiter best = null;
        double bestTurn = 0;
        for (PoolWaiter waiter : first.values()) {
            double turn = turnOf(waiter.priority) + 1.0 / weight(waiter.priority);
            if (!round.isOver(waiter.priority) && (best == null || turn < bestTurn)) {
                best = waiter;
                bestTurn = turn;
            }
        }
        return best;
    }

    private double turnOf(Priority priority) {
        return turns.getOrDefault(priority, clock);
    }

    private int weight(Priority priority) {
        return priorities().weights().getOrDefault(priority, 1);
    }

    /** A mistake of the user's code, such as the settings of a key, ends its call and no other. */
    private void serveOrFail(PoolWaiter waiter, Round round) {
        try {
            serve(waiter, round);
        } catch (RuntimeException | Error e) {
            fail(waiter, e);
        }
    }

    private void serve(PoolWaiter waiter, Round round) {
        MemberCalls call = waiter.call;
        if (waiter.isDone()) {
            remove(waiter);
            return;
        }
        waiter.wasAsked = true;
        boolean isLast = waiter.isOverdue(time.nanoTime());
        Permit permit = ask(call, waiter.isBounded, isLast, round, waiter.priority);
        if (permit != null) {
            double taken = (double) call.options().cost().requests() / weight(waiter.priority);
            clock = Math.max(clock, turns.merge(waiter.priority, turnOf(waiter.priority) + taken, Math::max));
            if (remove(waiter)) {
                waiter.granted(permit, executor);
            } else {
                permit.release(); // its caller has given up meanwhile
            }
            return;
        }
        long now = time.nanoTime();
        long least = call.leastWait();
        boolean isOver = isLast || isTooLate(waiter, least) || call.isRefusedByAll();
        if (isOver && remove(waiter)) {
            turnAway(waiter, null, least == Wait.UNTIL_SIGNAL ? 0 : least);
            steps.incrementAndGet(); // those behind it may go where it has kept them from going
            return;
        }
        if (least >= LONG_NANOS && waitTold.tryNow(now) >= 0) {
            LOG.info("Pool \"{}\": calls wait, as no member can let the next one go: {}", name, answers(call));
        }
    }

    /**
     * Asks the members for a permit, one after the other.
     *
     * @param isLast whether the call cannot wait any longer, also not for a member that it prefers
     * @return the permit; null if none of them has one, or has to be left to those who came before
     */
    private @Nullable Permit ask(MemberCalls call, boolean isBounded, boolean isLast, Round round, Priority priority) {
        long now = time.nanoTime();
        if (isLast) {
            call.unpin(now);
        }
        int pinned = pinnedTo(call, now);
        if (pinned >= 0) {
            long left = call.pinnedUntil(now, affinityNanos) - now;
            Permit permit = ask(pinned, call, isBounded, round, priority, now);
            Wait wait = call.answer(pinned);
            boolean isShort = wait == null || wait.isUntilSignal() || wait.nanos() <= left;
            if (permit != null || isShort) {
                round.lookAfter(left);
                return permit;
            }
            call.unpin(now); // it is not worth waiting for
        }
        long shortest = Wait.UNTIL_SIGNAL;
        int tier = Integer.MIN_VALUE;
        for (int member : preference(call, now)) {
            int own = members.get(member).tier();
            if (own != tier && !isLast && spillNanos > 0 && shortest <= spillNanos - call.waitingNanos(now)) {
                return null; // a better tier is free soon
            }
            tier = own;
            Permit permit = ask(member, call, isBounded, round, priority, now);
            if (permit != null) {
                return permit;
            }
            Wait wait = call.answer(member);
            shortest = wait == null || wait.isUntilSignal() ? shortest : Math.min(shortest, wait.nanos());
        }
        return null;
    }

    private @Nullable Permit ask(
            int index, MemberCalls call, boolean isBounded, Round round, Priority priority, long now) {
        if (call.isExcluded(index)) {
            call.exclude(index);
            return null;
        }
        Wait closed = round.closedTo(priority)[index];
        if (closed != null) {
            call.answer(index, closed);
            return null;
        }
        PoolMember member = members.get(index);
        Wait rest = member.rest(now);
        if (!rest.isOver()) {
            call.answer(index, rest);
            close(index, rest, priority, round);
            round.lookAfter(rest.nanos());
            return null;
        }
        Offer offer = call.ask(index, isBounded, waiting.get(), wake);
        Permit permit = offer.permit();
        if (permit != null) {
            member.isChosen(orders.incrementAndGet());
            String conversation = call.options().affinity();
            if (conversation != null) {
                conversations.put(conversation, index);
            }
            return call.granted(index, permit, now);
        }
        if (!offer.until().isUntilSignal()) {
            round.lookAfter(offer.until().nanos());
        }
        if (!offer.isOwn()) {
            close(index, offer.until(), priority, round);
        }
        return null;
    }

    /** No call that comes later may go to a member; those of other classes may if this one leaves a share to them. */
    private void close(int member, Wait wait, Priority priority, Round round) {
        boolean leavesShare = priorities().reserves().getOrDefault(priority, 0.0) > 0;
        for (Priority other : CLASSES) {
            @Nullable Wait[] closed = round.closedTo(other);
            boolean isMeant = !leavesShare || other.compareTo(priority) >= 0;
            closed[member] = isMeant && closed[member] == null ? wait : closed[member];
        }
    }

    /** {@return the member that has the conversation of a call, if the call still waits for that one; else -1} */
    private int pinnedTo(MemberCalls call, long now) {
        String conversation = call.options().affinity();
        Integer member = conversation == null ? null : conversations.memberOf(conversation);
        if (member == null || call.isExcluded(member) || !members.get(member).isOpen()) {
            return -1;
        }
        return call.pinnedUntil(now, affinityNanos) - now > 0 ? member : -1;
    }

    /** {@return the members in the order in which a call prefers them} */
    private int[] preference(MemberCalls call, long now) {
        Cost known = call.options().cost();
        Cost estimate = call.options().estimate();
        Cost cost = estimate == null ? known : known.orElse(estimate);
        int size = members.size();
        int[] order = new int[size];
        double[] shares = new double[size];
        for (int i = 0; i < size; i++) {
            shares[i] = members.get(i).shareLeft(cost, now);
            int place = i;
            while (place > 0 && isBetter(i, order[place - 1], shares)) {
                order[place] = order[place - 1];
                place--;
            }
            order[place] = i;
        }
        return order;
    }

    private boolean isBetter(int one, int other, double[] shares) {
        PoolMember first = members.get(one);
        PoolMember second = members.get(other);
        if (first.tier() != second.tier()) {
            return first.tier() < second.tier();
        }
        if (shares[one] != shares[other]) {
            return shares[one] > shares[other];
        }
        int inFlight = Integer.compare(first.inFlight(), second.inFlight());
        return inFlight != 0 ? inFlight < 0 : first.lastChosen() < second.lastChosen();
    }

    private void arm(long lookNanos) {
        if (waiting.get() == 0) {
            if (task != null) {
                task.cancel();
                task = null;
            }
            return;
        }
        long now = time.nanoTime();
        PoolWaiter impatient = first(byDeadline);
        long look = impatient == null ? lookNanos : Math.min(lookNanos, impatient.deadline - now);
        if (task != null && firesAt - now > 0 && firesAt - now <= look) {
            return; // it fires early, and is set again then
        }
        if (task != null) {
            task.cancel();
        }
        firesAt = now + Math.max(0, look);
        task = time.schedule(Math.max(0, look), this::dispatchOnTime);
    }

    /** Guards are the user's code, which the timer's thread is not to run. */
    private void dispatchOnTime() {
        if (!isGuarded()) {
            dispatch();
            return;
        }
        try {
            executor.execute(wake);
        } catch (RuntimeException refused) {
            CallbackPool.shared().execute(wake);
        }
    }

    private boolean isGuarded() {
        try {
            return members.stream().anyMatch(PoolMember::isGuarded);
        } catch (RuntimeException | Error e) { // the line meets it again, and fails the call that it concerns
            return true;
        }
    }

    // ---- a call is turned away

    private void turnAway(PoolWaiter waiter, @Nullable String why, long leastNanos) {
        waiter.failed(rejection(waiter, why, leastNanos), executor);
    }

    private ThrottleRejectedException rejection(PoolWaiter waiter, @Nullable String why, long leastNanos) {
        MemberCalls call = waiter.call;
        long now = time.nanoTime();
        Wait soonest = call.soonest();
        String reason = why == null ? soonest.reason() : why;
        Duration allowed =
                Duration.ofNanos(waiter.deadline == Waiter.NEVER ? Nanos.MAX : waiter.deadline - waiter.beganAt);
        Duration needed = Duration.ofNanos(Nanos.plus(Math.max(0, now - waiter.beganAt), leastNanos));
        String begin = "Pool \"" + name + "\": ";
        String what;
        if (Refusal.QUEUE_FULL.equals(why)) {
            what = "the line is full (maxWaiting is "
                    + members.get(0).engine().policy().maxWaiting() + ")";
        } else if (call.isRefusedByAll()) {
            what = "no member takes the call";
        } else {
            what = "no member can let the call go within the " + DurationText.spoken(allowed)
                    + " that it may wait (maxWait)";
        }
        ThrottleRejectedException rejection = new ThrottleRejectedException(
                begin + what + ": " + answers(call),
                name,
                reason,
                needed,
                allowed,
                Instant.ofEpochMilli(time.currentTimeMillis()).plusNanos(leastNanos),
                null);
        rejected.increment();
        if (rejectionTold.tryNow(now) >= 0) {
            LOG.warn("{}", rejection.getMessage());
        } else {
            LOG.debug("{}", rejection.getMessage());
        }
        return rejection;
    }

    /** {@return what each member has answered to a call, in words} */
    private String answers(MemberCalls call) {
        List<String> answers = new ArrayList<>();
        for (int i = 0; i < members.size(); i++) {
            Wait wait = call.answer(i);
            String label = members.get(i).label();
            if (wait == null) {
                answers.add(label + " (others come first)");
            } else if (wait.isUntilSignal()) {
                answers.add(label + " (" + wait.reason() + ")");
            } else {
                answers.add(label + " in " + DurationText.spoken(Duration.ofNanos(wait.knownNanos())) + " ("
                        + wait.reason() + ")");
            }
        }
        return String.join(", ", answers);
    }

    /** {@return why calls wait now, in one sentence} */
    public String explain() {
        int calls = waiting.get();
        StringBuilder text = new StringBuilder("pool ").append(name).append(": ");
        if (calls == 0) {
            text.append("no call is waiting");
        } else {
            text.append(calls).append(calls == 1 ? " call is waiting" : " calls are waiting");
            long now = time.nanoTime();
            long longest = lines.values().stream()
                    .map(PoolLine::first)
                    .filter(Objects::nonNull)
                    .mapToLong(waiter -> now - waiter.beganAt)
                    .max()
                    .orElse(0);
            text.append(", the first for ").append(DurationText.spoken(Duration.ofNanos(Math.max(0, longest))));
        }
        for (PoolMember member : members) {
            WaitEstimate estimate = member.engine().estimateWait(CallOptions.DEFAULT);
            Wait rest = member.rest(time.nanoTime());
            text.append("; ").append(member.label()).append(' ');
            if (!rest.isOver()) {
                text.append("rests for ")
                        .append(DurationText.spoken(Duration.ofNanos(rest.nanos())))
                        .append(" (")
                        .append(rest.reason())
                        .append(')');
            } else if (estimate.isAtOnce()) {
                text.append("is free");
            } else if (estimate.atLeast().isZero()) {
                text.append("is not free (").append(estimate.reason()).append(')');
            } else {
                text.append("is free in ")
                        .append(DurationText.spoken(estimate.atLeast()))
                        .append(" (")
                        .append(estimate.reason())
                        .append(')');
            }
        }
        return text.toString();
    }

    @Override
    public String toString() {
        return "pool " + name;
    }
}
