package dev.throttle.engine;

import dev.throttle.signal.Cost;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Whose turn it is when callers of several tenants wait in a line. Each tenant has a clock, which advances by what its
 * callers take, slowly where its weight is high. The clock of the line is the latest turn that was taken. A tenant
 * whose clock is not past it has had no more than its share. If it has few callers too, they go as they came, with
 * those of other such tenants. All others go when there are none of these, the one with the earliest clock first. So
 * many callers of one tenant hardly delay the few of others, and tenants that all have many get the same.
 *
 * <p>This is start-time fair queueing (Goyal, Vin and Cheng, 1996) with one addition: a tenant that took little has a
 * credit of a few calls. Without it, each tenant that has a second call in a burst would lose its place to all
 * newcomers. A tenant that leaves is remembered until its credit is whole again, so that it has no more turns by coming
 * back. If no other one waits, none is. Guarded by the engine's lock.
 */
final class TenantTurns {

    /** So many tenants are remembered that do not wait any more; the one with the least to pay is forgotten first. */
    private static final int MOST_REMEMBERED = 1_000;
    /** So many are looked at to find out what goes before a newcomer: each newcomer asks. */
    private static final int MOST_LOOKED_AT = 32;

    private final Tenants tenants;
    /** Those with callers; the callers that name no tenant have the key null. */
    private final Map<@Nullable String, TenantLine> lines = new HashMap<>();
    /** Those of them that had no more than their share. */
    private final NavigableSet<TenantLine> within = new TreeSet<>(TenantLine::byFirst);
    /** Those that had more. */
    private final NavigableSet<TenantLine> beyond = new TreeSet<>(TenantLine::byClock);
    /** Those without callers whose credit is not whole. */
    private final Map<@Nullable String, TenantLine> gone = new HashMap<>();

    private final NavigableSet<TenantLine> goneByClock = new TreeSet<>(TenantLine::byClock);
    private long clock;

    TenantTurns(Tenants tenants) {
        this.tenants = tenants;
    }

    boolean isEmpty() {
        return lines.isEmpty();
    }

    /** {@return those with callers, in no order} */
    Collection<TenantLine> lines() {
        return lines.values();
    }

    /** {@return a tenant; null if it has no callers} */
    @Nullable TenantLine line(@Nullable String tenant) {
        return lines.get(tenant);
    }

    /** {@return the tenant of a caller in line} */
    TenantLine lineOf(Waiter waiter) {
        return Objects.requireNonNull(lines.get(waiter.call.tenant()));
    }

    /** {@return the caller whose turn it is; null if there is none, or if all are passed over} */
    @Nullable Waiter first(boolean passesOver) {
        Waiter first = first(within, passesOver);
        return first == null ? first(beyond, passesOver) : first;
    }

    private static @Nullable Waiter first(NavigableSet<TenantLine> inTurn, boolean passesOver) {
        if (inTurn.isEmpty()) {
            return null;
        }
        Waiter first = inTurn.first().first(passesOver);
        if (first == null) { // all of this tenant are passed over
            for (TenantLine line : inTurn) {
                first = first == null ? line.first(passesOver) : first;
            }
        }
        return first;
    }

    /** {@return whether the tenant of a caller in line had no more than its share, and asks for little} */
    boolean isWithin(Waiter waiter) {
        return lineOf(waiter).isWithinAt(clock);
    }

    private NavigableSet<TenantLine> setOf(TenantLine line) {
        return line.isWithinAt(clock) ? within : beyond;
    }

    void add(Waiter waiter) {
        String tenant = waiter.call.tenant();
        TenantLine line = lines.get(tenant);
        if (line == null) {
            line = come(tenant, waiter.costInLine());
        } else {
            setOf(line).remove(line);
        }
        line.add(waiter);
        setOf(line).add(line);
    }

    private TenantLine come(@Nullable String tenant, Cost first) {
        TenantLine line = gone.remove(tenant);
        if (line == null) {
            line = new TenantLine(tenant, tenants.weight(tenant), clock, first);
        } else {
            goneByClock.remove(line);
            line.comesBackAt(clock, tenants.weight(tenant), first);
        }
        lines.put(tenant, line);
        return line;
    }

    void remove(Waiter waiter) {
        TenantLine line = lineOf(waiter);
        setOf(line).remove(line);
        line.remove(waiter);
        if (line.isEmpty()) {
            leave(line);
        } else {
            setOf(line).add(line);
        }
    }

    private void leave(TenantLine line) {
        lines.remove(line.tenant);
        if (lines.isEmpty()) {
            gone.clear();
            goneByClock.clear();
            return;
        }
        gone.put(line.tenant, line);
        goneByClock.add(line);
        while (!gone.isEmpty() && (goneByClock.first().isWholeAt(clock) || gone.size() > MOST_REMEMBERED)) {
            gone.remove(Objects.requireNonNull(goneByClock.pollFirst()).tenant);
        }
    }

    /** A caller takes its turn, and will be removed. */
    void goes(Waiter waiter) {
        TenantLine line = lineOf(waiter);
        setOf(line).remove(line);
        if (line.clock() - clock > 0) {
            clock = line.clock();
            for (Iterator<TenantLine> next = beyond.iterator(); next.hasNext(); ) {
                TenantLine same = next.next();
                if (same.clock() - clock > 0) {
                    break;
                }
                if (same.isWithinAt(clock)) {
                    next.remove();
                    within.add(same);
                }
            }
        }
        line.pay(waiter);
        setOf(line).add(line);
    }

    /**
     * Adds what those take who go before a newcomer. With very many tenants, it is what some of those take.
     *
     * @param passesOver whether those are left out that are passed over
     */
    void addCostBefore(@Nullable String newcomer, boolean passesOver, CostSum sum) {
        TenantLine own = lines.get(newcomer);
        TenantLine known = own == null ? gone.get(newcomer) : own;
        boolean isWithin = known == null || known.isWithinWithOneMore(clock);
        long turn = known == null || clock - known.end() > 0 ? clock : known.end();
        int left = MOST_LOOKED_AT;
        for (TenantLine line : isWithin ? within : lines.values()) {
            if (left-- == 0) {
                break;
            }
            sum.addShare(line.cost(passesOver), line.equals(own) ? 1 : line.shareBefore(turn));
        }
    }

    /** {@return the caller that goes last, if no other one comes; null if there is none} */
    @Nullable Waiter last() {
        TenantLine last = null;
        for (TenantLine line : lines.values()) {
            last = last == null || line.endsAfter(last, clock) ? line : last;
        }
        return last == null ? null : last.last();
    }

    /** {@return the tenant with most callers; null if there is none} */
    @Nullable TenantLine largest() {
        TenantLine largest = null;
        for (TenantLine line : lines.values()) {
            largest = largest == null || line.size() > largest.size() ? line : largest;
        }
        return largest;
    }

    void forEach(Consumer<Waiter> action) {
        lines.values().forEach(line -> line.forEach(action));
    }

    /** Changes the callers, and with them what they take. The weights of tenants may have changed. */
    void revise(Consumer<Waiter> change) {
        lines.values().forEach(line -> line.revise(change, tenants.weight(line.tenant)));
    }
}
