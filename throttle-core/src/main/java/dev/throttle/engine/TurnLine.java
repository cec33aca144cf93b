package dev.throttle.engine;

import dev.throttle.signal.Cost;
import org.jspecify.annotations.Nullable;

/**
 * A line in which one may keep a place and let others pass. Not thread-safe.
 *
 * @param <P> who stands there
 */
final class TurnLine<P extends TurnLine.Place<P>> {

    /** What the members take that do not let others pass. */
    private final CostSum claimed = new CostSum();

    private @Nullable P first;
    private @Nullable P last;
    private int size;

    /** A member of a line. */
    abstract static class Place<P> {

        private @Nullable P ahead;
        private @Nullable P behind;
        private boolean inLine;
        private boolean letsPass;
        private Cost cost = Cost.NONE;

        final boolean isInLine() {
            return inLine;
        }

        /** {@return what it is to take} */
        final Cost cost() {
            return cost;
        }
    }

    int size() {
        return size;
    }

    /** {@return whose turn it is; null if there is none, or all let others pass} */
    @Nullable P next() {
        P next = first;
        while (next != null && place(next).letsPass) {
            next = place(next).behind;
        }
        return next;
    }

    private Place<P> place(P who) {
        return who;
    }

    /** {@return what the members take that have their turn before another, in line or not} */
    Cost costAhead(P who) {
        if (!place(who).inLine) {
            return claimed.toCost();
        }
        if (first == who) {
            return Cost.NONE;
        }
        CostSum sum = new CostSum();
        for (P other = first; other != null && other != who; other = place(other).behind) {
            if (!place(other).letsPass) {
                sum.add(place(other).cost);
            }
        }
        return sum.toCost();
    }

    /** Adds a member at the end, or leaves it where it is. It does not let others pass from now on. */
    void stand(P who, Cost cost) {
        Place<P> place = place(who);
        if (!place.inLine) {
            append(who, place);
        } else if (!place.letsPass) {
            claimed.subtract(place.cost);
        }
        place.cost = cost;
        place.letsPass = false;
        claimed.add(cost);
    }

    private void append(P who, Place<P> place) {
        place.inLine = true;
        place.ahead = last;
        if (last == null) {
            first = who;
        } else {
            place(last).behind = who;
        }
        last = who;
        size++;
    }

    /** Lets others pass a member, which keeps its place; {@return whether that is new} */
    boolean letPass(P who) {
        Place<P> place = place(who);
        boolean isNew = place.inLine && !place.letsPass;
        if (isNew) {
            place.letsPass = true;
            claimed.subtract(place.cost);
        }
        return isNew;
    }

    /** Removes a member; {@return whether it was in line} */
    boolean leave(P who) {
        Place<P> place = place(who);
        if (!place.inLine) {
            return false;
        }
        if (place.ahead == null) {
            first = place.behind;
        } else {
            place(place.ahead).behind = place.behind;
        }
        if (place.behind == null) {
            last = place.ahead;
        } else {
            place(place.behind).ahead = place.ahead;
        }
        if (!place.letsPass) {
            claimed.subtract(place.cost);
        }
        place.ahead = null;
        place.behind = null;
        place.inLine = false;
        size--;
        if (size == 0) {
            claimed.clear();
        }
        return true;
    }
}
