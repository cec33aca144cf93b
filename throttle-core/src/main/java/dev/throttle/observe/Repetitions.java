package dev.throttle.observe;

import dev.throttle.engine.RecordedCall;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The requests that a program sends only because others were refused: the same method and URL within ten minutes. Where
 * many calls have the same method and URL, these do not tell which one is repeated, and all count as calls of their
 * own.
 */
final class Repetitions {

    private static final long WITHIN_NANOS = 600_000_000_000L;
    /** More calls with the same method and URL, each of its own, are usual traffic. */
    private static final int MOST_OF_THEIR_OWN = 3;

    private Repetitions() {}

    /** {@return the calls that the program would make if none was refused; by time, as the calls} */
    static List<RecordedCall> removedFrom(List<RecordedCall> all) {
        Map<Integer, Integer> own = new HashMap<>();
        Set<RecordedCall> candidates = Collections.newSetFromMap(new IdentityHashMap<>());
        Map<Integer, Deque<RecordedCall>> refused = new HashMap<>();
        for (RecordedCall call : all) {
            if (call.print() != 0) {
                Deque<RecordedCall> before = refused.computeIfAbsent(call.print(), print -> new ArrayDeque<>());
                if (repeatsOneOf(before, call)) {
                    candidates.add(call);
                } else {
                    own.merge(call.print(), 1, Integer::sum);
                }
                if (call.isRefused()) {
                    before.addLast(call);
                }
            }
        }
        List<RecordedCall> wanted = new ArrayList<>(all);
        wanted.removeIf(call -> candidates.contains(call) && own.getOrDefault(call.print(), 0) <= MOST_OF_THEIR_OWN);
        return wanted;
    }

    /** {@return whether a call comes after one that was refused, which it then takes} */
    private static boolean repeatsOneOf(Deque<RecordedCall> refused, RecordedCall call) {
        RecordedCall first = refused.peekFirst();
        while (first != null && call.at() - first.at() > WITHIN_NANOS) {
            refused.removeFirst();
            first = refused.peekFirst();
        }
        boolean isLater = first != null && call.at() - (first.at() + first.nanos()) >= 0;
        if (isLater) {
            refused.removeFirst();
        }
        return isLater;
    }
}
