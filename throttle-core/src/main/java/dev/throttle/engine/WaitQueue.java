package dev.throttle.engine;

import dev.throttle.Priority;
import dev.throttle.signal.Cost;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The callers of one throttle that have to wait. Most stand in line, in one line for each class of {@link Priority} and
 * each {@link Lane}, and {@link Turns} tells which class is next. A set of all whose wait is bounded tells whose
 * patience ends first.
 *
 * <p>A call that has to wait for something of its own, such as its backoff, rests beside the line until that is over,
 * so that it does not delay others meanwhile. Joining, leaving and choosing take logarithmic time. Not thread-safe:
 * guarded by the engine's lock.
 */
final class WaitQueue {

    private final Turns turns;
    private final Tenants tenants;
    /** Those that are not empty. There is one, unless the server has several quotas that count different calls. */
    private final Map<Long, Lane> lanes = new LinkedHashMap<>();
    /** The same in the order of their heads, as of the last choice. */
    private List<Lane> inOrder = List.of();
    /** How many of each class are in line. */
    private final Map<Priority, Integer> inLine = new EnumMap<>(Priority.class);
    /** How many of each class wait, in line or resting. */
    private final Map<Priority, Integer> waiting = new EnumMap<>(Priority.class);

    private final SortedSet<Waiter> resting = Waiter.by(waiter -> waiter.arrivedAt + waiter.rest.nanos());
    private final SortedSet<Waiter> deadlines = Waiter.by(waiter -> waiter.arrivedAt + waiter.boundNanos());
    private int size;
    private int asynchronousInLine;
    private boolean passesOver;
    private long lined;

    WaitQueue(Turns turns, Tenants tenants) {
        this.turns = turns;
        this.tenants = tenants;
    }

    private static @Nullable Waiter first(SortedSet<Waiter> waiters) {
        return waiters.isEmpty() ? null : waiters.first();
    }

    /**
     * Passes over those in line that the number of requests in flight bounds, or does not any more. Other calls do not
     * wait behind them meanwhile.
     */
    void passOverBounded(boolean value) {
        if (value != passesOver) {
            Set<Priority> before = classesThatGo();
            passesOver = value;
            for (Lane lane : lanes.values()) {
                lane.lines.values().forEach(line -> line.passOverBounded(value));
            }
            Set<Priority> joining = classesThatGo();
            joining.removeAll(before);
            joining.forEach(turns::joins);
        }
    }

    /** {@return the classes of those in line that are not passed over} */
    private Set<Priority> classesThatGo() {
        Set<Priority> classes = EnumSet.noneOf(Priority.class);
        for (Lane lane : lanes.values()) {
            for (WaitLine line : lane.lines.values()) {
                if (!line.isClear()) {
                    classes.add(line.priority);
                }
            }
        }
        return classes;
    }

    /** {@return the next call; null if the line is empty, or all calls are passed over} */
    @Nullable Waiter head(long now) {
        List<Lane> choice = choose(now);
        return choice.isEmpty() ? null : choice.get(0).head;
    }

    /**
     * {@return the lanes with a call that is not passed over, each with its head, in the order in which the heads are
     * next}
     */
    List<Lane> choose(long now) {
        turns.choose();
        if (lanes.isEmpty()) { // as after most answers
            inOrder = List.of();
            return inOrder;
        }
        if (lanes.size() == 1) { // as with most servers
            Lane only = lanes.values().iterator().next();
            only.choose(turns, now);
            only.ownNanos = 0;
            boolean isSame = inOrder.size() == 1 && inOrder.get(0).equals(only);
            inOrder = only.head == null ? List.of() : isSame ? inOrder : List.of(only);
            return inOrder;
        }
        List<Lane> sorted = new ArrayList<>(lanes.size());
        for (Lane lane : lanes.values()) {
            lane.choose(turns, now);
            Waiter head = lane.head;
            lane.ownNanos = head == null ? 0 : turns.ownNanos(head.call, now);
            if (head != null) {
                insert(lane, sorted, now);
            }
        }
        inOrder = sorted;
        return inOrder;
    }

    private void insert(Lane lane, List<Lane> sorted, long now) {
        int place = sorted.size();
        while (place > 0 && isBefore(lane, sorted.get(place - 1), now)) {
            place--;
        }
        sorted.add(place, lane);
    }

    /** Of the same class, the few calls of one tenant go before the many of another, also where both need one limit. */
    private boolean isBefore(Lane one, Lane other, long now) {
        if (one.ownNanos != other.ownNanos) {
            return one.ownNanos < other.ownNanos;
        }
        Waiter first = Objects.requireNonNull(one.head);
        Waiter second = Objects.requireNonNull(other.head);
        boolean areOfOneTenant = Objects.equals(first.call.tenant(), second.call.tenant());
        if (first.priority == second.priority && !areOfOneTenant && !first.isRetry() && !second.isRetry()) {
            boolean isWithin = lineOf(first).tenants().isWithin(first);
            if (isWithin != lineOf(second).tenants().isWithin(second)) {
                return isWithin;
            }
        }
        return turns.isBefore(first, second, now);
    }

    /** {@return the lanes that are not passed over, in the order of the last choice} */
    List<Lane> lanes() {
        return lanes.isEmpty() ? List.of() : inOrder;
    }

    /** {@return all lanes, also those that are passed over} */
    List<Lane> allLanes() {
        return List.copyOf(lanes.values());
    }

    /** {@return the lane of calls that certain quotas count; null if none of them is in line} */
    @Nullable Lane lane(long quotas) {
        return lanes.get(quotas);
    }

    /** {@return a call in line, also if it is passed over; null if the line is empty} */
    @Nullable Waiter firstInLine() {
        return lanes.isEmpty() ? null : lanes.values().iterator().next().firstOfAll();
    }

    /** {@return whether the line is empty; calls may be resting} */
    boolean isLineEmpty() {
        return lanes.isEmpty();
    }

    /** {@return whether no call in line delays others: the line is empty, or all calls in it are passed over} */
    boolean isLineClear() {
        return lanes.isEmpty() || (passesOver && classesThatGo().isEmpty());
    }

    /** {@return all that wait, in line or resting} */
    int size() {
        return size;
    }

    /** {@return all of a class that wait, in line or resting} */
    int size(Priority priority) {
        return waiting.getOrDefault(priority, 0);
    }

    /** {@return how many tenants have a call that waits, in line or resting} */
    int tenants() {
        return tenants.size();
    }

    /** {@return how many times a call took a place so far} */
    long waitsSoFar() {
        return lined;
    }

    boolean hasAsynchronousInLine() {
        return asynchronousInLine > 0;
    }

    /** {@return what the callers of a class in a lane will take, without those that are passed over} */
    Cost costInLine(long quotas, Priority priority) {
        WaitLine line = line(quotas, priority);
        return line == null ? Cost.NONE : line.cost();
    }

    /**
     * {@return what the callers in line will take who are certainly ahead of a newcomer, unless others of other tenants
     * come: those of its class in its lane whose turn is before its own} Without those that are passed over.
     */
    Cost costAhead(long quotas, CallState newcomer) {
        WaitLine line = line(quotas, newcomer.priority());
        return line == null ? Cost.NONE : line.costBefore(newcomer.tenant());
    }

    private @Nullable WaitLine line(long quotas, Priority priority) {
        Lane lane = lanes.get(quotas);
        return lane == null ? null : lane.lines.get(priority);
    }

    /**
     * {@return those in some lanes whose allowed wait ends before an instant and who come after so many requests of
     * their own class and lane, the last of each class first} Others may be among them. Looks at those who are hasty or
     * at those who come so late, whichever are fewer, as it is done for each answer.
     */
    List<Waiter> behind(long requests, long before, Predicate<Lane> isMeant) {
        List<WaitLine> meant = new ArrayList<>();
        long late = 0;
        for (Lane lane : lanes.values()) {
            if (isMeant.test(lane)) {
                meant.addAll(lane.lines.values());
            }
        }
        for (WaitLine line : meant) {
            late += line.requestsBehind(requests);
        }
        Map<WaitLine, Set<Waiter>> hasty = new HashMap<>();
        long looks = late;
        for (Waiter waiter : deadlines) {
            if (looks-- <= 0 || waiter.arrivedAt + waiter.boundNanos() - before >= 0) {
                break;
            }
            if (!waiter.resting && !waiter.isRetry()) {
                hasty.computeIfAbsent(lineOf(waiter), line -> new HashSet<>()).add(waiter);
            }
        }
        boolean areMore = looks < 0;
        List<Waiter> behind = new ArrayList<>();
        for (WaitLine line : meant) {
            Set<Waiter> some = hasty.getOrDefault(line, Set.of());
            behind.addAll(areMore ? line.behind(requests) : line.behind(requests, some));
        }
        return behind;
    }

    private WaitLine lineOf(Waiter waiter) {
        Lane lane = Objects.requireNonNull(lanes.get(waiter.lane));
        return Objects.requireNonNull(lane.lines.get(waiter.priority));
    }

    /** {@return the call that may be dropped for a newcomer: the oldest of the lowest class; null if there is none} */
    @Nullable Waiter leastFor(Priority newcomer) {
        Waiter least = null;
        for (Lane lane : lanes.values()) {
            for (WaitLine line : lane.lines.values()) {
                Waiter oldest = line.priority.compareTo(newcomer) < 0 ? null : line.oldestNewcomer();
                boolean isLess = oldest != null && (least == null || isLess(oldest, least));
                least = isLess ? oldest : least;
            }
        }
        return least;
    }

    /**
     * {@return the call that may be dropped for a newcomer whose tenant has fewer in line: the last of the tenant with
     * most, of those that are not above it; null if there is none} It is not one that tries again.
     */
    @Nullable Waiter lastOfLargestTenant(CallState newcomer) {
        TenantLine largest = null;
        int own = 0;
        for (Lane lane : lanes.values()) {
            for (WaitLine line : lane.lines.values()) {
                if (line.priority.compareTo(newcomer.priority()) >= 0) {
                    TenantLine candidate = line.tenants().largest();
                    boolean isLarger = candidate != null && (largest == null || candidate.size() > largest.size());
                    largest = isLarger ? candidate : largest;
                    TenantLine same = line.tenants().line(newcomer.tenant());
                    own += same == null ? 0 : same.size();
                }
            }
        }
        return largest == null || largest.size() <= own + 1 ? null : largest.last();
    }

    private static boolean isLess(Waiter one, Waiter other) {
        int lower = one.priority.compareTo(other.priority);
        return lower > 0 || (lower == 0 && one.order < other.order);
    }

    /** {@return the caller whose allowed wait ends first, in line or resting; null if no wait is bounded} */
    @Nullable Waiter earliestDeadline() {
        return first(deadlines);
    }

    /** {@return the caller whose rest ends first; null if none rests} */
    @Nullable Waiter firstToRise() {
        return first(resting);
    }

    /** {@return any call that waits, in line or resting; null if none does} */
    @Nullable Waiter any() {
        return lanes.isEmpty() ? firstToRise() : firstInLine();
    }

    /** The time since an instant does not count for any bound. */
    void prolong(long since, long now) {
        revise(waiter -> waiter.prolong(since, now));
    }

    /** Changes what callers may wait, how long they rest, or what others have to reckon with because of them. */
    void revise(Consumer<Waiter> change) {
        List<Waiter> rests = List.copyOf(resting);
        resting.clear();
        deadlines.clear();
        for (Waiter waiter : rests) {
            change.accept(waiter);
            resting.add(waiter);
            bound(waiter);
        }
        for (Lane lane : lanes.values()) {
            for (WaitLine line : lane.lines.values()) {
                line.revise(change.andThen(this::bound));
            }
        }
    }

    /** {@return all that wait, in line or resting} */
    List<Waiter> all() {
        List<Waiter> all = new ArrayList<>(resting);
        for (Lane lane : lanes.values()) {
            for (WaitLine line : lane.lines.values()) {
                line.forEach(all::add);
            }
        }
        return all;
    }

    /** {@return all of a route that wait, in line or resting} */
    List<Waiter> ofRoute(String route) {
        List<Waiter> all = all();
        all.removeIf(waiter -> !route.equals(waiter.call.route()));
        return all;
    }

    /** Lets callers change lanes, in which they stand in the same order. */
    void changeLanes(List<Waiter> waiters, ToLongFunction<Waiter> laneOf) {
        for (Waiter waiter : waiters) { // one by one, so that a class that stays in line keeps its turn
            long lane = laneOf.applyAsLong(waiter);
            if (!waiter.resting && lane != waiter.lane) {
                WaitLine before = leave(waiter);
                waiter.lane = lane;
                stand(waiter, before.priority);
            }
        }
    }

    /** {@return those who rest for longer than they may wait} */
    List<Waiter> restingInVain() {
        List<Waiter> inVain = new ArrayList<>(resting);
        inVain.removeIf(waiter -> waiter.rest.nanos() <= waiter.allowedNanos);
        return inVain;
    }

    void rest(Waiter waiter) {
        add(waiter);
        waiter.resting = true;
        resting.add(waiter);
    }

    private void add(Waiter waiter) {
        waiter.order = lined++;
        waiting.merge(waiter.priority, 1, Integer::sum);
        tenants.joins(waiter.call.tenant());
        size++;
        bound(waiter);
    }

    private void bound(Waiter waiter) {
        if (waiter.boundNanos() != Waiter.NEVER) {
            deadlines.add(waiter);
        }
    }

    /** The rest of a caller is over. */
    void rise(Waiter waiter) {
        remove(waiter);
        lineUp(waiter);
    }

    void lineUp(Waiter waiter) {
        add(waiter);
        if (inLine.getOrDefault(waiter.priority, 0) == 0) {
            turns.joins(waiter.priority);
        }
        stand(waiter, waiter.priority);
        inLine.merge(waiter.priority, 1, Integer::sum);
        asynchronousInLine += waiter.isBlocking() ? 0 : 1;
    }

    private void stand(Waiter waiter, Priority priority) {
        Lane lane = lanes.computeIfAbsent(waiter.lane, Lane::new);
        WaitLine line = lane.lines.get(priority);
        if (line == null) {
            line = new WaitLine(priority, tenants);
            lane.lines.put(priority, line);
        }
        line.passOverBounded(passesOver);
        line.add(waiter);
    }

    /** {@return the line that it stood in} */
    private WaitLine leave(Waiter waiter) {
        Lane lane = Objects.requireNonNull(lanes.get(waiter.lane));
        WaitLine line = lineOf(waiter);
        line.remove(waiter);
        if (line.isEmpty()) {
            lane.lines.remove(waiter.priority);
        }
        if (lane.lines.isEmpty()) {
            lanes.remove(waiter.lane);
        }
        return line;
    }

    /** The head is let go, and has had its turn. */
    void go(Waiter head, long now) {
        turns.goes(head, now);
        lineOf(head).goes(head);
        remove(head);
    }

    void remove(Waiter waiter) {
        waiting.merge(waiter.priority, -1, Integer::sum);
        tenants.leaves(waiter.call.tenant());
        size--;
        deadlines.remove(waiter);
        if (waiter.resting) {
            resting.remove(waiter);
            waiter.resting = false;
            return;
        }
        leave(waiter);
        inLine.merge(waiter.priority, -1, Integer::sum);
        asynchronousInLine -= waiter.isBlocking() ? 0 : 1;
    }
}
