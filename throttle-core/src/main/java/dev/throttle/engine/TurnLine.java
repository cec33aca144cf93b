package dev.throttle.engine;

import dev.throttle.signal.Cost;
import org.jspecify.annotations.Nullable;

/**
 * A line in which one may keep a place and let others pass. Not thread-safe.
 *
 * @param <P> who stands there
 */
final class TurnLine<P extends TurnLine.Place<P>> {

    /** What those take who let nobody pass. */
    private final CostSum claimed = new CostSum();

    private @Nullable P first;
    private @Nullable P last;
    private int size;

    /** Somebody who may stand in a line. */
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

    /** {@return whose turn it is; null if nobody stands here who lets nobody pass} */
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

    /** {@return what those take who have their turn before somebody, in line or not} */
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

    /** Somebody comes to the end, or stays where it is; and lets nobody pass from now on. */
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

    /** Somebody keeps its place, and lets others pass; {@return whether that is new} */
    boolean letPass(P who) {
        Place<P> place = place(who);
        boolean isNew = place.inLine && !place.letsPass;
        if (isNew) {
            place.letsPass = true;
            claimed.subtract(place.cost);
        }
        return isNew;
    }

    /** Somebody gives up its place; {@return whether it had one} */
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
